"""Rules: the normative sentences of a model, each an obligation of one party, with an id, a level and a source.

A rule is one sentence. It begins with the party that it binds and has one key word of RFC 2119, that of its level::

    <reference id="RFC 37" title="ZMTP 3.1"><section title="Framing"/></reference>
    <term name="publisher" role="server">A PUB or XPUB socket.</term>
    <rule id="TOY-1" level="MUST" source="RFC 37 §Framing">A publisher MUST count only the body.</rule>
    <rule id="TOY-2" level="MAY" source="Our decision" split_from="TOY-1">A publisher MAY count faster.
        <rationale>Publishers differ in speed.</rationale></rule>

A rule of the level UNSPECIFIED says what its source leaves open: it names a party and has no key word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ..diagnostics import Location, error, warning
from ..ir import Protocol, Reference, Rule, Term
from ..model import RawClass, RawReference, RawRule, RawTerm, truth
from ..report import Place, Report

__all__ = ["OUR_DECISION", "ModelRules", "RuleBook"]

RULE_TWICE = error("ZC230", "two rules with one id")
UNKNOWN_LEVEL = error("ZC231", "a rule's level is not MUST, SHOULD, MAY or UNSPECIFIED")
EMPTY_RULE = warning("ZC232", "a rule or a term without text")
UNKNOWN_ROLE = error("ZC233", "a role that is not server, client or any")
KEY_WORD = warning("ZC244", "a rule without exactly one key word, that of its level")
NOT_ONE_SENTENCE = warning("ZC245", "a rule that is not one sentence")
BOUND_PARTY = warning("ZC246", "a rule that does not begin with a party of its role")
UNKNOWN_SOURCE = warning("ZC247", "a rule's source, or its section, is not declared")
NO_RATIONALE = warning("ZC248", "a decision of the model's authors without a rationale")
UNKNOWN_SPLIT = error("ZC249", "a rule that is split from a rule that does not precede it")
DECLARED_TWICE = error("ZC250", "a term or a reference that is declared twice")

LEVELS = ("MUST", "SHOULD", "MAY", "UNSPECIFIED")
ROLES = ("server", "client", "any")

#: The source of a rule that no reference states.
OUR_DECISION = "Our decision"

#: The parties that rules may bind in every model.
_PARTIES = {"server": "server", "client": "client", "peer": "any"}
_KEY_WORD = re.compile(r"\b(?:MUST|SHALL|SHOULD|REQUIRED|RECOMMENDED|MAY|OPTIONAL)\b(?: NOT\b)?")
_KEY_WORDS = {"MUST": ["MUST", "MUST NOT"], "SHOULD": ["SHOULD", "SHOULD NOT"], "MAY": ["MAY"]}
_CODE = re.compile(r"`[^`]*`")
_SENTENCE_ENDS = re.compile(r"[.;!?](?=\s)")


class RuleBook:
    """Resolves the rules of all models of a run, and reports ids that occur twice in them."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.places: dict[str, Location] = {}
        self.rules: dict[str, Rule] = {}
        self.titles: dict[str, RawReference] = {}

    def of(self, raw: RawClass, protocol: Protocol | None = None) -> ModelRules:
        """The resolver of the rules of `raw`; a machine also has the terms and references of its `protocol`."""
        return ModelRules(self, raw, protocol)


