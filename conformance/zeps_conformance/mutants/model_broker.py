"""A broker that interprets the model: its codec is the suite's interpreter, its sessions run the model's machine.

    python -m zeps_conformance.mutants.model_broker --endpoint tcp://127.0.0.1:5670 --data FOLDER

A changed model.json therefore is a changed broker. It is correct and slow, and keeps its messages in a file, so that it
can be stopped, killed and started again.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zeps_command import Parser
from zeps_conformance.broker.options import Streams
from zeps_conformance.codec.machines import EventPayload, Running, Table
from zeps_conformance.common.json_files import read_json, replace_json
from zeps_conformance.model.definitions import load_model, load_models
from zeps_conformance.model.interpreter import Decoded, Interpreter, MalformedFrameError
from zeps_conformance.mutants.faulty_codec import FAULTS, Fault, FaultyCodec
from zeps_conformance.mutants.machine_proof import HostProperties
from zeps_conformance.mutants.stream_store import Reader, Store, refusal
from zeps_conformance.wire.router_server import Remote, RouterServer

__all__ = ["CRASHED", "HOST", "MACHINE", "STREAMS", "ModelBroker", "main"]

MACHINE = "zeps_server"
STREAMS = Streams(regex="regex/", brief="brief/", brief_octets=16_384, closed="closed/")
"""The specially configured streams."""
HOST = HostProperties(
    quiet=frozenset({"close_stream"}),
    passive=frozenset({"open_stream", "check_subscription"}),
    opening=frozenset({"open_stream"}),
    stop="shutdown",
    always=frozenset({"malformed", "attach_refused"}),
)
"""What a proof may assume of this broker."""
CRASHED = 70
"""Exit code after an error in the broker's thread."""
RATE_MIN = 65_536  # bytes per second
BATCH = 64  # messages delivered to a session before the next session's turn
STOP_SECONDS = 8.0


class Client(Running):
    """One connection: its machine, whose host actions it carries out, and its place in a stream."""

    def __init__(self, broker: ModelBroker, remote: Remote) -> None:
        super().__init__(broker.table, broker.encoded)
        self.broker = broker
        self.remote = remote
        self.reader: Reader | None = None
        self.heard = self.asked = 0.0

    def act(self, name: str, carried: EventPayload) -> str | None:
        return self.broker.host_action(self, name, carried.values)

    def emit(self, frames: Sequence[bytes] | None) -> None:
        for frame in frames or ():
            self.remote.send(frame)

    def take(self, row: Mapping[str, Any], carried: EventPayload) -> str | None:
        self.broker.taken.add(self.broker.number_of[id(row)])
        return super().take(row, carried)

    def refuse(self, event: str, reason: str) -> None:
        """Sets the variable `reason`, and raises an event that sends it."""
        self.variables["reason"] = reason.encode()
        self.broker.happen(self, event)


