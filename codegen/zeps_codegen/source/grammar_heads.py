"""Detection of the rules of a grammar that are messages, and of the dispatch that distinguishes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..ir import Dispatch
from ..model import fold
from .abnf import Chars, Concatenation, Element, Grammar, Numbers, Reference, Repetition, Rule, references

__all__ = ["Head", "Heads", "called", "find_heads", "items_of", "literal"]

_CALLED = re.compile(r"called (\S.*)")
_ROLE_RULE = re.compile(r"([CSP])-(.+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Head:
    """A message's id, or position from 1 without ids; its `signature` (0 to 15); and the elements of its fields."""

    id: int
    rest: tuple[Element, ...]
    signature: int = 0


@dataclass(frozen=True, slots=True)
class Heads:
    """The messages of a grammar, and their dispatch. `roles` are rules for a message with a role, as in `C-ATTACH =
    ATTACH`: the upper-case role and the message's rule, by the rule's name. `session` are the other rules from which a
    message with a role can be reached. Names are in lower case.
    """

    dispatch: Dispatch
    messages: Mapping[Rule, Head]
    roles: Mapping[str, tuple[str, str]]
    session: frozenset[str]


def items_of(element: Element) -> tuple[Element, ...]:
    """The parts of a concatenation; otherwise the element itself."""
    return element.items if isinstance(element, Concatenation) else (element,)


def called(rule: Rule) -> str | None:
    """The NAME in the comment `called NAME` of a rule whose name ends in `-message` or `-field`, otherwise None."""
    if not rule.name.lower().endswith(("-message", "-field")):
        return None
    notes = [note for comment in rule.beside for note in comment.text.split("; ")]
    return next((match.group(1) for note in notes if (match := _CALLED.fullmatch(note))), None)


def find_heads(grammar: Grammar) -> Heads:
    """Finds the grammar's messages: the rules with a signature, or else those with another head that no rule uses, or
    else a single message without a head. Without any, `messages` is empty.
    """
    within = {
        item.name.lower()
        for item in references(tuple(rule for rule in grammar.rules if not _ROLE_RULE.fullmatch(rule.name)))
        if item.role is None
    }
    signed = {
        rule: head
        for rule in grammar.rules
        if (head := _signature(rule, grammar)) is not None
        and not (
            isinstance(rule.element, Numbers) and rule.name.lower() in within
        )  # a constant that looks like a signature
    }
    if signed:
        names = frozenset(rule.name.lower() for rule in signed)
        roles = _roles(grammar, names)
        return Heads(Dispatch.SIGNATURE, signed, roles, _session(grammar, names, roles))
    names = frozenset(rule.name.lower() for rule in grammar.rules)
    roles = _roles(grammar, names)
    session = _session(grammar, frozenset(target for _, target in roles.values()), roles)
    wire = tuple(r for r in grammar.rules if r.name.lower() not in session and r.name.lower() not in roles)
    inner = {item.name.lower() for item in references(wire)}
    roots = [rule for rule in wire if rule.name.lower() not in inner]
    for dispatch, find in _FORMS.items():
        messages = {rule: head for rule in roots if (head := find(rule, grammar)) is not None}
        if messages:
            if dispatch in (Dispatch.CONSTANT, Dispatch.NAME):  # they have no number on the wire
                messages = {
                    rule: Head(number, head.rest) for number, (rule, head) in enumerate(messages.items(), 1)
                }
            return Heads(dispatch, messages, roles, session)
    return Heads(*_lone(roots), roles, session)


def _lone(roots: list[Rule]) -> tuple[Dispatch, Mapping[Rule, Head]]:
    """A single message without a head: the only root, if the names of its fields begin with its name; or no message."""
    if len(roots) == 1:
        items, prefix = items_of(roots[0].element), f"{roots[0].name.lower()}-"
        if all(isinstance(item, Reference) and item.name.lower().startswith(prefix) for item in items):
            return Dispatch.CONSTANT, {roots[0]: Head(1, items)}
    return Dispatch.SIGNATURE, {}


