"""The four commands behave alike: exit codes, usage errors, Ctrl-C, closed pipes, versions.

Exit codes: 0 success (also if the output is closed), 1 findings or failure, 2 usage error, 130 interrupted.
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path

import pytest
from commands import run_here
from harness import PATIENCE, BrokerProcess, eventually

import zeps_cli.main
import zeps_codegen.cli
import zeps_conformance.cli
import zeps_pipeline.cli
from zeps_client import Client

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
COMMANDS = {
    "zeps": zeps_cli.main.main,
    "zeps-codegen": zeps_codegen.cli.main,
    "zeps-conform": zeps_conformance.cli.main,
    "zeps-pipeline": zeps_pipeline.cli.main,
}
MODEL = str(ROOT / "protocol" / "zeps.xml")
JAVA = "java"


def start(*command: str, **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [str(BIN / command[0]), *command[1:]],
        **{"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options},
    )


def finished(process: subprocess.Popen[bytes]) -> tuple[int, str, str]:
    """Returns exit code, output and errors."""
    output, errors = process.communicate(timeout=PATIENCE)
    return process.returncode, (output or b"").decode(), (errors or b"").decode()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BrokerProcess]:
    """A broker with a thousand messages in the stream `s`."""
    made = BrokerProcess(tmp_path_factory.mktemp("broker"))
    try:
        with Client(made.start()[0], "s") as client:
            client.publish_many([("key", b"%d" % number) for number in range(1000)])
            client.flush(PATIENCE)
        yield made
        made.signal(signal.SIGINT)
        assert made.wait() == 0  # Ctrl-C is the way to stop a service: success
    finally:
        made.end()


@pytest.fixture
def places(broker: BrokerProcess, tmp_path: Path) -> dict[str, str]:
    """Values of the names in braces in commands."""
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty" / "zeps.lock").touch()  # the folder of a broker that has stored nothing
    return {
        "{data}": str(broker.data),
        "{broker}": broker.endpoint,
        "{empty}": str(tmp_path / "empty"),
        "{bad}": str(ROOT / "tests" / "codegen" / "passes" / "bad" / "include-missing.xml"),
    }


# Versions and usage


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_tells_its_version(command: str) -> None:
    assert finished(start(command, "--version")) == (0, f"{command} {version('zeps')}\n", "")


@pytest.mark.parametrize(
    "command",
    [
        *((name,) for name in COMMANDS),
        *((name, "no-such-command") for name in COMMANDS),
        *((name, "--no-such-option") for name in COMMANDS),
        *((name, "--versio") for name in COMMANDS),
        ("zeps", "sub", "s", "--coun", "1"),
        ("zeps", "broker", "--dat", "x"),
        ("zeps", "journal", "ls", "x", "--jso"),
        ("zeps", "forward", "--upstrea", "tcp://127.0.0.1:1"),
        ("zeps-codegen", "check", "--form", "json"),
        ("zeps-conform", "list", "--markd"),
        ("zeps-conform", "codec", "--exampl", "1"),
        ("zeps-conform", "run", "--timeo", "1", "tcp://127.0.0.1:1"),
        ("zeps-pipeline", "stats", "x", "--quie"),
    ],
    ids=" ".join,
)
def test_a_usage_error_is_2_in_two_lines(command: Sequence[str], tmp_path: Path) -> None:
    """Options have no abbreviations: the meaning of an abbreviation would change with the next option."""
    done = run_here(COMMANDS[command[0]], command[1:], tmp_path)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    wrong, help_ = done.stderr.splitlines()
    assert wrong.startswith(command[0])
    assert ": error: " in wrong
    assert help_.startswith(f"Try '{command[0]}")
    assert help_.endswith(" --help'.")


# Success, findings and failures


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (("zeps", "journal", "verify", "{data}"), 0),
        (("zeps", "journal", "dump", "{data}", "other"), 2),
        (("zeps", "pub", "s", "k", "--endpoint", "tcp://127.0.0.1:1", "--connect-timeout", "0.1"), 1),
        (("zeps-codegen", "check", MODEL), 0),
        (("zeps-codegen", "check", "{bad}"), 1),
        (("zeps-codegen", "check", "no-such-file.xml"), 2),
        (("zeps-conform", "list"), 0),
        (("zeps-conform", "replay", "no-such-file.json"), 2),
        (("zeps-pipeline", "stats", "{empty}"), 0),
        (("zeps-pipeline", "stats", "no-such-folder"), 2),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, tuple) else str(value),
)
def test_success_is_0_and_failure_1(command: Sequence[str], code: int, places: dict[str, str]) -> None:
    process = start(*(places.get(part, part) for part in command), cwd=ROOT)
    assert finished(process)[0] == code


# Closed pipes


@pytest.mark.parametrize(
    "command",
    [
        *((name, option) for name in COMMANDS for option in ("--help", "--version")),
        ("zeps", "streams", "--data", "{data}"),
        ("zeps", "journal", "dump", "{data}", "s"),
        ("zeps", "journal", "verify", "{data}"),
        ("zeps", "sub", "s", "--from", "all", "--endpoint", "{broker}"),
        ("zeps-codegen", "abnf", MODEL),
        ("zeps-codegen", "check", "--format", "json", MODEL),
        ("zeps-codegen", "check", MODEL),
        ("zeps-conform", "list"),
        ("zeps-conform", "list", "--markdown"),
        ("zeps-pipeline", "stats", "{empty}"),
    ],
    ids=lambda command: " ".join(command[:3]),
)
@pytest.mark.parametrize("closed", ["output", "both"])
def test_output_that_nobody_reads_ends_quietly(
    command: Sequence[str], closed: str, places: dict[str, str]
) -> None:
    """As in `zeps journal dump data s 2>&1 | head -1`; here the reader has ended before the command begins."""
    reader, writer = os.pipe()
    os.close(reader)
    process = start(
        *(places.get(part, part) for part in command),
        stdout=writer,
        stderr=writer if closed == "both" else subprocess.PIPE,
    )
    os.close(writer)
    code, _, errors = finished(process)
    assert (code, "Traceback" in errors or "Exception" in errors) == (0, False), errors


def test_head_sees_what_it_asks_for(broker: BrokerProcess) -> None:
    dump = f"{BIN / 'zeps'} journal dump {broker.data} s"
    done = subprocess.run(
        ["bash", "-c", f"{dump} | head -1; echo ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        check=True,
    )
    first, code = done.stdout.splitlines()
    assert (first.split("\t")[0], code, done.stderr) == ("1", "0", "")


# Ctrl-C


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """As a terminal does: also to all processes that the command has started."""
    os.killpg(process.pid, signal.SIGINT)


def test_a_subscriber_is_interrupted(broker: BrokerProcess) -> None:
    command = ("zeps", "sub", "s", "--from", "999", "--endpoint", broker.endpoint)
    process = start(*command, start_new_session=True)
    assert process.stdout is not None
    assert process.stdout.readline() == b"1000 key 999\n"
    interrupt(process)
    assert finished(process) == (130, "", "")


def test_a_publisher_is_interrupted_between_two_lines(broker: BrokerProcess) -> None:
    command = ("zeps", "pub", "lines", "k", "-", "--endpoint", broker.endpoint)
    process = start(*command, stdin=subprocess.PIPE, start_new_session=True)
    assert process.stdin is not None
    with Client(broker.endpoint, "lines") as client:
        client.subscribe("", 0)
        process.stdin.write(b"one\n")
        process.stdin.flush()
        assert client.receive(PATIENCE).body == b"one"
    interrupt(process)
    assert finished(process) == (130, "", "")


@contextlib.contextmanager
def reading(folder: Path, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Starts the command, and waits until it has opened the file for {pipe} in its arguments and reads it."""
    pipe = folder / "pipe.xml"
    os.mkfifo(pipe)
    process = start(*(str(pipe) if part == "{pipe}" else part for part in command), start_new_session=True)
    writer = os.open(pipe, os.O_WRONLY)  # waits for the reader
    yield process
    os.close(writer)


