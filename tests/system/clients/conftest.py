"""Each test runs with the example client of each language, built once."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from example_programs import PROGRAMS, Client
from relay import Relay

#: All builds in Cargo's folder run in one worker: Cargo locks the folder.
GROUPS = {language: "rust" if language == "rust" else f"client-{language}" for language in PROGRAMS}


@pytest.fixture(
    params=[pytest.param(name, marks=pytest.mark.xdist_group(group)) for name, group in GROUPS.items()]
)
def client(request: pytest.FixtureRequest, built: Callable[..., Path]) -> Client:
    """The program of one language, built."""
    program = PROGRAMS[request.param]
    for tool, remedy in program.tools.items():
        assert shutil.which(tool), f"{tool} is missing: {remedy}"
    folder = built(f"client-{request.param}", program.build)
    return Client([str(part) for part in program.command(folder)])


@pytest.fixture
def relay() -> Iterator[Callable[..., Relay]]:
    """`relay(endpoint, …)` is a relay between clients and the broker at `endpoint`."""
    made: list[Relay] = []

    def make(endpoint: str, **options: object) -> Relay:
        made.append(Relay(endpoint, **options))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for started in made:
        started.close()
