"""The raw model: the content of a model file, unchecked and with original spelling, with the place of each element.
`passes` turn it into the IR and report its errors. None represents an absent attribute.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .report import Place


class Dialect(str, Enum):
    """The language that a model is written in, recognised by the features that it uses."""

    ZEPS = "zeps"  # zproto with our extensions
    ZPROTO = "zproto"
    EARLY = "zproto-early"  # the predecessor of zproto: octet and dictionary, selftest, $other, `proto`


@dataclass(frozen=True, slots=True)
class RawDefine:
    name: str
    value: str
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawMember:
    name: str
    value: str | None
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawEnumeration:
    name: str
    members: tuple[RawMember, ...]
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawRule:
    id: str
    level: str
    text: str
    source: str
    role: str | None
    observable: str | None
    rationale: str
    split_from: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class RawTerm:
    """A word that rules use, and its definition. With a role it is a party that rules bind."""

    name: str
    role: str | None
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawReference:
    """A document that rules cite, and the headings of its sections that they cite."""

    id: str
    title: str
    sections: tuple[str, ...]
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawField:
    name: str
    type: str
    size: str | None
    value: str | None
    max: str | None
    text: str | None
    of: str | None
    count: str | None
    length: str | None
    signed: str | None
    enumeration: str | None
    flags: str | None
    reserved: str | None
    since: str | None
    until: str | None
    default: str | None
    rules: tuple[RawRule, ...]
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawComposite:
    """A field type that the model defines: its fields replace each field of that type."""

    name: str
    fields: tuple[RawField, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class RawRelation:
    """A comparison, in `holds`, of two fields or of a field and a number."""

    holds: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawMessage:
    name: str
    id: str | None
    digest: str | None
    since: str | None
    until: str | None
    extensible: str | None
    fields: tuple[RawField, ...]
    relations: tuple[RawRelation, ...]
    rules: tuple[RawRule, ...]
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawGrammar:
    """The session grammar in ABNF. `text` begins on line `place.text_line`."""

    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawVariable:
    name: str
    type: str
    size: str | None
    value: str | None
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawSet:
    field: str
    value: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawFill:
    """A field that the host fills before the message is sent."""

    field: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawAction:
    """An action of an event or state. `send` and `terminate` are built in; any other name is a host action."""

    name: str
    message: str | None
    raises: str | None
    then: str | None
    read_as: str | None
    sets: tuple[RawSet, ...]
    fills: tuple[RawFill, ...]
    place: Place


@dataclass(frozen=True, slots=True)
class RawActionDoc:
    """The documentation of a host action, from the class's <action>."""

    name: str
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawTimer:
    event: str
    milliseconds: str
    since: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class RawAssign:
    variable: str
    value: str
    place: Place


RawStep = RawAction | RawAssign


@dataclass(frozen=True, slots=True)
class RawEvent:
    """An event of a state, or, at class level, the declaration of a host event or a client's <send>."""

    name: str
    next: str | None
    guard: str | None
    message: str | None
    steps: tuple[RawStep, ...]
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawState:
    name: str
    inherit: str | None
    abstract: str | None
    events: tuple[RawEvent, ...]
    before: tuple[RawStep, ...]
    after: tuple[RawStep, ...]
    timers: tuple[RawTimer, ...]
    rules: tuple[RawRule, ...]
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawMethod:
    name: str
    returns: str | None
    immediate: str | None
    fields: tuple[RawField, ...]
    accepts: tuple[tuple[str, Place], ...]
    doc: str
    place: Place


@dataclass(frozen=True, slots=True)
class RawClass:
    """One model file: a machine if it has states, otherwise a codec."""

    name: str
    attributes: tuple[tuple[str, str], ...]
    dialect: Dialect
    doc: str
    place: Place
    grammar: RawGrammar | None = None
    defines: tuple[RawDefine, ...] = ()
    enumerations: tuple[RawEnumeration, ...] = ()
    composites: tuple[RawComposite, ...] = ()
    header: tuple[RawField, ...] = ()
    messages: tuple[RawMessage, ...] = ()
    rules: tuple[RawRule, ...] = ()
    terms: tuple[RawTerm, ...] = ()
    references: tuple[RawReference, ...] = ()
    variables: tuple[RawVariable, ...] = ()
    events: tuple[RawEvent, ...] = ()
    actions: tuple[RawActionDoc, ...] = ()
    methods: tuple[RawMethod, ...] = ()
    states: tuple[RawState, ...] = ()
    sends: tuple[RawEvent, ...] = ()  # methods that send a message in any state: a client's <send>
    receives: tuple[tuple[str, Place], ...] = ()  # messages that a client's application receives: <recv>

    def get(self, name: str) -> str | None:
        """The class's attribute, or None."""
        return dict(self.attributes).get(name)


def words(text: str) -> str:
    """Joins the words of a text with single spaces, on one line."""
    return " ".join(text.split())


def snake(name: str) -> str:
    """Spells a name as the IR does: lower case, words joined by an underscore. A name without words is unchanged."""
    return "_".join(name.replace("-", " ").replace("_", " ").lower().split()) or name


def fold(name: str) -> str:
    """Returns a key that is equal for names that zproto does not distinguish (case, space, hyphen, underscore)."""
    return snake(name)


def truth(text: str | None) -> bool:
    """Parses zproto's booleans: absent, empty, `0`, `false` and `no`, in any case, are false; all others are true."""
    return (text or "0").strip().lower() not in ("", "0", "false", "no")
