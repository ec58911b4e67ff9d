"""Packets of recorded traffic: TCP connections as they would be captured at the suite's host, with its steps as
comments.
"""

from __future__ import annotations

import ipaddress
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from zeps_command import package_version
from zeps_conformance.captures.pcapng_writer import WrittenPacket, write_pcapng
from zeps_conformance.captures.segments import ACK, FIN, PSH, RST, SYN
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.traffic import End, RecordedConnection, Traffic

__all__ = ["packets_of", "write_case", "write_traffic"]

SEGMENT_MAX = 32_768  # bytes
LOCAL = "127.0.0.1"
#: Ports of a connection over a local socket, which has none: that of the listener, and the first of the others.
LISTENER_PORT, FIRST_PORT = 5670, 40_000
TCP = 6


@dataclass(slots=True)
class _End:
    """One side of a connection. `sequence`: of its next byte."""

    host: bytes
    port: int
    sequence: int


def write_case(case: CaseResult, folder: Path) -> Path | None:
    """Writes ``CASE-ID.pcapng`` with the traffic of `case` into `folder`, which is created if missing; an existing file
    is replaced. Returns the path, or None if no traffic is recorded. Raises OSError if writing fails.
    """
    if case.traffic is None:
        return None
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{case.id}.pcapng"
    comment = [f"{case.id}: {case.title}", f"verdict: {case.verdict.value}"]
    if case.expected:
        comment += [f"rule: {case.rule}", f"expected: {case.expected}", f"seen: {case.seen}"]
    if case.reason:
        comment.append(f"reason: {case.reason}")
    steps = [(step.at, f"step {number}: {step.text}") for number, step in enumerate(case.steps, 1)]
    with path.open("wb") as file:
        write_traffic(file, case.traffic, steps, "\n".join(comment))
    return path


def write_traffic(
    file: BinaryIO, traffic: Traffic, steps: Sequence[tuple[float, str]] = (), comment: str = ""
) -> None:
    """Writes `traffic` as pcapng. `steps`: texts, with seconds after the beginning; each becomes a comment of the
    first packet that follows it, else of the last packet.
    """
    packets = packets_of(traffic, steps)
    write_pcapng(file, packets, f"zeps-conform {package_version()}", comment)


def packets_of(traffic: Traffic, steps: Sequence[tuple[float, str]] = ()) -> Iterator[WrittenPacket]:
    """Yields the packets of `traffic` in the order in which the suite wrote and read."""
    events: list[tuple[float, int, Iterator[WrittenPacket]]] = []
    for number, connection in enumerate(traffic.connections):
        made = _Packets(connection, number, traffic.started)
        events.append((connection.opened, number, made.open()))
        events += [
            (chunk.at, number, made.data(chunk.at, chunk.sent, chunk.data)) for chunk in connection.chunks
        ]
        if connection.end is not End.OPEN:
            events.append((connection.ended, number, made.close()))
    events.sort(key=lambda event: event[0])
    left = list(steps)
    held: WrittenPacket | None = None  # the last packet gets the comments that are left
    for at, _, packets in events:
        for packet in packets:
            if held is not None:
                yield held
            due = [text for when, text in left if when <= at]
            left = left[len(due) :]
            held = _commented(packet, due)
    if held is not None:
        last = [text for _, text in left]
        if traffic.cut:
            last.append("the recording is cut here, because it is too large")
        yield _commented(held, last)


def _commented(packet: WrittenPacket, comments: Sequence[str]) -> WrittenPacket:
    if not comments:
        return packet
    return WrittenPacket(packet.time, packet.data, packet.outbound, (*packet.comments, *comments))


