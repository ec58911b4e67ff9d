"""The intermediate representation (IR): the only input of targets.

A :class:`Bundle` holds checked protocols and flattened machines. Everything in it is frozen, in the models' order, and
free of syntax: composites are expanded, inheritance is resolved, ``*`` is one transition per event it covers, and
expressions are typed trees. ``model.json`` is this module serialised, field for field (see ``targets/model_json``).
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, TypeVar

#: The maximum number of events that host actions may raise in turn while one event is handled; one more is unhandled.
RAISES_MAX = 8


class FieldType(str, Enum):
    """The encoding of a field; every number but a varint is in network byte order. Strings, a hash and a list of size 0
    without a `count` are open-ended: the items continue until the end of the frame.
    """

    NUMBER = "number"  # `size` bytes (1, 2, 4, 8), signed if `signed`
    VARINT = "varint"  # LEB128, 1 to 10 bytes, zigzag if `signed`
    STRING = "string"  # a length of `size` bytes (1 or 4), then text
    CHUNK = "chunk"  # a length of `size` bytes (1, 2, 4 or 8), then bytes
    STRINGS = "strings"  # a count of `size` bytes (4), then long strings
    HASH = "hash"  # a count of `size` bytes (4), then pairs of string and long string, in wire order
    UUID = "uuid"  # 16 bytes
    OCTETS = "octets"  # `size` bytes, or as many as the sibling `length` specifies
    LIST = "list"  # `items`, as many as the sibling `count` specifies, or after a count of `size` bytes
    REST = "rest"  # all remaining bytes of the frame
    FRAME = "frame"  # a ZeroMQ frame of its own
    MSG = "msg"  # all remaining ZeroMQ frames


class Text(str, Enum):
    """Constraint on a string. `octets` allows any bytes, `printable` UTF-8 without category Cc, `vchar` %x21-7E."""

    OCTETS = "octets"
    UTF8 = "utf-8"
    PRINTABLE = "printable"
    VCHAR = "vchar"


class Dispatch(str, Enum):
    """How a decoder identifies the message that a frame holds."""

    SIGNATURE = "signature"  # %xAA %xA<signature>, then an id of one byte
    PUBSUB = "pubsub"  # an id of one byte, topic, %x00
    CONSTANT = "constant"  # the constants at the beginning of each message
    OCTET = "octet"  # an id of one byte
    NAME = "name"  # a length of one byte, then the message's name


class Role(str, Enum):
    SERVER = "server"
    CLIENT = "client"


@dataclass(frozen=True, slots=True)
class Rule:
    """A normative sentence. `owner` has it: `class`, `message:NAME`, `field:MESSAGE.NAME` or `state:NAME`. `source` is
    its reference and section, `RFC 37 §Framing`, several separated by semicolons, or `Our decision`.
    """

    id: str
    level: str  # MUST, SHOULD, MAY, UNSPECIFIED
    text: str
    source: str
    owner: str
    role: str = "server"  # the role that it binds: server, client, any
    observable: bool = True  # False: the wire does not show whether it is kept
    rationale: str = ""  # the reason for a decision of the model's authors
    split_from: str = ""  # the id of the rule that it was a part of


@dataclass(frozen=True, slots=True)
class Term:
    """A word that rules use. With a role, server, client or any, it is a party that rules bind."""

    name: str
    doc: str
    role: str = ""


@dataclass(frozen=True, slots=True)
class Reference:
    """A document that rules cite. `sections` are the headings that they may name."""

    id: str
    title: str
    sections: tuple[str, ...]
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    name: str  # snake_case
    type: FieldType
    size: int = 1
    signed: bool = False
    value: int | str | bytes | None = None  # a constant
    text: Text = Text.UTF8
    max: int | None = None  # greatest value, length in bytes, or count
    count: str | None = None  # list: the sibling field that counts the items
    length: str | None = None  # type octets: the sibling field that holds the length
    items: Field | None = None  # list: the type of an item
    enumeration: str | None = None
    flags: bool = False  # the enumeration's values are bits
    derived: bool = (
        False  # counts or measures a sibling; encoders compute it, and message objects do not have it
    )
    reserved: bool = (
        False  # number or octets: zero when sent, ignored when received, absent from message objects
    )
    since: int = 1
    until: int | None = None
    doc: str = ""
    default: int | str | bytes | None = (
        None  # the value in a frame that ends before the field; "" for an empty list
    )

    @property
    def open_ended(self) -> bool:
        """Whether the field consists of items that no number counts: they continue until the end of the frame."""
        return self.is_repeated and self.size == 0 and self.count is None

    @property
    def is_repeated(self) -> bool:
        """Whether the field consists of items: a list, strings or a hash."""
        return self.type in (FieldType.LIST, FieldType.STRINGS, FieldType.HASH)

    @property
    def hidden(self) -> bool:
        """Whether message objects do not have the field: it is constant, reserved, or computed by encoders."""
        return self.value is not None or self.reserved or self.derived

    @property
    def is_frame(self) -> bool:
        """Whether the field is one or more ZeroMQ frames of its own, after the frame of the other fields."""
        return self.type in (FieldType.FRAME, FieldType.MSG)

    @property
    def is_free_text(self) -> bool:
        """Whether this is a string without fixed values; a rule of the grammar may define its form."""
        return self.type is FieldType.STRING and self.value is None and self.enumeration is None


@dataclass(frozen=True, slots=True)
class Constant:
    name: str
    value: int | str
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Enumeration:
    name: str
    members: tuple[Constant, ...]
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """A comparison of two unsigned fields, or of a field and a constant: `left` `operator` `right`."""

    left: str  # a field
    operator: str  # == != < <= > >=
    right: str | int  # a field, or a number

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the compared fields: `left`, and `right` unless it is a number."""
        return (self.left,) if isinstance(self.right, int) else (self.left, self.right)


