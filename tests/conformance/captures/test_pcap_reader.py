"""pcapng and pcap files: both byte orders, every kind of packet block, cut and damaged files."""

from __future__ import annotations

import contextlib
import io
import struct

import pytest
from captured import opened, packets_in, pcapng
from hypothesis import given
from hypothesis import strategies as st

from zeps_conformance.captures.pcap_reader import CaptureError, CaptureReader, CutError, Packet

FILE = pcapng(packets_in(opened().reading().delivered(1).end()), "zeps-conform 1")


def read(data: bytes) -> list[Packet]:
    return list(CaptureReader("x.pcapng", io.BytesIO(data)).packets())


def block(order: str, kind: int, body: bytes) -> bytes:
    body += bytes(-len(body) % 4)
    length = struct.pack(f"{order}I", len(body) + 12)
    return struct.pack(f"{order}I", kind) + length + body + length


def option(order: str, code: int, value: bytes) -> bytes:
    return struct.pack(f"{order}HH", code, len(value)) + value + bytes(-len(value) % 4)


def section(order: str) -> bytes:
    return block(order, 0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1))


def interface(order: str, link: int = 1, snap: int = 0, options: bytes = b"") -> bytes:
    return block(order, 1, struct.pack(f"{order}HHI", link, 0, snap) + options)


def enhanced(order: str, ticks: int, data: bytes, size: int = 0, number: int = 0) -> bytes:
    head = struct.pack(f"{order}IIIII", number, ticks >> 32, ticks & 0xFFFFFFFF, len(data), size or len(data))
    return block(order, 6, head + data)


@pytest.mark.parametrize("order", ["<", ">"])
def test_every_kind_of_packet_block_is_numbered(order: str) -> None:
    simple = block(order, 3, struct.pack(f"{order}I", 3) + b"abc")
    old = block(order, 2, struct.pack(f"{order}HHIIII", 0, 0, 0, 2_500_000, 2, 9) + b"de")
    unknown = block(order, 0x0BAD, b"whatever")
    journal = block(order, 9, b"MESSAGE=x")
    data = (
        section(order)
        + interface(order)
        + simple
        + unknown
        + journal
        + old
        + enhanced(order, 3_000_000, b"f")
    )
    assert read(data) == [
        Packet(1, 0.0, 1, b"abc", 3),
        Packet(3, 2.5, 1, b"de", 9),
        Packet(4, 3.0, 1, b"f", 1),
    ]


@pytest.mark.parametrize(
    ("resolution", "ticks", "seconds"), [(b"\x09", 1_500_000_000, 1.5), (b"\x81", 5, 2.5), (b"\x00", 7, 7.0)]
)
def test_times_have_the_resolution_and_offset_of_their_interface(
    resolution: bytes, ticks: int, seconds: float
) -> None:
    options = option("<", 9, resolution) + option("<", 14, struct.pack("<q", 100))
    data = section("<") + interface("<") + interface("<", options=options)
    (packet,) = read(data + enhanced("<", ticks, b"x", number=1))
    assert packet.time == 100 + seconds


def test_a_second_section_has_its_own_interfaces_and_byte_order() -> None:
    one = section("<") + interface("<", link=1) + enhanced("<", 0, b"a")
    another = section(">") + interface(">", link=101) + enhanced(">", 0, b"b")
    assert [(packet.number, packet.link, packet.data) for packet in read(one + another)] == [
        (1, 1, b"a"),
        (2, 101, b"b"),
    ]


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(("magic", "units"), [(0xA1B2C3D4, 10**6), (0xA1B23C4D, 10**9)])
def test_classic_pcap(order: str, magic: int, units: int) -> None:
    data = struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 65535, 113)
    data += struct.pack(f"{order}IIII", 7, units // 2, 2, 5) + b"ab"
    assert read(data) == [Packet(1, 7.5, 113, b"ab", 5)]


def test_what_the_suite_writes_is_read() -> None:
    reader = CaptureReader("x", io.BytesIO(FILE))
    packets = list(reader.packets())
    assert reader.application == "zeps-conform 1"
    assert [packet.data for packet in packets] == [
        packet.data for packet in packets_in(opened().reading().delivered(1).end())
    ]
    assert {packet.outbound for packet in packets} == {True, False}
    assert packets[0].time == 1_700_000_000.0


def read_up_to_cut(data: bytes) -> tuple[list[Packet], str]:
    """Returns the packets, and the message of the error if the file is cut."""
    packets: list[Packet] = []
    try:
        packets.extend(CaptureReader("x.pcapng", io.BytesIO(data)).packets())
    except CutError as error:
        return packets, str(error)
    return packets, ""


def test_a_file_that_is_cut_gives_the_packets_before_the_cut() -> None:
    whole = read(FILE)
    edges = set()
    for size in range(4, len(FILE)):
        packets, message = read_up_to_cut(FILE[:size])
        if message:
            assert message.startswith("x.pcapng: cut: the file ends within the record at byte ")
            assert message.endswith(f"after packet {len(packets)}")
        else:
            edges.add(size)
        assert packets == whole[: len(packets)]
    # Only a file that ends between two blocks is whole: after the first two, and after each packet but the last.
    assert len(edges) == 2 + len(whole) - 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is empty"),
        (b"GET / HTTP/1.1", "is not a pcapng or pcap file: it begins with 47 45 54 20"),
        (b"\x1f\x8b\x08\x00", "is compressed with gzip"),
        (section("<") + enhanced("<", 0, b""), "a packet of interface 0, which is not described"),
        (section("<")[:8] + b"abcd" + section("<")[12:], "the byte-order magic 61 62 63 64"),
        (section("<") + struct.pack("<III", 6, 13, 13), "a block of 13 bytes"),
        (section("<") + struct.pack("<III", 6, 12, 16), "lengths differ: 12 and 16"),
        (section("<") + block("<", 6, b"short"), "too short for its type"),
        (section("<") + interface("<", options=struct.pack("<HH", 9, 99)), "exceeds its block"),
        (
            section("<") + interface("<") + block("<", 6, struct.pack("<IIIII", 0, 0, 0, 99, 99) + b"x"),
            "a packet of 99 bytes in a block for 4",
        ),
    ],
)
def test_an_invalid_file_is_refused_with_its_name(data: bytes, message: str) -> None:
    with pytest.raises(CaptureError, match=r"^x\.pcapng: ") as error:
        read(data)
    assert message in str(error.value)


@given(st.integers(0, len(FILE) - 1), st.binary(min_size=1, max_size=8))
def test_a_damaged_file_is_read_or_refused(at: int, damage: bytes) -> None:
    with contextlib.suppress(CaptureError):
        read(FILE[:at] + damage + FILE[at + len(damage) :])
