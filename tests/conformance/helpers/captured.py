"""Captures of conversations, as recorded traffic, as packets and as files."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence

from zeps_conformance.captures.checker import Checked, Scope, Violation, check_capture
from zeps_conformance.captures.pcap_reader import CaptureReader
from zeps_conformance.captures.pcapng_writer import WrittenPacket, write_pcapng
from zeps_conformance.captures.synthetic import packets_of, write_traffic
from zeps_conformance.common.traffic import Chunk, End, RecordedConnection, Traffic
from zeps_conformance.model.interpreter import Interpreter, Value
from zeps_conformance.model.rulebook import load_book
from zeps_conformance.wire.zmtp_codec import PROTOCOLS, Wire

BOOK = load_book(None, ("zeps", *PROTOCOLS))
CODEC = Interpreter(BOOK.models["zeps"])
WIRE = Wire(BOOK.models)
CLIENT, BROKER = True, False
STARTED = 1_700_000_000.0
GREETING = WIRE.greeting()


class Dialogue:
    """One connection of a client with a broker. Every chunk is a hundredth of a second later than the last."""

    def __init__(self, client_port: int = 40_000, at: float = 0.0, host: str = "127.0.0.1") -> None:
        self.at = at
        self.connection = RecordedConnection("A", (host, client_port), (host, 5670), False, at)

    def bytes(self, by_client: bool, data: bytes) -> Dialogue:
        self.at += 0.01
        self.connection.chunks.append(Chunk(self.at, by_client, data))
        return self

    def greet(self, identity: bytes = b"", types: tuple[bytes, bytes] = (b"DEALER", b"ROUTER")) -> Dialogue:
        self.bytes(CLIENT, GREETING).bytes(BROKER, GREETING)
        self.bytes(CLIENT, WIRE.ready(types[0], [(b"Identity", identity)] if identity else []))
        return self.bytes(BROKER, WIRE.ready(types[1]))

    def frame(self, by_client: bool, *parts: bytes) -> Dialogue:
        return self.bytes(by_client, WIRE.message(*parts))

    def sent(self, name: str, **values: Value) -> Dialogue:
        return self.frame(CLIENT, CODEC.encode(name, **values))

    def got(self, name: str, **values: Value) -> Dialogue:
        return self.frame(BROKER, CODEC.encode(name, **values))

    def attached(self, stream: str = "s") -> Dialogue:
        return self.sent("ATTACH", stream=stream).got("ATTACH-OK")

    def reading(self, credit: int = 1000, pattern: str = "", stream: str = "s", latest: int = 0) -> Dialogue:
        self.attached(stream).sent("SUBSCRIBE", pattern=pattern, latest=latest).got("SUBSCRIBE-OK")
        return self.sent("CREDIT", credit=credit)

    def delivered(self, sequence: int, key: str = "k", body: bytes = b"") -> Dialogue:
        return self.got("DELIVER", sequence=sequence, key=key, body=body)

    def wait(self, seconds: float) -> Dialogue:
        self.at += seconds
        return self

    def end(self, end: End = End.BY_SUITE) -> Dialogue:
        self.at += 0.01
        self.connection.ended, self.connection.end = self.at, end
        return self


def opened(**how: object) -> Dialogue:
    """Returns a connection after the handshake."""
    return Dialogue().greet(**how)  # type: ignore[arg-type]


def packets_in(*dialogues: Dialogue) -> list[WrittenPacket]:
    """Returns the packets of the connections, in the order of their times."""
    traffic = Traffic(STARTED)
    traffic.connections = [dialogue.connection for dialogue in dialogues]
    return list(packets_of(traffic))


def pcapng(packets: Iterable[WrittenPacket], application: str = "test") -> bytes:
    file = io.BytesIO()
    write_pcapng(file, packets, application, "")
    return file.getvalue()


def check(data: bytes, scope: Scope | None = None) -> Checked:
    """Judges a file."""
    return check_capture(CaptureReader("test", io.BytesIO(data)), CODEC, WIRE, scope or Scope())


def judge_packets(packets: Iterable[WrittenPacket], scope: Scope | None = None) -> Checked:
    return check(pcapng(packets), scope)


def judge_dialogues(*dialogues: Dialogue, scope: Scope | None = None) -> Checked:
    return judge_packets(packets_in(*dialogues), scope)


def violations(checked: Checked) -> list[Violation]:
    return [violation for judged in checked.connections for violation in judged.violations]


def rules(checked: Checked) -> list[tuple[str, str]]:
    """The party and the rule of each violation."""
    return [(violation.party.value, violation.rule) for violation in violations(checked)]


def pcapng_of(traffic: Traffic) -> bytes:
    file = io.BytesIO()
    write_traffic(file, traffic)
    return file.getvalue()


def payload_of(packet: WrittenPacket) -> bytes:
    """Returns the bytes behind the headers of TCP over IPv4, as the suite writes them."""
    return packet.data[40:]


def number_of(packets: Sequence[WrittenPacket], data: bytes) -> int:
    """Returns the number of the first packet whose payload ends with `data`."""
    return next(number for number, packet in enumerate(packets, 1) if payload_of(packet).endswith(data))
