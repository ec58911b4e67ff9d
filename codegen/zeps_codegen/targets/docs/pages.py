"""The content of reference pages: tables of fields, rules and transitions, as rows of Markdown cells."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...ir import (
    Assign,
    EventKind,
    Field,
    FieldType,
    Host,
    Machine,
    Message,
    Protocol,
    Reference,
    Rule,
    Term,
    Text,
    Transition,
    Type,
)
from ...naming import kebab, snake
from ...plan.layout import layouts
from ..describe import show, show_events, show_step

__all__ = [
    "IndexView",
    "MachinePage",
    "MessageView",
    "ProtocolPage",
    "RuleView",
    "SplitView",
    "StateView",
    "machine_page",
    "protocol_page",
    "rule_views",
    "split_rules",
]


@dataclass(frozen=True, slots=True)
class RuleView:
    id: str
    text: str
    notes: str


@dataclass(frozen=True, slots=True)
class SplitView:
    """A rule that was split, with its original id, and the rules for all its parts, of which one keeps that id."""

    id: str
    parts: list[RuleView]


@dataclass(frozen=True, slots=True)
class MessageView:
    name: str
    anchor: str
    id: int
    doc: str
    size: str
    rows: list[list[str]]
    rules: list[RuleView]
    versions: str
    relations: list[str]
    grows: bool


@dataclass(frozen=True, slots=True)
class ProtocolPage:
    title: str
    name: str
    doc: str
    facts: list[list[str]]
    constants: list[list[str]]
    enumerations: list[tuple[str, str, list[list[str]]]]
    terms: list[list[str]]
    references: list[list[str]]
    rules: list[RuleView]
    messages: list[MessageView]
    grammar: str
    machines: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class StateView:
    name: str
    doc: str
    rows: list[list[str]]
    rules: list[RuleView]


@dataclass(frozen=True, slots=True)
class MachinePage:
    title: str
    name: str
    doc: str
    role: str
    protocol: str
    variables: list[list[str]]
    events: list[list[str]]
    actions: list[list[str]]
    timers: list[list[str]]
    states: list[StateView]
    terms: list[list[str]]
    references: list[list[str]]
    rules: list[RuleView]


@dataclass(frozen=True, slots=True)
class IndexView:
    documents: list[tuple[str, str]]
    protocols: list[tuple[str, str, int]]
    machines: list[tuple[str, str, str]]
    rules: int
    splits: list[SplitView]


def _cell(text: object) -> str:
    """`text` as a table's cell: on one line, with escaped bars."""
    return " ".join(str(text).split()).replace("|", "\\|")


def _code(text: object) -> str:
    return f"`{_cell(text)}`"


def rule_views(rules: Iterable[Rule]) -> list[RuleView]:
    """The rules with texts on one line, and notes: source, rationale, and a remark if not visible on the wire."""
    views = []
    for rule in rules:
        notes = [f"{_cell(rule.source)}: {_cell(rule.rationale)}" if rule.rationale else _cell(rule.source)]
        notes += ["Cannot be seen on the wire"] if not rule.observable else []
        views.append(RuleView(rule.id, " ".join(rule.text.split()), "; ".join(notes)))
    return views


def split_rules(rules: Iterable[Rule]) -> list[SplitView]:
    """The rules that were split, each with all its parts, in the order of `rules`; other rules are left out."""
    parts: dict[str, list[Rule]] = {}
    for rule in rules:
        parts.setdefault(rule.split_from or rule.id, []).append(rule)
    return [SplitView(name, rule_views(group)) for name, group in parts.items() if len(group) > 1]


def _terms(terms: tuple[Term, ...]) -> list[list[str]]:
    return [[_cell(term.name), _cell(term.doc)] for term in terms]


def _references(references: tuple[Reference, ...]) -> list[list[str]]:
    return [[_cell(reference.id), _cell(reference.title), _cell(reference.doc)] for reference in references]


# --- protocols


def protocol_page(protocol: Protocol, machines: tuple[Machine, ...]) -> ProtocolPage:
    """The page of a protocol; `machines` are all machines, of which it lists those that use the protocol."""
    spoken = [
        (machine.title, snake(machine.name)) for machine in machines if machine.protocol == protocol.name
    ]
    return ProtocolPage(
        protocol.title,
        snake(protocol.name),
        protocol.doc,
        _facts(protocol),
        [[_code(item.name), _code(item.value), _cell(item.doc)] for item in protocol.constants],
        [
            (item.name, item.doc, [[_code(m.name), _code(m.value), _cell(m.doc)] for m in item.members])
            for item in protocol.enumerations
        ],
        _terms(protocol.terms),
        _references(protocol.references),
        rule_views(protocol.rules),
        [_message(message, protocol) for message in protocol.messages],
        protocol.grammar.strip("\n"),
        spoken,
    )


