"""Comparison of two versions of a protocol on the wire: the frames that a decoder accepts and an encoder sends.

A message is matched by its name, or by its id if only the name changed; a field by its name, or by its position if only
the name changed. Two spellings of the same layout (`uuid`, and sixteen octets) are equal. A decoder may accept more
than before; the text of such a change says that senders must not use the new feature with old receivers.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..ir import Constant, Dispatch, Field, FieldType, Message, Protocol, Relation, Text
from ..plan.layout import Layout, constant_bytes, layouts
from .changes import Change, breaking, compatible

__all__ = ["compare_protocols", "field_changes"]

DISPATCH_CHANGED = breaking("dispatch-changed", "frames identify their message in another way")
SIGNATURE_CHANGED = breaking("signature-changed", "frames have another signature")
VERSION_LOWERED = breaking("version-lowered", "the protocol has a lower version")
VERSION_RAISED = compatible("version-raised", "the protocol has a higher version")
CONSTANT_CHANGED = breaking("constant-changed", "a constant has another value")
CONSTANT_REMOVED = breaking("constant-removed", "a constant is removed")
CONSTANT_ADDED = compatible("constant-added", "a constant is added")
MEMBER_REMOVED = breaking("member-removed", "a value of an enumeration is removed")
MEMBER_CHANGED = breaking("member-changed", "a member of an enumeration has another value")
MEMBER_ADDED = compatible("member-added", "a value of an enumeration is added")
MEMBER_RENAMED = compatible("member-renamed", "a member of an enumeration is renamed")
MESSAGE_REMOVED = breaking("message-removed", "a message is removed")
MESSAGE_ENDED = breaking("message-ended", "a message is not part of the new version")
MESSAGE_RENAMED = compatible("message-renamed", "a message is renamed, and frames do not carry its name")
MESSAGE_ADDED = compatible("message-added", "a message with a new id and version is added")
SINCE_CHANGED = breaking("since-changed", "the first version of a message or field changes")
UNTIL_SHORTENED = breaking("until-shortened", "the last version of a message or field is lowered")
UNTIL_CHANGED = compatible(
    "until-changed", "the last version of a message or field is set, raised or removed"
)
MESSAGE_UNDATED = breaking(
    "message-undated", "an added message claims an earlier version that did not have it"
)
ID_CHANGED = breaking("id-changed", "a message has another id")
ID_REUSED = breaking("id-reused", "an added message has the id of another")
FIELD_REMOVED = breaking("field-removed", "a field is removed")
FIELD_ADDED = breaking(
    "field-added", "a field is added, and neither `field-rest-added` nor `field-appended` applies"
)
FIELD_OPEN_END = compatible("field-rest-added", "an open-ended field is added at the end of a message")
FIELD_RENAMED = compatible("field-renamed", "a field is renamed, and frames do not carry its name")
FIELDS_REORDERED = breaking("field-reordered", "fields have another order")
FIELD_RETYPED = breaking("field-retyped", "a field has another encoding")
VALUE_CHANGED = breaking("field-value-changed", "a constant field has another value, or becomes variable")
LIMIT_NARROWED = breaking("limit-narrowed", "a field has a smaller range or limit")
LIMIT_WIDENED = compatible("limit-widened", "a field has a larger range or limit")
FIELD_RESERVED = breaking("field-reserved", "a field becomes reserved, and its value is ignored")
RESERVED_USED = compatible("reserved-used", "a reserved field gets a meaning; old senders send zeros")
TEXT_NARROWED = breaking("text-narrowed", "a text has a narrower class")
TEXT_WIDENED = compatible("text-widened", "a text has a wider class")
CLOSED = breaking("message-closed", "a message stops being extensible")
EXTENSIBLE = compatible("message-extensible", "a message becomes extensible")
TAIL_GROWN = compatible(
    "field-appended", "a field with a default is added at the end of an extensible message"
)
TAIL_SHRUNK = compatible(
    "field-dropped", "a field with a default is removed from the end of an extensible message"
)
DEFAULT_CHANGED = breaking("default-changed", "a default changes or is removed")
DEFAULT_ADDED = compatible("default-added", "a field gets a default, so that a frame may end before it")
RELATION_ADDED = breaking("relation-added", "a relation between numbers is added")
RELATION_REMOVED = compatible("relation-removed", "a relation between numbers is removed")

_OF_OLD = "a new sender must not use it with an old receiver"
_WIDTH = {Text.VCHAR: 0, Text.PRINTABLE: 1, Text.UTF8: 2, Text.OCTETS: 3}


def compare_protocols(old: Protocol, new: Protocol) -> list[Change]:
    """Every change of the wire format from `old` to `new`, protocols of the same name."""
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
            yield CONSTANT_REMOVED.at(subject, f"the constant of {value!r} is removed")
        elif after[name] != value:
            yield CONSTANT_CHANGED.at(subject, f"was {value!r}, is {after[name]!r}")
    for name, value in after.items():
        if name not in before:
            yield CONSTANT_ADDED.at(f"{old.name}: {name}", f"the constant of {value!r} is added")


def _enumerations(old: Protocol, new: Protocol) -> Iterator[Change]:
    """Compares the enumerations of both versions. Fields show the effect of an added or removed enumeration."""
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
            yield MEMBER_RENAMED.at(f"{subject}.{name}", f"the member of {value} is now {named[value]}")
        elif name not in after:
            yield MEMBER_REMOVED.at(f"{subject}.{name}", f"{value} is removed")
    for name, value in after.items():
        if name not in before and value not in old_values:
            yield MEMBER_ADDED.at(f"{subject}.{name}", f"{value} is added; {_OF_OLD}")


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
            yield MESSAGE_ENDED.at(subject, f"version {new.version} does not have it")
        elif other is None:
            yield MESSAGE_REMOVED.at(subject, "the message is removed")
        else:
            if name in renamed:
                yield MESSAGE_RENAMED.at(subject, f"the new name is {renamed[name]}")
            yield from _message(subject, old, layout, new, other)
    known = {message.name for message in old.messages} | set(renamed.values())
    for message in new.messages:
        if message.name not in known:
            yield from _new_message(old, new, message)


def _renamed_messages(
    old: Protocol, new: Protocol, before: Mapping[str, Layout], after: Mapping[str, Layout]
) -> dict[str, str]:
    """The new names of messages by their old names, if frames are equal otherwise."""
    if old.dispatch is not new.dispatch or old.dispatch is Dispatch.NAME:
        return {}
    fresh = {layout.head: name for name, layout in after.items() if name not in before}
    renamed = {}
    for name, layout in before.items():
        other = fresh.get(layout.head)
        if name not in after and other is not None and _same_wire(layout, old, after[other], new):
            renamed[name] = other
    return renamed


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
        yield ID_REUSED.at(subject, f"id {message.id} belongs to {taken.name}")
    elif message.since <= old.version:
        text = f"the new message has since {message.since}, but version {old.version} did not have it"
        yield MESSAGE_UNDATED.at(subject, text)
    else:
        yield MESSAGE_ADDED.at(subject, f"the message is new since version {message.since}")


def _message(subject: str, old: Protocol, layout: Layout, new: Protocol, other: Layout) -> Iterator[Change]:
    before, after = layout.message, other.message
    numbered = new.dispatch not in (Dispatch.NAME, Dispatch.CONSTANT)
    if numbered and before.id != after.id:
        yield ID_CHANGED.at(subject, f"id was {before.id}, is {after.id}")
    yield from _span(subject, before, after)
    if before.extensible and not after.extensible:
        yield CLOSED.at(subject, "bytes after the last field are trailing now")
    elif after.extensible and not before.extensible:
        yield EXTENSIBLE.at(subject, f"bytes after the last field are skipped; {_OF_OLD}")
    grows = before.extensible and after.extensible
    yield from _fields(subject, old, _present(layout), new, _present(other), grows)
    yield from _relations(subject, before, after)


def _relations(subject: str, old: Message, new: Message) -> Iterator[Change]:
    for relation in new.relations:
        if relation not in old.relations:
            yield RELATION_ADDED.at(subject, f"{_related(relation)} must be true")
    for relation in old.relations:
        if relation not in new.relations:
            yield RELATION_REMOVED.at(subject, f"{_related(relation)} need not be true; {_OF_OLD}")


def _related(relation: Relation) -> str:
    return f"{relation.left} {relation.operator} {relation.right}"


def _span(subject: str, old: Message | Field, new: Message | Field) -> Iterator[Change]:
    if old.since != new.since:
        yield SINCE_CHANGED.at(subject, f"since was {old.since}, is {new.since}")
    if old.until == new.until:
        return
    text = f"until was {old.until or 'open'}, is {new.until or 'open'}"
    if old.until is not None and new.until is not None and new.until < old.until:
        yield UNTIL_SHORTENED.at(subject, text)
    else:
        yield UNTIL_CHANGED.at(subject, text)


def _present(layout: Layout) -> list[Field]:
    return [place.field for place in (*layout.head_constants, *layout.places)]


# --- fields


def _fields(
    subject: str, old: Protocol, before: list[Field], new: Protocol, after: list[Field], grows: bool
) -> Iterator[Change]:
    """Compares fields. `grows` if the message was and is extensible: fields with a default may change at its end."""
    renamed = _renamed_fields(old, before, new, after)
    before = [_with_names(field, renamed) for field in before]
    named = {field.name: field for field in after}
    for was, now in renamed.items():
        yield FIELD_RENAMED.at(f"{subject}.{was}", f"the new name is {now}")
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
                f"{subject}.{field.name}", "the field is removed; an old receiver uses its default"
            )
        else:
            yield FIELD_REMOVED.at(f"{subject}.{field.name}", "the field is removed")
    for field in after:
        if grows and field.name in _tail(after, kept):
            yield TAIL_GROWN.at(f"{subject}.{field.name}", "the field is added; an old receiver skips it")
        elif field.name not in kept:
            yield _new_field(f"{subject}.{field.name}", field, old.version)


def _tail(fields: list[Field], kept: list[str]) -> list[str]:
    """The names of the fields with a default that follow the last field in `kept`, the names of both versions."""
    last = max((number for number, field in enumerate(fields) if field.name in kept), default=-1)
    return [field.name for field in fields[last + 1 :] if field.default is not None]


def _new_field(subject: str, field: Field, version: int) -> Change:
    if field.type is FieldType.REST or field.open_ended:
        return FIELD_OPEN_END.at(subject, f"accepts bytes that were trailing before; {_OF_OLD}")
    if field.since <= version:
        text = f"the new field has since {field.since}, but version {version} did not have it"
        return FIELD_ADDED.at(subject, text)
    return FIELD_ADDED.at(subject, f"frames of version {version} end before it and are truncated now")


def _renamed_fields(old: Protocol, before: list[Field], new: Protocol, after: list[Field]) -> dict[str, str]:
    """New names by old names, for fields in one position that are equal otherwise; empty if their number changes."""
    known, names = {field.name for field in before}, {field.name for field in after}
    renamed: dict[str, str] = {}
    if len(before) != len(after):
        return renamed
    for field, other in zip(before, after, strict=True):
        if field.name in names or other.name in known:
            continue
        alike = replace(_with_names(field, renamed), name=other.name)
        if all(change.code == RESERVED_USED.name for change in field_changes("", alike, other, old, new)):
            renamed[field.name] = other.name
    return renamed


def _with_names(field: Field, renamed: Mapping[str, str]) -> Field:
    def name(given: str | None) -> str | None:
        return None if given is None else renamed.get(given, given)

    renamed_self = renamed.get(field.name, field.name)
    return replace(field, name=renamed_self, count=name(field.count), length=name(field.length))


def field_changes(subject: str, old: Field, new: Field, was: Protocol, now: Protocol) -> Iterator[Change]:
    """The differences except in name, since and until. A change of encoding, constant or reserved is reported alone."""
    if old.reserved != new.reserved and _same_place(old, new):
        yield from _reservation(subject, old, new, now)
        return
    before, after = _form(old), _form(new)
    if before != after:
        yield FIELD_RETYPED.at(subject, f"was {before}, is {after}")
        return
    if old.value != new.value:
        texts = ["variable" if item.value is None else repr(item.value) for item in (old, new)]
        yield VALUE_CHANGED.at(subject, f"was {texts[0]}, is {texts[1]}")
        return
    if old.default is None and new.default is not None:
        yield DEFAULT_ADDED.at(subject, f"the default is {new.default!r}; {_OF_OLD}")
    elif old.default != new.default:
        texts = ["absent" if item.default is None else repr(item.default) for item in (old, new)]
        yield DEFAULT_CHANGED.at(subject, f"the default was {texts[0]}, is {texts[1]}")
    yield from _limits(subject, old, new)
    yield from _texts(subject, old, new)
    yield from _values(subject, old, new, was, now)
    if old.items is not None and new.items is not None:
        yield from field_changes(f"{subject}[]", old.items, new.items, was, now)


def _same_place(old: Field, new: Field) -> bool:
    """Whether both are numbers or octets of the same fixed size."""
    fixed = all(item.type in (FieldType.NUMBER, FieldType.OCTETS) and not item.length for item in (old, new))
    return fixed and old.size == new.size


def _reservation(subject: str, old: Field, new: Field, now: Protocol) -> Iterator[Change]:
    """Compares a field that becomes reserved or gets a meaning. Old senders send zeros, which must be a valid value."""
    if new.reserved:
        yield FIELD_RESERVED.at(subject, f"was {_form(old)}, is {_form(new)}")
    elif _takes_zeros(new, now):
        yield RESERVED_USED.at(subject, f"is {_form(new)}; an old receiver ignores it")
    else:
        yield FIELD_RETYPED.at(subject, f"was {_form(old)}, is {_form(new)}, which does not accept zeros")


def _takes_zeros(field: Field, protocol: Protocol) -> bool:
    if field.value is not None:
        return not any(constant_bytes(field))
    return field.enumeration is None or field.flags or 0 in _numbers(field.enumeration, protocol)


def _form(field: Field) -> str:
    """A short description of the field's encoding."""
    if field.reserved:
        return f"reserved, size {field.size}"
    if field.open_ended:
        return f"{field.type.value}, to the end of the frame"
    parts = [field.type.value]
    sized = field.type in (FieldType.NUMBER, FieldType.STRING, FieldType.CHUNK)
    if sized or (field.type is FieldType.OCTETS and field.length is None):
        parts.append(f"size {field.size}")
    if field.type is FieldType.LIST:
        parts.append(f"counted by {field.count}" if field.count else f"count of {field.size} bytes")
    if field.length:
        parts.append(f"measured by {field.length}")
    if field.type in (FieldType.NUMBER, FieldType.VARINT):
        parts.append("signed" if field.signed else "unsigned")
    return ", ".join(parts)