class ModelRules:
    """Checks the rules of one model and converts them to :class:`Rule`; a machine also has the terms and references of
    its protocol.
    """

    def __init__(self, book: RuleBook, raw: RawClass, protocol: Protocol | None) -> None:
        self.book, self.report = book, book.report
        self.terms = tuple(Term(item.name, item.doc, item.role or "") for item in raw.terms)
        self.references = tuple(
            Reference(item.id, item.title, item.sections, item.doc) for item in raw.references
        )
        self._check_terms(raw.terms)
        self._check_references(raw.references)
        shared = (protocol.terms, protocol.references) if protocol is not None else ((), ())
        self._sections: dict[str, tuple[str, ...]] = {}
        for reference in (*shared[1], *self.references):
            self._sections[reference.id] = self._sections.get(reference.id, ()) + reference.sections
        self._roles = _PARTIES | {term.name: term.role for term in (*shared[0], *self.terms) if term.role}
        self._parties = sorted(self._roles, key=len, reverse=True)

    def resolve(self, rules: tuple[RawRule, ...], owner: str) -> tuple[Rule, ...]:
        """Resolves and collects the rules of `owner`, spelled as in :class:`Rule`; faulty ones too, with findings."""
        return tuple(self._rule(item, owner) for item in rules)

    def _check_terms(self, terms: tuple[RawTerm, ...]) -> None:
        first: dict[str, Place] = {}
        for item in terms:
            if item.role is not None and item.role not in ROLES:
                self._unknown_role(item.name, item.role, item.place)
            if not item.doc:
                self.report.add(EMPTY_RULE, item.place, f"the term {item.name} has no definition")
            self._once(first, f"term {item.name}", item.place, "name")

    def _check_references(self, references: tuple[RawReference, ...]) -> None:
        first: dict[str, Place] = {}
        for item in references:
            self._once(first, f"reference {item.id}", item.place, "id")
            other = self.book.titles.setdefault(item.id, item)
            if other.title != item.title:
                hint = f"{other.place.file}:{other.place.line} calls it {other.title!r}"
                text = f"the reference {item.id} has another title in another model"
                self.report.add(DECLARED_TWICE, item.place, text, hint=hint, attribute="title")

    def _once(self, first: dict[str, Place], what: str, place: Place, attribute: str) -> None:
        if what in first:
            hint = f"the first is on line {first[what].line}"
            self.report.add(DECLARED_TWICE, place, f"the {what} is declared twice", hint, attribute=attribute)
        first.setdefault(what, place)

    def _unknown_role(self, name: str, role: str, place: Place) -> None:
        hint = "roles are " + ", ".join(ROLES)
        self.report.add(UNKNOWN_ROLE, place, f"{name} has the role {role!r}", hint, attribute="role")

    def _rule(self, raw: RawRule, owner: str) -> Rule:
        role = raw.role or "server"
        if raw.level not in LEVELS:
            message = f"{raw.id} has the level {raw.level!r}"
            hint = "levels are " + ", ".join(LEVELS)
            self.report.add(UNKNOWN_LEVEL, raw.place, message, hint=hint, attribute="level")
        if role not in ROLES:
            self._unknown_role(raw.id, role, raw.place)
        if not raw.text:
            self.report.add(EMPTY_RULE, raw.place, f"the rule {raw.id} has no text")
        elif raw.level in LEVELS and role in ROLES:
            self._check_sentence(raw, role)
        whole = self._split_from(raw)
        rationale = raw.rationale or (whole.rationale if whole is not None else "")
        self._check_source(raw, rationale)
        observable = True if raw.observable is None else truth(raw.observable)
        source, split_from = raw.source, raw.split_from or ""
        rule = Rule(raw.id, raw.level, raw.text, source, owner, role, observable, rationale, split_from)
        self._add(rule, raw.place)
        return rule

    def _add(self, rule: Rule, place: Place) -> None:
        if rule.id in self.book.places:
            first = self.book.places[rule.id]
            hint = f"the first is at {first.file}:{first.line}"
            self.report.add(RULE_TWICE, place, f"the rule {rule.id} is defined twice", hint, attribute="id")
        self.book.places.setdefault(rule.id, place.location)
        self.book.rules.setdefault(rule.id, rule)

    def _check_sentence(self, raw: RawRule, role: str) -> None:
        text = _CODE.sub("", raw.text)
        allowed, words = _KEY_WORDS.get(raw.level, []), _KEY_WORD.findall(text)
        if len(words) != min(1, len(allowed)) or not set(words) <= set(allowed):
            message = f"{raw.id} has {_listed(words) or 'no key word'}, and the level {raw.level}"
            hint = f"one of {_listed(allowed)}, once" if allowed else "without a key word"
            hint += "; split a rule with two obligations" if len(words) > 1 else ""
            self.report.add(KEY_WORD, raw.place, message, hint=hint)
        if _SENTENCE_ENDS.search(text) or not raw.text.endswith("."):
            hint = "one sentence for each rule, with a full stop; <term> defines a word"
            self.report.add(NOT_ONE_SENTENCE, raw.place, f"{raw.id} is not one sentence", hint=hint)
        if role not in self._bound(raw):
            verb = "name" if raw.level == "UNSPECIFIED" else "begin with"
            message = f"{raw.id} has the role {role!r}, and does not {verb} a party of that role"
            parties = _listed(name for name, its_role in self._roles.items() if its_role == role)
            hint = f'parties are {parties}; <term name="…" role="{role}"> declares another'
            self.report.add(BOUND_PARTY, raw.place, message, hint=hint)

    def _bound(self, raw: RawRule) -> set[str]:
        """The roles of the parties that the rule begins with, or names if it has the level UNSPECIFIED."""
        roles = set()
        for name in self._parties:
            start = r"\b" if raw.level == "UNSPECIFIED" else r"^(?:An?|The|Each|Every) "
            if re.search(rf"{start}{re.escape(name)}\b", raw.text):
                roles.add(self._roles[name])
                if raw.level != "UNSPECIFIED":
                    break
        return roles

    def _split_from(self, raw: RawRule) -> Rule | None:
        if raw.split_from is None:
            return None
        if raw.split_from not in self.book.rules:
            message = f"{raw.id} is split from {raw.split_from!r}, and no rule before it has that id"
            hint = "the first part keeps the id, and precedes the others"
            self.report.add(UNKNOWN_SPLIT, raw.place, message, hint=hint, attribute="split_from")
        return self.book.rules.get(raw.split_from)

    def _check_source(self, raw: RawRule, rationale: str) -> None:
        if raw.source == OUR_DECISION:
            if not rationale:
                hint = "<rationale>one sentence that says why</rationale> in the rule"
                message = f"{raw.id} is a decision without a rationale"
                self.report.add(NO_RATIONALE, raw.place, message, hint=hint)
            return
        for cited in raw.source.split(";"):
            name, _, section = (part.strip() for part in cited.partition("§"))
            if name not in self._sections:
                message = (
                    f"{raw.id} cites {name!r}, which is not declared" if name else f"{raw.id} has no source"
                )
                hint = (
                    f'<reference id="…" title="…"> declares one; {OUR_DECISION!r} is the source of a decision'
                )
            elif section not in (self._sections[name] or ("",)):
                what = (
                    f"the section {section!r} of {name}, which is not declared"
                    if section
                    else f"{name} as a whole"
                )
                message = f"{raw.id} cites {what}"
                hint = (
                    f"sections are {_listed(self._sections[name])}"
                    if self._sections[name]
                    else "it has no sections"
                )
            else:
                continue
            self.report.add(UNKNOWN_SOURCE, raw.place, message, hint=hint, attribute="source")


def _listed(words: Iterable[str]) -> str:
    return ", ".join(words)
