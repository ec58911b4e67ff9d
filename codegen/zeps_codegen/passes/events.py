"""Events of a machine, and resolution of their names. Messages of other versions are not events."""

from __future__ import annotations

from ..diagnostics import Location, Severity, error, remark, warning
from ..ir import Event, EventKind, Field, Message, Method, Protocol
from ..model import Dialect, RawClass, RawMethod, fold, snake, truth
from ..report import Place, Report, did_you_mean
from .types import MISPLACED, FieldContext, resolve_field

__all__ = ["STAR", "Events", "resolve_methods"]

UNKNOWN_EVENT = error("ZC307", "an event that is neither a message nor a method nor declared")
INTERNAL_EVENT = remark("ZC125", "an undeclared event, treated as a host event")
LIKE_A_MESSAGE = warning("ZC308", "an event that looks like a message but is not a message of the protocol")
UNKNOWN_CARRIED = error("ZC309", "an event or a send of a message that does not exist")
OTHER_EVENT = remark("ZC126", "the early names `$other` and `other`, treated as `*`")

STAR = "*"
_BUILT_IN = ("expired", "heartbeat", "malformed", "exception", "wakeup", "terminate")


class Events:
    """A machine's events: the messages of the protocol's version, declared events, methods, then undeclared events."""

    def __init__(
        self, raw: RawClass, protocol: Protocol, methods: tuple[Method, ...], report: Report
    ) -> None:
        self.raw, self.protocol, self.report = raw, protocol, report
        self._events: dict[str, Event] = {
            message.name: Event(message.name, EventKind.MESSAGE, message.name, doc=message.doc)
            for message in protocol.current
        }
        self.folded_messages = {fold(message.name): message for message in protocol.current}
        self._declared: dict[str, Event] = {}
        for item in raw.events:
            carried = None
            if item.message is not None:
                message = self.message(item.message, item.place)
                carried = message.name if message else None
            self._declared[item.name] = Event(item.name, EventKind.HOST, carried, doc=item.doc)
        for method in methods:
            event = Event(method.name, EventKind.METHOD, None, method.parameters, method.doc)
            self._declared[method.name] = event
        for item in raw.sends:
            message = self.message(item.message or "", item.place)
            sent = message.name if message else None
            self._declared[item.name] = Event(item.name, EventKind.METHOD, sent)
        for name, place in raw.receives:
            self.message(name, place, severity=Severity.WARNING)
        self._internal: dict[str, Event] = {}

    def all(self) -> tuple[Event, ...]:
        return (*self._events.values(), *self._declared.values(), *self._internal.values())

    def message(
        self, name: str, place: Place, attribute: str = "message", severity: Severity | None = None
    ) -> Message | None:
        """The protocol's message of that name; None, with a finding, if it does not exist."""
        message = self.folded_messages.get(fold(name))
        if message is None:
            hint = did_you_mean(name.upper(), [known.name for known in self.folded_messages.values()])
            text = f"{self._without(name) or self.protocol.name} has no message {name!r}"
            self.report.add(UNKNOWN_CARRIED, place, text, hint, attribute=attribute, severity=severity)
        return message

    def resolve(self, name: str, place: Place, attribute: str = "name") -> str:
        """The event that `name` refers to, or STAR. An exact match precedes a match of folded names. An unknown event
        becomes a host event, and is reported unless its name is built in or begins with `zyre_`.
        """
        if name == STAR:
            return STAR
        if name == "$other" or (name == "other" and self.raw.get("codec") is not None):
            self.report.add(OTHER_EVENT, place, f"the event {name} is treated as *", attribute=attribute)
            return STAR
        for table in (self._declared, self._events, self._internal):
            if name in table:
                return name
        for table in (self._declared, self._events, self._internal):
            for known in table:
                if fold(known) == fold(name):
                    return known
        self._unknown(name, place, attribute)
        self._internal[name] = Event(name, EventKind.HOST)
        return name

    def is_declared(self, name: str) -> bool:
        """Whether the event is declared by the class, a method or the protocol, or is built into every machine."""
        return name in self._declared or name in self._events or fold(name) in _BUILT_IN

    def left_to_star(self) -> tuple[str, ...]:
        """The events that `*` covers: messages, or in zproto's own language all events, after those are resolved."""
        if self.raw.dialect is Dialect.ZEPS:
            return tuple(self._events)
        for state in self.raw.states:
            for event in state.events:
                self.resolve(event.name, event.place)
        return tuple(event.name for event in self.all())

    def event(self, name: str) -> Event:
        return next(table[name] for table in (self._declared, self._events, self._internal) if name in table)

    def _without(self, name: str) -> str:
        """`version N of PROTOCOL` if only another version has a message of that name, otherwise empty."""
        protocol = self.protocol
        there = any(fold(message.name) == fold(name) for message in protocol.messages)
        return f"version {protocol.version} of {protocol.name}" if there else ""

    def _unknown(self, name: str, place: Place, attribute: str) -> None:
        if fold(name) in _BUILT_IN or fold(name).startswith("zyre_"):  # zproto's script for Zyre peers
            return
        if self.raw.dialect is Dialect.ZEPS:
            known = [*self._declared, *self._events]
            hint = did_you_mean(name, known, "declare it with an <event> of the class")
            text = f"{name!r} is not a message, a method or a declared event"
            if without := self._without(name):
                text, hint = f"{without} has no message {name!r}", "remove the event"
            self.report.add(UNKNOWN_EVENT, place, text, hint=hint, attribute=attribute)
        elif name.upper() == name:
            text = f"{self.protocol.name} has no message {name!r}; it is treated as a host event"
            self.report.add(LIKE_A_MESSAGE, place, text, attribute=attribute)
        else:
            text = f"{name!r} is treated as a host event"
            self.report.add(INTERNAL_EVENT, place, text, attribute=attribute)


def resolve_methods(
    raw: RawClass, places: dict[str, Location], context: FieldContext, report: Report
) -> tuple[Method, ...]:
    """Resolves a client's methods, and adds their places to `places`. Errors are reported."""
    return tuple(_method(item, snake(raw.name), places, context, report) for item in raw.methods)


def _method(
    raw: RawMethod, owner: str, places: dict[str, Location], context: FieldContext, report: Report
) -> Method:
    places[f"method:{owner}.{raw.name}"] = raw.place.location
    for item in raw.fields:
        if item.reserved is not None:
            text = f"{item.name} is a parameter and cannot be reserved"
            report.add(MISPLACED, item.place, text, attribute="reserved")
    parameters: tuple[Field, ...] = tuple(resolve_field(item, context, report) for item in raw.fields)
    accepts = tuple(name for name, _ in raw.accepts)
    return Method(raw.name, parameters, raw.returns, truth(raw.immediate), accepts, raw.doc)
