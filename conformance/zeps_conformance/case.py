"""Cases: what one is, and the registry that the decorator :func:`case` fills."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from zeps_conformance.model import Model, Rule

if TYPE_CHECKING:
    from zeps_conformance.trial import Trial

__all__ = ["REGISTRY", "Case", "Needs", "Polarity", "case", "level_of"]

ID = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+){2,}")
LEVELS = ("MUST", "SHOULD", "MAY", "UNSPECIFIED")


class Polarity(str, Enum):
    """A negative case gives a broker what it has to refuse; it is bracketed by proofs that the broker still
    serves.
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
    """One case. Its `id` names profile, section and subject, and depends on no other case."""

    id: str
    title: str
    rules: tuple[str, ...]
    polarity: Polarity
    needs: Needs
    function: Callable[[Trial], None]

    @property
    def profile(self) -> str:
        return self.id.split(".")[0]

    @property
    def section(self) -> str:
        return self.id.split(".")[1]

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
) -> Callable[[Callable[[Trial], None]], Callable[[Trial], None]]:
    """Register a function as the case `case_id`, which checks `rules`.

    ValueError if the id is taken or no id.
    """
    if not ID.fullmatch(case_id):
        raise ValueError(f"{case_id!r} is no case id: profile.section.subject in lower case")
    if case_id in REGISTRY:
        raise ValueError(f"two cases are called {case_id!r}")
    if not rules:
        raise ValueError(f"{case_id}: a case checks at least one rule")

    def register(function: Callable[[Trial], None]) -> Callable[[Trial], None]:
        REGISTRY[case_id] = Case(case_id, title, rules, polarity, needs, function)
        return function

    return register


def level_of(rules: list[Rule]) -> str:
    """The strictest level among `rules`."""
    return min((rule.level for rule in rules), key=LEVELS.index, default="MAY")


def rules_of(model: Model, one: Case) -> list[Rule]:
    """The model's rules that `one` checks. KeyError if it names one that the model lacks."""
    return [model.rule(rule_id) for rule_id in one.rules]


def _sentence(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            part.value if isinstance(part, ast.Constant) and isinstance(part.value, str) else "…"
            for part in node.values
        )
    return "…"
