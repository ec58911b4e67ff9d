"""Reachability in graphs that are given as functions from a node to its successors."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["reachable"]

_Node = TypeVar("_Node")


def reachable(starts: Iterable[_Node], following: Callable[[_Node], Iterable[_Node]]) -> set[_Node]:
    """The nodes that can be reached from `starts`, including these; `following` returns the successors of a node."""
    reached = set(starts)
    waiting = list(reached)
    while waiting:
        fresh = set(following(waiting.pop())) - reached
        reached |= fresh
        waiting += fresh
    return reached
