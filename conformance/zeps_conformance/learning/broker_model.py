"""The expected machine of a broker, derived from the model's machine ``zeps_server``.

The suite's machine interpreter runs the model's rows. This module adds what the model leaves to a host: a stream that
counts its messages, and one subscription to everything.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import cache
from pathlib import Path
from typing import Final

from zeps_conformance.codec.driver_protocol import Arm, Arrive, Call, Put
from zeps_conformance.codec.machines import Running
from zeps_conformance.codec.oracle import Oracle
from zeps_conformance.learning.broker_inputs import BROKER_INPUTS, CLOSE, KEY, BrokerInputs
from zeps_conformance.learning.mealy import Mealy, Output, Word, explore, minimise
from zeps_conformance.model.definitions import load_models
from zeps_conformance.model.interpreter import MalformedFrameError

__all__ = ["DELIVERIES", "MACHINE", "PROTOCOL", "ModelBroker", "broker_machine"]

PROTOCOL, MACHINE = "zeps", "zeps_server"
DELIVERIES: Final = "DELIVER*"
"""One or more DELIVERs: each pending message once, in order, up to the last one of the stream."""
STREAM = "s"
NEW = (1 << 64) - 1


@cache
def broker_machine(path: Path | None = None) -> Mealy:
    """Returns the minimal machine of the model in `path`, by default the packaged one, over :data:`BROKER_INPUTS`."""
    models, machines = load_models(path)
    oracle = Oracle(models, machines, [PROTOCOL])
    inputs = BrokerInputs(oracle.codecs[PROTOCOL])

    def run(word: Word) -> tuple[Output, Hashable]:
        broker = ModelBroker(oracle, inputs)
        outputs = [broker.step(symbol) for symbol in word]
        return outputs[-1], broker.key()

    start = ModelBroker(oracle, inputs).key()
    return minimise(explore(BROKER_INPUTS, run, start, _label))


class ModelBroker:
    """A broker with one connection and one stream: the model's machine, and its host."""

    def __init__(self, oracle: Oracle, inputs: BrokerInputs) -> None:
        self._oracle = oracle
        self._inputs = inputs
        self._table = oracle.tables[MACHINE]
        self._running: Running = oracle.start(self._table)
        self._subscribed = False
        self._published = 0
        self._stored: list[bytes] = []
        self._delivered = 0

    def step(self, symbol: str) -> Output:
        """Handles an input. Returns the names of the answers, INVALID with its code."""
        if symbol == CLOSE:
            self._running = self._oracle.start(self._table)
            self._subscribed = False
            return ()
        frame = self._inputs.frame(symbol, STREAM, self._published)
        self._published += symbol == "PUBLISH"
        output = self._arrive(frame)
        if self._deliver():
            output.append(DELIVERIES)
        return tuple(output)

    def key(self) -> Hashable:
        """Returns the abstract state: the machine's state, and of the host's what later outputs depend on."""
        credit = int(self._running.variables["credit"])
        return (
            self._running.state,
            self._subscribed,
            credit >= self._size(),
            bool(self._stored),
            self._subscribed and self._delivered < len(self._stored),
        )

    def _arrive(self, frame: bytes) -> list[str]:
        codec = self._oracle.codecs[PROTOCOL]
        running, table, advance = self._running, self._table, self._oracle.advance
        try:
            message = codec.decode(frame)
        except MalformedFrameError:
            advance(table, running, Put("reason", ("s", b"malformed the frame cannot be decoded")))
            advance(table, running, Call("malformed"))
        else:
            if message.name == "SUBSCRIBE" and len(self._stored) < message["latest"] < NEW:
                reason = b"beyond-end %d %d the stream ends before"
                numbers = (len(self._stored) + 1, message["latest"])
                advance(table, running, Put("reason", ("s", reason % numbers)))
                advance(table, running, Arm("check_subscription", "subscribe_refused"))
            advance(table, running, Arrive((frame,)))
            running.armed.clear()
        return self._act(frame)

    def _act(self, frame: bytes) -> list[str]:
        """Carries out the host actions of the last step. Returns the names of the frames that it sent."""
        output: list[str] = []
        for action, sent in self._running.actions:
            match action:
                case "send":
                    output.append(self._name(sent))
                case "open_stream":
                    self._delivered = 0
                case "close_stream":
                    self._subscribed = False
                case "add_subscription":
                    self._subscribed = True
                case "store_message":
                    self._stored.append(frame)
                case "check_subscription" | "use_credit":
                    pass
                case _:
                    raise ValueError(f"machine {MACHINE}: unknown host action {action!r}")
        return output

    def _deliver(self) -> bool:
        """Raises `deliver` for each pending message, while the machine sends it. Returns whether it sent any."""
        before = self._delivered
        while self._subscribed and self._delivered < len(self._stored):
            sequence = self._delivered + 1
            values = (("u", sequence), ("s", KEY.encode()), ("b", self._inputs.body(sequence)))
            self._oracle.advance(self._table, self._running, Call("deliver", values))
            if not self._running.actions:
                break
            self._delivered = sequence
        return self._delivered > before

    def _size(self) -> int:
        codec = self._oracle.codecs[PROTOCOL]
        return codec.size("DELIVER", sequence=1, key=KEY, body=self._inputs.body(1))

    def _name(self, frame: bytes) -> str:
        message = self._oracle.codecs[PROTOCOL].decode(frame)
        if message.name != "INVALID":
            return message.name
        return f"INVALID {str(message['reason']).partition(' ')[0]}"


def _label(key: Hashable) -> str:
    assert isinstance(key, tuple)
    state, subscribed, credit, stored, pending = key
    words = [state]
    words += ["subscribed"] if subscribed else []
    words += ["credit"] if credit and state != "start" else []
    words += ["pending" if pending else "stored"] if stored else []
    return ", ".join(words)
