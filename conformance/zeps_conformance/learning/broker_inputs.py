"""Inputs of the broker's machine, each a concrete frame on one connection and one stream."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from zeps_conformance.model.interpreter import Interpreter, Value

__all__ = ["BROKER_INPUTS", "CLOSE", "CREDIT", "KEY", "PUBLISH", "REFUSED_LATEST", "BrokerInputs"]

ALL: Final = 0
CREDIT: Final = 1 << 63
"""Granted credit: more than a word can use, and two grants reach the limit of the counter (ZEPS-CREDIT-4)."""
KEY: Final = "k"
REFUSED_LATEST: Final = 1 << 62
"""A sequence beyond the end of every stream; barriers use greater ones."""

CLOSE: Final = "close"
PUBLISH: Final = "PUBLISH"
MALFORMED: Final = "malformed"

#: Input symbols of one message with constant values, and their message and values. PUBLISH and ATTACH have others.
_FIXED: Mapping[str, tuple[str, Mapping[str, Value]]] = {
    "ATTACH ''": ("ATTACH", {"stream": ""}),
    "SUBSCRIBE": ("SUBSCRIBE", {"pattern": "", "latest": ALL}),
    "SUBSCRIBE beyond": ("SUBSCRIBE", {"pattern": "", "latest": REFUSED_LATEST}),
    "CREDIT": ("CREDIT", {"credit": CREDIT}),
    "PING": ("PING", {}),
    "PING-OK": ("PING-OK", {}),
    "DETACH": ("DETACH", {}),
    "DETACH-OK": ("DETACH-OK", {}),
    "ATTACH-OK": ("ATTACH-OK", {}),
}

BROKER_INPUTS: Final = (
    "ATTACH",
    "ATTACH ''",
    "SUBSCRIBE",
    "SUBSCRIBE beyond",
    "CREDIT",
    PUBLISH,
    "PING",
    "PING-OK",
    "DETACH",
    "DETACH-OK",
    "ATTACH-OK",
    MALFORMED,
    CLOSE,
)
"""ATTACH to the word's stream and to an empty name; SUBSCRIBE to everything retained and beyond the end; CREDIT that no
word uses up; PUBLISH; PING; PING-OK; DETACH; DETACH-OK; a frame that only a broker sends; a frame without its last
byte; and the end of the connection, followed by a new one.
"""


class BrokerInputs:
    """Frames of the inputs, encoded by the suite's codec."""

    def __init__(self, codec: Interpreter) -> None:
        self.codec = codec
        self._fixed = {symbol: codec.encode(name, **values) for symbol, (name, values) in _FIXED.items()}
        self._fixed[MALFORMED] = codec.encode("CREDIT", credit=CREDIT)[:-1]
        self.unknown_command = codec.encode("PING")[:-1] + bytes((self._unused_id(),))

    def frame(self, symbol: str, stream: str, published: int) -> bytes:
        """Returns the frame of an input other than CLOSE. `published`: the number of PUBLISHes of the word before."""
        if symbol == "ATTACH":
            return self.codec.encode("ATTACH", stream=stream)
        if symbol == PUBLISH:
            return self.codec.encode("PUBLISH", key=KEY, body=self.body(published))
        return self._fixed[symbol]

    @staticmethod
    def body(number: int) -> bytes:
        """Returns the body of a word's PUBLISH, by its zero-based number: all have one size."""
        return b"%06d" % number

    def _unused_id(self) -> int:
        used = {message.id for message in self.codec.model.messages}
        return next(number for number in range(255, 0, -1) if number not in used)
