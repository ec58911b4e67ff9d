"""`zeps pub` and `zeps sub` as a user runs them: processes, pipes and signals."""

from __future__ import annotations

import base64
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from real_broker import RealBroker
from waiting import until

from zeps_client import Client

pytestmark = pytest.mark.slow  # processes

NOBODY = "tcp://127.0.0.1:1"
ZEPS = [sys.executable, "-c", "import sys; from zeps_cli.main import main; sys.exit(main())"]


class Zeps:
    """Runs the command with a broker's endpoint in its environment."""

    def __init__(self, endpoint: str) -> None:
        self.environment = {**os.environ, "ZEPS_ENDPOINT": endpoint, "LC_ALL": "C"}
        self.running: list[subprocess.Popen[bytes]] = []

    def __call__(self, *arguments: str, stdin: bytes = b"") -> tuple[int, bytes, str]:
        done = subprocess.run(
            [*ZEPS, *arguments],
            env=self.environment,
            input=stdin,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return done.returncode, done.stdout, done.stderr.decode()

    def start(self, *arguments: str) -> Any:
        """Returns the process, whose three standard streams are pipes; it is killed at the end of the test."""
        pipe = subprocess.PIPE
        self.running.append(
            subprocess.Popen([*ZEPS, *arguments], env=self.environment, stdin=pipe, stdout=pipe, stderr=pipe)
        )
        return self.running[-1]


@pytest.fixture
def zeps(broker: RealBroker) -> Iterator[Zeps]:
    made = Zeps(broker.endpoint)
    yield made
    for process in made.running:
        with process:  # waits, and closes the pipes
            process.kill()


def test_one_message(zeps: Zeps) -> None:
    assert zeps("pub", "stocks", "stock.AAPL", "191.24") == (0, b"", "")
    assert zeps("sub", "stocks", "stock.", "--from", "0", "--count", "1") == (0, b"1 stock.AAPL 191.24\n", "")


def test_lines_and_where_to_begin(zeps: Zeps) -> None:
    lines = b"".join(b"%d\n" % number for number in range(1, 2001))
    assert zeps("pub", "s", "k", "-", "-v", stdin=lines + b"last") == (0, b"", "zeps: 2001 messages stored\n")
    code, output, error = zeps("sub", "s", "--from", "all", "--count", "2001")
    assert (code, error) == (0, "")
    assert output == b"".join(b"%d k %d\n" % (n, n) for n in range(1, 2001)) + b"2001 k last\n"
    assert zeps("sub", "s", "--from", "1999", "--count", "1")[1] == b"2000 k 2000\n"
    assert zeps("sub", "s", "none", "--from", "all", "--timeout", "0.2") == (
        1,
        b"",
        "zeps: error: no message arrived for 0.2 s\n",
    )


def test_new_only(zeps: Zeps, broker: RealBroker) -> None:
    zeps("pub", "s", "k", "old")
    process = zeps.start("sub", "s", "--count", "1", "--json")
    with Client(broker.endpoint, "s") as client:
        while process.poll() is None:
            client.publish("k", b"new")
            client.flush(30)
    output, error = process.communicate(timeout=60)
    assert (process.returncode, error) == (0, b"")
    assert json.loads(output)["body"] == "new"


def test_bodies_that_do_not_print(zeps: Zeps, broker: RealBroker) -> None:
    bodies = [b"plain", "Grüße, 世界".encode(), b"a\nb\\n\x00", b"\xff\xfe", b"", "\u2028".encode()]
    with Client(broker.endpoint, "s") as client:
        client.publish_many(("k", body) for body in bodies)
    code, output, _ = zeps("sub", "s", "--from", "all", "--count", "6")
    assert code == 0
    assert output.decode().split("\n") == [
        "1 k plain", "2 k Grüße, 世界", r"3 k a\nb\\n\x00", r"4 k \xff\xfe", "5 k ", r"6 k \u2028", ""
    ]  # fmt: skip
    code, output, _ = zeps("sub", "s", "--from", "all", "--count", "6", "--json")
    rows = [json.loads(line) for line in output.splitlines()]
    assert [row["sequence"] for row in rows] == [1, 2, 3, 4, 5, 6]
    assert [
        row["body"].encode() if "body" in row else base64.b64decode(row["body_base64"]) for row in rows
    ] == bodies
    assert "body_base64" in rows[3]


def test_nobody_listens() -> None:
    zeps = Zeps(NOBODY)
    for arguments in (("pub", "s", "k", "b"), ("sub", "s")):
        code, output, error = zeps(*arguments, "--connect-timeout", "0.2")
        assert (code, output) == (1, b"")
        assert error == (
            "zeps: error: no broker answers at tcp://127.0.0.1:1 (no listener at the endpoint); "
            "start one with `zeps broker`, or name another with --endpoint\n"
        )


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (("pub", "s"), 2, "the following arguments are required: KEY"),
        (("sub", "s", "--from", "-1"), 2, "'-1' is not a sequence, 'new' or 'all'"),
        (("sub", "s", "--from", "18446744073709551616"), 2, "is not a sequence, 'new' or 'all'"),
        (("sub", "s", "--count", "0"), 2, "0 is not a whole number, 1 or more"),
        (("sub", "s", "--timeout", "soon"), 2, "soon is not from 0 to 1000000000"),
        (
            ("multicast", "s", "norm://lo;239.192.1.1:5671", "--lag", "0"),
            2,
            "argument --lag: 0 is not from 0.001 to 1000000000",
        ),
        (
            ("sub", "s", "--endpoint", "nonsense"),
            2,
            "zeps: error: 'nonsense' is not an endpoint (Invalid argument); example: tcp",
        ),
        (("pub", "", "k"), 1, "zeps: error: the stream name is empty"),
        (("pub", "s", "a\nb", "--connect-timeout", "60"), 1, "zeps: error: bad-text: PUBLISH.key"),
        (("pub", "s", "k" * 256), 1, "zeps: error: too-long: PUBLISH.key"),
    ],
)
def test_mistakes(
    request: pytest.FixtureRequest, arguments: Sequence[str], status: int, complaint: str
) -> None:
    """Only keys are checked after a broker has answered."""
    zeps: Zeps = request.getfixturevalue("zeps") if "PUBLISH" in complaint else Zeps(NOBODY)
    code, output, error = zeps(*arguments)
    assert (code, output) == (status, b"")
    assert complaint in error
    assert "Traceback" not in error


