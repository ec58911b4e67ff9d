"""Adapters as processes: their answers and their exits."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from implementations import LIBZMQ, bad
from zeps_conformance.common.processes import family_of
from zeps_conformance.common.verdicts import UnservedError, UnsupportedError
from zeps_conformance.sockets.adapter import (
    Adapter,
    AdapterError,
    RefusedError,
    is_implementation,
    load_implementation,
)

IMPLEMENTATIONS = Path(__file__).parents[3] / "conformance/implementations"
GOOD = """
kind = "adapter"
name = "a library"
command = ["run", "{build}/x", "{here}/y", "{python}"]
types = ["PUB", "PROXY"]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "one.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_description(tmp_path: Path) -> None:
    implementation = load_implementation(
        write(tmp_path, GOOD + 'start_timeout = 3\n[environment]\nA = "b"\n')
    )
    assert (implementation.id, implementation.name, implementation.types) == (
        "one",
        "a library",
        ("PUB", "PROXY"),
    )
    assert (implementation.start_timeout, implementation.environment) == (3.0, {"A": "b"})


def test_the_earlier_kind_is_read_with_a_warning(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, GOOD.replace('"adapter"', '"shim"'))
    assert is_implementation(path)
    assert load_implementation(path) == load_implementation(write(tmp_path, GOOD))
    complaint = f'zeps-conform: warning: {path}: kind = "shim" was renamed: use kind = "adapter"\n'
    assert capsys.readouterr().err == complaint


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("kind = ", "not TOML"),
        ('name = "a broker"\ncommand = ["x"]\n', 'it needs kind = "adapter" or kind = "client"'),
        (GOOD + "more = 1\n", "unknown keys: more"),
        (GOOD.replace('"PROXY"', '"REP"'), "unknown types: REP"),
        (GOOD.replace('["PUB", "PROXY"]', "[]"), "types must be a non-empty list of words"),
        (GOOD.replace('command = ["run"', "command = [1"), "command must be a non-empty list of words"),
        (GOOD + "start_timeout = []\n", r"one\.toml: start_timeout must be a positive number"),
        (GOOD + 'environment = "x"\n', r"one\.toml: environment must be a table"),
    ],
)
def test_what_is_no_description_is_said(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        load_implementation(write(tmp_path, text))


def test_those_that_we_ship_can_be_read() -> None:
    paths = sorted(IMPLEMENTATIONS.glob("*.toml"))
    adapters = [path for path in paths if is_implementation(path)]
    assert {load_implementation(path).id for path in adapters} >= {"libzmq", "libzmq-debian"}
    assert {path.stem for path in paths} - {path.stem for path in adapters} == {
        "zeps",
        "go-memory",
        "libzmq-router",
    }


def test_an_adapter_says_what_it_is_and_does_what_it_is_asked() -> None:
    with Adapter(LIBZMQ) as adapter:
        assert adapter.library == "libzmq"
        assert adapter.version[0].isdecimal()
        adapter.ask("open", socket="a", type="SUB", options={})
        endpoint = adapter.ask("bind", socket="a")["endpoint"]
        assert endpoint.startswith("tcp://127.0.0.1:")
        assert adapter.ask("recv", socket="a", timeout=0)["parts"] is None
        assert adapter.memory() > 1 << 20
        assert adapter.alive
    assert not adapter.alive
    assert adapter.memory() == 0


def test_refusals_and_what_is_not_offered_are_told_apart() -> None:
    with Adapter(LIBZMQ) as adapter:
        with pytest.raises(RefusedError, match="unknown"):
            adapter.ask("bind", socket="unknown")
        with pytest.raises(UnsupportedError, match="REP"):
            adapter.ask("open", socket="a", type="REP", options={})
        assert adapter.alive


def ask_for_trouble(adapter: Adapter) -> None:
    adapter.ask("open", socket="a", type="PUB", options={})
    adapter.ask("send", socket="a", parts=[b"fatal".hex()])


def test_a_crash_is_told_with_what_it_wrote() -> None:
    with Adapter(bad("crashes")) as adapter:
        with pytest.raises(UnservedError) as caught:
            ask_for_trouble(adapter)
        assert caught.value.seen.startswith("its process ended by signal 6")
        assert "assertion failed: message != fatal" in caught.value.seen
        assert not adapter.alive


def test_one_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    with Adapter(bad("hangs")) as adapter:
        monkeypatch.setattr("zeps_conformance.sockets.adapter.ANSWER", -1.9)
        with pytest.raises(UnservedError, match="nothing"):
            ask_for_trouble(adapter)
        assert not adapter.alive


def test_one_that_babbles_is_no_adapter() -> None:
    with Adapter(bad("babbles")) as adapter, pytest.raises(AdapterError, match="not an answer to send"):
        ask_for_trouble(adapter)


@pytest.mark.parametrize(
    ("how", "complaint"), [("dies at once", "no library here"), ("mute", "invalid answer to hello: nothing")]
)
def test_one_that_does_not_start(how: str, complaint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zeps_conformance.sockets.adapter.ANSWER", 0.0)
    with pytest.raises(AdapterError, match=complaint):
        Adapter(bad(how, start_timeout=0.1 if how == "mute" else 20.0))


def test_one_whose_first_line_is_no_answer_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        started.append(subprocess.Popen(*arguments, **options))
        return started[0]

    monkeypatch.setattr(
        "zeps_conformance.sockets.adapter.subprocess", SimpleNamespace(**{**vars(subprocess), "Popen": start})
    )
    with pytest.raises(AdapterError, match=r"b'welcome.*' is not an answer to hello"):
        Adapter(bad("greets badly"))
    assert started[0].poll() is not None


def test_every_request_after_an_exit_is_answered_at_once() -> None:
    with Adapter(bad("crashes")) as adapter:
        for _ in range(2):
            with pytest.raises(UnservedError, match="ended by signal 6"):
                ask_for_trouble(adapter)


def test_one_that_is_not_there() -> None:
    with pytest.raises(AdapterError, match="build it with make adapters"):
        Adapter(bad("x", command=("/nowhere/at/all",)))


def test_a_daemon_that_keeps_its_output_open_is_not_waited_for() -> None:
    with Adapter(bad("leaves a daemon")) as adapter:
        while not adapter.log:
            time.sleep(0.01)
        daemon = int(adapter.log)
    assert all(reader.is_alive() for reader in adapter._readers)
    os.kill(daemon, 9)


def test_nothing_that_it_started_is_left() -> None:
    with Adapter(bad("no trouble")) as adapter:
        family = family_of(adapter._process.pid)
        assert len(family) == 2
    for pid in family:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
