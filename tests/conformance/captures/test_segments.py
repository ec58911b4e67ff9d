"""TCP segments behind every link layer."""

from __future__ import annotations

import struct

import pytest
from captured import CLIENT, Dialogue, packets_in

from zeps_conformance.captures.pcap_reader import Packet
from zeps_conformance.captures.segments import Segment, UnreadablePacketError, segment_of

IP4 = packets_in(Dialogue().bytes(CLIENT, b"payload"))[3].data
IP6 = packets_in(Dialogue(host="::1").bytes(CLIENT, b"payload"))[3].data
TCP = IP4[20:]
LAYERS = {
    "NULL": (0, lambda ip, kind: struct.pack("<I", 2)),
    "NULL of another host": (0, lambda ip, kind: struct.pack(">I", 30)),
    "LOOP": (108, lambda ip, kind: struct.pack(">I", 2)),
    "EN10MB": (1, lambda ip, kind: bytes(12) + kind),
    "EN10MB with two VLAN tags": (1, lambda ip, kind: bytes(12) + b"\x88\xa8\0\1\x81\0\0\2" + kind),
    "RAW": (101, lambda ip, kind: b""),
    "RAW of OpenBSD": (14, lambda ip, kind: b""),
    "LINUX_SLL": (113, lambda ip, kind: bytes(14) + kind),
    "LINUX_SLL2": (276, lambda ip, kind: kind + bytes(18)),
}


def segment(link: int, data: bytes, size: int | None = None) -> Segment | None:
    return segment_of(Packet(9, 1.0, link, data, len(data) if size is None else size))


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("ip", [IP4, IP6], ids=["IPv4", "IPv6"])
def test_link_layers(layer: str, ip: bytes) -> None:
    link, head = LAYERS[layer]
    read = segment(link, head(ip, b"\x86\xdd" if ip is IP6 else b"\x08\0") + ip)
    assert read is not None
    host = "[::1]" if ip is IP6 else "127.0.0.1"
    assert (str(read.source), str(read.target)) == (f"{host}:40000", f"{host}:5670")
    assert (read.packet, read.payload, read.lacking, read.sequence) == (9, b"payload", 0, 1001)


def test_padding_is_not_payload() -> None:
    read = segment(1, bytes(12) + b"\x08\0" + IP4 + bytes(20))
    assert read is not None
    assert read.payload == b"payload"


def test_bytes_that_the_capture_leaves_out_are_counted() -> None:
    read = segment(101, IP4[:-3], len(IP4))
    assert read is not None
    assert (read.payload, read.lacking) == (b"payl", 3)


@pytest.mark.parametrize("ip", [IP4, IP6], ids=["IPv4", "IPv6"])
def test_a_packet_that_the_network_card_cuts_later_has_no_length(ip: bytes) -> None:
    at = 2 if ip is IP4 else 4
    read = segment(101, ip[:at] + bytes(2) + ip[at + 2 :])
    assert read is not None
    assert (read.payload, read.lacking) == (b"payload", 0)


def test_extension_headers_of_ipv6() -> None:
    options = bytes((43, 0)) + bytes(6) + bytes((51, 1)) + bytes(14) + bytes((6, 1)) + bytes(10)
    head = struct.pack(">IHBB", 6 << 28, len(options) + len(TCP), 0, 64) + bytes(32)
    read = segment(101, head + options + TCP)
    assert read is not None
    assert read.payload == b"payload"


@pytest.mark.parametrize(
    ("link", "data"),
    [
        (101, IP4[:9] + b"\x11" + IP4[10:]),
        (1, bytes(12) + b"\x08\x06" + bytes(28)),
        (101, b""),
        (101, b"\x12\x34"),
        (276, b"\x08\x06" + bytes(40)),
    ],
)
def test_other_packets_are_passed_over(link: int, data: bytes) -> None:
    assert segment(link, data) is None


@pytest.mark.parametrize(
    ("link", "data", "reason"),
    [
        (147, IP4, "link layer 147 is not supported"),
        (101, IP4[:6] + b"\x20\0" + IP4[8:], "it is a fragment of an IP packet"),
        (101, IP4[:6] + b"\x00\x09" + IP4[8:], "it is a fragment of an IP packet"),
        (
            101,
            IP6[:6] + bytes((44,)) + IP6[7:40] + bytes((6, 0)) + bytes(6) + TCP,
            "it is a fragment of an IP packet",
        ),
        (101, IP4[:30], "its headers are incomplete"),
        (101, IP4[:3], "its headers are incomplete"),
        (1, bytes(13), "its headers are incomplete"),
        (101, IP4[:32] + b"\x00" + IP4[33:], "its lengths contradict each other"),
    ],
)
def test_packets_that_cannot_be_judged_have_a_reason(link: int, data: bytes, reason: str) -> None:
    with pytest.raises(UnreadablePacketError, match=reason):
        segment(link, data)
