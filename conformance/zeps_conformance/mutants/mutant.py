"""A mutant: an implementation with one change, which the campaign installs and starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from zeps_conformance.broker.process import BrokerDescription

__all__ = ["Mutant"]


@dataclass(frozen=True)
class Mutant:
    """One change. `id` is stable for the same sources; `family`: ``machine``, ``codec`` or ``source``. `place` names
    what is changed, `before` and `after` are the text of the change. `install` writes the mutant's files into a new
    folder, and returns how to start it. `proof` returns why the mutant is equivalent to the original, or an empty text.
    `subjects`: keys by which mutants of the same place find likely killers, the most specific first; `words`: parts of
    ids of cases that may detect it. `row`: the number of the changed row of a machine, or None.
    """

    id: str
    family: str
    operator: str
    place: str
    before: str
    after: str
    install: Callable[[Path], BrokerDescription]
    proof: Callable[[], str]
    subjects: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    row: int | None = None
