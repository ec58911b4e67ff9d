"""The intermediate representation: the only thing that targets see.

A :class:`Bundle` holds checked protocols and flattened machines. Everything in it is frozen, ordered as the
models order it, and free of syntax: composites are expanded, inheritance is resolved, ``*`` is replaced by one
transition per event it covers, and expressions are typed trees. ``model.json`` is this module serialised,
field for field (see ``targets/model_json``).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

__all__ = [
    "RAISES_MAX",
    "Action",
    "ActionDoc",
    "Assign",
    "Binary",
    "Bundle",
    "Constant",
    "Dispatch",
    "Enumeration",
    "Event",
    "EventKind",
    "Expression",
    "Field",
    "FieldType",
    "Host",
    "Literal",
    "Machine",
    "Message",
    "Method",
    "Name",
    "Protocol",
    "Reference",
    "Relation",
    "Role",
    "Rule",
    "Send",
    "Size",
    "State",
    "Step",
    "Term",
    "Terminate",
    "Text",
    "Timer",
    "Transition",
    "Type",
    "Unary",
    "Variable",
]


#: Events in turn that host actions may fail with or raise while one event is handled; the next one is unhandled.
RAISES_MAX = 8


class FieldType(str, Enum):
    """How a field lies on the wire; every number is in network byte order.

    Strings, a hash and a list may be open-ended: of size 0, and without a `count`. Then nothing counts the items,
    and they go on to the end of the frame.
    """

    NUMBER = "number"  # `size` octets (1, 2, 4, 8), signed if `signed`
    VARINT = "varint"  # LEB128, 1 to 10 octets, zigzag if `signed`
    STRING = "string"  # `size` octets of length (1 or 4), then text
    CHUNK = "chunk"  # `size` octets of length (1, 2, 4 or 8), then octets
    STRINGS = "strings"  # `size` octets of count (4), then long strings
    HASH = (
        "hash"  # `size` octets of count (4), then pairs of string and long string, in the order of the wire
    )
    UUID = "uuid"  # 16 octets
    OCTETS = "octets"  # `size` octets, or as many as the field named by `length` says
    LIST = "list"  # `items`, as many as the field named by `count` says, or after `size` octets of count
    REST = "rest"  # whatever octets are left in the frame
    FRAME = "frame"  # a ZeroMQ frame of its own
    MSG = "msg"  # all remaining ZeroMQ frames


class Text(str, Enum):
    """What a string may hold; `printable` is UTF-8 without the control characters (Unicode category Cc)."""

    OCTETS = "octets"
    UTF8 = "utf-8"
    PRINTABLE = "printable"
    VCHAR = "vchar"


class Dispatch(str, Enum):
    """How a decoder finds out which message a frame holds."""

    SIGNATURE = "signature"  # %xAA %xA<signature>, then one octet of id
    PUBSUB = "pubsub"  # one octet of id, topic, %x00
    CONSTANT = "constant"  # the constants that the messages begin with
    OCTET = "octet"  # one octet of id
    NAME = "name"  # one octet of length and the message's name


class Role(str, Enum):
    SERVER = "server"
    CLIENT = "client"


@dataclass(frozen=True, slots=True)
class Rule:
    """A normative sentence. `owner` is where it stands: `class`, `message:NAME`, `field:MESSAGE.NAME`, `state:NAME`.

    `source` is the reference and section that say it, `RFC 37 §Framing`, several separated by semicolons, or
    `Our decision`.
    """

    id: str
    level: str  # MUST, SHOULD, MAY, UNSPECIFIED
    text: str
    source: str
    owner: str
    role: str = "server"  # whom it binds: server, client, any
    observable: bool = True  # False: nothing on the wire shows whether it holds
    rationale: str = ""  # why: a decision of the model's authors has one
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
    max: int | None = None  # greatest value, length in octets, or count
    count: str | None = None  # list: the sibling that counts the items
    length: str | None = None  # octets: the sibling that holds the length
    items: Field | None = None  # list: one item
    enumeration: str | None = None
    flags: bool = False  # the enumeration's values are bits
    derived: bool = False  # counts or measures a sibling; encoders compute it, messages do not show it
    reserved: bool = (
        False  # number or octets: zero when sent, not looked at when received, not shown by messages
    )
    since: int = 1
    until: int | None = None
    doc: str = ""
    default: int | str | bytes | None = None  # what it is in a frame that ends before it; "" for no items

    @property
    def open_ended(self) -> bool:
        """Whether it is made of items that go on to the end of the frame, uncounted."""
        repeated = self.type in (FieldType.LIST, FieldType.STRINGS, FieldType.HASH)
        return repeated and self.size == 0 and self.count is None

    @property
    def hidden(self) -> bool:
        """Whether no message shows it: it is constant, reserved, or computed by encoders."""
        return self.value is not None or self.reserved or self.derived

    @property
    def is_free_text(self) -> bool:
        """Whether it is a string that the model does not narrow to values; a rule of the grammar may give its form."""
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
    """What holds between two unsigned numbers of a message, or a number and a constant: `left` `operator` `right`."""

    left: str  # a field
    operator: str  # == != < <= > >=
    right: str | int  # a field, or a number

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that it compares."""
        return (self.left,) if isinstance(self.right, int) else (self.left, self.right)


