"""Generates a message's operations as calls of the runtime: of its reader, its sizer and its writer."""

from __future__ import annotations

from functools import reduce

from ...plan.operations import Apart, Constant, Content, Fixed, Items, Number, Operation, Reserved, Topic
from ...plan.run import default_of
from .names import MessageNames, ProtocolNames
from .text import call, latin, literal, quoted

__all__ = ["Codec"]


class Codec:
    """The statements of one message's decoder and encoder."""

    def __init__(self, protocol: ProtocolNames, names: MessageNames) -> None:
        self._protocol, self._names = protocol, names

    def reads(self) -> list[str]:
        """The statements that read: a local for each value that is needed."""
        plan, lines = self._names.plan, list[str]()
        operations: list[Operation] = [*plan.constants, *plan.operations]
        for number, operation in enumerate(operations, -len(plan.constants)):
            lines += self._read(operation, number >= plan.tail)
        lines += ["reader.tail();" if plan.extensible else "reader.end();"]
        return lines + [line for operation in plan.apart for line in self._read(operation)]

    def _read(self, operation: Operation, has_default: bool = False) -> list[str]:
        value, local = self._call("reader", operation, operation.name), self._names.locals.get(operation)
        if has_default:
            value = f"reader.over() ? {self._protocol.constant(operation, default_of(operation))} : {value}"
        return [f"const {local} = {value};" if local else f"{value};", *self._relations("reader", operation)]

    def writes(self) -> list[str]:
        """The statements on `sink`, which either writes the message or adds up its size."""
        plan, agreements = self._names.plan, list[str]()
        lines = [f"sink.constant({latin(plan.head)});"] * bool(plan.head)
        for operation in plan.all:
            value, field = self._value(operation), operation.name
            if isinstance(operation, Number) and operation.measures:
                field, *others = operation.measures
                for name in others:
                    length = f"{self._value(self._names.operation(name))}.length"
                    agreements.append(f"{call('sink.agree', length, value, quoted(name))};")
                value = _as(self._protocol.is_big(operation), False, value)
            lines += [f"{self._call('sink', operation, field, value)};", *self._relations("sink", operation)]
        return agreements + lines

    def _value(self, operation: Operation) -> str:
        """The value that the message holds, or that a number counts or measures."""
        if isinstance(operation, Number) and operation.measures:
            return f"{self._value(self._names.operation(operation.measures[0]))}.length"
        return f"message.{self._names.members.get(operation, '')}"

    def _relations(self, by: str, operation: Operation) -> list[str]:
        """The statements that compare a number with earlier numbers, or with constants."""

        def spelled(side: str | int) -> str:
            if isinstance(side, int):
                return literal(side)
            number = self._names.operation(side)
            return self._names.locals[number] if by == "reader" else self._value(number)

        relations = operation.relations if isinstance(operation, Number) else ()
        compared = [
            (spelled(relation.left), quoted(relation.operator), spelled(relation.right))
            for relation in relations
        ]
        return [f"{call(f'{by}.related', *arguments, quoted(operation.name))};" for arguments in compared]

    def members(self) -> str:
        """The members of the decoded message."""
        pairs = [(member, self._names.locals[operation]) for operation, member in self._names.members.items()]
        members = [member if member == local else f"{member}: {local}" for member, local in pairs]
        return ", ".join([f"type: {quoted(self._names.plan.name)}", *members])

    def _call(self, by: str, operation: Operation, field: str, value: str = "") -> str:
        """The call that reads a value (`by` is ``reader``), or writes `value` (``sink``); errors name `field`."""
        label, given = quoted(field), [value] * (by == "sink")
        named = [label] * (by == "reader")  # a sink has no errors for these
        match operation:
            case Constant(octets=content):
                return call(f"{by}.constant", latin(content), *named)
            case Reserved(size=size):
                return call(f"{by}.skip", size, *named)
            case Topic():
                return call(f"{by}.topic", *given, label)
            case Fixed(size=size):
                return call(f"{by}.fixed", *given, size, label)
            case Apart(is_rest=is_rest, limit=limit):
                return call(f"{by}.{'allFrames' if is_rest else 'frame'}", *given, label, limit=limit)
            case Number():
                return self._number(by, operation, label, value)
            case Content(measured_by=str(sibling), limit=limit):
                if by == "sink":
                    return call("sink.rest", value, label, limit=limit)
                return call("reader.measured", self._local(sibling), label, limit=limit)
            case Content(prefix=prefix, limit=limit):
                form = [] if operation.text is None else [f"wire.{operation.text.name}"]
                given = [self._member(by, argument, operation, label) for argument in given]
                expression = call(
                    f"{by}.{'text' if form else 'octets'}", *given, prefix, *form, label, limit=limit
                )
                return expression if by == "sink" else self._member(by, expression, operation, label)
            case Items():
                return self._items(by, operation, field, value)
            case _:
                return call(f"{by}.rest", *given, label, limit=operation.limit)

    def _number(self, by: str, number: Number, label: str, value: str) -> str:
        big, method = self._protocol.is_big(number), "signed" if number.signed else "unsigned"
        size = [number.size] * (0 < number.size < 8)
        if not size:
            method = f"{method}64" if number.size else "zigzag" if number.signed else "varint"
        if by == "reader":
            value = call(f"reader.{method}", *size, label)
        if number.limit is not None:
            value = call(f"{by}.most", value, label, limit=number.limit)
        if by == "reader":
            return self._member(by, _as(big, number.bits == 64, value), number, label)
        value = _as(number.bits == 64, big, self._member(by, value, number, label))
        return call(f"sink.{method}", value, *size, label)

    def _items(self, by: str, items: Items, field: str, value: str) -> str:
        label, names = quoted(field), ["key", "value"] if items.is_pairs else ["item"]
        calls = [self._call(by, part, field, name) for part, name in zip(items.parts, names, strict=True)]
        if by == "sink":
            item = f"[{', '.join(names)}]" if items.is_pairs else "item"
            chain = reduce(lambda first, then: first + then.removeprefix("sink"), calls)
            return call("sink.items", value, items.prefix, f"({item}) => {chain}", label, limit=items.limit)
        read = f"() => [{', '.join(calls)}] as const" if items.is_pairs else f"() => {calls[0]}"
        if items.is_open:
            return call("reader.open", read, label, limit=items.limit)
        count = items.prefix if items.counted_by is None else self._local(items.counted_by)
        method = "items" if items.counted_by is None else "counted"
        return call(f"reader.{method}", count, items.least, read, label, limit=items.limit)

    def _local(self, name: str) -> str:
        return self._names.locals[self._names.operation(name)]

    def _member(self, by: str, value: str, operation: Number | Content, label: str) -> str:
        """`value`, checked for membership in the operation's enumeration, if it has one."""
        if operation.enumeration is None:
            return value
        return call(f"{by}.member", value, self._protocol.enumerations[operation.enumeration].guard, label)


def _as(big: bool, is_bigint: bool, expression: str) -> str:
    """Converts a number to a bigint if `big`, else to a number; `is_bigint` is set if it is a bigint already."""
    return expression if big is is_bigint else f"{'BigInt' if big else 'Number'}({expression})"
