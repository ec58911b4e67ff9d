"""Reader of pcapng and classic pcap files.

It is written here and not taken from a library because packet numbers must be Wireshark's, a file that is cut must
give the packets before the cut and a message with the position, and the writer needs comments of packets. The two
formats need little more than what such an adaptation of dpkt or python-pcapng would.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Literal

__all__ = ["CaptureError", "CaptureReader", "CutError", "Packet"]

SECTION, INTERFACE, OLD_PACKET, SIMPLE_PACKET, ENHANCED_PACKET, JOURNAL = 0x0A0D0D0A, 1, 2, 3, 6, 9
BYTE_ORDER = 0x1A2B3C4D
BLOCK_MAX = 1 << 28  # bytes; a longer block is a wrong length
USERAPPL, TSRESOL, TSOFFSET, FLAGS = 4, 9, 14, 2
DIRECTIONS = {1: False, 2: True}
ORDERS: dict[str, Literal["little", "big"]] = {"<": "little", ">": "big"}
#: Magic numbers of classic pcap: units of a packet's time per second.
PCAP_UNITS = {0xA1B2C3D4: 10**6, 0xA1B23C4D: 10**9}
GZIP = b"\x1f\x8b"


class CaptureError(ValueError):
    """The file is not a readable capture. The text is for the user."""


class CutError(CaptureError):
    """The file ends within a record; the packets before it have been returned."""


@dataclass(frozen=True, slots=True)
class Packet:
    """A packet, numbered from 1 as in Wireshark. `time` is in seconds since 1970, 0 if the file has none. `link`: the
    type of its link layer. `size`: its bytes on the wire; `data` has fewer if the capture limits them. `outbound`:
    whether the capturing host sent it, None if the file does not say.
    """

    number: int
    time: float
    link: int
    data: bytes
    size: int
    outbound: bool | None = None


@dataclass(slots=True)
class _Interface:
    link: int
    snap: int
    units: float = 1e6  # of a packet's time, per second
    offset: int = 0  # seconds


class CaptureReader:
    """The packets of the open `file`, which `name` names in errors. `application`: the program that wrote a pcapng
    file, known once :meth:`packets` has begun to read it, else empty. Raises CaptureError for another kind of file.
    """

    def __init__(self, name: str, file: BinaryIO) -> None:
        self._name = name
        self._file = file
        self.application = ""
        self._at = 0  # position of the record that is read
        self._order = "<"
        self._interfaces: list[_Interface] = []
        self._number = 0
        self._is_pcapng = self._file_type() == "pcapng"

    def packets(self) -> Iterator[Packet]:
        """Yields the packets in order. Raises CaptureError if the file is invalid, CutError at the end of a cut one."""
        try:
            yield from self._blocks() if self._is_pcapng else self._classic()
        except OSError as error:
            raise CaptureError(f"{self._name}: cannot be read: {error.strerror or error}") from error

    def _blocks(self) -> Iterator[Packet]:
        while (block := self._block()) is not None:
            packet = self._packet_of(*block)
            if packet is not None:
                yield packet

    def _file_type(self) -> str:
        magic = self._file.read(4)
        self._file.seek(0)
        if magic == SECTION.to_bytes(4, "little"):
            return "pcapng"
        for order in "<>":
            if len(magic) == 4 and struct.unpack(f"{order}I", magic)[0] in PCAP_UNITS:
                self._order = order
                return "pcap"
        if magic[:2] == GZIP:
            raise CaptureError(f"{self._name}: is compressed with gzip: decompress it first")
        what = "is empty" if not magic else f"is not a pcapng or pcap file: it begins with {magic.hex(' ')}"
        raise CaptureError(f"{self._name}: {what}")

    # pcapng -------------------------------------------------------------------------------------------------

    def _block(self) -> tuple[int, bytes] | None:
        """Returns type and body of the next block, None at the end of the file."""
        self._at = self._file.tell()
        head = self._file.read(8)
        if not head:
            return None
        if len(head) < 8:
            raise self._cut()
        if head[:4] == SECTION.to_bytes(4, "little"):
            self._begin_section()
        kind, length = struct.unpack(f"{self._order}II", head)
        if length < 12 or length % 4 or length > BLOCK_MAX:
            raise self._invalid(f"a block of {length} bytes")
        rest = self._file.read(length - 8)
        if len(rest) < length - 8:
            raise self._cut()
        (again,) = struct.unpack(f"{self._order}I", rest[-4:])
        if again != length:
            raise self._invalid(f"a block whose two lengths differ: {length} and {again}")
        return kind, rest[:-4]

    def _begin_section(self) -> None:
        magic = self._file.read(4)
        self._file.seek(-len(magic), 1)
        if len(magic) < 4:
            raise self._cut()
        for order in "<>":
            if struct.unpack(f"{order}I", magic)[0] == BYTE_ORDER:
                self._order = order
                self._interfaces.clear()
                return
        raise self._invalid(f"a section with the byte-order magic {magic.hex(' ')}")

    def _packet_of(self, kind: int, body: bytes) -> Packet | None:
        """Returns the packet in a block, or None for a block of another kind."""
        if kind == SECTION:
            self.application = self._options(body, 16).get(USERAPPL, b"").decode("utf-8", "replace")
        elif kind == INTERFACE:
            self._interfaces.append(self._interface(body))
        elif kind == ENHANCED_PACKET:
            number, high, low, size, original = self._unpack("IIIII", body)
            flags = self._options(body, 20 + size + -size % 4).get(FLAGS, b"")
            outbound = DIRECTIONS.get(int.from_bytes(flags, ORDERS[self._order]) & 3)
            return self._packet(number, high << 32 | low, body[20:], size, original, outbound)
        elif kind == OLD_PACKET:
            number, _, high, low, size, original = self._unpack("HHIIII", body)
            return self._packet(number, high << 32 | low, body[20:], size, original)
        elif kind == SIMPLE_PACKET:
            (original,) = self._unpack("I", body)
            snap = self._interfaces[0].snap if self._interfaces else 0
            size = min(original, snap or original, len(body) - 4)
            return self._packet(0, None, body[4:], size, original)
        elif kind == JOURNAL:
            self._number += 1  # Wireshark numbers these too
        return None

    def _interface(self, body: bytes) -> _Interface:
        link, _, snap = self._unpack("HHI", body)
        options = self._options(body, 8)
        made = _Interface(link, snap)
        if (resolution := options.get(TSRESOL)) is not None and len(resolution) == 1:
            exponent = resolution[0]
            made.units = 2.0 ** (exponent & 127) if exponent & 128 else 10.0**exponent
        if (offset := options.get(TSOFFSET)) is not None and len(offset) == 8:
            (made.offset,) = struct.unpack(f"{self._order}q", offset)
        return made

    def _options(self, body: bytes, at: int) -> dict[int, bytes]:
        """Returns the options of a block, the first of each code. Raises CaptureError if they exceed the block."""
        found: dict[int, bytes] = {}
        while at + 4 <= len(body):
            code, length = struct.unpack_from(f"{self._order}HH", body, at)
            if code == 0:
                break
            if at + 4 + length > len(body):
                raise self._invalid(f"an option of {length} bytes that exceeds its block")
            found.setdefault(code, body[at + 4 : at + 4 + length])
            at += 4 + length + -length % 4
        return found

    def _packet(
        self,
        interface: int,
        ticks: int | None,
        body: bytes,
        size: int,
        original: int,
        outbound: bool | None = None,
    ) -> Packet:
        if interface >= len(self._interfaces):
            raise self._invalid(f"a packet of interface {interface}, which is not described")
        if size > len(body):
            raise self._invalid(f"a packet of {size} bytes in a block for {len(body)}")
        described = self._interfaces[interface]
        self._number += 1
        time = 0.0 if ticks is None else ticks / described.units + described.offset
        return Packet(self._number, time, described.link, body[:size], original, outbound)

    # Classic pcap -------------------------------------------------------------------------------------------

    def _classic(self) -> Iterator[Packet]:
        head = self._file.read(24)
        if len(head) < 24:
            raise self._cut()
        magic, _, _, _, _, _, link = struct.unpack(f"{self._order}IHHiIII", head)
        units = PCAP_UNITS[magic]
        while True:
            self._at = self._file.tell()
            record = self._file.read(16)
            if not record:
                return
            if len(record) < 16:
                raise self._cut()
            seconds, fraction, size, original = struct.unpack(f"{self._order}IIII", record)
            if size > BLOCK_MAX:
                raise self._invalid(f"a packet of {size} bytes")
            data = self._file.read(size)
            if len(data) < size:
                raise self._cut()
            self._number += 1
            # The upper bits of the type say whether the link layer has a checksum.
            yield Packet(self._number, seconds + fraction / units, link & 0xFFFF, data, original)

    # Errors -------------------------------------------------------------------------------------------------

    def _unpack(self, form: str, body: bytes) -> tuple[int, ...]:
        try:
            return struct.unpack_from(self._order + form, body)
        except struct.error:
            raise self._invalid(
                f"a block of {len(body) + 12} bytes, which is too short for its type"
            ) from None

    def _invalid(self, what: str) -> CaptureError:
        return CaptureError(f"{self._name}: invalid at byte {self._at}, after packet {self._number}: {what}")

    def _cut(self) -> CutError:
        return CutError(
            f"{self._name}: cut: the file ends within the record at byte {self._at}, after packet {self._number}"
        )
