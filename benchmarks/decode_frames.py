"""Generates frames for `decode_costs` from the plan of each message (`zeps_codegen.plan`).

One field is filled until the frame has its size, and all others have their minimum sizes. Rejected frames are such
frames with a spoiled or an additional byte, with an item that is longer than the frame, or with an unknown beginning.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from zeps_codegen.interpret import DecodeFault, decode
from zeps_codegen.ir import Dispatch, Protocol, Text
from zeps_codegen.plan.build import plans
from zeps_codegen.plan.operations import (
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

__all__ = ["SIZES", "SMALLEST", "Sample", "samples"]

#: Sizes of the frames in bytes, if the message can be that large. The smallest frame of each message comes first.
SIZES = (1 << 10, 1 << 16, 1 << 20, 1 << 24)
#: Up to this size the interpreter decides whether a frame is accepted; larger frames of the same shape are treated
#: alike.
_CHECKED_BYTES = 1 << 16
#: Maximum size of messages with many frames.
_MANY_FRAMES_BYTES = 1 << 20
_LARGE_ITEMS = 16
#: Shape of the frames without a filled field.
SMALLEST = "smallest"

Frames = tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """Frames of one message. `shape` names the filled field and the kind of filling; samples of a shape differ in size.
    `message` is empty for frames of an unknown message; `accepted` says whether decoders must accept the frames.
    """

    protocol: str
    message: str
    shape: str
    frames: Frames
    accepted: bool

    @property
    def size(self) -> int:
        """Bytes of all frames, plus one for each frame after the first."""
        return _size(self.frames)


def samples(protocol: Protocol, sizes: Sequence[int] = SIZES) -> Iterator[Sample]:
    """All samples of a protocol, at `sizes` in bytes. Samples of one shape are consecutive, the smallest first."""
    for plan in plans(protocol):
        message = _Message(protocol, plan)
        yield from _checked(protocol, plan.name, SMALLEST, [message.frames(_NOTHING, 0)])
        for shape in message.shapes():
            made = list(message.ladder(shape, sizes))
            if shape.announced:
                yield from _checked(protocol, plan.name, shape.name, made, False)
                continue
            yield from _checked(protocol, plan.name, shape.name, made)
            for spoiled in (_bad_text, _trailing):
                spoiled_samples = list(
                    _checked(protocol, plan.name, f"{shape.name}, refused", map(spoiled, made), False)
                )
                if spoiled_samples:
                    yield from spoiled_samples
                    break
    beginnings = {"unknown": b"\xff", "zeros": b"\0"}
    if protocol.dispatch is Dispatch.SIGNATURE:
        beginnings["unknown number"] = bytes((0xAA, 0xA0 | protocol.signature, 0xFF))
    for name, beginning in beginnings.items():
        made = [(beginning + bytes(size - len(beginning)),) for size in sizes]
        if _fault(protocol, (made[0][0],)) in ("bad-signature", "unknown-message"):
            yield from _checked(protocol, "", name, made, False)


def _checked(
    protocol: Protocol, message: str, shape: str, made: Iterable[Frames], accepted: bool = True
) -> Iterator[Sample]:
    """Samples of a shape before the first of at most 64 KiB whose acceptance by the interpreter is not `accepted`."""
    for frames in made:
        if _size(frames) <= _CHECKED_BYTES and (_fault(protocol, frames) is None) != accepted:
            return
        yield Sample(protocol.name, message, shape, frames, accepted)


def _fault(protocol: Protocol, frames: Frames) -> str | None:
    """The error code with which the frames are rejected; None if they are accepted."""
    try:
        decode(protocol, frames)
    except DecodeFault as fault:
        return fault.code
    return None


def _size(frames: Frames) -> int:
    return sum(map(len, frames)) + len(frames) - 1


def _bad_text(frames: Frames) -> Frames:
    """The frames with a last byte of the first frame that is not text."""
    return (frames[0][:-1] + b"\xff", *frames[1:])


def _trailing(frames: Frames) -> Frames:
    """The frames with an additional byte after the first frame, which may begin an item but is incomplete."""
    return (frames[0] + b"\x80", *frames[1:])


@dataclass(frozen=True, slots=True)
class _Shape:
    """Describes how a field is filled."""

    name: str
    field: str
    unit_size: int
    """Bytes of the frame for one more byte, item or frame in the field."""
    most: int
    """Maximum number of bytes, items or frames in the field."""
    large: int = 0
    """Bytes of the frame for one more byte or item in an item; 0 if items have their minimum size."""
    many_frames: bool = False
    announced: bool = False
    """Whether the first item is longer than the frame."""


_NOTHING = _Shape(SMALLEST, "", 1, 0)


class _Message:
    """Generates the frames of one message."""

    def __init__(self, protocol: Protocol, plan: Plan) -> None:
        self._plan = plan
        self._members = {
            enumeration.name: enumeration.members[0].value for enumeration in protocol.enumerations
        }
        self._counts = {
            name: operation.name
            for operation in plan.operations
            if isinstance(operation, Number)
            for name in operation.measures
        }

    def shapes(self) -> Iterator[_Shape]:
        """The possible shapes of the message."""
        for operation in (*self._plan.operations, *self._plan.apart):
            match operation:
                case Topic(name):
                    yield _Shape(name, name, 1, SIZES[-1])
                case Rest(name) | Content(name, enumeration=None, measured_by=None):
                    most = operation.limit if isinstance(operation, Rest) else operation.most
                    yield _Shape(name, name, 1, SIZES[-1] if most is None else most)
                case Number(name, measures=(_, *_)):
                    yield self._measured(operation)
                case Items(name, counted_by=None):
                    yield from self._items(operation)
                case Apart(name, is_rest=is_rest):
                    yield _Shape(name, name, 1, SIZES[-1] if operation.limit is None else operation.limit)
                    if is_rest:
                        yield _Shape(f"{name}, many frames", name, 1, _MANY_FRAMES_BYTES, many_frames=True)

    def _measured(self, number: Number) -> _Shape:
        measured = [operation for operation in self._plan.operations if operation.name in number.measures]
        unit_size = sum(
            len(self._item(operation, 0)) if isinstance(operation, Items) else 1 for operation in measured
        )
        limits = [getattr(operation, "most", None) for operation in measured]
        limits += [number.greatest, number.limit]
        return _Shape(
            number.name, number.name, unit_size, min(limit for limit in limits if limit is not None)
        )

    def _items(self, items: Items) -> Iterator[_Shape]:
        unit_size, most = len(self._item(items, 0)), SIZES[-1] if items.most is None else items.most
        yield _Shape(items.name, items.name, unit_size, most)
        more = len(self._item(items, 1)) - unit_size
        if more:
            yield _Shape(f"{items.name}, large items", items.name, unit_size, min(most, _LARGE_ITEMS), more)
        if more and not items.is_open:
            yield _Shape(f"{items.name}, announced", items.name, unit_size, most, announced=True)

    def ladder(self, shape: _Shape, sizes: Sequence[int]) -> Iterator[Frames]:
        """For each size the frames of a shape that have at most this size; none for a size that is too small. The sizes
        that the message cannot reach give its largest frames, once.
        """
        bare, last = _size(self.frames(_NOTHING, 0)), None
        for size in sizes:
            if shape.many_frames and size > _MANY_FRAMES_BYTES:
                break
            count, inner = (size - bare) // shape.unit_size, 0
            if shape.large:
                count = shape.most
                inner = ((size - bare) // max(count, 1) - shape.unit_size) // shape.large
            if min(count, shape.most) > 0 and inner >= 0:
                frames = self.frames(shape, min(count, shape.most), self._inner(shape, inner))
                if frames == last:
                    break
                yield frames
                last = frames

    def _inner(self, shape: _Shape, inner: int) -> int:
        """`inner`, limited to the maximum number of bytes or items in a large item; 0 if items are not large."""
        if not shape.large:
            return 0
        (items,) = (operation for operation in self._plan.operations if operation.name == shape.field)
        assert isinstance(items, Items)
        most = getattr(items.parts[-1], "most", None)
        return inner if most is None else min(inner, most)

    def frames(self, shape: _Shape, count: int, inner: int = 0) -> Frames:
        """The message's frames, with `count` bytes, items or frames in the shape's field, and `inner` in each item."""
        chunks = [self._plan.head]
        for operation in self._plan.operations:
            name = self._counts.get(operation.name, operation.name)
            filled = name == shape.field
            chunks.append(self._encode(operation, count if filled else 0, inner))
            if filled and shape.announced and isinstance(operation, Items):
                chunks[-1] = chunks[-1][: operation.prefix] + b"\xff" * 5 + chunks[-1][operation.prefix + 5 :]
        apart: list[bytes] = []
        for part in self._plan.apart:
            content = b"x" * count if part.name == shape.field and not shape.many_frames else b""
            apart += [content] * (count if part.name == shape.field and shape.many_frames else 1)
        return (b"".join(chunks), *apart)

    def _encode(self, operation: Operation, count: int, inner: int) -> bytes:
        match operation:
            case Constant(_, data):
                return data
            case Reserved(_, size):
                return bytes(size)
            case Topic():
                return _filled(count, Text.UTF8) + b"\0"
            case Rest():
                return _filled(count, None)
            case Number(measures=(_, *_)):
                return count.to_bytes(operation.size, "big")
            case Items(prefix=prefix):
                return (count.to_bytes(prefix, "big") if prefix else b"") + self._item(
                    operation, inner
                ) * count
            case Number() | Content() | Fixed():
                return self._part(operation, count)
            case Apart():
                raise ValueError("a separate frame is not part of the first one")

    def _item(self, items: Items, inner: int) -> bytes:
        *first, last = items.parts
        return b"".join(self._part(part, 0) for part in first) + self._part(last, inner)

    def _part(self, part: Part, count: int) -> bytes:
        """The smallest value of a part, with `count` bytes or items if its size varies; an enumeration's first one."""
        member = self._members[part.enumeration] if getattr(part, "enumeration", None) else None
        match part:
            case Number(size=size, signed=signed, flags=flags):
                number = member if isinstance(member, int) and not flags else 0
                return number.to_bytes(size or 1, "big", signed=signed)
            case Content(prefix=prefix, text=text):
                encoded = member.encode() if isinstance(member, str) else _filled(count, text)
                return len(encoded).to_bytes(prefix, "big") + encoded if prefix else encoded
            case Fixed(size=size):
                return bytes(size)
            case Items():
                return self._encode(part, count, 0)


def _filled(count: int, text: Text | None) -> bytes:
    """`count` bytes. If possible, text begins with a character that needs the most memory in the languages."""
    wide = "\N{GRINNING FACE}".encode() if text in (Text.UTF8, Text.PRINTABLE) and count > 4 else b""
    return wide + b"x" * (count - len(wide))