@dataclass(frozen=True, slots=True)
class Message:
    """A message. If `extensible`, bytes after the last field are skipped, and fields with defaults may be missing."""

    name: str  # in the model's spelling: ATTACH-OK
    id: int
    fields: tuple[Field, ...]  # in wire order; fields that are ZeroMQ frames come last
    rules: tuple[Rule, ...] = ()
    digest: str | None = None
    since: int = 1
    until: int | None = None
    doc: str = ""
    extensible: bool = False
    relations: tuple[Relation, ...] = ()


@dataclass(frozen=True, slots=True)
class Protocol:
    name: str
    title: str
    dispatch: Dispatch
    signature: int
    version: int
    messages: tuple[Message, ...]
    constants: tuple[Constant, ...] = ()
    enumerations: tuple[Enumeration, ...] = ()
    rules: tuple[Rule, ...] = ()
    grammar: str = ""
    doc: str = ""
    terms: tuple[Term, ...] = ()
    references: tuple[Reference, ...] = ()

    def message(self, name: str) -> Message:
        """Returns the message called `name`. Raises KeyError if the protocol does not have it."""
        for message in self.messages:
            if message.name == name:
                return message
        raise KeyError(name)

    def has(self, item: Message | Field) -> bool:
        """Whether the model's version is between the item's `since` and `until`, both inclusive."""
        return item.since <= self.version and (item.until is None or self.version <= item.until)

    @property
    def current(self) -> tuple[Message, ...]:
        """The messages that the model's version includes."""
        return tuple(message for message in self.messages if self.has(message))

    def all_rules(self) -> tuple[Rule, ...]:
        """The class's rules, then those of each message and its fields, in the model's order."""
        return self.rules + tuple(rule for message in self.messages for rule in message.rules)


class Type(str, Enum):
    NUMBER = "number"
    STRING = "string"
    OCTETS = "octets"
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class Name:
    """A variable, or with scope `message` a field of the event's message or method. Negative numbers count as 0."""

    name: str
    scope: str
    type: Type


@dataclass(frozen=True, slots=True)
class Literal:
    value: int | str | bool
    type: Type


@dataclass(frozen=True, slots=True)
class Size:
    """The size in bytes of the event's encoded message, all its frames together; `message` names it."""

    message: str


@dataclass(frozen=True, slots=True)
class Unary:
    operator: str  # not
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    """An operation on two operands. Numbers are unsigned and have 64 bits. `-` saturates at 0, and `+` at 2^64 - 1; an
    assignment then limits the result to the greatest number of the variable.
    """

    operator: str  # + - == != < <= > >= and or
    left: Expression
    right: Expression
    type: Type


Expression = Name | Literal | Size | Unary | Binary

#: The operators that compare, with their functions.
COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def walk(expression: Expression) -> Iterator[Expression]:
    """Yields the expression and every operand within it: an operation before its operands, left before right."""
    yield expression
    if isinstance(expression, Unary):
        yield from walk(expression.operand)
    elif isinstance(expression, Binary):
        yield from walk(expression.left)
        yield from walk(expression.right)


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    type: Type
    size: int = 8  # bytes of a number, which saturates at 2^(8 size) - 1
    value: int | str | bool = 0
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Send:
    """Sends `message`. `fields` gives values of its fields, and `filled` are the fields that the host fills beforehand,
    both in the model's order. An unfilled field is an error (``not-set``), or zero or empty if `defaults` is set.

    `read_as` is the event that the receiver's host raises when it reads the content of the message. If one send of a
    message has it, the receiver's action raises no event for the sends without it. The sender ignores it: sends that
    differ only in `read_as` are equal.
    """

    message: str
    fields: tuple[tuple[str, Expression], ...] = ()
    forward: bool = False  # sends the message that the event carries, unchanged
    read_as: str | None = field(default=None, compare=False)
    filled: tuple[str, ...] = ()
    defaults: bool = False


