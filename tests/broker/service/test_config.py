"""Configurations, and the error messages for invalid ones."""

from __future__ import annotations

import math
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from zeps_broker.core.settings import Settings
from zeps_broker.journal.options import JournalOptions
from zeps_broker.service.config import GROUPS, Config, ConfigError, example, load, parse
from zeps_broker.service.limits_page import limits_page
from zeps_broker.setting import settings_of
from zeps_broker.transport.options import CurveOptions, GatewayOptions, RouterOptions

EXAMPLE = Path(__file__).parents[3] / "examples" / "zeps.toml"
AT_LEAST_1 = "; it must be a whole number of at least 1"
FROM_0_05 = "; it must be a number from 0.05"


def test_nothing_is_the_defaults() -> None:
    assert parse("") == Config()


def test_the_example_is_the_defaults() -> None:
    config = load(EXAMPLE)
    assert EXAMPLE.read_text() == example()
    assert parse(example()) == Config()
    assert config.journal.path == EXAMPLE.parent / "zeps-data"


def test_the_example_names_every_key() -> None:
    everything = tomllib.loads(re.sub(r"^# (?=[a-z_]+ = |\[)", "", example(), flags=re.MULTILINE))
    assert set(everything.pop("streams")) == {"syslog.*"}
    (gateway,) = everything.pop("gateways").values()
    assert set(gateway) == {field.name for field, _ in settings_of(GatewayOptions)}
    named = {(section, name) for section, keys in everything.items() for name in keys}
    known = {
        (setting.section, field.name) for group in GROUPS.values() for field, setting in settings_of(group)
    }
    assert named == known


def test_the_page_of_limits_is_written_from_the_settings() -> None:
    assert (EXAMPLE.parents[1] / "docs" / "limits.md").read_text() == limits_page(Config())


def test_every_value_of_the_example_reaches_its_group() -> None:
    """Changes each number of the example, and finds it again in the configuration."""
    changed = re.sub(
        r"^(\w+_(?:max|bytes|min)) = (\d+)$", lambda m: f"{m[1]} = {int(m[2]) - 1}", example(), flags=re.M
    )
    read, default = parse(changed), Config()
    for name in ("core", "journal", "transport"):
        group, before = getattr(read, name), getattr(default, name)
        for field, _ in settings_of(group):
            if re.search(r"_(max|bytes|min)$", field.name) and isinstance(field.default, int):
                assert getattr(group, field.name) == getattr(before, field.name) - 1, field.name


def test_values_reach_the_core_and_the_transport() -> None:
    config = parse(
        """
        [broker]
        bind = ["tcp://127.0.0.1:1", "ipc://x"]
        client_timeout_seconds = 3
        heartbeat_seconds = 0.5
        [transport]
        send_messages_max = 7
        [limits]
        sessions_max = 9
        [streams."b*"]
        match = "regex"
        [streams.a]
        match = "prefix"
        """
    )
    assert config.service.bind == ("tcp://127.0.0.1:1", "ipc://x")
    settings = config.core
    assert (settings.client_timeout_seconds, settings.heartbeat_seconds) == (3.0, 0.5)
    assert settings.sessions_max == 9
    assert settings.style_of("bright") == "regex"
    assert settings.style_of("a") == settings.style_of("other") == "prefix"
    assert config.transport.send_messages_max == 7


def test_former_names_are_understood() -> None:
    config = parse("[limits]\nsessions = 9\n[transport]\nlarge_window = 70000\n")
    assert (config.core.sessions_max, config.transport.shared_bytes_max) == (9, 70_000)
    assert config.renamed == (
        ("limits.sessions", "limits.sessions_max"),
        ("transport.large_window", "transport.shared_bytes_max"),
    )
    with pytest.raises(
        ConfigError, match=r"2: limits.sessions is the former name of limits.sessions_max; remove"
    ):
        parse("[limits]\nsessions = 9\nsessions_max = 9\n")


