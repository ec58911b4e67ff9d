"""Names in the session grammar: unknown messages and rules, messages that do not occur, unused and duplicate rules."""

from __future__ import annotations

from dataclasses import dataclass

from ..diagnostics import remark, warning
from ..ir import Protocol
from ..model import RawClass, fold
from ..naming import content_rule
from ..reach import reachable
from ..report import Place, Report, did_you_mean
from ..source.abnf import Grammar, Reference, parse_grammar, references

__all__ = ["Directions", "check_grammar", "directions"]

NOT_IN_GRAMMAR = warning("ZC510", "a message that occurs in no rule of the session grammar")
PHANTOM = warning("ZC511", "the grammar names a message that does not exist")
UNDEFINED = warning("ZC512", "the grammar names a rule that does not exist")
UNUSED_RULE = warning("ZC513", "a rule of the grammar that is never used")
RULE_TWICE = warning("ZC514", "a rule of the grammar that is defined twice")
UNKNOWN_ROLE = warning("ZC515", "a role other than C, S or P")
NO_MESSAGES = remark("ZC516", "a grammar that names no message")

# RFC 5234, B.1
CORE_RULES = frozenset(
    {
        *("alpha", "bit", "char", "cr", "crlf", "ctl", "digit", "dquote"),
        *("hexdig", "htab", "lf", "lwsp", "octet", "sp", "vchar", "wsp"),
    }
)


@dataclass(frozen=True, slots=True)
class Directions:
    """The messages that each side sends, according to a grammar with roles."""

    client: frozenset[str]
    server: frozenset[str]


def directions(grammar: Grammar, protocol: Protocol) -> Directions | None:
    """The messages that each role sends; None if the grammar has no roles."""
    sent: dict[str, set[str]] = {"C": set(), "S": set()}
    messages = {fold(message.name): message.name for message in protocol.messages}
    roles = False
    for item in references(grammar.rules):
        if item.role is None:
            continue
        roles = True
        name = messages.get(fold(item.name))
        for role in "CS" if item.role.upper() == "P" else item.role.upper():
            if name is not None and role in sent:
                sent[role].add(name)
    return Directions(frozenset(sent["C"]), frozenset(sent["S"])) if roles else None


def check_grammar(raw: RawClass, protocol: Protocol, report: Report) -> Grammar | None:
    """Parses the class's grammar and compares it with the messages. Returns None if the class has no grammar."""
    if raw.grammar is None or not raw.grammar.text.strip():
        return None
    file, first = raw.grammar.place.file, raw.grammar.place.text_line
    grammar = parse_grammar(raw.grammar.text, file, report, first)
    messages = {fold(message.name): message.name for message in protocol.messages}
    seen: set[str] = set()
    for item in references(grammar.rules):
        _check_reference(item, grammar, messages, seen, file, report)
    if not seen:
        report.add(NO_MESSAGES, raw.grammar.place, f"the grammar names no message of {protocol.name}")
        return grammar
    for raw_message, message in zip(raw.messages, protocol.messages, strict=True):
        if fold(message.name) not in seen:
            text = f"{message.name} does not occur in the session grammar"
            report.add(NOT_IN_GRAMMAR, raw_message.place, text)
    _check_rules(grammar, protocol, file, report)
    return grammar


def _check_reference(
    item: Reference, grammar: Grammar, messages: dict[str, str], seen: set[str], file: str, report: Report
) -> None:
    place = Place(file, item.line)
    if item.role is None:
        if grammar.named(item.name) or item.name.lower() in CORE_RULES:
            return
        if fold(item.name) in messages:
            seen.add(fold(item.name))
            return
        names = [rule.name for rule in grammar.rules]
        hint = did_you_mean(item.name, names, "write the role before a message: C: or S:")
        report.add(UNDEFINED, place, f"the rule {item.name} is not defined", hint=hint)
        return
    if item.role.upper() not in ("C", "S", "P"):
        text = f"{item.role}:{item.name} has the unknown role {item.role}"
        report.add(UNKNOWN_ROLE, place, text, hint="the roles are C: client, S: server, P: peer")
    if fold(item.name) in messages:
        seen.add(fold(item.name))
        return
    hint = did_you_mean(item.name.upper(), messages.values())
    report.add(PHANTOM, place, f"the message {item.name} does not exist", hint)


def _check_rules(grammar: Grammar, protocol: Protocol, file: str, report: Report) -> None:
    first: dict[str, int] = {}
    for rule in grammar.rules:
        key = rule.name.lower()
        if key in first and not rule.more:
            hint = f"the first is on line {first[key]}; =/ adds alternatives"
            report.add(
                RULE_TWICE, Place(file, rule.line), f"the rule {rule.name} is defined twice", hint=hint
            )
        first.setdefault(key, rule.line)
    starts = [rule.name.lower() for rule in grammar.rules[:1]]
    starts += [
        content_rule(message.name, field.name)
        for message in protocol.messages
        for field in message.fields
        if field.is_free_text
    ]
    reached = reachable(
        starts, lambda name: [ref.name.lower() for ref in references(grammar.named(name)) if ref.role is None]
    )
    for rule in grammar.rules:
        if rule.name.lower() not in reached:
            text = f"the rule {rule.name} is not used"
            hint = f"a session begins with the first rule, {grammar.rules[0].name}"
            report.add(UNUSED_RULE, Place(file, rule.line), text, hint=hint)
            reached.add(rule.name.lower())
