"""Adapter for brokers that speak ZEPS, on the suite's own wire. PING-OK confirms what was published before PING."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

from zeps_conformance.broker.peer import BrokerPeer, ConnectionLostError
from zeps_conformance.common.wirelog import WireLog
from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Decoded, Interpreter
from zeps_conformance.wire.endpoint import parse_endpoint

sys.path.insert(0, str(Path(__file__).parents[1]))

from durability.lines import batches, id_of

PATIENCE = 20.0
BEYOND = (1 << 64) - 2
PLENTY = 1 << 40


class _Silent(WireLog):
    """Keeps nothing: a load has too many frames."""

    def note(self, connection: str, kind: str, text: str) -> None:
        pass

    def message(self, connection: str, direction: str, parts: tuple[bytes, ...], text: str = "") -> None:
        pass


class Session:
    """A session of one stream. Raises ConnectionLostError if the broker does not answer as expected."""

    def __init__(self, endpoint: str, stream: str) -> None:
        self._codec = Interpreter(load_model())
        self._peer = BrokerPeer.connect(
            parse_endpoint(endpoint), "adapter", _Silent(), lambda _: "", PATIENCE
        )
        self.send("ATTACH", stream=stream)
        self.expect("ATTACH-OK")

    def send(self, name: str, /, **values: str | bytes | int) -> None:
        self._peer.send(self._codec.encode(name, **values))

    def publish(self, bodies: list[bytes]) -> None:
        """Publishes `bodies`, and returns when the broker has confirmed them."""
        frames = [self._codec.encode("PUBLISH", key="key", body=body) for body in bodies]
        self._peer.send_together([*frames, self._codec.encode("PING")])
        self.expect("PING-OK")

    def next(self) -> Decoded:
        """Returns the next message that is not PING, which is answered."""
        while True:
            parts = self._peer.receive(PATIENCE)
            if parts is None:
                raise ConnectionLostError(f"no answer within {PATIENCE:g} s")
            message = self._codec.decode(parts[0])
            if message.name != "PING":
                return message
            self.send("PING-OK")

    def expect(self, name: str) -> Decoded:
        message = self.next()
        if message.name != name:
            raise ConnectionLostError(f"expected {name}, received {message.name} {message.values}")
        return message

    def end(self) -> int:
        """Returns the last sequence of the stream, which the broker names when it refuses a later one."""
        self.send("SUBSCRIBE", pattern="", latest=BEYOND)
        reason = str(self.expect("INVALID")["reason"])
        match = re.match(r"beyond-end ([0-9]+) ", reason)
        if match is None:
            raise ConnectionLostError(f"expected INVALID beyond-end, received {reason}")
        return int(match[1]) - 1


def publish(endpoint: str, stream: str) -> None:
    session = Session(endpoint, stream)
    for bodies in batches():
        session.publish(bodies)
        print("".join(f"confirmed {id_of(body)}\n" for body in bodies), end="", flush=True)


def read(endpoint: str, stream: str) -> None:
    session = Session(endpoint, stream)
    end = session.end()
    session.send("SUBSCRIBE", pattern="", latest=0)
    session.expect("SUBSCRIBE-OK")
    session.send("CREDIT", credit=PLENTY)
    last = 0
    while last < end:
        message = session.next()
        if message.name == "DELIVER":
            last = int(message["sequence"])
            print("message", message["body"].decode("ascii", "replace").replace("\n", " "))
        elif gap := re.match(r"(?:damage|retention) ([0-9]+) ([0-9]+) ", str(message.values.get("reason"))):
            last = int(gap[2])
            print("lost", last - int(gap[1]) + 1)
        else:
            raise ConnectionLostError(f"expected a message, received {message.name} {message.values}")
    print("end")


def prepare(endpoint: str, stream: str) -> None:
    Session(endpoint, stream)


def main() -> int:
    commands: dict[str, Callable[[str, str], None]] = {"prepare": prepare, "publish": publish, "read": read}
    try:
        commands[sys.argv[1]](*sys.argv[2:4])
    except ConnectionLostError as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
