"""Starting and stopping a broker under test."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from zeps_conformance.broker.options import Streams
from zeps_conformance.broker.process import BrokerDescription, BrokerProcess, BrokerStartError, load_broker
from zeps_conformance.wire.endpoint import parse_endpoint

HELPERS = Path(__file__).parents[1] / "helpers"
IMPLEMENTATIONS = Path(__file__).parents[3] / "conformance/implementations"


def test_every_shipped_description_of_a_broker_is_read() -> None:
    paths = [
        path
        for path in sorted(IMPLEMENTATIONS.glob("*.toml"))
        if "kind" not in tomllib.loads(path.read_text())
    ]
    assert paths
    for path in paths:
        assert load_broker(path).command


def test_a_whole_description(tmp_path: Path) -> None:
    path = tmp_path / "one.toml"
    path.write_text(
        'name = "one"\ncommand = ["run", "{port}"]\nready = "up"\nstart_timeout = 2\nclient_timeout = 1.5\n'
        '[files]\n"a/b.conf" = "listen {endpoint}"\n[environment]\nLEVEL = 3\n'
        '[streams]\nregex = "r/"\nbrief = ""\nbrief_octets = 9\nclosed = "c/"\n',
        encoding="utf-8",
    )
    assert load_broker(path) == BrokerDescription(
        "one",
        ("run", "{port}"),
        str(tmp_path),
        "up",
        2.0,
        1.5,
        {"a/b.conf": "listen {endpoint}"},
        {"LEVEL": "3"},
        Streams("r/", "", 9, "c/"),
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "command must be a non-empty list"),
        ("command = []", "command must be"),
        ("cmd = 1", "unknown keys: cmd"),
        ("[", "not TOML"),
        (
            'command = ["x"]\nstart_timeout = []',
            r"description\.toml: start_timeout must be a positive number",
        ),
        (
            'command = ["x"]\nstart_timeout = "x"',
            r"description\.toml: start_timeout must be a positive number",
        ),
        ('command = ["x"]\nstart_timeout = true', "start_timeout must be a positive number"),
        ('command = ["x"]\nstart_timeout = 0', "start_timeout must be a positive number"),
        (
            'command = ["x"]\nclient_timeout = {}',
            r"description\.toml: client_timeout must be a positive number",
        ),
        ('command = ["x"]\nclient_timeout = nan', "client_timeout must be a positive number"),
        ('command = ["x"]\nfiles = "x"', r"description\.toml: files must be a table"),
        ('command = ["x"]\n[files]\na.conf = "x"', r"description\.toml: files: a must be a string"),
        ('command = ["x"]\nenvironment = ["x"]', r"description\.toml: environment must be a table"),
        ('command = ["x"]\nname = 5', r"description\.toml: name must be a string"),
        ('command = ["x"]\nready = true', r"description\.toml: ready must be a string"),
        (
            'command = ["x"]\n[streams]\nbrief = ""\nbrief_octets = true',
            "brief_octets must be a whole number",
        ),
        ('command = ["x"]\n[streams]\nclosed = 1', "closed must be a string"),
        ('command = ["x"]\nstreams = 1', "streams"),
        ('command = ["x"]\n[streams]\nregexes = "r/"', "streams"),
        ('command = ["x"]\n[streams]\nbrief = "b/"', "must be given together"),
        ('command = ["x"]\n[streams]\nbrief_octets = 9', "must be given together"),
    ],
)
def test_what_is_wrong_with_a_description_is_said(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "description.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=complaint):
        load_broker(path)
    with pytest.raises(ValueError, match="cannot be read"):
        load_broker(tmp_path / "none.toml")


def test_start_kill_start_and_stop_keep_endpoint_and_data() -> None:
    with BrokerProcess(load_broker(HELPERS / "toy.toml")) as process:
        endpoint = process.endpoint
        folder = process._folder
        parse_endpoint(endpoint).connect(5.0).close()
        (folder / "data/kept").write_text("x", encoding="utf-8")
        process.kill()
        with pytest.raises(OSError, match="refused"):
            parse_endpoint(endpoint).connect(5.0)
        process.start()
        assert process.endpoint == endpoint
        assert (folder / "data/kept").exists()
        assert process.wait_stopped(0.0) is None
        process.ask_to_stop()
        assert process.wait_stopped(20.0) == 0
        assert process.output.startswith("ready ")
    assert not folder.exists()


def test_damage_changes_one_bit_of_each_copy(tmp_path: Path) -> None:
    process = BrokerProcess(BrokerDescription("none", ("true",), ""))
    folder = process._folder
    try:
        (folder / "data/deep").mkdir(parents=True)
        (folder / "data/deep/one").write_bytes(b"..needle..needle")
        (folder / "data/two").write_bytes(b"needle")
        (folder / "data/three").write_bytes(b"other")
        assert process.damage(b"needle") == 3
        assert (folder / "data/deep/one").read_bytes() == b"..neeele..neeele"
        assert (folder / "data/two").read_bytes() == b"neeele"
        assert process.damage(b"needle") == 0
    finally:
        process.close()


def test_a_broker_that_only_listens_is_ready_when_it_accepts() -> None:
    program = (
        "import os, socket, time\n"
        "assert os.environ['COLOUR'] == 'none'\n"
        "server = socket.create_server(('127.0.0.1', int(open('port').read())))\n"
        "time.sleep(60)\n"
    )
    description = BrokerDescription(
        "deaf", ("{python}", "-c", program), "", files={"port": "{port}"}, environment={"COLOUR": "none"}
    )
    with BrokerProcess(description) as process:
        parse_endpoint(process.endpoint).connect(5.0).close()


@pytest.mark.parametrize("ready", ["", "ready"])
def test_a_broker_that_ends_before_it_serves(ready: str) -> None:
    program = "print(99_999 * 'usage\\n', 'no such option', sep=''); raise SystemExit(3)"
    description = BrokerDescription("bad", ("{python}", "-c", program), "", ready=ready)
    with (
        pytest.raises(BrokerStartError, match=r"exit 3 before it served\n(usage\n)*no such option$"),
        BrokerProcess(description),
    ):
        pass


@pytest.mark.parametrize("ready", ["", "ready"])
def test_a_broker_that_is_never_ready(ready: str) -> None:
    description = BrokerDescription(
        "slow", ("{python}", "-c", "import time; time.sleep(60)"), "", ready=ready, start_timeout=0.5
    )
    process = BrokerProcess(description)
    with pytest.raises(BrokerStartError, match=r"not ready within 0\.5 s"), process:
        pass
    assert process.wait_stopped(5.0) is not None


def test_an_interrupt_while_the_process_is_launched_leaves_none(monkeypatch: pytest.MonkeyPatch) -> None:
    launched: list[subprocess.Popen[str]] = []

    class Interrupted(subprocess.Popen[str]):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            launched.append(self)
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)

    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    process = BrokerProcess(BrokerDescription("slow", ("sleep", "600"), ""))
    with pytest.raises(KeyboardInterrupt), process:
        raise AssertionError("it has started")
    with launched[0] as left:
        assert left.wait(5.0) == -signal.SIGKILL


def test_a_program_that_is_not_there() -> None:
    with (
        pytest.raises(BrokerStartError, match="cannot run /no/such/program: No such file"),
        BrokerProcess(BrokerDescription("x", ("/no/such/program",), "")),
    ):
        pass


PARENT = """
import os, signal, sys
child = os.fork()
if child:
    print("ready", child, os.environ["PLACE"], flush=True)
