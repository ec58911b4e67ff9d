"""TCP segments of packets: link layers NULL, LOOP, Ethernet, raw IP and Linux "cooked"; IPv4 and IPv6."""

from __future__ import annotations

import ipaddress
import struct
from dataclasses import dataclass

from zeps_conformance.captures.pcap_reader import Packet

__all__ = [
    "ACK",
    "FIN",
    "PSH",
    "RST",
    "SYN",
    "Address",
    "Segment",
    "UnreadablePacketError",
    "segment_of",
]

FIN, SYN, RST, PSH, ACK = 1, 2, 4, 8, 16
TCP = 6
IP4, IP6 = 0x0800, 0x86DD
VLAN = (0x8100, 0x88A8, 0x9100)
#: IPv6 extension headers that may precede TCP: hop-by-hop, routing, destination options.
EXTENSIONS = (0, 43, 60)
FRAGMENT, AUTHENTICATION = 44, 51
#: Types of link layers.
NULL, ETHERNET, LOOP, LINUX_SLL, LINUX_SLL2 = 0, 1, 108, 113, 276
RAW = (12, 14, 101, 228, 229)
#: The offset of the payload's type, behind which VLAN tags may follow.
TYPE_AT = {ETHERNET: 12, LINUX_SLL: 14}


class UnreadablePacketError(Exception):
    """A packet that is or may be TCP cannot be read. The text is the reason."""


@dataclass(frozen=True, slots=True)
class Address:
    """Address and port of one end of a connection; the host is in packed form."""

    host: bytes
    port: int

    def __str__(self) -> str:
        host = ipaddress.ip_address(self.host)
        return f"[{host}]:{self.port}" if host.version == 6 else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Segment:
    """A TCP segment in packet `packet`. `lacking`: bytes of its payload that the capture does not hold.
    `outbound` as in the packet.
    """

    packet: int
    time: float
    source: Address
    target: Address
    sequence: int
    acknowledged: int
    flags: int
    window: int
    payload: bytes
    lacking: int
    outbound: bool | None = None


def segment_of(packet: Packet) -> Segment | None:
    """Returns the segment in `packet`, None if it is not TCP. Raises UnreadablePacketError."""
    try:
        network = _network(packet)
        if network is None:
            return None
        return _ip6(packet, network) if network[0] >> 4 == 6 else _ip4(packet, network)
    except (struct.error, IndexError):
        raise UnreadablePacketError("its headers are incomplete") from None


def _network(packet: Packet) -> bytes | None:
    """Returns the packet from its IP header on, or None if it is not an IP packet."""
    data, link = packet.data, packet.link
    if link in RAW:
        rest, known = data, True
    elif link in (NULL, LOOP):
        rest, known = data[4:], True
    elif link == LINUX_SLL2:
        rest, known = data[20:], struct.unpack_from(">H", data)[0] in (IP4, IP6)
    elif link in TYPE_AT:
        at = TYPE_AT[link]
        while (kind := struct.unpack_from(">H", data, at)[0]) in VLAN:
            at += 4
        rest, known = data[at + 2 :], kind in (IP4, IP6)
    else:
        raise UnreadablePacketError(f"link layer {link} is not supported")
    return rest if known and rest and rest[0] >> 4 in (4, 6) else None


def _ip4(packet: Packet, data: bytes) -> Segment | None:
    _, _, total, _, fragment, _, protocol = struct.unpack_from(">BBHHHBB", data)
    if protocol != TCP:
        return None
    if fragment & 0x3FFF:
        raise UnreadablePacketError("it is a fragment of an IP packet")
    header = (data[0] & 15) * 4
    # A total length of 0: the network card cuts the packet into segments after the capture.
    size = total - header if total else packet.size - (len(packet.data) - len(data)) - header
    return _tcp(packet, data[12:16], data[16:20], data[header:], size)


def _ip6(packet: Packet, data: bytes) -> Segment | None:
    size, following = struct.unpack_from(">HB", data, 4)
    size = size or packet.size - (len(packet.data) - len(data)) - 40
    at = 40
    while following in EXTENSIONS or following == AUTHENTICATION:
        length = (data[at + 1] + 2) * 4 if following == AUTHENTICATION else (data[at + 1] + 1) * 8
        following = data[at]
        at += length
        size -= length
    if following == FRAGMENT and data[at] == TCP:
        raise UnreadablePacketError("it is a fragment of an IP packet")
    if following != TCP:
        return None
    return _tcp(packet, data[8:24], data[24:40], data[at:], size)


def _tcp(packet: Packet, source: bytes, target: bytes, data: bytes, size: int) -> Segment:
    """Returns the segment in `data`, which may be followed by padding; `size`: its bytes on the wire."""
    ports = struct.unpack_from(">HH", data)
    sequence, acknowledged, offset, flags, window = struct.unpack_from(">IIBBH", data, 4)
    header = (offset >> 4) * 4
    if header < 20 or size < header:
        raise UnreadablePacketError("its lengths contradict each other")
    payload = data[header:size]
    return Segment(
        packet.number,
        packet.time,
        Address(source, ports[0]),
        Address(target, ports[1]),
        sequence,
        acknowledged,
        flags,
        window,
        payload,
        size - header - len(payload),
        packet.outbound,
    )
