"""Spells messages: the plan as data, which the runtime walks, and as one binary pattern of what is right.

A frame that matches the pattern, and whose texts are right, is decoded by it. The runtime walks the plan for every
other frame to find the fault, and for messages that have no pattern: those with lists, numbers in LEB128, a topic,
defaults, or several frames. The same pattern builds the frame of a message.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...ir import Text
from ...naming import Scope
from ...plan import operations as op
from ...plan.operations import Content, Number, Operation
from ...plan.run import default_of, zero_of
from .names import MessageNames, ProtocolNames, literal, lower, segments

__all__ = ["pattern_of", "spelled_operation", "spelled_part", "starting_value"]

_TEXTS: dict[Text | None, str] = {Text.UTF8: ":utf8", Text.PRINTABLE: ":printable", Text.VCHAR: ":vchar"}


def spelled_part(part: Operation, names: ProtocolNames) -> str:
    """What the runtime is told of an operation besides its name."""
    limit = getattr(part, "limit", None)
    limited = ":infinity" if limit is None else str(limit)
    match part:
        case op.Constant(octets=octets):
            return f"{{:constant, {literal(octets)}}}"
        case op.Topic():
            return ":topic"
        case op.Reserved(size=size):
            return f"{{:reserved, {size}}}"
        case Number():
            members = _members(part, names)
            return f"{{:number, {part.size}, {literal(part.signed)}, {limited}, {members}}}"
        case Content():
            prefix = literal(part.measured_by or part.prefix)
            text = _TEXTS.get(part.text, ":octets" if part.is_string else "nil")
            return f"{{:content, {prefix}, {limited}, {text}, {_members(part, names)}}}"
        case op.Fixed(size=size):
            return f"{{:fixed, {size}}}"
        case op.Rest():
            return f"{{:rest, {limited}}}"
        case op.Items():
            count = ":rest" if part.is_open else literal(part.counted_by or part.prefix)
            parts = ", ".join(spelled_part(one, names) for one in part.parts)
            return f"{{:items, {count}, {limited}, [{parts}], {part.least}}}"
        case op.Apart(is_rest=is_rest):
            return f"{{{':frames' if is_rest else ':frame'}, {limited}}}"


def _members(part: Number | Content, names: ProtocolNames) -> str:
    """``nil``, a list of members, or a mask."""
    if part.enumeration is None:
        return "nil"
    values = [one.value for one in names.enumerations[part.enumeration][0].members]
    return f"{{:mask, {_mask(part, names)}}}" if isinstance(part, Number) and part.flags else literal(values)


def _mask(number: Number, names: ProtocolNames) -> int:
    mask = 0
    for one in names.enumerations[number.enumeration or ""][0].members:
        mask |= one.value if isinstance(one.value, int) else 0
    return mask


def spelled_operation(operation: Operation, message: MessageNames, names: ProtocolNames) -> str:
    """An operation: the key in the struct, the field's name, the part, and what only some have."""
    options = []
    if isinstance(operation, Number) and operation.measures:
        pairs = [f"{{:{message.keys[one]}, {literal(one)}}}" for one in operation.measures]
        options.append(f"measures: [{', '.join(pairs)}]")
    if isinstance(operation, Number) and operation.relations:
        relations = [
            (f":{one.operator}", literal(one.left), literal(one.right)) for one in operation.relations
        ]
        options.append(f"relations: [{', '.join('{' + ', '.join(one) + '}' for one in relations)}]")
    default = None if isinstance(operation, op.Constant | op.Reserved) else default_of(operation)
    options += [f"default: {literal(default)}"] * (default is not None)
    key, part = message.key(operation), spelled_part(operation, names)
    return f"{{{f':{key}' if key else 'nil'}, {literal(operation.name)}, {part}, %{{{', '.join(options)}}}}}"


def starting_value(operation: Operation) -> str:
    """The value of a field of a new struct: its default, or zero or empty."""
    default = default_of(operation)
    return literal(zero_of(operation) if default is None else default)


@dataclass(slots=True)
class _Side:
    """What stands inside ``<<…>>``, and what else has to hold."""

    segments: list[str]
    guards: list[str] = field(default_factory=list)


