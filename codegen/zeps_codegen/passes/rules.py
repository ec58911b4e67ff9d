"""Rules: the normative sentences of a model, each with an id of its own and a level."""

from __future__ import annotations

from ..diagnostics import Location, Severity, define
from ..ir import Rule
from ..model import RawRule, truth
from ..report import Report

__all__ = ["RuleBook"]

RULE_TWICE = define("ZC230", Severity.ERROR, "two rules with one id")
UNKNOWN_LEVEL = define("ZC231", Severity.ERROR, "a rule's level is not MUST, SHOULD, MAY or UNSPECIFIED")
EMPTY_RULE = define("ZC232", Severity.WARNING, "a rule that says nothing")
UNKNOWN_ROLE = define("ZC233", Severity.ERROR, "a role that is not server, client or any")

LEVELS = ("MUST", "SHOULD", "MAY", "UNSPECIFIED")
ROLES = ("server", "client", "any")


class RuleBook:
    """Resolves the rules of all models of a run; ids are unique over all of them."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.places: dict[str, Location] = {}

    def resolve(self, rules: tuple[RawRule, ...], owner: str) -> tuple[Rule, ...]:
        """The rules that stand at `owner`: `class`, `message:NAME`, `field:MESSAGE.NAME`, `state:NAME`."""
        return tuple(self._rule(item, owner) for item in rules)

    def _rule(self, raw: RawRule, owner: str) -> Rule:
        if raw.id in self.places:
            first = self.places[raw.id]
            hint = f"the first is at {first.file}:{first.line}"
            self.report.add(
                RULE_TWICE, raw.place, f"the rule {raw.id} is there twice", hint=hint, attribute="id"
            )
        self.places.setdefault(raw.id, raw.place.location())
        if raw.level not in LEVELS:
            message = f"{raw.id} has the level {raw.level!r}"
            self.report.add(
                UNKNOWN_LEVEL, raw.place, message, hint="levels are " + ", ".join(LEVELS), attribute="level"
            )
        if raw.role is not None and raw.role not in ROLES:
            message = f"{raw.id} binds the role {raw.role!r}"
            self.report.add(
                UNKNOWN_ROLE, raw.place, message, hint="roles are " + ", ".join(ROLES), attribute="role"
            )
        if not raw.text:
            self.report.add(EMPTY_RULE, raw.place, f"{raw.id} says nothing")
        observable = True if raw.observable is None else truth(raw.observable)
        return Rule(raw.id, raw.level, raw.text, raw.source, owner, raw.role or "server", observable)
