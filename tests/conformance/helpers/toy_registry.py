"""Registers faults and variants of the toy implementation by their names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeVar

from toy_pubsub import KINDS, Kinds

from zeps_conformance.wire.zmtp_engine import Engine

__all__ = ["FAULTS", "KILLERS", "REFEREED", "Kind", "affected", "fault", "name_of", "refereed"]

Kind = TypeVar("Kind", bound=type[Any])

FAULTS: dict[str, Kinds] = {}
"""The faulty sockets, by the name of the defect: that of its class, in lower case with hyphens."""
KILLERS: dict[str, str] = {}
"""The id of a case that must detect the defect, by its name."""

REFEREED: dict[str, tuple[str, str]] = {}
"""A case whose own checks the defect passes, and the rule whose violation the referee must report, by its name."""


def fault(killer: str = "") -> Callable[[Kind], Kind]:
    """Registers a socket or an engine with a defect, and the case that must detect it, if there is one."""

    def register(kind: Kind) -> Kind:
        name = name_of(kind)
        FAULTS[name] = affected(kind)
        if killer:
            KILLERS[name] = killer
        return kind

    return register


def refereed(passed: str, rule: str) -> Callable[[Kind], Kind]:
    """Registers a socket or an engine with a defect that only the referee sees in the case `passed`."""

    def register(kind: Kind) -> Kind:
        registered = fault()(kind)
        REFEREED[list(FAULTS)[-1]] = passed, rule
        return registered

    return register


def name_of(kind: type[Any]) -> str:
    """Returns the name of a class in lower case with hyphens."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", kind.__name__).lower()


def affected(kind: type[Any]) -> Kinds:
    """Returns the sockets by type that `kind` replaces: all of them for an engine, which their connections then use."""
    if issubclass(kind, Engine):
        return {name: type(name, (base,), {"engine": kind}) for name, base in KINDS.items()}
    return dict.fromkeys(kind.TYPES, kind)