@pytest.mark.parametrize(
    "command",
    [
        ("zeps", "broker", "--config", "{pipe}"),
        ("zeps-codegen", "abnf", "{pipe}"),
        ("zeps-codegen", "check", "{pipe}"),
        ("zeps-codegen", "import", "{pipe}"),
        ("zeps-conform", "report", "{pipe}"),
        ("zeps-conform", "replay", "{pipe}"),
    ],
    ids=lambda command: " ".join(command[:2]),
)
def test_a_command_that_reads_is_interrupted(tmp_path: Path, command: Sequence[str]) -> None:
    with reading(tmp_path, *command) as process:
        interrupt(process)
        assert finished(process) == (130, "", "")


def test_a_run_of_the_suite_is_interrupted() -> None:
    """While its cases wait for the answers of a silent broker."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE)
        endpoint = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        process = start(
            "zeps-conform",
            "run",
            endpoint,
            "--timeout",
            "1000",
            "--case",
            "zeps1.framing.*",
            start_new_session=True,
        )
        for _ in ("whether a broker listens", "how fast it answers"):
            server.accept()[0].close()
        cases = [server.accept()[0] for _ in range(4)]
        interrupt(process)
        code, _, errors = finished(process)
        for case in cases:
            case.close()
    assert (code, "Traceback" in errors) == (130, False), errors


@pytest.mark.parametrize("wait", [0, 3])
def test_a_job_of_the_pipeline_is_interrupted(broker: BrokerProcess, wait: float) -> None:
    """While Java starts, and while Spark does; the processes that it has started end with it."""
    process = start("zeps-pipeline", "stats", str(broker.data), "--quiet", start_new_session=True)
    java = eventually("Java", lambda: descendants(process.pid, JAVA))
    time.sleep(wait)
    interrupt(process)
    code, _, errors = finished(process)
    assert (code, "Traceback" in errors) == (130, False), errors
    eventually("the end of Java", lambda: not any(map(alive, java)))


def descendants(pid: int, name: str) -> list[int]:
    """Returns the processes below `pid` that are called `name`."""
    pids = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            if stat.read_text().rpartition(") ")[0].endswith(f"({name}") and pid in ancestors(
                int(stat.parent.name)
            ):
                pids.append(int(stat.parent.name))
    return pids


def ancestors(pid: int) -> Iterator[int]:
    """Raises OSError if one of the processes has ended."""
    while pid > 1:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2].split()[1])
        yield pid


def alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False
