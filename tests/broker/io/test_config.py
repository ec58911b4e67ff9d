"""What a configuration says, and how it is told what is wrong with it."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest

from zeps_broker.core.settings import Settings
from zeps_broker.io.config import (
    Config,
    ConfigError,
    CurveConfig,
    GatewayConfig,
    LimitsConfig,
    TransportConfig,
    load,
    parse,
)
from zeps_broker.io.options import CurveOptions, RouterOptions

EXAMPLE = Path(__file__).parents[3] / "examples" / "zeps.toml"


def test_nothing_is_the_defaults() -> None:
    assert parse("") == Config()


def test_the_example_is_the_defaults() -> None:
    config = load(EXAMPLE)
    assert parse(EXAMPLE.read_text()) == Config()
    assert config.journal.path == EXAMPLE.parent / "zeps-data"


def test_the_example_names_every_key() -> None:
    everything = tomllib.loads(re.sub(r"^# (?=[a-z_]+ = |\[)", "", EXAMPLE.read_text(), flags=re.MULTILINE))
    assert set(everything.pop("streams")) == {"syslog.*"}
    (gateway,) = everything.pop("gateways").values()
    assert set(gateway) == {key.name for key in fields(GatewayConfig)}
    sections = {section.name for section in fields(Config)} - {"matching", "gateways"}
    assert set(everything) == sections
    for name in sections:
        assert set(everything[name]) == {key.name for key in fields(getattr(Config(), name))}


def test_everything_that_can_be_set_has_a_key() -> None:
    elsewhere = {"client_timeout", "heartbeat_interval", "shutdown_timeout", "matching", "default_matching"}
    assert {key.name for key in fields(LimitsConfig)} == {key.name for key in fields(Settings)} - elsewhere
    assert {key.name for key in fields(TransportConfig)} == {key.name for key in fields(RouterOptions)} - {
        "curve"
    }
    assert {key.name for key in fields(CurveConfig)} == {key.name for key in fields(CurveOptions)}


def test_values_reach_the_core_and_the_transport() -> None:
    config = parse(
        """
        [broker]
        bind = ["tcp://127.0.0.1:1", "ipc://x"]
        client_timeout = 3
        heartbeat_interval = 0.5
        [transport]
        send_queue = 7
        [limits]
        sessions = 9
        [streams."b*"]
        match = "regex"
        [streams.a]
        match = "prefix"
        """
    )
    assert config.broker.bind == ("tcp://127.0.0.1:1", "ipc://x")
    settings = config.settings()
    assert (settings.client_timeout, settings.heartbeat_interval, settings.sessions) == (3.0, 0.5, 9)
    assert settings.style_of("bright") == "regex"
    assert settings.style_of("a") == settings.style_of("other") == "prefix"
    assert config.router().send_queue == 7


def test_relative_paths_start_where_the_file_lies(tmp_path: Path) -> None:
    file = tmp_path / "zeps.toml"
    file.write_text('[journal]\npath = "data"\n[broker]\npidfile = "/run/zeps.pid"\n')
    config = load(file)
    assert config.journal.path == tmp_path / "data"
    assert config.broker.pidfile == Path("/run/zeps.pid")
    file.write_text('[curve]\nsecret_key = "broker.key_secret"\nauthorized_keys = "/etc/zeps/clients"\n')
    assert load(file).router().curve == CurveOptions(
        tmp_path / "broker.key_secret", Path("/etc/zeps/clients")
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "[journal]\nretain_octet = 5",
            ':2: unknown key "retain_octet" in [journal]; did you mean "retain_octet',
        ),
        ("\n[jurnal]\npath = 'x'", ':2: unknown section "jurnal"; did you mean "journal"?'),
        ("jurnal.path = 'x'", ':1: unknown section "jurnal"; did you mean "journal"?'),
        ("[log]\nxyzzy = 1", ':2: unknown key "xyzzy" in [log]; known: format, level'),
        ("[limits]\n\n'sessions' = 0", ":3: limits.sessions is 0; it must be a whole number of at least 1"),
        ("[limits]\nsessions = 1.5", ":2: limits.sessions is 1.5; it must be a whole number of at least 1"),
        ("[limits]\nsessions = true", ":2: limits.sessions is true; it must be a whole number of at least 1"),
        (
            "[broker]\nclient_timeout = '20'",
            ':2: broker.client_timeout is "20"; it must be a number from 0.05',
        ),
        (
            "[broker]\nclient_timeout = nan",
            ":2: broker.client_timeout is nan; it must be a number from 0.05",
        ),
        ("[broker]\nbind = 'tcp://*:1'", ':2: broker.bind is "tcp://*:1"; it must be a list of endpoints'),
        ("[broker]\nbind = []", ":2: broker.bind is []; it must be a list of endpoints"),
        (
            "[journal]\nsync = 'never'",
            ':2: journal.sync is "never"; it must be one of "always", "inter',
        ),
        ("[journal]\npath = ''", ':2: journal.path is ""; it must be a path'),
        ("[broker]\nheartbeat_interval = 30", ": broker.heartbeat_interval (30 s) must be less than"),
        ("journal = 3", ":1: journal is a section: write [journal] and its keys below it"),
        (
            "[streams.'a']\nmatch = 'glob'",
            ':2: streams."a".match is "glob"; it must be one of "prefix", "re',
        ),
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
        ('[gateways.""]', ': gateways."" is no name of a stream'),
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
    with pytest.raises(ConfigError, match=r"bad\.toml: not UTF-8 at octet 5"):
        load(bad)