class ModelBroker(RouterServer):
    """The broker; `machine` is parsed JSON of the model. `taken`: numbers of the machine's rows that were taken."""

    def __init__(
        self,
        codec: FaultyCodec,
        machine: Mapping[str, Any],
        endpoint: str = "tcp://127.0.0.1:0",
        journal: Path | None = None,
        client_timeout: float = 1.0,
    ) -> None:
        super().__init__(endpoint)
        self.codec = codec
        self.table = Table(machine)
        self.number_of = {id(row): number for number, row in enumerate(machine["transitions"])}
        self.taken: set[int] = set()
        self.client_timeout = client_timeout
        self.store = Store(codec.cost, STREAMS, journal)
        self.clients: dict[Remote, Client] = {}
        self.behind: dict[Reader, Client] = {}  # readers with deliveries left after one batch
        self.owners: dict[Reader, Client] = {}
        self.turned = time.monotonic()
        self.stopping_since: float | None = None
        self.stopped = False

    def encoded(self, message: str, values: Mapping[str, Any], defaults: bool) -> list[bytes] | None:
        """Encodes a message for a machine. Returns None if that is impossible."""
        try:
            return [self.codec.encode(message, **values)]
        except (ValueError, KeyError):
            return None

    # Input

    def opened(self, remote: Remote) -> None:
        super().opened(remote)
        self.clients[remote] = Client(self, remote)

    def gone(self, remote: Remote) -> None:
        client = self.clients.pop(remote)
        self.close_stream(client)
        for reader in [reader for reader, owner in self.owners.items() if owner is client]:
            self._forget(reader)

    def advanced(self, remote: Remote, byte_count: int) -> None:
        client = self.clients[remote]
        client.heard = min(client.heard + byte_count / RATE_MIN, time.monotonic())

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        client = self.clients[remote]
        if remote.properties.get("identity"):
            client.refuse("malformed", "routing-id leave the routing id to the broker")
            return
        if len(parts) != 1:
            client.refuse("malformed", "malformed the message has several parts")
            return
        try:
            message = self.codec.decode(parts[0])
        except MalformedFrameError as error:
            client.refuse("malformed", f"{_code_of(error)} {error}")
            return
        client.heard = time.monotonic()
        event = self.table.arrival(message.name)
        if event is None or client.happen(event, _payload(message)) not in "tn":
            self.hang_up(remote)

    def happen(self, client: Client, event: str, carried: EventPayload | None = None) -> bool:
        """Raises an event of the host, and returns whether a row was taken. Closes the connection if the machine cannot
        send, ignores an event that it does not handle.
        """
        outcome = client.happen(self.table.events[event], carried or EventPayload())
        if outcome == "e":
            self.hang_up(client.remote)
        return outcome == "t"

    # Host actions

    def host_action(self, client: Client, name: str, values: Mapping[str, Any]) -> str | None:
        """Carries out an action of the machine. Returns the event that it fails with, or None."""
        reader = client.reader
        if name == "open_stream":
            return self._open_stream(client, _text(values.get("stream", b"")))
        if name == "close_stream":
            self.close_stream(client)
        elif reader is None:
            return None
        elif name == "check_subscription":
            reason = refusal(self.store, reader, _text(values["pattern"]), values["latest"])
            if reason:
                client.variables["reason"] = reason.encode()
                return "subscribe_refused"
        elif name == "add_subscription":
            reader.subscribe(_text(values["pattern"]), values["latest"])
            self.pump(reader)
        elif name == "use_credit":
            self._pump_all(client)
        elif name == "store_message":
            self.store.append(reader.log, _text(values["key"]), values["body"])
            for other in list(reader.log.readers):
                self.pump(other)
        return None

    def _open_stream(self, client: Client, stream: str) -> str | None:
        if self.stopping_since is not None:
            client.variables["reason"] = b"stopping the broker stops"
            return "attach_refused"
        assert STREAMS.closed is not None
        if stream.startswith(STREAMS.closed):
            client.variables["reason"] = b"stream-unavailable the stream is closed"
            return "attach_refused"
        client.reader = Reader(self.store, self.store.log(stream))
        self.owners[client.reader] = client
        return None

    def close_stream(self, client: Client) -> None:
        if client.reader is not None:
            self._forget(client.reader)
            client.reader = None

    def _forget(self, reader: Reader) -> None:
        reader.close()
        self.owners.pop(reader, None)
        self.behind.pop(reader, None)

    # Deliveries

    def _pump_all(self, client: Client) -> None:
        for reader in [reader for reader, owner in self.owners.items() if owner is client]:
            self.pump(reader)

    def pump(self, reader: Reader) -> None:
        """Sends due messages that the credit covers, at most one batch."""
        client = self.owners[reader]
        self.behind.pop(reader, None)
        for _ in range(BATCH):
            item = reader.next()
            if item is None or client.remote.closed:
                return
            if item.lost:
                client.refuse("gap", f"{item.lost} {item.first} {item.last} these are lost")
            else:
                carried = EventPayload({}, len(item.frame(self.codec)), [item.frame(self.codec)])
                if not self.happen(client, "deliver", carried):
                    return
            if reader not in self.owners:
                return
            reader.advance(item)
        self.behind[reader] = client

    # Timers and ends

    def pause(self) -> float:
        return 0.0 if self.behind else super().pause()

    def turn(self, now: float) -> None:
        away, self.turned = now - self.turned, now
        for reader in list(self.behind):
            if reader in self.behind:
                self.pump(reader)
        for client in list(self.clients.values()):
            client.heard += away if away > self.client_timeout / 8 else 0.0  # unread input
            if client.reader is not None:
                self._attend(client, now)
        if self.stopping_since is not None:
            self._stop(now)

    def _attend(self, client: Client, now: float) -> None:
        if now - client.heard > self.client_timeout:
            self.happen(client, "expired")
        elif now - max(client.heard, client.asked) > self.client_timeout / 3:
            client.asked = now
            self.happen(client, "heartbeat")

    def _stop(self, now: float) -> None:
        assert self.stopping_since is not None
        open_clients = [client for client in self.clients.values() if client.reader is not None]
        for client in open_clients:
            self.happen(client, "shutdown")
        self.stopped = not open_clients or now - self.stopping_since > STOP_SECONDS