@dataclass(frozen=True, slots=True)
class Message:
    """`extensible`: a decoder skips the octets that follow the last field. Then the last fields may have defaults, and
    a frame may end before any of these.
    """

    name: str  # as the model spells it: ATTACH-OK
    id: int
    fields: tuple[Field, ...]  # in the order of the wire: those with ZeroMQ frames of their own come last
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
        """The message called `name`. KeyError if there is none."""
        for message in self.messages:
            if message.name == name:
                return message
        raise KeyError(name)

    def has(self, item: Message | Field) -> bool:
        """Whether the model's version has the message, or the field of a message."""
        return item.since <= self.version and (item.until is None or self.version <= item.until)

    @property
    def current(self) -> tuple[Message, ...]:
        """The messages that the model's version has."""
        return tuple(message for message in self.messages if self.has(message))

    def all_rules(self) -> tuple[Rule, ...]:
        """The class's rules, then each message's, in the model's order."""
        return self.rules + tuple(rule for message in self.messages for rule in message.rules)


class Type(str, Enum):
    NUMBER = "number"
    STRING = "string"
    OCTETS = "octets"
    BOOLEAN = "boolean"


@dataclass(frozen=True, slots=True)
class Name:
    """A variable (`scope` variable) or a field that the event's message or method shows (`scope` message).

    A number that is negative, as those of signed fields may be, counts as 0.
    """

    name: str
    scope: str
    type: Type


@dataclass(frozen=True, slots=True)
class Literal:
    value: int | str | bool
    type: Type


@dataclass(frozen=True, slots=True)
class Size:
    """Octets of the event's message once encoded; `message` names it."""

    message: str


@dataclass(frozen=True, slots=True)
class Unary:
    operator: str  # not
    operand: Expression


@dataclass(frozen=True, slots=True)
class Binary:
    """Numbers have 64 bits and no sign. `+` and `-` saturate: at 0, and at the greatest number or that of the
    variable assigned.
    """

    operator: str  # + - == != < <= > >= and or
    left: Expression
    right: Expression
    type: Type


Expression = Name | Literal | Size | Unary | Binary


@dataclass(frozen=True, slots=True)
class Variable:
    name: str
    type: Type
    size: int = 8  # octets of a number: it saturates at 2^(8 size) - 1
    value: int | str | bool = 0
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Send:
    """Send `message`. `fields` gives values of its fields, in the message's order.

    `filled` are the fields that the host has filled before, in the message's order. One that it has not is an error
    (``not-set``), or zero or empty with `defaults`, as in zproto.

    `read_as` is the event that the receiver's host raises when it reads what the message says. If one send of a
    message has it, then the receiver returns from its action for those that do not. It changes nothing in the code
    of the sender: sends that differ in it alone are equal.
    """

    message: str
    fields: tuple[tuple[str, Expression], ...] = ()
    forward: bool = False  # the event carries this very message: send it as it is
    read_as: str | None = field(default=None, compare=False)
    filled: tuple[str, ...] = ()
    defaults: bool = False


@dataclass(frozen=True, slots=True)
class Assign:
    variable: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Host:
    """A callback of the host's.

    It may fail with one of the events `raises`: then the steps that are left do not run, and that event is handled. Or
    it raises one of `then`, which is handled after the row, in the state that was reached. See RAISES_MAX.
    """

    name: str  # snake_case
    raises: tuple[str, ...] = ()
    then: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Terminate:
    pass


Step = Send | Assign | Host | Terminate
Action = Step


class EventKind(str, Enum):
    MESSAGE = "message"  # a message arrived
    METHOD = "method"  # the application calls
    HOST = "host"  # the host says so: a timer, malformed input, a refusal
    REPLY = "reply"


@dataclass(frozen=True, slots=True)
class Event:
    name: str  # as the model spells it
    kind: EventKind
    message: str | None = None  # the message it carries, if any
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
    """One row of the table. Rows of the same state and event are tried in order; the first whose guard holds is taken.

    `steps` already contains the old state's `after` and the new state's `before`; `before_at` is the number of
    steps that run before the state changes. A row without `next` stays and runs neither.
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
    """While the machine is in one of `states`, `event` is due so many milliseconds after the state was `entered`, or
    after the machine last `sent` or `received` a message.

    The duration is evaluated when the timer starts; 0 is never. A timer of two states goes on from one to the other,
    unless it counts from when the state was entered. When it is due it starts again.
    """

    event: str
    milliseconds: Expression  # over variables
    since: str  # entered, sent, received
    states: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ActionDoc:
    """What the model says of a host action."""

    name: str
    doc: str


@dataclass(frozen=True, slots=True)
class Machine:
    """`internal` are the events that host actions may fail with or raise; they carry nothing.

    `session`: a server has one for each client, as in zproto. It begins with the first message that the client sends,
    ends with `terminate`, and begins anew with the message after that.
    """

    name: str
    title: str
    role: Role
    protocol: str
    states: tuple[State, ...]  # the first is initial
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
        return self.states[0].name

    def host_actions(self) -> tuple[str, ...]:
        """The callbacks that a host has to offer, in order of first use."""
        names: dict[str, None] = {}
        for transition in self.transitions:
            for step in transition.steps:
                if isinstance(step, Host):
                    names[step.name] = None
        return tuple(names)


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything one run of the generator works on."""

    protocols: tuple[Protocol, ...] = field(default_factory=tuple)
    machines: tuple[Machine, ...] = field(default_factory=tuple)

    def protocol(self, name: str) -> Protocol:
        """The protocol called `name`. KeyError if there is none."""
        for protocol in self.protocols:
            if protocol.name == name:
                return protocol
        raise KeyError(name)