signal.pause()
"""


def test_signals_reach_descendants_and_the_environment_has_placeholders(tmp_path: Path) -> None:
    description = BrokerDescription(
        "parent",
        (sys.executable, "-c", PARENT),
        str(tmp_path),
        ready="ready",
        environment={"PLACE": "{data}"},
    )
    process = BrokerProcess(description, tmp_path / "other")
    try:
        process.start()
        _, child, place = process.output.split()
        assert place == str(tmp_path / "other")
        state = Path(f"/proc/{child}/status")
        process.signal(signal.SIGSTOP)
        while "State:\tT" not in state.read_text():
            os.sched_yield()
        process.kill()
        while state.exists() and "State:\tZ" not in state.read_text():
            os.sched_yield()
        process.signal(signal.SIGCONT)  # ignored: it has exited
    finally:
        process.close()
    assert (tmp_path / "other").is_dir()


ORPHANS = """
import os, signal
child = os.fork()
if not child:
    signal.pause()
print("ready", child, flush=True)
signal.pause()
"""


@pytest.mark.parametrize("crashes", [False, True])
def test_descendants_of_a_process_that_has_exited_are_killed(crashes: bool) -> None:
    description = BrokerDescription("orphans", (sys.executable, "-c", ORPHANS), "", ready="ready")
    with BrokerProcess(description) as process:
        children = [process.output.split()[-1]]
        if crashes:
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
            while process.running:
                os.sched_yield()
            process.start()
            children.append(process.output.split()[-1])
            assert _has_ended(children[0])
    assert all(map(_has_ended, children))


def _has_ended(pid: str) -> bool:
    state = Path(f"/proc/{pid}/status")
    deadline = time.monotonic() + 5.0
    while state.exists() and "State:\tZ" not in state.read_text() and time.monotonic() < deadline:
        os.sched_yield()
    return not state.exists() or "State:\tZ" in state.read_text()


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"command": ("a\0b",)}, "bad: cannot run a\0b: embedded null byte"),
        ({"environment": {"A=B": "x"}}, "bad: cannot run true: illegal environment variable name"),
        ({"files": {"data": "x"}}, "bad: cannot write data: Is a directory"),
        ({"files": {"a\0b": "x"}}, "bad: cannot write a\0b: embedded null byte"),
    ],
)
def test_a_description_with_which_nothing_starts(changes: dict[str, Any], complaint: str) -> None:
    description = replace(BrokerDescription("bad", ("true",), ""), **changes)
    with pytest.raises(BrokerStartError) as failure, BrokerProcess(description):
        pass
    assert str(failure.value) == complaint