class _Packets:
    """The packets of one connection. The iterators must be used in the order of their times."""

    def __init__(self, connection: RecordedConnection, number: int, started: float) -> None:
        self._connection = connection
        self._started = started
        own = FIRST_PORT + number % 20_000
        ports = (LISTENER_PORT, own) if connection.accepted else (own, LISTENER_PORT)
        # Sequence numbers begin anew for each connection, as the same addresses may occur again.
        self._suite = _end(connection.suite, ports[0], 1000 + number * 100_000)
        self._peer = _end(connection.peer, ports[1], 2000 + number * 100_000)
        if len(self._suite.host) != len(self._peer.host):
            self._suite.host = self._peer.host = ipaddress.ip_address(LOCAL).packed

    def open(self) -> Iterator[WrittenPacket]:
        """Yields SYN, its answer, and ACK."""
        suite_opens = not self._connection.accepted
        comment = f"connection {self._connection.name}, opened by the {'suite' if suite_opens else 'peer'}"
        at = self._connection.opened
        yield _commented(self._packet(at, suite_opens, SYN), [comment])
        self._sender(suite_opens).sequence += 1
        yield self._packet(at, not suite_opens, SYN | ACK)
        self._sender(not suite_opens).sequence += 1
        yield self._packet(at, suite_opens, ACK)

    def data(self, at: float, sent: bool, data: bytes) -> Iterator[WrittenPacket]:
        """Yields the segments of `data`."""
        for start in range(0, len(data), SEGMENT_MAX):
            part = data[start : start + SEGMENT_MAX]
            yield self._packet(at, sent, PSH | ACK, part)
            self._sender(sent).sequence += len(part)

    def close(self) -> Iterator[WrittenPacket]:
        """Yields FIN of both sides, or RST."""
        at, end = self._connection.ended, self._connection.end
        by_suite = end in (End.BY_SUITE, End.RESET_BY_SUITE)
        if end in (End.RESET_BY_SUITE, End.LOST):
            yield self._packet(at, by_suite, RST | ACK)
            return
        yield self._packet(at, by_suite, FIN | ACK)
        self._sender(by_suite).sequence += 1
        yield self._packet(at, not by_suite, FIN | ACK)
        self._sender(not by_suite).sequence += 1
        yield self._packet(at, by_suite, ACK)

    def _sender(self, suite: bool) -> _End:
        return self._suite if suite else self._peer

    def _packet(self, at: float, from_suite: bool, flags: int, payload: bytes = b"") -> WrittenPacket:
        source, target = self._sender(from_suite), self._sender(not from_suite)
        acknowledged = target.sequence if flags & ACK else 0
        sequence = source.sequence & 0xFFFFFFFF
        tcp = struct.pack(
            ">HHIIBBHHH",
            source.port,
            target.port,
            sequence,
            acknowledged & 0xFFFFFFFF,
            5 << 4,
            flags,
            0xFFFF,
            0,
            0,
        )
        size = len(tcp) + len(payload)
        pseudo = source.host + target.host + struct.pack(">II", size, TCP)
        checksum = _checksum(pseudo + tcp + payload)
        tcp = tcp[:16] + checksum + tcp[18:]
        if len(source.host) == 4:
            ip = (
                struct.pack(">BBHHHBBH", 0x45, 0, 20 + size, 0, 0x4000, 64, TCP, 0)
                + source.host
                + target.host
            )
            ip = ip[:10] + _checksum(ip) + ip[12:]
        else:
            ip = struct.pack(">IHBB", 6 << 28, size, TCP, 64) + source.host + target.host
        return WrittenPacket(self._started + at, ip + tcp + payload, from_suite)


def _end(address: tuple[str, int], port: int, sequence: int) -> _End:
    """Returns a side with its address, or a synthetic one for a local socket."""
    host = address[0].partition("%")[0]
    if not host:
        return _End(ipaddress.ip_address(LOCAL).packed, port, sequence)
    return _End(ipaddress.ip_address(host).packed, address[1], sequence)


def _checksum(data: bytes) -> bytes:
    """Returns the internet checksum of `data`, whose own field is zero."""
    whole = data + bytes(len(data) % 2)
    total = int.from_bytes(whole, "big") % 0xFFFF  # the sum of 16-bit words with end-around carry
    return (0xFFFF - total).to_bytes(2, "big")
