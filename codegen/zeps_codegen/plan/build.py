"""Builds the operations of messages from their layouts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..ir import Field, FieldType, Protocol, Relation, Text
from .layout import Layout, Place, item_of, layouts, least_size, number_range
from .operations import (
    Apart,
    Constant,
    Content,
    Fixed,
    Items,
    Number,
    Operation,
    Part,
    Plan,
    Reserved,
    Rest,
    Topic,
)

__all__ = ["PARTS_OF_PAIR", "parameter_of", "part_of", "plan_of", "plans"]

PARTS_OF_PAIR = (("key", 1), ("value", 4))
"""The parts of a pair of a hash: texts, with the size of their lengths in bytes."""


def plans(protocol: Protocol) -> list[Plan]:
    """The plans of the messages that the protocol's version includes."""
    return [plan_of(layout) for layout in layouts(protocol)]


def plan_of(layout: Layout) -> Plan:
    """The plan of one message."""
    fields = {place.field.name: place.field for place in layout.places}
    operations: list[Operation] = [Topic()] if layout.has_topic else []
    apart: list[Apart] = []
    for place in layout.places:
        if place.field.type in (FieldType.FRAME, FieldType.MSG):
            is_rest = place.field.type is FieldType.MSG
            apart.append(Apart(place.field.name, place.field, is_rest, place.field.max))
        else:
            operations.append(_operation(place, fields))
    relations = layout.message.relations
    return Plan(
        layout.message.name,
        layout.dispatch,
        layout.dispatch_size,
        layout.head,
        tuple(_constant(place) for place in layout.head_constants),
        tuple(_related(operation, operations, relations) for operation in operations),
        tuple(apart),
        layout.message.extensible,
    )


def _related(
    operation: Operation, operations: Sequence[Operation], relations: Sequence[Relation]
) -> Operation:
    """The operation with the relations in which its number is the last."""
    if not isinstance(operation, Number):
        return operation
    order = [item.name for item in operations]
    present = [relation for relation in relations if all(name in order for name in relation.fields)]
    mine = [relation for relation in present if max(relation.fields, key=order.index) == operation.name]
    return replace(operation, relations=tuple(mine)) if mine else operation


def part_of(field: Field) -> Part:
    """The operation on a list item or parameter. Raises ValueError for types that need a message or conversion."""
    operation = _varying(field, (), {})
    if isinstance(operation, Number | Content | Fixed | Items):
        return operation
    raise ValueError(f"{field.name}: a list cannot hold a {field.type.value}")


def parameter_of(field: Field) -> Part:
    """The operation on a parameter. `strings` and `msg` become lists, `uuid` octets, `rest` and `frame` a chunk."""
    if field.type is FieldType.STRINGS:
        field = replace(field, type=FieldType.LIST, size=4, items=item_of(field))
    if field.type is FieldType.UUID:
        field = replace(field, type=FieldType.OCTETS, size=16)
    if field.type in (FieldType.REST, FieldType.FRAME):
        field = replace(field, type=FieldType.CHUNK, size=4)
    if field.type is FieldType.MSG:
        field = replace(field, type=FieldType.LIST, size=4, items=Field("item", FieldType.CHUNK, size=4))
    if field.items is not None and field.items.type is FieldType.UUID:
        field = replace(field, items=replace(field.items, type=FieldType.OCTETS, size=16))
    return part_of(field)


def _operation(place: Place, fields: Mapping[str, Field]) -> Operation:
    if place.constant is not None:
        return _constant(place)
    if place.field.reserved:
        return Reserved(place.field.name, place.field.size)
    return _varying(place.field, tuple(field.name for field in place.measures), fields)


def _constant(place: Place) -> Constant:
    return Constant(place.field.name, place.constant or b"")


def _varying(field: Field, measures: tuple[str, ...], fields: Mapping[str, Field]) -> Operation:
    name = field.name
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            size = field.size if field.type is FieldType.NUMBER else 0
            limited = field.max is not None and field.max < number_range(field)[1]
            limit = field.max if limited else None
            return Number(name, field, size, field.signed, limit, field.enumeration, field.flags, measures)
        case FieldType.OCTETS if field.length is None:
            return Fixed(name, field, field.size)
        case FieldType.OCTETS:
            return Content(name, field, 0, field.length, field.max)
        case FieldType.STRING | FieldType.CHUNK:
            is_text = field.type is FieldType.STRING and field.text is not Text.OCTETS
            limited = field.max is not None and field.max < (1 << 8 * field.size) - 1
            return Content(
                name,
                field,
                field.size,
                None,
                field.max if limited else None,
                field.text if is_text else None,
                field.enumeration if is_text else None,
            )
        case FieldType.REST:
            return Rest(name, field, field.max)
        case FieldType.LIST | FieldType.HASH:
            return _items(field)
        case _:
            raise ValueError(f"{name}: a {field.type.value} is not a part of a frame")


def _items(field: Field) -> Items:
    if field.type is FieldType.HASH:
        parts = tuple(
            part_of(Field(part, FieldType.STRING, size=size, text=field.text)) for part, size in PARTS_OF_PAIR
        )
        least = sum(size for _, size in PARTS_OF_PAIR)
    else:
        assert field.items is not None
        parts = (part_of(field.items),)
        least = max(1, least_size(field.items))
    prefix = 0 if field.count is not None else field.size
    return Items(field.name, field, prefix, parts, least, field.count, field.max)