@dataclass(frozen=True, slots=True)
class Assign:
    variable: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Host:
    """A call of a host action (a callback). It may fail with one of the events `raises`: then the remaining steps are
    skipped, and that event is handled. Or it raises one of `then`, which is handled after the row, in the new state.
    See RAISES_MAX.
    """

    name: str  # snake_case
    raises: tuple[str, ...] = ()
    then: tuple[str, ...] = ()

    @property
    def events(self) -> tuple[str, ...]:
        """The events that the action may fail with, then those that it may raise."""
        return (*self.raises, *self.then)


@dataclass(frozen=True, slots=True)
class Terminate:
    pass


Step = Send | Assign | Host | Terminate
_Kind = TypeVar("_Kind", Send, Assign, Host, Terminate)


class EventKind(str, Enum):
    MESSAGE = "message"  # a received message
    METHOD = "method"  # a call by the application
    HOST = "host"  # raised by the host: a timer, malformed input, a refusal
    REPLY = "reply"


@dataclass(frozen=True, slots=True)
class Event:
    name: str  # in the model's spelling
    kind: EventKind
    message: str | None = None  # the message that the event carries, if any
    parameters: tuple[Field, ...] = ()  # of a method
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Method:
    name: str
    parameters: tuple[Field, ...] = ()
    returns: str | None = None
    immediate: bool = False
    accepts: tuple[str, ...] = ()
    doc: str = ""


@dataclass(frozen=True, slots=True)
class State:
    name: str  # snake_case
    doc: str = ""
    rules: tuple[Rule, ...] = ()


@dataclass(frozen=True, slots=True)
class Transition:
    """A row of the transition table. Of a state's rows for an event, the first with a true guard is taken. `steps`
    includes the old state's `after` and the new state's `before`; `before_at` is the number of steps that run before
    the state changes. A row without `next` keeps the state and runs neither.
    """

    state: str
    event: str
    guard: Expression | None
    steps: tuple[Step, ...]
    next: str | None
    before_at: int
    covered_by_star: bool = False
    inherited_from: str | None = None


@dataclass(frozen=True, slots=True)
class Timer:
    """A timer. It runs while the machine is in one of `states`; `event` is due the given time after its start. It
    starts when the machine enters these states, when it is due, and again at every entry (`since` entered) or at every
    message `sent` or `received`. Between two of its states it continues, unless it counts from the entry into a state.
    The duration is evaluated at each start; 0 disables the timer.
    """

    event: str
    milliseconds: Expression  # over variables
    since: str  # entered, sent, received
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ActionDoc:
    """The model's documentation of a host action."""

    name: str
    doc: str


@dataclass(frozen=True, slots=True)
class Machine:
    """A state machine. `internal` are the events that host actions may fail with or raise; they carry no data. If
    `session` is set, a server runs one machine for each client. It begins with the client's first message, ends with
    `terminate`, and begins anew with the next message.
    """

    name: str
    title: str
    role: Role
    protocol: str
    states: tuple[State, ...]  # the first is the initial state
    events: tuple[Event, ...]
    transitions: tuple[Transition, ...]
    variables: tuple[Variable, ...] = ()
    methods: tuple[Method, ...] = ()
    rules: tuple[Rule, ...] = ()
    doc: str = ""
    internal: tuple[str, ...] = ()
    timers: tuple[Timer, ...] = ()
    action_docs: tuple[ActionDoc, ...] = ()
    session: bool = False
    terms: tuple[Term, ...] = ()  # beside its protocol's
    references: tuple[Reference, ...] = ()  # beside its protocol's

    def all_rules(self) -> tuple[Rule, ...]:
        """The machine's rules, then each state's, in the model's order."""
        return self.rules + tuple(rule for state in self.states for rule in state.rules)

    @property
    def initial(self) -> str:
        """The name of the initial state. Raises IndexError if the machine has no states."""
        return self.states[0].name

    def host_actions(self) -> tuple[str, ...]:
        """The callbacks that a host must implement, in order of first use."""
        return tuple(dict.fromkeys(step.name for step in self.steps(Host)))

    def steps(self, kind: type[_Kind]) -> Iterator[_Kind]:
        """Yields the steps of that kind in all rows, in the order of the table."""
        return (step for row in self.transitions for step in row.steps if isinstance(step, kind))


@dataclass(frozen=True, slots=True)
class Bundle:
    """The input of one run of the generator: all protocols and machines."""

    protocols: tuple[Protocol, ...] = field(default_factory=tuple)
    machines: tuple[Machine, ...] = field(default_factory=tuple)

    def protocol(self, name: str) -> Protocol:
        """Returns the protocol called `name`. Raises KeyError if the bundle does not have it."""
        for protocol in self.protocols:
            if protocol.name == name:
                return protocol
        raise KeyError(name)
