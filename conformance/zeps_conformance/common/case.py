"""Cases, and the registry that the decorator :func:`case` fills."""

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

__all__ = [
    "OMITTED",
    "REGISTRY",
    "RETAINS",
    "TIME_LIMIT",
    "Body",
    "Case",
    "Needs",
    "Polarity",
    "case",
    "level_of",
    "rules_of",
]

ID = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+){2,}")
LEVELS = ("MUST", "SHOULD", "MAY", "UNSPECIFIED")
TIME_LIMIT = 30.0  # seconds that a case may take in addition to intended waits
RETAINS = 32_768  # bytes of DELIVER frames that a stream must retain for any case

#: The function of a case; its argument is a trial of its profile.
Body = Callable[[Any], None]
Function = TypeVar("Function", bound=Body)


class Polarity(str, Enum):
    """Kind of input. Negative input must be refused or ignored; checks around it show that others are served."""

    POSITIVE = "positive"
    NEGATIVE = "negative"


class Needs(str, Enum):
    """Requirements of a case in addition to an endpoint."""

    NOTHING = "nothing"
    CONTROL = "control"  # the suite must stop and start the broker: the case runs alone, after the others
    ALONE = "alone"  # the case measures the broker's process: it runs alone, before the others
    TIME = "time"  # the case waits for a timeout of the broker: it starts before the others


@dataclass(frozen=True, slots=True)
class Case:
    """One case, also each variant for a `dialect`. Its `id` names profile, section and subject. `types`: the socket
    types that it judges, empty for all of its profile. `limit`: maximum time in seconds, without intended waits.
    `retains`: bytes of DELIVER frames that a stream must retain for the case.
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
    retains: int = RETAINS

    @property
    def profile(self) -> str:
        return self.id.split(".")[0]

    @property
    def section(self) -> str:
        return self.id.split(".")[1]

    @property
    def base_id(self) -> str:
        """The id without the suffix of the dialect; the same for all variants of a case."""
        return self.id.removesuffix(self.dialect.suffix) if self.dialect is not None else self.id

    @property
    def base_title(self) -> str:
        """The title without the suffix of the dialect."""
        return self.title.removesuffix(_spoken(self.dialect))

    @property
    def source(self) -> str:
        """Path of the source file of its function; empty if it is not known."""
        return inspect.getsourcefile(inspect.unwrap(self.function)) or ""

    def steps(self) -> list[str]:
        """Steps in the source of the case's function, not of functions it calls; ``…`` replaces run-time values."""
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
OMITTED: dict[str, str] = {}
"""Reasons why a case cannot be derived from the model, by the id that it would have."""


def case(
    case_id: str,
    title: str,
    *rules: str,
    polarity: Polarity = Polarity.POSITIVE,
    needs: Needs = Needs.NOTHING,
    dialects: tuple[Dialect, ...] = (),
    types: tuple[str, ...] = (),
    limit: float = TIME_LIMIT,
    retains: int = RETAINS,
) -> Callable[[Function], Function]:
    """Registers a function as the case `case_id`, or as one for each of `dialects`, and returns it unchanged. Raises
    ValueError if the id is malformed or already registered, or if `rules` is empty.
    """
    if not ID.fullmatch(case_id):
        form = "profile.section.subject, of lower-case letters, digits and hyphens"
        raise ValueError(f"{case_id!r} is not a case id: {form}")
    variants = (
        {f"{case_id}{dialect.suffix}": dialect for dialect in dialects} if dialects else {case_id: None}
    )
    if taken := [variant for variant in variants if variant in REGISTRY]:
        raise ValueError(f"duplicate case id {taken[0]!r}")
    if not rules:
        raise ValueError(f"{case_id}: a case must check at least one rule")

    def register(function: Function) -> Function:
        for variant, dialect in variants.items():
            said = title + _spoken(dialect)
            REGISTRY[variant] = Case(
                variant, said, rules, polarity, needs, function, dialect, types, limit, retains
            )
        return function

    return register


def level_of(rules: list[Rule]) -> str:
    """Returns the strictest level among `rules`: MUST, SHOULD, MAY, then UNSPECIFIED; MAY for an empty list."""
    return min((rule.level for rule in rules), key=LEVELS.index, default="MAY")


def rules_of(rulebook: Rulebook, case: Case) -> list[Rule]:
    """Returns the rules that `case` checks. Raises KeyError if `rulebook` lacks one of them."""
    return [rulebook.rule(rule_id) for rule_id in case.rules]


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
