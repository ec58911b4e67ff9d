"""A protocol's module: the statements of its decoders and encoders, and which message a frame holds."""

from __future__ import annotations

import re

from ...ir import Dispatch
from ...plan.operations import Constant, Items, Operation, Reserved, Topic
from .decode import Decoder
from .encode import Encoder, Sizer
from .lines import Lines, quoted
from .names import MessageNames, ProtocolNames

__all__ = ["Codec", "notes"]


class Codec:
    """What templates/protocol.ts.j2 prints for a protocol, beside its names: statements, by message."""

    def __init__(self, names: ProtocolNames) -> None:
        self.names = names
        self.decode = {one: Decoder(names, one).body() for one in names.messages}
        self.encode = {one: Encoder(names, one).body() for one in names.messages}
        self.size = {one: Sizer(names, one).body() for one in names.messages}
        self.dispatcher = _dispatcher(names)
        """The statements of the function that decodes any message."""

    def sized(self, message: MessageNames) -> bool:
        """Whether the message's size depends on what it holds."""
        return any("message." in line for line in self.size[message])

    @property
    def octets(self) -> dict[str, bytes]:
        """Those of the names' octets that statements use."""
        bodies = [self.dispatcher, *self.decode.values(), *self.encode.values()]
        text = "\n".join(line for body in bodies for line in body)
        return {name: value for name, value in self.names.octets.items() if re.search(rf"\b{name}\b", text)}


def notes(operation: Operation) -> tuple[str, str]:
    """The documentation of what the operation's property holds, and what its type does not say."""
    if isinstance(operation, Constant | Reserved | Topic):
        return "What subscribers match.", ""
    if not isinstance(operation, Items):
        return operation.field.doc, ""
    pairs = "Keys and values in the order of the wire; equal keys are pairs of their own."
    return operation.field.doc, " ".join(
        ["To the end of the frame."] * operation.is_open + [pairs] * operation.is_pairs
    )


def _dispatcher(names: ProtocolNames) -> list[str]:
    protocol, out, at = names.protocol, Lines(), 0
    if protocol.dispatch is Dispatch.CONSTANT:
        _by_constant(names, out)
        return out.lines
    if protocol.dispatch is Dispatch.NAME:
        out.refuse("data.length < 1 || data.length < 1 + u8(data, 0)", _unnamed("truncated", 0))
        head = "switch (latin1(data, 1, 1 + u8(data, 0)))"
        cases = [quoted(one.plan.name.encode().decode("latin-1")) for one in names.messages]
    else:
        if protocol.dispatch is Dispatch.SIGNATURE:
            at = 2
            for index, octet in enumerate((0xAA, 0xA0 | protocol.signature)):
                out.refuse(f"data.length < {index + 1}", _unnamed("truncated", 0))
                out.refuse(f"data[{index}] !== {octet:#04x}", _unnamed("bad-signature", 0))
        out.refuse(f"data.length < {at + 1}", _unnamed("truncated", at))
        head = f"switch (data[{at}])"
        cases = [str(one.message.id) for one in names.messages]
    with out.block(head):
        for case, one in zip(cases, names.messages, strict=True):
            out.put(f"case {case}: return decode{one.type}(data);")
        out.put(f"default: throw {_unnamed('unknown-message', at)};")
    return out.lines


def _by_constant(names: ProtocolNames, out: Lines) -> None:
    longest = names.longest
    if not longest[-1].plan.dispatch:  # the only message
        out.put(f"return decode{longest[-1].type}(data);")
        return
    for message in longest:
        out.put(f"if (holds(data, 0, {message.beginning})) return decode{message.type}(data);")
    out.put(f"throw unknownBeginning(data, [{', '.join(one.beginning for one in longest)}]);")


def _unnamed(code: str, at: int) -> str:
    return f"new DecodeError({quoted(code)}, null, null, {at})"