@pytest.mark.parametrize(
    ("group", "values", "message"),
    [
        (
            Settings,
            {"heartbeat_seconds": -1.0},
            "heartbeat_seconds must be a number from 0.01 to 86400, not -1.0",
        ),
        (Settings, {"client_timeout_seconds": math.nan}, "client_timeout_seconds must be a number from 0.05"),
        (Settings, {"patterns_max": 0}, "patterns_max must be a whole number of at least 1, not 0"),
        (RouterOptions, {"turn_bytes_max": -1}, "turn_bytes_max must be a whole number from 1"),
        (
            JournalOptions,
            {"retain_seconds": math.inf},
            "retain_seconds must be a number of at least 0.001, not inf",
        ),
        (
            CurveOptions,
            {"authorized_keys": Path("clients")},
            "curve.authorized_keys is set, but curve.secret_key is",
        ),
    ],
)
def test_programs_are_held_to_the_same_values(group: Any, values: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        group(**values)


def test_relative_paths_start_where_the_file_lies(tmp_path: Path) -> None:
    file = tmp_path / "zeps.toml"
    file.write_text('[journal]\npath = "data"\n[broker]\npidfile = "/run/zeps.pid"\n')
    config = load(file)
    assert config.journal.path == tmp_path / "data"
    assert config.service.pidfile == Path("/run/zeps.pid")
    file.write_text('[curve]\nsecret_key = "broker.key_secret"\nauthorized_keys = "/etc/zeps/clients"\n')
    assert load(file).transport.curve == CurveOptions(
        tmp_path / "broker.key_secret", Path("/etc/zeps/clients")
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[journal]\nretain_byte = 5",
            ':2: unknown key "retain_byte" in [journal]; did you mean "retain_bytes"?',
        ),
        ("\n[jurnal]\npath = 'x'", ':2: unknown section "jurnal"; did you mean "journal"?'),
        ("jurnal.path = 'x'", ':1: unknown section "jurnal"; did you mean "journal"?'),
        ("[log]\nxyzzy = 1", ':2: unknown key "xyzzy" in [log]; known: format, level'),
        ("[limits]\n\n'sessions_max' = 0", f":3: limits.sessions_max is 0{AT_LEAST_1}"),
        ("[limits]\nsessions_max = 1.5", f":2: limits.sessions_max is 1.5{AT_LEAST_1}"),
        ("[limits]\nsessions_max = true", f":2: limits.sessions_max is true{AT_LEAST_1}"),
        ("[broker]\nclient_timeout_seconds = '20'", f':2: broker.client_timeout_seconds is "20"{FROM_0_05}'),
        ("[broker]\nclient_timeout_seconds = nan", f":2: broker.client_timeout_seconds is nan{FROM_0_05}"),
        ("[broker]\nbind = 'tcp://*:1'", ':2: broker.bind is "tcp://*:1"; it must be a list of endpoints'),
        ("[broker]\nbind = []", ":2: broker.bind is []; it must be a list of endpoints"),
        ("[journal]\nsync = 'never'", ':2: journal.sync is "never"; it must be one of "always", "inter'),
        ("[journal]\npath = ''", ':2: journal.path is ""; it must be a path'),
        (
            "[broker]\nheartbeat_seconds = 30",
            ": heartbeat_seconds (30) must be less than client_timeout_seconds (20)",
        ),
        ("journal = 3", ":1: journal is a section: write [journal] and its keys below it"),
        ("[streams.'a']\nmatch = 'glob'", ':2: streams."a".match is "glob"; it must be one of "prefix", "re'),
        ("[streams.a]\nmach = 'regex'", ': unknown key "mach" in [streams."a"]; did you mean "match"?'),
        ("[streams]\na = 'regex'", ':2: streams."a" is a section: write [streams."a"] and match below it'),
        (
            "[gateways.a]\nsub = []",
            ': unknown key "sub" in [gateways."a"]; known: frames, publishers, subscrib',
        ),
        (
            "[gateways.'a']\nframes = 'all'",
            ':2: gateways."a".frames is "all"; it must be one of "two", "any"',
        ),
        ("[gateways]\na = 1", ':2: gateways."a" is a section: write [gateways."a"]'),
        ('[gateways.""]', ': gateways."" is not the name of a stream'),
        ("[log]\nlevel = 'info'\nlevel = 'info'", ": not TOML: "),
    ],
)
def test_what_is_wrong_is_said(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "zeps.toml")
    assert str(caught.value).startswith(f"zeps.toml{message}")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.toml: No such file"):
        load(tmp_path / "nowhere.toml")
    bad = tmp_path / "bad.toml"
    bad.write_bytes(b"[log]\xff")
    with pytest.raises(ConfigError, match=r"bad\.toml: not UTF-8 at byte 5"):
        load(bad)