def configure(broker: RealBroker, tmp_path: Path, text: str) -> None:
    """Restarts the broker with a configuration."""
    broker.stop()
    (tmp_path / "zeps.toml").write_text(text)
    broker.start()


def test_what_retention_took_is_reported(zeps: Zeps, broker: RealBroker, tmp_path: Path) -> None:
    configure(broker, tmp_path, "[journal]\nsegment_bytes = 65536\nretain_bytes = 131072\n")
    lines = b"".join(b"%0100d\n" % number for number in range(1, 8001))
    assert zeps("pub", "s", "k", "-", stdin=lines)[0] == 0
    until(lambda: broker.log("segment-dropped"))
    code, output, error = zeps("sub", "s", "--from", "5", "--count", "2")
    first = int(output.split()[0])
    assert first > 6
    assert (code, output) == (0, b"%d k %0100d\n%d k %0100d\n" % (first, first, first + 1, first + 1))
    # Retention may continue while the command starts; messages it removes then are reported on a further line.
    assert re.fullmatch(
        r"zeps: missing: sequences 6 to \d+ \(not-retained\)\n(zeps: missing: .* \((not-retained|retention)\)\n)*",
        error,
    ), error
    assert error.splitlines()[-1].partition(" to ")[2].split()[0] == str(first - 1)


def test_a_stream_that_ends_before_what_is_known_is_reported(zeps: Zeps) -> None:
    zeps("pub", "s", "k", "-", stdin=b"one\ntwo\n")
    process = zeps.start("sub", "s", "--from", "7", "--count", "1")
    assert process.stderr.readline() == (
        b"zeps: reset: the stream ends at 2, before the known sequence 7; continuing after 2\n"
    )
    zeps("pub", "s", "k", "three")
    assert process.communicate(timeout=60) == (b"3 k three\n", b"")
    assert process.returncode == 0


def test_a_pattern_that_a_new_configuration_refuses(zeps: Zeps, broker: RealBroker, tmp_path: Path) -> None:
    process = zeps.start("sub", "s", "(", "--from", "all")
    zeps("pub", "s", "(1", "one")
    assert process.stdout.readline() == b"1 (1 one\n"
    configure(broker, tmp_path, '[broker]\nmatch = "regex"\n')
    output, error = process.communicate(timeout=60)
    assert (process.returncode, output) == (1, b"")
    assert error.decode().startswith("zeps: error: the broker refuses the pattern '(': bad-pattern ")


@pytest.mark.parametrize("files", [8, 12])
def test_out_of_files(files: int) -> None:
    """The error does not blame the endpoint for missing resources of the process."""
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({files}, {files})); {ZEPS[2]}"
    command = [sys.executable, "-c", limited, "sub", "s"]
    done = subprocess.run(
        command, env=Zeps(NOBODY).environment, capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 1
    assert "Too many open files" in done.stderr.decode()
    assert "endpoint" not in done.stderr.decode()


def test_interrupted(zeps: Zeps) -> None:
    zeps("pub", "s", "k", "body")
    process = zeps.start("sub", "s", "--from", "all")
    assert process.stdout.readline() == b"1 k body\n"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60) == (b"", b"")
    assert process.returncode == 130


def test_a_reader_that_has_had_enough(zeps: Zeps) -> None:
    zeps("pub", "s", "k", "-", stdin=b"x" * 100 + b"\n" + b"y\n" * 20_000)
    process = zeps.start("sub", "s", "--from", "all")
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(60) == 0
    assert process.stderr.read() == b""


def test_a_broker_that_restarts(zeps: Zeps, broker: RealBroker) -> None:
    process = zeps.start("sub", "s", "--from", "all", "--count", "2", "-v")
    zeps("pub", "s", "k", "one")
    assert process.stdout.readline() == b"1 k one\n"
    broker.kill()
    broker.start()
    zeps("pub", "s", "k", "two")
    output, error = process.communicate(timeout=60)
    assert (process.returncode, output) == (0, b"2 k two\n")
    assert error.decode().splitlines() == [
        f"zeps: lost {broker.endpoint} (the connection broke); trying again",
        f"zeps: back at {broker.endpoint}",
    ]


def test_lines_are_published_as_they_come(zeps: Zeps) -> None:
    subscriber = zeps.start("sub", "s", "--from", "all", "--count", "2")
    publisher = zeps.start("pub", "s", "k", "-")
    for line in (b"one", b"two"):
        publisher.stdin.write(line + b"\n")
        publisher.stdin.flush()
        assert subscriber.stdout.readline().endswith(line + b"\n")
    publisher.stdin.close()
    assert publisher.wait(60) == 0


def test_stopped_in_the_middle_of_publishing(zeps: Zeps, broker: RealBroker) -> None:
    process = zeps.start("pub", "s", "k", "-")
    process.stdin.write(b"one\n")
    process.stdin.flush()
    with Client(broker.endpoint, "s") as client:
        client.subscribe()
        assert client.receive(60).body == b"one"
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
