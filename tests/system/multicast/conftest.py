"""Multicast groups per test, programs on a libzmq with NORM and PGM, and networks of two machines."""

from __future__ import annotations

import contextlib
import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from multicast_programs import Network, Program, Receiver, group

Launched = Callable[..., Program]


@pytest.fixture
def norm() -> str:
    """An endpoint on the loopback interface; its messages stay on this machine."""
    return f"norm://lo;{group()}"


@pytest.fixture
def network() -> Iterator[Network]:
    """Two machines with a cable between them."""
    made = Network()
    try:
        made.build()
        yield made
    finally:
        made.remove()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Launched]:
    """`run(*arguments, inside=namespace)` starts a `zeps` command, or with `kind=Receiver` a receiving client."""
    made = itertools.count()

    def start(*arguments: str, kind: type[Program] = Program, inside: str | None = None) -> Program:
        program = kind(tmp_path / f"program-{next(made)}.log", arguments, inside)
        ends.callback(program.end)
        return program

    with contextlib.ExitStack() as ends:
        yield start


@pytest.fixture
def receive(run: Launched) -> Callable[..., Receiver]:
    """`receive(endpoint, stream, multicast, latest)` starts a client in a process of its own."""

    def start(*arguments: object, inside: str | None = None) -> Receiver:
        program = run(*map(str, arguments), kind=Receiver, inside=inside)
        assert isinstance(program, Receiver)
        return program

    return start