def _payload(message: Decoded) -> EventPayload:
    values = {
        name: value.encode("utf-8", "replace") if isinstance(value, str) else value
        for name, value in message.values.items()
    }
    return EventPayload(values, message.size)


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _code_of(error: MalformedFrameError) -> str:
    if error.code == "bad-constant":
        return f"unsupported-{error.field}"
    return "unknown-command" if error.code == "unknown-message" else "malformed"


def _parse_fault(text: str) -> Fault:
    kind, _, place = text.partition("@")
    message, _, field = place.partition(".")
    if kind not in FAULTS:
        raise argparse.ArgumentTypeError(f"unknown fault {kind!r}: known are {', '.join(FAULTS)}")
    return Fault(kind, message, field)


def main(arguments: Sequence[str] | None = None) -> int:
    """Serves until SIGTERM, and prints ``ready`` when it serves. Returns 0 after an orderly stop, else CRASHED."""
    parser = Parser(prog="python -m zeps_conformance.mutants.model_broker", description=__doc__)
    parser.add_argument("--endpoint", required=True, help="tcp://HOST:PORT")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER", help="folder of its journal")
    parser.add_argument(
        "--client-timeout",
        type=float,
        default=1.0,
        metavar="S",
        help="seconds of silence that end a session (default: %(default)g)",
    )
    for name in ("machine", "decode", "encode"):
        parser.add_argument(f"--{name}-model", type=Path, metavar="FILE", help=f"model.json for {name}")
    parser.add_argument("--decode-fault", type=_parse_fault, metavar="KIND@MESSAGE.FIELD")
    parser.add_argument("--encode-fault", type=_parse_fault, metavar="KIND@MESSAGE.FIELD")
    parser.add_argument("--trace", type=Path, metavar="FILE", help="write the numbers of the taken rows")
    options = parser.parse_args(arguments)
    decoder, encoder = (
        Interpreter(load_model(path)) for path in (options.decode_model, options.encode_model)
    )
    codec = FaultyCodec(decoder, encoder, options.decode_fault, options.encode_fault)
    machine = next(raw for raw in load_models(options.machine_model)[1] if raw["name"] == MACHINE)
    broker = ModelBroker(codec, machine, options.endpoint, options.data / "journal", options.client_timeout)

    def stop(number: int, frame: object) -> None:
        broker.stopping_since = time.monotonic()

    with broker:
        signal.signal(signal.SIGTERM, stop)
        print(f"ready {broker.endpoint}", flush=True)
        traced: set[int] = set()
        if options.trace is not None and options.trace.exists():  # of the process before a restart
            broker.taken.update(read_json(options.trace))
        while broker.serving and not broker.stopped:
            time.sleep(0.01)
            if options.trace is not None and len(broker.taken) > len(traced):
                traced = set(broker.taken)
                replace_json(options.trace, sorted(traced))
        crashed = not broker.serving
    return CRASHED if crashed else 0


if __name__ == "__main__":
    sys.exit(main())
