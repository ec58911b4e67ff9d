"""Cases: what one is, and the registry that the decorator :func:`case` fills."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeVar

from zeps_conformance.common.dialects import Dialect
from zeps_conformance.model.definitions import Rule
from zeps_conformance.model.rulebook import Rulebook

__all__ = ["REGISTRY", "TIME_LIMIT", "Body", "Case", "Needs", "Polarity", "case", "level_of", "rules_of"]

ID = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+){2,}")
LEVELS = ("MUST", "SHOULD", "MAY", "UNSPECIFIED")
TIME_LIMIT = 30.0  # seconds that a case may take besides what it waits for on purpose

#: What a case is: a function that is given a trial of its profile's kind.
Body = Callable[[Any], None]
Function = TypeVar("Function", bound=Body)


class Polarity(str, Enum):
    """A negative case gives an implementation what it has to refuse or to pass over; it is bracketed by proofs
    that others are served.
    """

    POSITIVE = "positive"
    NEGATIVE = "negative"


class Needs(str, Enum):
    """What a case needs beside an endpoint."""

    NOTHING = "nothing"
    CONTROL = "control"  # the suite has to stop and start the broker: the case runs alone, after the others
    TIME = "time"  # the case waits for a timeout of the broker's: it starts before the others


@dataclass(frozen=True, slots=True)
class Case:
    """One case. Its `id` names profile, section and subject, and depends on no other case.

    A case that is told for several dialects of ZMTP is several cases, one for each `dialect`. `types` are the socket
    types that it judges, all if there are none. `limit` is in seconds.
    """

    id: str
    title: str
    rules: tuple[str, ...]
    polarity: Polarity
    needs: Needs
    function: Body
    dialect: Dialect | None = None
    types: tuple[str, ...] = ()
    limit: float = TIME_LIMIT

    @property
    def profile(self) -> str:
        return self.id.split(".")[0]

    @property
    def section(self) -> str:
        return self.id.split(".")[1]

    @property
    def base_id(self) -> str:
        """Its id without what tells its dialect."""
        return self.id.removesuffix(self.dialect.suffix) if self.dialect is not None else self.id

    @property
    def base_title(self) -> str:
        """Its title without what tells its dialect."""
        return self.title.removesuffix(_spoken(self.dialect))

    @property
    def source(self) -> str:
        """The file, without its folders, that the case is written in."""
        return inspect.getsourcefile(self.function) or ""

    def steps(self) -> list[str]:
        """The sentences that the case will narrate, read from its source;

        ``…`` stands for what only a run knows.
        """
        tree = ast.parse(textwrap.dedent(inspect.getsource(self.function)))
        calls = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "step"
        ]
        calls.sort(key=lambda node: node.lineno)
        return [_sentence(node.args[0]) for node in calls if node.args]


REGISTRY: dict[str, Case] = {}


def case(
    case_id: str,
    title: str,
    *rules: str,
    polarity: Polarity = Polarity.POSITIVE,
    needs: Needs = Needs.NOTHING,
    dialects: tuple[Dialect, ...] = (),
    types: tuple[str, ...] = (),
    limit: float = TIME_LIMIT,
) -> Callable[[Function], Function]:
    """Register a function as the case `case_id`, which checks `rules`; with `dialects`, as one case for each.

    ValueError if the id is taken or no id.
    """
    if not ID.fullmatch(case_id):
        raise ValueError(f"{case_id!r} is no case id: profile.section.subject in lower case")
    variants = {f"{case_id}{one.suffix}": one for one in dialects} if dialects else {case_id: None}
    if taken := [variant for variant in variants if variant in REGISTRY]:
        raise ValueError(f"two cases are called {taken[0]!r}")
    if not rules:
        raise ValueError(f"{case_id}: a case checks at least one rule")

    def register(function: Function) -> Function:
        for variant, dialect in variants.items():
            said = title + _spoken(dialect)
            REGISTRY[variant] = Case(variant, said, rules, polarity, needs, function, dialect, types, limit)
        return function

    return register


def level_of(rules: list[Rule]) -> str:
    """The strictest level among `rules`."""
    return min((rule.level for rule in rules), key=LEVELS.index, default="MAY")


def rules_of(rulebook: Rulebook, one: Case) -> list[Rule]:
    """The rules that `one` checks. KeyError if it names one that `rulebook` lacks."""
    return [rulebook.rule(rule_id) for rule_id in one.rules]


def _spoken(dialect: Dialect | None) -> str:
    return "" if dialect is None else f" (ZMTP {dialect})"


def _sentence(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "…"
            for part in node.values
        )
    return "…"