def _facts(protocol: Protocol) -> list[list[str]]:
    how = {
        "signature": f"`AA A{protocol.signature:X}`, then one octet that numbers the message",
        "pubsub": "one octet that numbers the message, a topic, an octet `00`",
        "constant": "the constants that each message begins with",
        "octet": "one octet that numbers the message",
        "name": "one octet of length, then the message's name",
    }
    if not any(layout.dispatch for layout in layouts(protocol)):
        how["constant"] = "nothing: the protocol has one message only"
    return [
        ["Version", str(protocol.version)],
        ["A message begins with", how[protocol.dispatch.value]],
        ["Numbers", "network byte order"],
    ]


def _head_parts(message: Message, protocol: Protocol) -> list[tuple[str, int]]:
    """Name and size in bytes of each part before the fields; the size is 0 if it varies."""
    match protocol.dispatch.value:
        case "signature":
            return [(f"`AA A{protocol.signature:X}`", 2), (f"`{message.id:02X}`, the message's number", 1)]
        case "pubsub":
            return [(f"`{message.id:02X}`, the message's number", 1), ("topic, then `00`", 0)]
        case "octet":
            return [(f"`{message.id:02X}`, the message's number", 1)]
        case "name":
            return [(f"`{len(message.name):02X}`, then `{message.name}`", 1 + len(message.name))]
        case _:
            return []


class _Offsets:
    """The offset of the next field as fields are added: bytes and names of fields of variable size (``5 + key``)."""

    def __init__(self) -> None:
        self._fixed = 0
        self._varying: list[str] = []

    def __str__(self) -> str:
        return " + ".join([str(self._fixed), *self._varying])

    def add(self, size: int, varying: str = "") -> None:
        self._fixed += size
        if varying:
            self._varying.append(varying)


def _message(message: Message, protocol: Protocol) -> MessageView:
    offsets = _Offsets()
    rows = []
    for what, size in _head_parts(message, protocol):
        rows.append([str(offsets), str(size) if size else "varies", "", what])
        offsets.add(size, "" if size else "topic")
    for field in message.fields:
        size, varying = _extent(field)
        extent = " + ".join(([str(size)] if size or not varying else []) + ([varying] if varying else []))
        rows.append([str(offsets), extent, _code(field.name), _what(field)])
        offsets.add(size, varying)
    versions = f"since version {message.since}" if message.since > 1 else ""
    versions += f", until version {message.until}" if message.until is not None else ""
    return MessageView(
        message.name,
        kebab(message.name),
        message.id,
        message.doc,
        str(offsets),
        rows,
        rule_views(message.rules),
        versions.removeprefix(", "),
        [f"{_code(item.left)} {_cell(item.operator)} {_code(item.right)}" for item in message.relations],
        message.extensible,
    )


def _extent(field: Field) -> tuple[int, str]:
    """The size of a field: constant bytes, and the variable part, a field's name or ``4 × count``; may be empty."""
    if field.value is not None:
        content = field.value.encode() if isinstance(field.value, str) else field.value
        prefix = field.size if field.type in (FieldType.STRING, FieldType.CHUNK) else 0
        return (prefix + len(content), "") if isinstance(content, bytes) else (field.size, "")
    match field.type:
        case FieldType.NUMBER:
            return field.size, ""
        case FieldType.UUID:
            return 16, ""
        case FieldType.OCTETS if field.length is None:
            return field.size, ""
        case FieldType.OCTETS:
            return 0, str(field.length)
        case FieldType.STRING | FieldType.CHUNK:
            return field.size, field.name
        case FieldType.STRINGS | FieldType.HASH:
            return 0 if field.open_ended else 4, field.name
        case FieldType.LIST:
            return _list_extent(field)
        case _:
            return 0, field.name


def _list_extent(field: Field) -> tuple[int, str]:
    prefix = 0 if field.count is not None else field.size
    if field.items is not None and field.items.type is FieldType.NUMBER and field.count is not None:
        return prefix, f"{field.items.size} × {field.count}" if field.items.size > 1 else field.count
    return prefix, field.name


_TEXTS = {
    Text.OCTETS: "octets",
    Text.UTF8: "UTF-8",
    Text.PRINTABLE: "UTF-8 without control characters",
    Text.VCHAR: "visible ASCII",
}


def _what(field: Field) -> str:
    """The type, the limits and the description of a field."""
    parts = [_type(field)]
    if field.value is not None:
        value = field.value.decode("latin-1") if isinstance(field.value, bytes) else field.value
        parts.append(f"always `{_cell(value)}`")
    if field.derived:
        parts.append("computed by the encoder")
    if field.reserved:
        parts.append("reserved: zero when sent, not looked at when received")
    limit = field.max
    if limit is not None:
        many = (FieldType.LIST, FieldType.STRINGS, FieldType.HASH)
        numeric = (FieldType.NUMBER, FieldType.VARINT)
        unit = " items" if field.type in many else "" if field.type in numeric else " octets"
        parts.append(f"at most {limit:,}{unit}")
    if field.enumeration is not None:
        parts.append(f"{'bits' if field.flags else 'one'} of {field.enumeration}")
    if field.default is not None:
        repeated = field.type in (FieldType.LIST, FieldType.STRINGS, FieldType.HASH)
        default = field.default.hex() if isinstance(field.default, bytes) else field.default
        parts.append(
            "empty if the frame ends before it"
            if repeated
            else f"`{_cell(default)}` if the frame ends before it"
        )
    text = ", ".join(parts)
    return f"{text}. {_cell(field.doc)}" if field.doc else text