def _roles(grammar: Grammar, names: frozenset[str]) -> dict[str, tuple[str, str]]:
    """The rules that consist only of a message of `names` and whose name is the message's name with a role."""
    roles = {}
    for rule in grammar.rules:
        match = _ROLE_RULE.fullmatch(rule.name)
        if not match or not isinstance(rule.element, Reference) or rule.element.role is not None:
            continue
        name, target = match.group(2).lower(), rule.element.name.lower()
        if target in names and re.fullmatch(f"{re.escape(name)}(-message)*", target):
            roles[rule.name.lower()] = (match.group(1).upper(), target)
    return roles


def _session(
    grammar: Grammar, messages: frozenset[str], roles: Mapping[str, tuple[str, str]]
) -> frozenset[str]:
    session: set[str] = set(roles)
    while True:
        more = {
            rule.name.lower()
            for rule in grammar.rules
            if rule.name.lower() not in messages
            and any(item.role or item.name.lower() in session for item in references((rule,)))
        }
        if more <= session:
            return frozenset(session - set(roles))
        session |= more


def _signature(rule: Rule, grammar: Grammar) -> Head | None:
    """The head %xAA, %xA0 to %xAF and an id, if the rule begins so; the first two are often references to a rule."""
    if isinstance(rule.element, Reference):
        return None  # another name for a message
    items = items_of(rule.element)
    head: list[int] = []
    used = 0
    while len(head) < 3 and used < len(items):
        item = items[used]
        values = literal(item, grammar, 4 if isinstance(item, Reference) and not head else 0)
        if values is None or len(head) + len(values) > 3:
            return None
        head += values
        used += 1
    if len(head) < 3 or head[0] != 0xAA or not (head[1] & 0xF0 == 0xA0 or head[1] < 16):
        return None  # early zproto prints the signature's number
    return Head(head[2], items[used:], head[1] & 0x0F)


def _byte(element: Element) -> int | None:
    if isinstance(element, Numbers) and element.last is None and len(element.values) == 1:
        return element.values[0] if element.values[0] < 256 else None
    return None


def _by_name(rule: Rule, _: Grammar) -> Head | None:
    items = items_of(rule.element)
    if len(items) < 2 or not isinstance(items[1], Chars):
        return None
    if _byte(items[0]) != len(items[1].text) or fold(items[1].text) != fold(called(rule) or rule.name):
        return None
    return Head(0, items[2:])


def _by_topic(rule: Rule, _: Grammar) -> Head | None:
    items = items_of(rule.element)
    if len(items) < 3 or _byte(items[2]) != 0 or not isinstance(items[1], Reference):
        return None
    number = _byte(items[0])
    return None if number is None or items[1].name.lower() != "topic" else Head(number, items[3:])


def _by_octet(rule: Rule, _: Grammar) -> Head | None:
    items = items_of(rule.element)
    number = _byte(items[0])
    return None if number is None else Head(number, items[1:])


def _by_constant(rule: Rule, grammar: Grammar) -> Head | None:
    items = items_of(rule.element)
    return Head(0, items) if isinstance(items[0], Reference) and literal(items[0], grammar, 4) else None


_FORMS = {
    Dispatch.NAME: _by_name,
    Dispatch.PUBSUB: _by_topic,
    Dispatch.OCTET: _by_octet,
    Dispatch.CONSTANT: _by_constant,
}


def literal(element: Element, grammar: Grammar, depth: int) -> list[int] | None:
    """The bytes of a constant element, or None. References are followed up to `depth` levels."""
    if isinstance(element, Numbers):
        known = element.last is None and all(value < 256 for value in element.values)
        return list(element.values) if known else None
    if isinstance(element, Chars):
        return list(element.text.encode())
    if isinstance(element, Concatenation):
        parts = [literal(item, grammar, depth) for item in element.items]
        constants = [part for part in parts if part is not None]
        return [byte for part in constants for byte in part] if len(constants) == len(parts) else None
    if isinstance(element, Repetition) and element.least == element.most:
        part = literal(element.item, grammar, depth)
        return None if part is None else part * element.least
    if isinstance(element, Reference) and element.role is None and depth > 0:
        rules = grammar.named(element.name)
        return literal(rules[0].element, grammar, depth - 1) if rules else None
    return None
