"""The examples run, and stop quietly."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from real_broker import RealBroker

pytestmark = pytest.mark.slow  # processes

EXAMPLES = Path(__file__).parents[2] / "examples"


def start(name: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-u", str(EXAMPLES / name), *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def stop(process: subprocess.Popen[str]) -> str:
    process.send_signal(signal.SIGINT)
    assert process.stdout is not None
    with process.stdout:
        output = process.stdout.read()  # and not communicate(), which skips data that readline() has buffered
    assert process.wait(60) == 0
    assert "Traceback" not in output
    return output


def test_examples(broker: RealBroker, tmp_path: Path) -> None:
    bookmark = tmp_path / "bookmark"
    publisher = start("publish.py", broker.endpoint)
    average = start("subscribe_async.py", broker.endpoint)
    for _ in range(2):
        begin = int(bookmark.read_text()) if bookmark.exists() else 0
        subscriber = start("subscribe.py", broker.endpoint, str(bookmark))
        assert subscriber.stdout is not None
        lines = [subscriber.stdout.readline() for _ in range(3)] + stop(subscriber).splitlines()[:-1]
        printed = [int(line.split()[0]) for line in lines]
        assert printed == list(range(begin + 1, begin + 1 + len(printed)))
        assert printed[-1] - int(bookmark.read_text()) in (0, 1)  # stopped after printing or after writing
    assert average.stdout is not None
    assert " over " in average.stdout.readline()
    assert stop(average).endswith("stopped\n")
    assert stop(publisher).endswith("stopped\n")