def _type(field: Field) -> str:
    match field.type:
        case FieldType.NUMBER:
            return f"{'signed ' if field.signed else ''}number of {8 * field.size} bits"
        case FieldType.VARINT:
            return "number in LEB128" + (", zigzag" if field.signed else "")
        case FieldType.STRING:
            return f"length of {8 * field.size} bits, then {_TEXTS[field.text]}"
        case FieldType.CHUNK:
            return f"length of {8 * field.size} bits, then octets"
        case FieldType.STRINGS:
            return _repeated(field, f"long strings of {_TEXTS[field.text]}")
        case FieldType.HASH:
            return _repeated(field, f"pairs of string and long string of {_TEXTS[field.text]}")
        case FieldType.UUID:
            return "UUID"
        case FieldType.OCTETS:
            return f"octets, `{field.length}` of them" if field.length else "octets"
        case FieldType.LIST:
            assert field.items is not None
            count = f"`{field.count}` of them" if field.count else f"after a count of {8 * field.size} bits"
            return f"list of {_type(field.items)}, {'to the end of the frame' if field.open_ended else count}"
        case FieldType.REST:
            return "all octets that are left"
        case FieldType.FRAME:
            return "a ZeroMQ frame of its own"
        case FieldType.MSG:
            return "all ZeroMQ frames that are left"


def _repeated(field: Field, items: str) -> str:
    return f"{items}, to the end of the frame" if field.open_ended else f"count of 32 bits, then {items}"


# --- machines

_KINDS = {
    EventKind.MESSAGE: "a message arrives",
    EventKind.METHOD: "the application calls",
    EventKind.HOST: "the host says so",
    EventKind.REPLY: "a reply",
}


def machine_page(machine: Machine) -> MachinePage:
    """The page of a machine."""
    docs = {action.name: _cell(action.doc) for action in machine.action_docs}
    return MachinePage(
        machine.title,
        snake(machine.name),
        machine.doc,
        machine.role.value,
        snake(machine.protocol),
        [
            [_code(v.name), _variable(v.type, v.size), _code(repr(v.value)), _cell(v.doc)]
            for v in machine.variables
        ],
        [[_code(event.name), _KINDS[event.kind], _cell(event.doc)] for event in machine.events],
        [
            [_code(name), *(_raised(machine, name, how) for how in ("raises", "then")), docs.get(name, "")]
            for name in machine.host_actions()
        ],
        [
            [
                _code(timer.event),
                _code(show(timer.milliseconds)),
                _SINCE[timer.since],
                ", ".join(map(_code, timer.states)),
            ]
            for timer in machine.timers
        ],
        [
            StateView(state.name, state.doc, _state_rows(machine, state.name), rule_views(state.rules))
            for state in machine.states
        ],
        _terms(machine.terms),
        _references(machine.references),
        rule_views(machine.rules),
    )


def _variable(kind: Type, size: int) -> str:
    return f"number, saturating at 2^{8 * size}-1" if kind is Type.NUMBER else kind.value


_SINCE = {
    "entered": "the state was entered",
    "sent": "a message was last sent",
    "received": "a message was last received",
}


def _raised(machine: Machine, action: str, how: str) -> str:
    """The events that the action fails with (`how` is ``raises``) or raises after the row (``then``), with commas."""
    raised: dict[str, None] = {}
    for transition in machine.transitions:
        for step in transition.steps:
            if isinstance(step, Host) and step.name == action:
                raised |= dict.fromkeys(getattr(step, how))
    return ", ".join(_code(name) for name in raised)


def _state_rows(machine: Machine, state: str) -> list[list[str]]:
    """The cells of a state's table: events, guard, steps, next state. Rows of `*` with equal effects are one."""
    grouped: dict[object, list[Transition]] = {}
    for row in machine.transitions:
        if row.state == state:
            key = (row.covered_by_star, row.guard, row.steps, row.next)
            grouped.setdefault(key if row.covered_by_star else (key, row.event), []).append(row)
    rows = []
    for group in grouped.values():
        first = group[0]
        events = ", ".join(_code(row.event) for row in group)
        if first.covered_by_star:
            events = f"{show_events(machine, group)} ({events})" if len(group) > 1 else events
        guard = _code(show(first.guard)) if first.guard is not None else ""
        steps = "<br>".join(_code(_step(step)) for step in first.steps)
        rows.append([events, guard, steps or "nothing", first.next or ""])
    return rows


def _step(step: object) -> str:
    if isinstance(step, Assign):
        return f"{step.variable} := {show(step.value)}"
    return show_step(step)  # type: ignore[arg-type]