class _Pattern:
    """The segments and guards that decode, and those that encode; struct keys with their locals; texts to check."""

    def __init__(self, message: MessageNames, names: ProtocolNames) -> None:
        plan, scope = message.plan, Scope("elixir")
        head = [segments(plan.head)] * bool(plan.head)
        self.decoding, self.encoding = _Side([*head]), _Side([*head])
        self.texts: list[str] = []
        self._names, self._scope = names, scope
        shown = [one for one in plan.operations if message.key(one)]
        self._locals = {one.name: scope.name(lower(one.name)) for one in shown}
        self.pairs = ", ".join(f"{message.key(one)}: {self._locals[one.name]}" for one in shown)
        numbers = [one for one in plan.operations if isinstance(one, Number)]
        hidden = [one.name for one in numbers if one.name not in self._locals]
        self._read = {**self._locals, **{name: scope.name(f"{lower(name)}_number") for name in hidden}}
        sizes = {one.name: f"byte_size({self._locals[one.measures[0]]})" for one in numbers if one.measures}
        self._written = {**self._locals, **sizes}
        for operation in plan.operations:
            self._add(operation)
        self.decoding.segments += ["_::binary"] * plan.extensible

    def _measured(self, value: str, limit: int | None, most: int | None) -> None:
        """Guards of the length: `limit` where it is read, `most` where it is written."""
        self.decoding.guards += [f"byte_size({value}) <= {limit}"] * (limit is not None)
        self.encoding.guards.append(
            f"is_binary({value})" if most is None else f"byte_size({value}) <= {most}"
        )

    def _add(self, operation: Operation) -> None:
        value = self._locals.get(operation.name, "")
        decoding, encoding = self.decoding, self.encoding
        match operation:
            case op.Constant(octets=octets):
                for side in (decoding, encoding):
                    side.segments += [segments(octets)] * bool(octets)
            case op.Reserved(size=size):
                decoding.segments.append(f"_::binary-size({size})")
                encoding.segments.append(f"0::size({size})-unit(8)")
            case op.Fixed(size=size):
                decoding.segments.append(f"{value}::binary-size({size})")
                encoding.segments.append(f"{value}::binary")
                encoding.guards.append(f"byte_size({value}) == {size}")
            case op.Rest(limit=limit):
                decoding.segments.append(f"{value}::binary")
                encoding.segments.append(f"{value}::binary")
                self._measured(value, limit, limit)
            case Content():
                self._content(operation, value)
            case Number():
                self._number(operation)

    def _content(self, content: Content, value: str) -> None:
        if content.measured_by:
            length = self._read[content.measured_by]
        else:
            length = self._scope.name(f"{value}_size")
            self.decoding.segments.append(f"{length}::{8 * content.prefix}")
            self.encoding.segments.append(f"byte_size({value})::{8 * content.prefix}")
        self.decoding.segments.append(f"{value}::binary-size({length})")
        self.encoding.segments.append(f"{value}::binary")
        self._measured(value, content.limit, content.most)
        if content.enumeration is not None:
            for side in (self.decoding, self.encoding):
                side.guards.append(f"{value} in {_members(content, self._names)}")
        if content.text in _TEXTS:
            self.texts.append(f"{value}, {_TEXTS[content.text]}")

    def _number(self, number: Number) -> None:
        most = number.greatest if number.limit is None else number.limit
        least = -(1 << number.bits - 1) if number.signed else 0
        for side, known in ((self.decoding, self._read), (self.encoding, self._written)):
            value = known[number.name]
            side.segments.append(f"{value}::{'signed-' * number.signed}{number.bits}")
            if side is self.encoding or number.limit is not None:
                side.guards.append(f"{value} in {least}..{most}")
            if number.flags and number.enumeration is not None:
                side.guards.append(f"Bitwise.band({value}, {~_mask(number, self._names)}) == 0")
            elif number.enumeration is not None:
                side.guards.append(f"{value} in {_members(number, self._names)}")
            for one in number.relations:
                right = known[one.right] if isinstance(one.right, str) else one.right
                side.guards.append(f"{known[one.left]} {one.operator} {right}")
        for other in number.measures[1:]:
            self.encoding.guards.append(f"byte_size({self._locals[other]}) == {self._written[number.name]}")


def pattern_of(message: MessageNames, names: ProtocolNames) -> _Pattern | None:
    """The pattern of a message; None if it has none."""
    plan = message.plan
    described = (op.Constant, op.Reserved, op.Fixed, op.Rest, Content, Number)
    plain = all(isinstance(one, described) and getattr(one, "size", 1) for one in plan.operations)
    return (
        _Pattern(message, names) if plain and plan.tail == len(plan.operations) and not plan.apart else None
    )
