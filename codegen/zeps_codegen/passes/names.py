"""Names: checks that they are unique. Case, space, hyphen and underscore do not distinguish names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol as Interface

from ..diagnostics import Code, error
from ..model import RawAction, RawClass, RawComposite, RawMessage, RawMethod, fold
from ..report import Place, Report
from .constants import CONSTANT_TWICE

__all__ = ["FIELD_TWICE", "check_names"]

MESSAGE_TWICE = error("ZC201", "two messages with one name")
FIELD_TWICE = error("ZC202", "two fields with one name in one message or method")
STATE_TWICE = error("ZC301", "two states with one name")
VARIABLE_TWICE = error("ZC302", "two variables with one name")
EVENT_TWICE = error("ZC303", "two declarations of one host event or method")
UNUSABLE = error("ZC237", "a name without letters and digits, or with characters outside ASCII")


def check_names(raw: RawClass, report: Report) -> None:
    """Reports each second use of a name, and each name that languages cannot spell."""
    for item in _named(raw):
        name = item.name
        if name and not (name.isascii() and any(character.isalnum() for character in name)):
            text = f"{name!r} is not a valid name: a name has a letter or a digit, and only ASCII characters"
            report.add(UNUSABLE, item.place, text, attribute="name")
    _unique(raw.messages, MESSAGE_TWICE, "the message", report)
    _unique(raw.enumerations, CONSTANT_TWICE, "the enumeration", report, others=raw.messages)
    for message in raw.messages:
        _unique((*raw.header, *message.fields), FIELD_TWICE, "the field", report)
    for method in raw.methods:
        _unique(method.fields, FIELD_TWICE, "the field", report)
    _unique(raw.states, STATE_TWICE, "the state", report)
    _unique(raw.variables, VARIABLE_TWICE, "the variable", report)
    declared: list[_Item] = [*raw.events, *raw.methods, *raw.sends]
    _unique(declared, EVENT_TWICE, "the event", report)


class _Item(Interface):
    """An element of a model with a name."""

    @property
    def name(self) -> str: ...
    @property
    def place(self) -> Place: ...


def _named(raw: RawClass) -> Iterator[_Item]:
    """All elements whose names occur in generated code. `*` is not a name but a wildcard for events."""
    items: list[_Item] = [*raw.defines, *raw.variables, *raw.events, *raw.sends, *raw.states, *raw.header]
    yield from (raw, *items)
    for enumeration in raw.enumerations:
        yield enumeration
        yield from enumeration.members
    owners: tuple[RawComposite | RawMessage | RawMethod, ...] = (*raw.composites, *raw.messages, *raw.methods)
    for owner in owners:
        yield owner
        yield from owner.fields
    for state in raw.states:
        yield from (event for event in state.events if event.name != "*")
        for steps in (state.before, state.after, *(event.steps for event in state.events)):
            yield from (step for step in steps if isinstance(step, RawAction))


def _unique(
    items: Iterable[_Item], code: Code, what: str, report: Report, others: Iterable[_Item] = ()
) -> None:
    """Reports each of `items` that has the name of one before it, or of one of `others`, which share its namespace."""
    seen: dict[str, _Item] = {fold(other.name): other for other in others}
    for item in items:
        first = seen.setdefault(fold(item.name), item)
        if item.name and first is not item:
            message = f"{what} {item.name} is declared twice"
            if first.name != item.name:
                message += (
                    f", also as {first.name}: case, space, hyphen and underscore do not distinguish names"
                )
            hint = f"the first is on line {first.place.line}"
            report.add(code, item.place, message, hint, attribute="name")
