"""Conversion of a codec model to a protocol of the IR. All passes run in order, also after errors."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..diagnostics import Location, error, warning
from ..ir import Dispatch, Enumeration, Field, Message, Protocol, Text
from ..model import Dialect, RawClass, RawComposite, RawMessage, fold, snake, truth
from ..report import Place, Report
from .constants import Defines, number_attribute, resolve_defines, resolve_enumerations
from .enumerations import check_enumerations, check_members
from .grammar import Directions, check_grammar, directions
from .growth import grown
from .ids import resolve_ids
from .names import FIELD_TWICE, check_names
from .rules import ModelRules, RuleBook
from .siblings import resolve_siblings
from .types import BAD_TEXT, FieldContext, expand, resolve_field
from .versions import check_versions

__all__ = ["Codec", "resolve_codec"]

UNKNOWN_DISPATCH = error("ZC217", "an unknown kind of dispatch")
DISPATCH_CONSTANT = error("ZC218", "messages that their first bytes do not distinguish")
FIELD_TYPES = warning("ZC219", "a field name with two types in one model")


@dataclass(frozen=True, slots=True)
class Codec:
    """A resolved codec model. `directions` has the sender of each message, if the session grammar has roles."""

    raw: RawClass
    protocol: Protocol
    directions: Directions | None


def resolve_codec(raw: RawClass, book: RuleBook, places: dict[str, Location], report: Report) -> Codec:
    """Resolves the protocol that the model describes. The places of its parts are added to `places`."""
    check_names(raw, report)
    name = snake(raw.name)
    constants = resolve_defines(raw, report)
    enumerations = resolve_enumerations(raw, report)
    check_enumerations(raw.enumerations, enumerations, report)
    defines = {item.name: item.value for item in constants}
    prefix = f"{name}_".upper()
    defines |= {prefix + key.upper(): value for key, value in defines.items()}  # the names in the C code
    context = _context(raw, defines, enumerations, report)
    ids = resolve_ids(raw.messages, context.defines, report)
    written = book.of(raw)
    rules = written.resolve(raw.rules, "class")
    resolved = [
        _message(raw, item, number, context, enumerations, written, places, report)
        for item, number in zip(raw.messages, ids, strict=True)
    ]
    places[f"class:{name}"] = raw.place.location
    if raw.grammar is not None:
        places[f"grammar:{name}"] = Location(raw.grammar.place.file, raw.grammar.place.text_line)
    protocol = Protocol(
        name=name,
        title=raw.get("title") or raw.name,
        dispatch=_dispatch(raw, report),
        signature=number_attribute(raw.get("signature"), 0, raw.place, "signature", report, tuple(range(16))),
        version=number_attribute(raw.get("version"), 1, raw.place, "version", report),
        messages=tuple(message for message, _ in resolved),
        constants=constants,
        enumerations=enumerations,
        rules=rules,
        grammar=raw.grammar.text if raw.grammar else "",
        doc=raw.doc,
        terms=written.terms,
        references=written.references,
    )
    if protocol.dispatch is Dispatch.CONSTANT:
        _check_constant_dispatch(raw, protocol.messages, report)
    if protocol.dispatch is Dispatch.PUBSUB:
        _check_topics(raw, report)
    _check_field_types(raw, protocol.messages, report)
    check_versions(raw, protocol, [fields for _, fields in resolved], report)
    grammar = check_grammar(raw, protocol, report)
    return Codec(raw, protocol, directions(grammar, protocol) if grammar else None)


def _context(
    raw: RawClass, defines: Defines, enumerations: tuple[Enumeration, ...], report: Report
) -> FieldContext:
    composites: dict[str, RawComposite] = {fold(item.name): item for item in raw.composites}
    text = Text.UTF8
    if (class_name := raw.get("text")) is not None:
        try:
            text = Text(class_name)
        except ValueError:
            report.add(BAD_TEXT, raw.place, f"unknown class of text {class_name!r}", attribute="text")
    names = frozenset(item.name for item in enumerations)
    fields = [*raw.header, *(field for message in raw.messages for field in message.fields)]
    early = any(field.type == "octet" and field.size is None for field in fields)
    return FieldContext(defines, composites, names, text, raw.dialect, number_size=8 if early else 1)


def _dispatch(raw: RawClass, report: Report) -> Dispatch:
    name = raw.get("dispatch")
    if name is None:
        return Dispatch.PUBSUB if truth(raw.get("pubsub")) else Dispatch.SIGNATURE
    try:
        return Dispatch(name)
    except ValueError:
        hint = ", ".join(item.value for item in Dispatch)
        report.add(UNKNOWN_DISPATCH, raw.place, f"unknown dispatch {name!r}", hint=hint, attribute="dispatch")
        return Dispatch.SIGNATURE


def _message(
    raw: RawClass,
    item: RawMessage,
    number: int,
    context: FieldContext,
    enumerations: tuple[Enumeration, ...],
    written: ModelRules,
    places: dict[str, Location],
    report: Report,
) -> tuple[Message, tuple[Place, ...]]:
    """The message and the places of its fields, in order; both are added to `places`."""
    name = snake(raw.name)
    since = number_attribute(item.since, 1, item.place, "since", report)
    pairs = [
        (field, resolve_field(replace(field, since=field.since or str(since)), context, report))
        for field in expand((*raw.header, *item.fields), context, report)
    ]
    pairs.sort(key=lambda pair: pair[1].is_frame)
    raw_fields, fields = (tuple(side) for side in zip(*pairs, strict=True)) if pairs else ((), ())
    field_places = tuple(field.place for field in raw_fields)
    check_members(raw_fields, fields, enumerations, report)
    fields = resolve_siblings(fields, field_places, report)
    places[f"message:{name}.{item.name}"] = item.place.location
    for field, raw_field in zip(fields, raw_fields, strict=True):
        places[f"field:{name}.{item.name}.{field.name}"] = raw_field.place.location
    rules = written.resolve(item.rules, f"message:{item.name}")
    for raw_field in item.fields:
        rules += written.resolve(raw_field.rules, f"field:{item.name}.{snake(raw_field.name)}")
    message = Message(
        name=item.name,
        id=number,
        fields=fields,
        rules=rules,
        digest=item.digest,
        since=since,
        until=None if item.until is None else number_attribute(item.until, 1, item.place, "until", report),
        doc=item.doc,
    )
    return grown(item, message, raw_fields, enumerations, context.defines, report), field_places


def _check_constant_dispatch(raw: RawClass, messages: tuple[Message, ...], report: Report) -> None:
    """Reports messages without a unique constant at the beginning; a single message does not need a constant."""
    seen: dict[object, str] = {}
    if len(messages) == 1:
        return
    for item, message in zip(raw.messages, messages, strict=True):
        first = message.fields[0] if message.fields else None
        if first is None or first.value is None:
            report.add(DISPATCH_CONSTANT, item.place, f"{message.name} does not begin with a constant")
        elif first.value in seen:
            text = f"{message.name} begins with the same constant as {seen[first.value]}"
            report.add(DISPATCH_CONSTANT, item.place, text)
        else:
            seen[first.value] = message.name


def _check_topics(raw: RawClass, report: Report) -> None:
    for field in (*raw.header, *(field for message in raw.messages for field in message.fields)):
        if fold(field.name) == "topic":
            text = f"the field {field.name} is declared twice: pub/sub adds a topic to each message"
            report.add(FIELD_TWICE, field.place, text, hint="give the field another name", attribute="name")


def _check_field_types(raw: RawClass, messages: tuple[Message, ...], report: Report) -> None:
    """Reports names with two types: zproto has one structure for all messages, with one type for each name."""
    sized = raw.dialect is not Dialect.ZEPS
    first: dict[str, tuple[Field, str]] = {}
    for item, message in zip(raw.messages, messages, strict=True):
        places = {snake(field.name): field.place for field in item.fields}
        for field in message.fields:
            if field.reserved:
                continue
            other, owner = first.setdefault(field.name, (field, message.name))
            same = field.type is other.type and (field.size == other.size or not sized)
            if not same and field.name in places:
                text = f"{field.name} is a {_kind(field)} in {message.name}, but a {_kind(other)} in {owner}"
                report.add(FIELD_TYPES, places[field.name], text, attribute="type")


def _kind(field: Field) -> str:
    return f"{field.type.value} of size {field.size}"
