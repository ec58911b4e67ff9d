"""The document suffices: `specification_client.py` was written from generated/docs/zeps-rfc.md alone."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from campaigns import SEED, sized
from harness import BrokerProcess, Peer, replay

PROGRAM = Path(__file__).with_name("specification_client.py")
PATIENCE = 60.0
#: Messages of the test with kills, and how often the broker is killed.
MESSAGES, KILLS = sized(20_000, 100_000), sized(3, 10)
RETAINS_LITTLE = "[journal]\nsegment_bytes = 65536\nretain_bytes = 131072\n"

Launch = Callable[..., BrokerProcess]
Start = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Start]:
    """`start(*arguments)` starts the client; its output is in files."""
    made: list[subprocess.Popen[str]] = []

    def run(*arguments: object) -> subprocess.Popen[str]:
        number = len(made)
        with (tmp_path / f"{number}.out").open("w") as out, (tmp_path / f"{number}.err").open("w") as err:
            command = [sys.executable, str(PROGRAM), *map(str, arguments)]
            made.append(subprocess.Popen(command, stdout=out, stderr=err, text=True))
        made[-1].args = [str(number)]
        return made[-1]

    yield run
    for process in made:
        if process.poll() is None:
            process.kill()
        process.wait()


@pytest.fixture
def lines(tmp_path: Path) -> Callable[[subprocess.Popen[str]], list[str]]:
    """`lines(process)` waits for its success, and returns what it has printed."""

    def read(process: subprocess.Popen[str]) -> list[str]:
        code = process.wait(PATIENCE)
        (number,) = process.args
        assert code == 0, (tmp_path / f"{number}.err").read_text()
        return (tmp_path / f"{number}.out").read_text().splitlines()

    return read


Lines = Callable[[subprocess.Popen[str]], list[str]]


@pytest.mark.parametrize("credit", [100, 1 << 18])
def test_it_publishes_and_subscribes(launch: Launch, start: Start, lines: Lines, credit: int) -> None:
    broker = launch()
    assert lines(start("publish", broker.endpoint, "s", 2000))[-1] == "confirmed 2000"
    expected = [f"{number} key/{number} 16" for number in range(1, 2001)]
    assert lines(start("subscribe", broker.endpoint, "s", "", 2000, "--credit", credit)) == expected
    later = start("subscribe", broker.endpoint, "s", "key/19", 100, "--from", 1899, "--credit", credit)
    assert lines(later) == expected[1899:1999]


def test_kills_of_the_broker_lose_and_repeat_nothing(
    launch: Launch, start: Start, lines: Lines, connect: Callable[..., Peer], tmp_path: Path
) -> None:
    """What the publisher sends again may be stored twice; what is stored is received once, in order."""
    chance = random.Random(SEED)
    broker = launch(bind=[f"ipc://{tmp_path}/broker"])
    receiver = start("subscribe", broker.endpoint, "s", "", MESSAGES, "--credit", 20_000)
    publisher = start("publish", broker.endpoint, "s", MESSAGES)
    for _ in range(KILLS):
        time.sleep(chance.uniform(0.3, 0.7))
        broker.kill()
        broker.start()
    assert lines(publisher)[-1] == f"confirmed {MESSAGES}"
    stored = replay(connect(broker.endpoint), "s")
    keys = [message.key for message in stored]
    assert list(dict.fromkeys(keys)) == [f"key/{number}" for number in range(1, MESSAGES + 1)]
    received = [line.split() for line in lines(receiver)]
    assert received == [[str(m.sequence), m.key, str(len(m.body))] for m in stored[:MESSAGES]]
    assert (tmp_path / "1.err").read_text() != "", "the publisher noticed no kill"


def test_a_gap_is_detected(launch: Launch, start: Start, lines: Lines) -> None:
    broker = launch(config=RETAINS_LITTLE)
    assert lines(start("publish", broker.endpoint, "s", 2000, "--size", 400))[-1] == "confirmed 2000"
    gap, first, *_ = lines(start("subscribe", broker.endpoint, "s", "", 1, "--from", 1))
    retained = int(first.split()[0])
    assert retained > 1000
    assert gap == f"gap 2 {retained - 1} not-retained"


def test_a_refused_stream_is_reported(launch: Launch, start: Start, tmp_path: Path) -> None:
    assert start("subscribe", launch().endpoint, "", "", 1).wait(PATIENCE) == 1
    assert "stream-name" in (tmp_path / "0.err").read_text()
