"""Two versions of a protocol, compared as their frames are: by what a decoder accepts and an encoder sends.

A message is followed by its name, and by its id if the name changed; a field by its name, and by its place if
the name changed and nothing else did. What is compared are the layouts that codecs are generated from, so
spellings of one thing (`uuid`, and sixteen octets) are no change.

What a decoder accepts may grow: a new receiver understands what old senders say. The reverse, that a new
sender makes use of it towards an old receiver, is for the sender to avoid, and each such change says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..ir import Constant, Dispatch, Field, FieldType, Message, Protocol, Relation, Text
from ..plan.layout import Layout, constant_octets, layouts
from .changes import Change, Effect, define

__all__ = ["compare_protocols", "field_changes"]

_BREAK, _COMPATIBLE = Effect.BREAK, Effect.COMPATIBLE

DISPATCH_CHANGED = define("dispatch-changed", _BREAK, "frames name their message in another way")
SIGNATURE_CHANGED = define("signature-changed", _BREAK, "frames begin with other octets")
VERSION_LOWERED = define("version-lowered", _BREAK, "the protocol has a lower version than before")
VERSION_RAISED = define("version-raised", _COMPATIBLE, "the protocol has a higher version")
CONSTANT_CHANGED = define("constant-changed", _BREAK, "a named value is another")
CONSTANT_REMOVED = define("constant-removed", _BREAK, "a named value is gone")
CONSTANT_ADDED = define("constant-added", _COMPATIBLE, "a named value is new")
MEMBER_REMOVED = define("member-removed", _BREAK, "an enumeration has lost a value")
MEMBER_CHANGED = define("member-changed", _BREAK, "a name in an enumeration stands for another value")
MEMBER_ADDED = define("member-added", _COMPATIBLE, "an enumeration has a new value")
MEMBER_RENAMED = define("member-renamed", _COMPATIBLE, "a value of an enumeration has another name")
MESSAGE_REMOVED = define("message-removed", _BREAK, "a message is gone")
MESSAGE_ENDED = define("message-ended", _BREAK, "a message is not in the new version any more")
MESSAGE_RENAMED = define(
    "message-renamed", _COMPATIBLE, "a message has another name, which frames do not show"
)
MESSAGE_ADDED = define("message-added", _COMPATIBLE, "a new message with an id and a version of its own")
SINCE_CHANGED = define("since-changed", _BREAK, "the version that something begins with is rewritten")
UNTIL_SHORTENED = define(
    "until-shortened", _BREAK, "something ends with an earlier version than was announced"
)
UNTIL_CHANGED = define(
    "until-changed", _COMPATIBLE, "the version that something ends with is named, or a later one"
)
MESSAGE_UNDATED = define(
    "message-undated", _BREAK, "a new message claims to belong to a version that was without it"
)
ID_CHANGED = define("id-changed", _BREAK, "a message has another id")
ID_REUSED = define("id-reused", _BREAK, "a new message has the id of another")
FIELD_REMOVED = define("field-removed", _BREAK, "a field is gone")
FIELD_ADDED = define("field-added", _BREAK, "a message that was complete without it has a new field")
FIELD_OPEN_END = define("field-rest-added", _COMPATIBLE, "a message takes octets after its last field")
FIELD_RENAMED = define("field-renamed", _COMPATIBLE, "a field has another name, which frames do not show")
FIELDS_REORDERED = define("field-reordered", _BREAK, "fields stand in another order")
FIELD_RETYPED = define("field-retyped", _BREAK, "a field lies on the wire in another way")
VALUE_CHANGED = define("field-value-changed", _BREAK, "a constant field has another value, or is no constant")
LIMIT_NARROWED = define("limit-narrowed", _BREAK, "a field holds less than before")
LIMIT_WIDENED = define("limit-widened", _COMPATIBLE, "a field holds more than before")
FIELD_RESERVED = define(
    "field-reserved", _BREAK, "a field is reserved now, and what it holds is not looked at"
)
RESERVED_USED = define(
    "reserved-used", _COMPATIBLE, "a reserved place is put to use; old senders leave zeros there"
)
TEXT_NARROWED = define("text-narrowed", _BREAK, "a text may hold less than before")
TEXT_WIDENED = define("text-widened", _COMPATIBLE, "a text may hold more than before")
CLOSED = define("message-closed", _BREAK, "a message that could grow cannot any more")
EXTENSIBLE = define("message-extensible", _COMPATIBLE, "a message may grow from now on")
TAIL_GROWN = define(
    "field-appended", _COMPATIBLE, "a message that may grow has a new last field with a default"
)
TAIL_SHRUNK = define(
    "field-dropped", _COMPATIBLE, "a message that may grow is without its last field, which had a default"
)
DEFAULT_CHANGED = define("default-changed", _BREAK, "a field has another default, or none any more")
DEFAULT_ADDED = define("default-added", _COMPATIBLE, "a frame may end before a field that was always there")
RELATION_ADDED = define("relation-added", _BREAK, "numbers are related that were not")
RELATION_REMOVED = define("relation-removed", _COMPATIBLE, "numbers are not related any more")

_OF_OLD = "a new sender must not make use of it towards an old receiver"
_WIDTH = {Text.VCHAR: 0, Text.PRINTABLE: 1, Text.UTF8: 2, Text.OCTETS: 3}


def compare_protocols(old: Protocol, new: Protocol) -> list[Change]:
    """Every change of the wire format from `old` to `new`."""
    return [*_heads(old, new), *_constants(old, new), *_enumerations(old, new), *_messages(old, new)]


def _heads(old: Protocol, new: Protocol) -> Iterator[Change]:
    name = old.name
    if old.dispatch is not new.dispatch:
        yield DISPATCH_CHANGED.at(name, f"dispatch was {old.dispatch.value}, is {new.dispatch.value}")
    elif old.dispatch is Dispatch.SIGNATURE and old.signature != new.signature:
        yield SIGNATURE_CHANGED.at(name, f"the signature was {old.signature}, is {new.signature}")
    if new.version < old.version:
        yield VERSION_LOWERED.at(name, f"the version was {old.version}, is {new.version}")
    elif new.version > old.version:
        yield VERSION_RAISED.at(name, f"the version was {old.version}, is {new.version}")


def _constants(old: Protocol, new: Protocol) -> Iterator[Change]:
    before = {item.name: item.value for item in old.constants}
    after = {item.name: item.value for item in new.constants}
    for name, value in before.items():
        subject = f"{old.name}: {name}"
        if name not in after:
            yield CONSTANT_REMOVED.at(subject, f"the value {value!r} has no name any more")
        elif after[name] != value:
            yield CONSTANT_CHANGED.at(subject, f"was {value!r}, is {after[name]!r}")
    for name in after.keys() - before.keys():
        yield CONSTANT_ADDED.at(f"{old.name}: {name}", f"names {after[name]!r}")


def _enumerations(old: Protocol, new: Protocol) -> Iterator[Change]:
    """Enumerations that are in both. One that came or went shows in the fields that have it."""
    after = {item.name: item for item in new.enumerations}
    for enumeration in old.enumerations:
        if enumeration.name in after:
            subject = f"{old.name}: {enumeration.name}"
            yield from _members(subject, enumeration.members, after[enumeration.name].members)


def _members(subject: str, old: tuple[Constant, ...], new: tuple[Constant, ...]) -> Iterator[Change]:
    before, after = ({item.name: item.value for item in members} for members in (old, new))
    named = {value: name for name, value in after.items()}
    old_values = set(before.values())
    for name, value in before.items():
        if name in after and after[name] != value:
            yield MEMBER_CHANGED.at(f"{subject}.{name}", f"was {value}, is {after[name]}")
        elif name not in after and value in named:
            yield MEMBER_RENAMED.at(f"{subject}.{name}", f"{value} is called {named[value]}")
        elif name not in after:
            yield MEMBER_REMOVED.at(f"{subject}.{name}", f"{value} is no value any more")
    for name, value in after.items():
        if name not in before and value not in old_values:
            yield MEMBER_ADDED.at(f"{subject}.{name}", f"{value} is a new value; {_OF_OLD}")


# --- messages


def _messages(old: Protocol, new: Protocol) -> Iterator[Change]:
    before = {item.message.name: item for item in layouts(old)}
    after = {item.message.name: item for item in layouts(new)}
    renamed = _renamed_messages(old, new, before, after)
    whole = {message.name: message for message in new.messages}
    for name, layout in before.items():
        subject = f"{old.name}: {name}"
        other = after.get(renamed.get(name, name))
        if other is None and name in whole:
            yield MESSAGE_ENDED.at(subject, f"the new version, {new.version}, is without it")
        elif other is None:
            yield MESSAGE_REMOVED.at(subject, "the message is gone")
        else:
            if name in renamed:
                yield MESSAGE_RENAMED.at(subject, f"is called {renamed[name]}")
            yield from _message(subject, old, layout, new, other)
    known = {message.name for message in old.messages} | set(renamed.values())
    for message in new.messages:
        if message.name not in known:
            yield from _new_message(old, new, message)


def _renamed_messages(
    old: Protocol, new: Protocol, before: Mapping[str, Layout], after: Mapping[str, Layout]
) -> dict[str, str]:
    """Old name → new name, where frames look the same."""
    if old.dispatch is not new.dispatch or old.dispatch is Dispatch.NAME:
        return {}
    fresh = {layout.head: name for name, layout in after.items() if name not in before}
    found = {}
    for name, layout in before.items():
        other = fresh.get(layout.head)
        if name not in after and other is not None and _same_wire(layout, old, after[other], new):
            found[name] = other
    return found


def _same_wire(layout: Layout, old: Protocol, other: Layout, new: Protocol) -> bool:
    if layout.head == b"" or len(layout.places) != len(other.places):
        return False
    pairs = zip(layout.places, other.places, strict=True)
    return not any(list(field_changes("", a.field, b.field, old, new)) for a, b in pairs)


def _new_message(old: Protocol, new: Protocol, message: Message) -> Iterator[Change]:
    subject = f"{new.name}: {message.name}"
    taken = next((item for item in old.messages if item.id == message.id), None)
    by_id = new.dispatch in (Dispatch.SIGNATURE, Dispatch.PUBSUB, Dispatch.OCTET)
    if by_id and taken is not None:
        yield ID_REUSED.at(subject, f"id {message.id} is that of {taken.name}")
    elif message.since <= old.version:
        text = f"the new message says since {message.since}, and version {old.version} was without it"
        yield MESSAGE_UNDATED.at(subject, text)
    else:
        yield MESSAGE_ADDED.at(subject, f"the message is new since version {message.since}")


def _message(subject: str, old: Protocol, layout: Layout, new: Protocol, other: Layout) -> Iterator[Change]:
    before, after = layout.message, other.message
    shown = new.dispatch not in (Dispatch.NAME, Dispatch.CONSTANT)
    if shown and before.id != after.id:
        yield ID_CHANGED.at(subject, f"id was {before.id}, is {after.id}")
    yield from _span(subject, before, after)
    if before.extensible and not after.extensible:
        yield CLOSED.at(subject, "octets after the last field are trailing now")
    elif after.extensible and not before.extensible:
        yield EXTENSIBLE.at(subject, f"octets after the last field are skipped; {_OF_OLD}")
    grows = before.extensible and after.extensible
    yield from _fields(subject, old, _present(layout), new, _present(other), grows)
    yield from _relations(subject, before, after)


def _relations(subject: str, old: Message, new: Message) -> Iterator[Change]:
    for relation in new.relations:
        if relation not in old.relations:
            yield RELATION_ADDED.at(subject, f"{_related(relation)} has to hold")
    for relation in old.relations:
        if relation not in new.relations:
            yield RELATION_REMOVED.at(subject, f"{_related(relation)} need not hold; {_OF_OLD}")


def _related(relation: Relation) -> str:
    return f"{relation.left} {relation.operator} {relation.right}"


def _span(subject: str, old: Message | Field, new: Message | Field) -> Iterator[Change]:
    if old.since != new.since:
        yield SINCE_CHANGED.at(subject, f"since was {old.since}, is {new.since}")
    if old.until == new.until:
        return
    shown = f"until was {old.until or 'open'}, is {new.until or 'open'}"
    if old.until is not None and new.until is not None and new.until < old.until:
        yield UNTIL_SHORTENED.at(subject, shown)
    else:
        yield UNTIL_CHANGED.at(subject, shown)


def _present(layout: Layout) -> list[Field]:
    return [place.field for place in (*layout.head_constants, *layout.places)]


# --- fields


def _fields(
    subject: str, old: Protocol, before: list[Field], new: Protocol, after: list[Field], grows: bool
) -> Iterator[Change]:
    """`grows` if the message could grow before and still can: then fields with a default come and go at its end."""
    renamed = _renamed_fields(old, before, new, after)
    before = [_with_names(field, renamed) for field in before]
    named = {field.name: field for field in after}
    for was, now in renamed.items():
        yield FIELD_RENAMED.at(f"{subject}.{was}", f"is called {now}")
    kept = [field.name for field in before if field.name in named]
    order = [field.name for field in after if field.name in kept]
    if kept != order:
        yield FIELDS_REORDERED.at(subject, f"the order was {', '.join(kept)}, is {', '.join(order)}")
    for field in before:
        if field.name in named:
            yield from _span(f"{subject}.{field.name}", field, named[field.name])
            yield from field_changes(f"{subject}.{field.name}", field, named[field.name], old, new)
        elif grows and field.name in _tail(before, kept):
            yield TAIL_SHRUNK.at(
                f"{subject}.{field.name}", "the field is gone; an old receiver takes its default"
            )
        else:
            yield FIELD_REMOVED.at(f"{subject}.{field.name}", "the field is gone")
    for field in after:
        if grows and field.name in _tail(after, kept):
            yield TAIL_GROWN.at(f"{subject}.{field.name}", "the field is new; an old receiver skips it")
        elif field.name not in kept:
            yield _new_field(f"{subject}.{field.name}", field, old.version)


def _tail(fields: list[Field], kept: list[str]) -> list[str]:
    """The fields with a default behind the last that is in both versions."""
    last = max((number for number, field in enumerate(fields) if field.name in kept), default=-1)
    return [field.name for field in fields[last + 1 :] if field.default is not None]


def _new_field(subject: str, field: Field, version: int) -> Change:
    if field.type is FieldType.REST or field.open_ended:
        return FIELD_OPEN_END.at(subject, f"takes what was trailing before; {_OF_OLD}")
    if field.since <= version:
        text = f"the new field says since {field.since}, and version {version} was without it"
        return FIELD_ADDED.at(subject, text)
    return FIELD_ADDED.at(subject, f"frames of version {version} end before it, and are truncated now")


def _renamed_fields(old: Protocol, before: list[Field], new: Protocol, after: list[Field]) -> dict[str, str]:
    """Old name → new name: in the same place, and alike in all else."""
    known, names = {field.name for field in before}, {field.name for field in after}
    found: dict[str, str] = {}
    if len(before) != len(after):
        return found
    for field, other in zip(before, after, strict=True):
        if field.name in names or other.name in known:
            continue
        alike = replace(_with_names(field, found), name=other.name)
        if all(change.code == RESERVED_USED.name for change in field_changes("", alike, other, old, new)):
            found[field.name] = other.name
    return found


def _with_names(field: Field, renamed: Mapping[str, str]) -> Field:
    def name(given: str | None) -> str | None:
        return None if given is None else renamed.get(given, given)

    renamed_self = renamed.get(field.name, field.name)
    return replace(field, name=renamed_self, count=name(field.count), length=name(field.length))


def field_changes(subject: str, old: Field, new: Field, was: Protocol, now: Protocol) -> Iterator[Change]:
    """What is different about a field, or a parameter, of that name."""
    if old.reserved != new.reserved and _same_place(old, new):
        yield from _reservation(subject, old, new, now)
        return
    before, after = _form(old), _form(new)
    if before != after:
        yield FIELD_RETYPED.at(subject, f"was {before}, is {after}")
        return
    if old.value != new.value:
        shown = ["no constant" if item.value is None else repr(item.value) for item in (old, new)]
        yield VALUE_CHANGED.at(subject, f"was {shown[0]}, is {shown[1]}")
        return
    if old.default is None and new.default is not None:
        yield DEFAULT_ADDED.at(subject, f"the default is {new.default!r}; {_OF_OLD}")
    elif old.default != new.default:
        shown = ["none" if item.default is None else repr(item.default) for item in (old, new)]
        yield DEFAULT_CHANGED.at(subject, f"the default was {shown[0]}, is {shown[1]}")
    yield from _limits(subject, old, new)
    yield from _texts(subject, old, new)
    yield from _values(subject, old, new, was, now)
    if old.items is not None and new.items is not None:
        yield from field_changes(f"{subject}[]", old.items, new.items, was, now)


def _same_place(old: Field, new: Field) -> bool:
    """Whether both are so many octets, whatever stands in them."""
    fixed = all(item.type in (FieldType.NUMBER, FieldType.OCTETS) and not item.length for item in (old, new))
    return fixed and old.size == new.size


def _reservation(subject: str, old: Field, new: Field, now: Protocol) -> Iterator[Change]:
    """A place that is reserved now, or put to use. Old senders leave zeros there, which has to mean something."""
    if new.reserved:
        yield FIELD_RESERVED.at(subject, f"was {_form(old)}, is {_form(new)}")
    elif _takes_zeros(new, now):
        yield RESERVED_USED.at(subject, f"is {_form(new)}; an old receiver does not look at it")
    else:
        yield FIELD_RETYPED.at(subject, f"was {_form(old)}, is {_form(new)}, which zeros are not")


def _takes_zeros(field: Field, protocol: Protocol) -> bool:
    if field.value is not None:
        return not any(constant_octets(field))
    return field.enumeration is None or field.flags or 0 in _numbers(field.enumeration, protocol)


def _form(field: Field) -> str:
    """How the field lies on the wire, in a few words."""
    if field.reserved:
        return f"reserved, size {field.size}"
    if field.open_ended:
        return f"{field.type.value}, to the end of the frame"
    parts = [field.type.value]
    sized = field.type in (FieldType.NUMBER, FieldType.STRING, FieldType.CHUNK)
    if sized or (field.type is FieldType.OCTETS and field.length is None):
        parts.append(f"size {field.size}")
    if field.type is FieldType.LIST:
        parts.append(f"counted by {field.count}" if field.count else f"count of {field.size} octets")
    if field.length:
        parts.append(f"measured by {field.length}")
    if field.type in (FieldType.NUMBER, FieldType.VARINT):
        parts.append("signed" if field.signed else "unsigned")
    return ", ".join(parts)


def _limits(subject: str, old: Field, new: Field) -> Iterator[Change]:
    if old.max == new.max:
        return
    shown = f"max was {'open' if old.max is None else old.max}, is {'open' if new.max is None else new.max}"
    if old.max is None or (new.max is not None and new.max < old.max):
        yield LIMIT_NARROWED.at(subject, shown)
    else:
        yield LIMIT_WIDENED.at(subject, f"{shown}; {_OF_OLD}")


def _texts(subject: str, old: Field, new: Field) -> Iterator[Change]:
    if old.type not in (FieldType.STRING, FieldType.HASH) or old.text is new.text:
        return
    shown = f"was {old.text.value}, is {new.text.value}"
    if _WIDTH[new.text] < _WIDTH[old.text]:
        yield TEXT_NARROWED.at(subject, shown)
    else:
        yield TEXT_WIDENED.at(subject, f"{shown}; {_OF_OLD}")


def _values(subject: str, old: Field, new: Field, was: Protocol, now: Protocol) -> Iterator[Change]:
    """Fields whose values are enumerated in one version only, or by another enumeration, or as flags."""
    if (old.enumeration, old.flags) == (new.enumeration, new.flags):
        return
    shown = f"took {_shown(old)}, takes {_shown(new)}"
    if not _covers(new, now, old, was):
        yield LIMIT_NARROWED.at(subject, shown)
    elif not _covers(old, was, new, now):
        yield LIMIT_WIDENED.at(subject, f"{shown}; {_OF_OLD}")


def _shown(field: Field) -> str:
    if field.enumeration is None:
        return "any number"
    return f"flags of {field.enumeration}" if field.flags else f"values of {field.enumeration}"


def _covers(field: Field, protocol: Protocol, other: Field, others: Protocol) -> bool:
    """Whether `field` takes every number that `other` takes."""
    if field.enumeration is None:
        return True
    if other.enumeration is None:
        return False
    mine, theirs = _numbers(field.enumeration, protocol), _numbers(other.enumeration, others)
    if field.flags:
        return not _union(theirs) & ~_union(mine)
    if not other.flags:
        return theirs <= mine
    every = _union(theirs)
    return 1 << every.bit_count() <= len(mine) and all(
        value in mine for value in range(every + 1) if not value & ~every
    )


def _numbers(name: str, protocol: Protocol) -> set[int]:
    enumeration = next(item for item in protocol.enumerations if item.name == name)
    return {item.value for item in enumeration.members if isinstance(item.value, int)}


def _union(values: set[int]) -> int:
    every = 0
    for value in values:
        every |= value
    return every