def _limits(subject: str, old: Field, new: Field) -> Iterator[Change]:
    if old.max == new.max:
        return
    text = f"max was {'open' if old.max is None else old.max}, is {'open' if new.max is None else new.max}"
    if old.max is None or (new.max is not None and new.max < old.max):
        yield LIMIT_NARROWED.at(subject, text)
    else:
        yield LIMIT_WIDENED.at(subject, f"{text}; {_OF_OLD}")


def _texts(subject: str, old: Field, new: Field) -> Iterator[Change]:
    if old.type not in (FieldType.STRING, FieldType.HASH) or old.text is new.text:
        return
    text = f"was {old.text.value}, is {new.text.value}"
    if _WIDTH[new.text] < _WIDTH[old.text]:
        yield TEXT_NARROWED.at(subject, text)
    else:
        yield TEXT_WIDENED.at(subject, f"{text}; {_OF_OLD}")


def _values(subject: str, old: Field, new: Field, was: Protocol, now: Protocol) -> Iterator[Change]:
    """Compares fields with an enumeration in one version only, with different enumerations, or with changed flags."""
    if (old.enumeration, old.flags) == (new.enumeration, new.flags):
        return
    text = f"the values were {_allowed(old)}, are {_allowed(new)}"
    if not _covers(new, now, old, was):
        yield LIMIT_NARROWED.at(subject, text)
    elif not _covers(old, was, new, now):
        yield LIMIT_WIDENED.at(subject, f"{text}; {_OF_OLD}")


def _allowed(field: Field) -> str:
    if field.enumeration is None:
        return "any numbers"
    return f"flags of {field.enumeration}" if field.flags else f"members of {field.enumeration}"


def _covers(field: Field, protocol: Protocol, other: Field, others: Protocol) -> bool:
    """Whether `field` allows every number that `other` allows. Without an enumeration a field allows any number."""
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
    return functools.reduce(operator.or_, values, 0)
