"""Runs of the whole system violate no guarantee, and a seed replays its run exactly. `make soak` runs 2,000 seeds."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter

import pytest
from campaigns import seeds

from zeps_broker.sim.__main__ import main, replay
from zeps_broker.sim.world import World

CHUNK = 10
SEEDS = seeds(30, 100)


@pytest.mark.parametrize("first", SEEDS[::CHUNK])
def test_no_promise_is_broken(first: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(first, first + CHUNK):
        try:
            counts.update(World(seed).run())
        except Exception as error:
            tail = "\n".join(replay(seed, 200, 100))
            pytest.fail(f"{tail}\nseed {seed}: {error}\npython -m zeps_broker.sim --seeds {seed} --verbose")
    assert counts["deliveries"] > 100 * CHUNK
    for what in ("gaps", "not-retained", "beyond-end"):
        assert counts[what] > 0, what


def test_a_seed_replays_exactly_in_another_process() -> None:
    """The process's hash seed does not matter."""
    script = (
        "import hashlib; from zeps_broker.sim.__main__ import replay;"
        "print(hashlib.sha256('\\n'.join(replay(3, 60, None)).encode()).hexdigest())"
    )
    here = hashlib.sha256("\n".join(replay(3, 60, None)).encode()).hexdigest()
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        there = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
        )
        assert there.stdout.strip() == here


def test_runs_differ() -> None:
    assert replay(1, 20, None) != replay(2, 20, None)


def test_the_command_says_how_to_replay(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zeps_broker.core.session.Session.use_credit", lambda self, message: None)
    assert main(["--seeds", "0:3", "--steps", "100"]) == 1
    captured = capsys.readouterr()
    assert "VIOLATION" in captured.err
    assert re.search(r"seed (\d) fails(.|\n)*--seeds \1 --steps 100 --verbose", captured.err)
    assert "Publish(" in captured.out


def test_the_command_sums_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--seeds", "5:7", "--steps", "20"]) == 0
    assert "2 seeds, no promise broken" in capsys.readouterr().out
