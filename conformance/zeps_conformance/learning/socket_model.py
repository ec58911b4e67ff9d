"""The expected machine of a connection to a socket, derived from the model's machines of a publisher and a subscriber.

The suite's machine interpreter runs the model's rows. This module adds the host: topics, messages and notices. The
output is ANY where the specifications leave the behaviour open.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from pathlib import Path
from typing import Any, Final

from zeps_conformance.codec.driver_protocol import Arrive, Call, Put
from zeps_conformance.codec.oracle import Oracle
from zeps_conformance.common.dialects import V3_0
from zeps_conformance.learning.mealy import ANY, SILENT, Mealy, Output, Word, explore, minimise
from zeps_conformance.learning.socket_inputs import (
    CANCEL,
    CANCELLING,
    GREETINGS,
    PUBLISH,
    PUBLISHERS,
    SKIPPED,
    SUBSCRIBE,
    SUBSCRIBING,
    TOPIC,
    inputs_of,
    sent_to,
    subscriptions_max,
)
from zeps_conformance.learning.suites import access_words
from zeps_conformance.model.definitions import load_models
from zeps_conformance.wire.zmtp_codec import packaged_wire

__all__ = ["OPEN_ENDED", "model_words", "socket_machine"]

PROTOCOL = "zmtp"
CLOSED = "closed"
#: The name of the state after an input whose effect the specifications leave open: every output is allowed.
OPEN_ENDED: Final = "anything"
_NOTICES = {
    "add_subscription": "application: subscription",
    "remove_subscription": "application: cancellation",
}
_FORMS = {"SUBSCRIPTION": "subscription", "CANCELLATION": "cancellation"}


@cache
def socket_machine(socket_type: str, path: Path | None = None, older: bool = False) -> Mealy:
    """Returns the minimal machine of the model in `path`, by default the packaged one, over the inputs of the type;
    with `older` of a socket that announces version 3.0.
    """
    models, machines = load_models(path)
    oracle = Oracle(models, machines, [PROTOCOL])

    def run(word: Word) -> tuple[Output, Hashable]:
        model = _ModelSocket(oracle, socket_type, path, older)
        outputs = [model.step(symbol) for symbol in word]
        return outputs[-1], model.key()

    start = _ModelSocket(oracle, socket_type, path, older).key()
    return minimise(explore(inputs_of(socket_type), run, start, _label))


def model_words(socket_type: str, path: Path | None = None) -> list[Word]:
    """Returns words that take each transition of :func:`socket_machine` whose effect is defined, and show by a message
    whether a subscription exists then.
    """
    machine = socket_machine(socket_type, path)
    last = PUBLISH if socket_type in PUBLISHERS else "message"
    words = []
    for access in access_words(machine):
        for symbol in machine.inputs:
            for opening in (("greeting 3.1", "READY"), ("READY",), ()):
                word = (*access, symbol, *opening)
                if ANY not in machine.outputs(word):
                    words.append((*word, last))
                    break
    return words


class _ModelSocket:
    """A socket with one connection: the model's machine, and its host."""

    def __init__(self, oracle: Oracle, socket_type: str, path: Path | None, older: bool) -> None:
        self._oracle = oracle
        self._type = socket_type
        self._wire = packaged_wire(path)
        self._publishes = socket_type in PUBLISHERS
        self._table = oracle.tables["zmtp_publisher" if self._publishes else "zmtp_subscriber"]
        self._running = oracle.start(self._table)
        self._advance(Put("mechanism", ("b", b"NULL".ljust(20, b"\0"))))
        if older:
            self._advance(Call("downgrade"))
        self._older = older
        self._greeting = ""
        self._open_ended = False
        self._count = 0  # of subscriptions to the topic

    def step(self, symbol: str) -> Output:
        """Handles an input. Returns the output, ANY where it is left open."""
        if self._open_ended:
            return ANY
        if self._running.state == "closed":
            return SILENT
        if symbol in SUBSCRIBING and self._count == subscriptions_max(self._type):
            return SKIPPED
        if symbol == PUBLISH and not self._greeting:
            return SKIPPED
        if symbol == CANCEL and not self._count:
            return SKIPPED
        if symbol == PUBLISH:
            return ("message",) if self._is_open and self._count else ()
        if symbol in (SUBSCRIBE, CANCEL):
            return self._application(symbol)
        return self._arrive(symbol)

    def key(self) -> Hashable:
        """Returns the abstract state."""
        if self._open_ended:
            return (OPEN_ENDED,)
        if self._running.state == "closed":
            return ("closed",)
        return (self._running.state, self._greeting, self._count)

    @property
    def _is_open(self) -> bool:
        return bool(self._running.state == "open")

    def _application(self, symbol: str) -> Output:
        """Returns what the connection carries when the application subscribes, or cancels."""
        self._count += 1 if symbol == SUBSCRIBE else -1
        if not self._is_open:
            return ()
        event = "subscribe" if symbol == SUBSCRIBE else "unsubscribe"
        return tuple(self._advance(Call(event, (("b", TOPIC),))))

    def _arrive(self, symbol: str) -> Output:
        if self._is_left_open(symbol):
            self._open_ended = True
            return ANY
        if symbol in GREETINGS:
            self._greeting = symbol
            output = self._advance(Arrive((self._wire.greeting(GREETINGS[symbol].value),)))
            return tuple(output + self._introduce())
        if symbol == "message":
            return self._message()
        if symbol == "unknown command":
            return tuple(self._advance(Call("unknown")))
        frame = self._wire.take_frame(sent_to(self._type)[symbol](self._wire))
        is_notice = self._is_open and symbol in (*SUBSCRIBING, *CANCELLING)
        opening = not self._is_open
        output = self._advance(Arrive((frame.body,)))
        if opening and self._is_open and not self._publishes and self._count:
            output += self._advance(Call("subscribe", (("b", TOPIC),)))
        if is_notice:
            return self._notice(symbol, output)
        return tuple(output)

    def _is_left_open(self, symbol: str) -> bool:
        """Whether the specifications do not define what follows an input in this state, or only by MAY and SHOULD."""
        if not self._greeting:
            return (
                symbol not in GREETINGS
            )  # ZMTP-G-17: it may be taken for another version; N-9: ERROR is a SHOULD
        if symbol in GREETINGS or symbol in ("greeting of PLAIN", "READY malformed"):
            return True  # bytes that a valid peer does not send; ZMTP-N-17 is a MAY
        if not self._is_open:
            return False
        old = self._older or GREETINGS[self._greeting] is V3_0
        return (
            symbol == "READY"
            or (symbol == "PING" and old)  # ZMTP-H-9
            or (symbol == "unknown command" and not self._publishes)  # ZMTP-U-11
            or (symbol in CANCELLING and self._publishes and not self._count)  # ZMTP-S-14
            or (symbol in ("SUBSCRIBE", "CANCEL") and self._publishes and old)  # ZMTP-S-15
            or (symbol in ("subscription", "cancellation") and self._publishes and not old)
        )

    def _introduce(self) -> list[str]:
        codec = self._oracle.codecs[PROTOCOL]
        values = self._oracle.tagged(codec, "READY", [[(b"Socket-Type", self._type.encode())]])
        return self._advance(Call("introduce", values))

    def _message(self) -> Output:
        """Returns what follows a message: of the topic for a subscriber, without a meaning for a publisher."""
        if not self._is_open:
            return tuple(self._advance(Call("malformed")))
        if self._publishes:
            return ("application: message",) if self._type == "XPUB" else ()
        return ("application: message",) if self._count else ANY  # ZMTP-S-13

    def _notice(self, symbol: str, output: list[str]) -> Output:
        """Returns the output of a subscription or cancellation; ANY if XPUB may report it or not (ZMTP-P-14)."""
        before = self._count
        self._count += 1 if symbol in SUBSCRIBING else -1
        if self._type == "PUB":
            return tuple(name for name in output if not name.startswith("application"))
        return tuple(output) if {before, self._count} == {0, 1} else ANY

    def _advance(self, step: Any) -> list[str]:
        """Runs a step of the machine. Returns the symbols of its actions."""
        self._oracle.advance(self._table, self._running, step)
        output: list[str] = []
        for action, sent in self._running.actions:
            if action == "send":
                output.append(self._name(sent))
            elif action == "close_connection":
                output.append(CLOSED)
            elif action in _NOTICES:
                output.append(_NOTICES[action])
        return output

    def _name(self, sent: bytes) -> str:
        codec = self._oracle.codecs[PROTOCOL]
        decoded = codec.decode(sent)
        if decoded.name == "GREETING":
            return f"greeting {decoded['major']}.{decoded['minor']}"
        return _FORMS.get(decoded.name, decoded.name)


def _label(key: Hashable) -> str:
    assert isinstance(key, tuple)
    if len(key) < 3:
        return str(key[0])
    state, greeting, count = key
    words = [state, *([greeting.removeprefix("greeting ")] if greeting else [])]
    return ", ".join(words + ([f"{count} subscribed"] if count else []))
