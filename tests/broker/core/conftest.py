"""Makes the shared helpers importable, and a core for each test."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from core_bench import Bench, MakeBench


@pytest.fixture(scope="session", params=[False, True], ids=["frames", "runs"])
def make_bench(request: pytest.FixtureRequest) -> MakeBench:
    """Returns a factory of benches; messages come one by one, or equal-sized ones in batches."""
    return partial(Bench, runs=request.param)


@pytest.fixture
def bench(make_bench: MakeBench) -> Bench:
    return make_bench()
