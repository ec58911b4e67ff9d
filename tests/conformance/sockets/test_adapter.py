"""Shims as processes: what they answer, and how they end."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from testees import LIBZMQ, bad

from zeps_conformance.common.processes import family_of
from zeps_conformance.common.verdicts import UnservedError, UnsupportedError
from zeps_conformance.sockets import adapter
from zeps_conformance.sockets.adapter import RefusedError, Shim, is_testee, load_testee

SUTS = Path(__file__).parents[3] / "conformance/suts"
GOOD = """
kind = "shim"
name = "a library"
command = ["run", "{build}/x", "{here}/y", "{python}"]
types = ["PUB", "PROXY"]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "one.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_description(tmp_path: Path) -> None:
    found = load_testee(write(tmp_path, GOOD + 'start_timeout = 3\n[environment]\nA = "b"\n'))
    assert (found.id, found.name, found.types) == ("one", "a library", ("PUB", "PROXY"))
    assert (found.start_timeout, found.environment) == (3.0, {"A": "b"})


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("kind = ", "not TOML"),
        ('name = "a broker"\ncommand = ["x"]\n', 'kind = "shim" is missing'),
        (GOOD + "more = 1\n", "unknown: more"),
        (GOOD.replace('"PROXY"', '"REP"'), "no type is called REP"),
        (GOOD.replace('["PUB", "PROXY"]', "[]"), "types has to be a list of words"),
        (GOOD.replace('command = ["run"', "command = [1"), "command has to be a list of words"),
    ],
)
def test_what_is_no_description_is_said(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        load_testee(write(tmp_path, text))


def test_those_that_we_ship_can_be_read() -> None:
    paths = sorted(SUTS.glob("*.toml"))
    shims = [path for path in paths if is_testee(path)]
    assert {load_testee(path).id for path in shims} >= {"libzmq", "libzmq-debian"}
    assert {path.stem for path in paths} - {path.stem for path in shims} == {
        "zeps",
        "go-memory",
        "libzmq-router",
    }


def test_a_shim_says_what_it_is_and_does_what_it_is_asked() -> None:
    with Shim(LIBZMQ) as shim:
        assert shim.library == "libzmq"
        assert shim.version[0].isdecimal()
        shim.ask("open", socket="a", type="SUB", options={})
        endpoint = shim.ask("bind", socket="a")["endpoint"]
        assert endpoint.startswith("tcp://127.0.0.1:")
        assert shim.ask("recv", socket="a", timeout=0)["parts"] is None
        assert shim.memory() > 1 << 20
        assert shim.alive
    assert not shim.alive
    assert shim.memory() == 0


def test_refusals_and_what_is_not_offered_are_told_apart() -> None:
    with Shim(LIBZMQ) as shim:
        with pytest.raises(RefusedError, match="nobody"):
            shim.ask("bind", socket="nobody")
        with pytest.raises(UnsupportedError, match="REP"):
            shim.ask("open", socket="a", type="REP", options={})
        assert shim.alive


def ask_for_trouble(shim: Shim) -> None:
    shim.ask("open", socket="a", type="PUB", options={})
    shim.ask("send", socket="a", parts=[b"fatal".hex()])


def test_a_crash_is_told_with_what_it_wrote() -> None:
    with Shim(bad("crashes")) as shim:
        with pytest.raises(UnservedError) as caught:
            ask_for_trouble(shim)
        assert caught.value.seen.startswith("its process ended by signal 6")
        assert "assertion failed: message != fatal" in caught.value.seen
        assert not shim.alive


def test_one_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    with Shim(bad("hangs")) as shim:
        monkeypatch.setattr(adapter, "ANSWER", -1.9)
        with pytest.raises(UnservedError, match="nothing"):
            ask_for_trouble(shim)
        assert not shim.alive


def test_one_that_babbles_is_no_shim() -> None:
    with Shim(bad("babbles")) as shim, pytest.raises(adapter.TesteeError, match="no answer to send"):
        ask_for_trouble(shim)


@pytest.mark.parametrize(
    ("how", "complaint"), [("dies at once", "no library here"), ("mute", "does not say hello: nothing")]
)
def test_one_that_does_not_start(how: str, complaint: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "ANSWER", 0.0)
    with pytest.raises(adapter.TesteeError, match=complaint):
        Shim(bad(how, start_timeout=0.1 if how == "mute" else 20.0))


def test_one_that_is_not_there() -> None:
    with pytest.raises(adapter.TesteeError, match="was it built"):
        Shim(bad("x", command=("/nowhere/at/all",)))


def test_nothing_that_it_started_is_left() -> None:
    with Shim(bad("no trouble")) as shim:
        family = family_of(shim._process.pid)
        assert len(family) == 2
    for pid in family:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
