"""Synthetic captures, built byte by byte, and tshark's output for captures."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree

from programs import execute

__all__ = [
    "CLIENT",
    "SERVER",
    "Capture",
    "frame",
    "greeting",
    "ready",
    "tshark",
    "tshark_fields",
    "tshark_tree",
]

CLIENT, SERVER = "client", "server"
_RAW_IP = 101  # a capture whose packets begin with IP


def greeting(mechanism: bytes = b"NULL", major: int = 3) -> bytes:
    """ZMTP's greeting."""
    signature = b"\xff" + bytes(8) + b"\x7f"
    return signature + bytes([major, 0]) + mechanism.ljust(20, b"\0") + bytes(32)


def frame(body: bytes, more: bool = False, command: bool = False, long: bool | None = None) -> bytes:
    """One frame."""
    is_long = len(body) > 255 if long is None else long
    flags = more | is_long << 1 | command << 2
    return bytes([flags]) + len(body).to_bytes(8 if is_long else 1, "big") + body


def ready(socket: bytes) -> bytes:
    """The READY command of a socket of that type."""
    name, value = b"Socket-Type", socket
    metadata = bytes([len(name)]) + name + len(value).to_bytes(4, "big") + value
    return frame(b"\x05READY" + metadata, command=True)


class Capture:
    """Packets of one or more TCP connections, in the order in which they were sent."""

    def __init__(self) -> None:
        self._packets: list[bytes] = []
        self._sent: dict[tuple[int, str], int] = {}

    @property
    def packets(self) -> int:
        return len(self._packets)

    def say(
        self, actor: str, data: bytes, client_port: int = 40000, server_port: int = 5670, size: int = 1400
    ) -> None:
        """`actor` sends bytes, in segments of at most `size`."""
        for at in range(0, len(data), size):
            self._packet(actor, data[at : at + size], client_port, server_port)

    def _packet(self, actor: str, data: bytes, client_port: int, server_port: int) -> None:
        key, peer = (client_port, actor), (client_port, SERVER if actor == CLIENT else CLIENT)
        sequence, acknowledged = self._sent.get(key, 1), self._sent.get(peer, 1)
        self._sent[key] = sequence + len(data)
        ports = (client_port, server_port) if actor == CLIENT else (server_port, client_port)
        tcp = struct.pack(">HHIIBBHHH", *ports, sequence, acknowledged, 5 << 4, 0x18, 0xFFFF, 0, 0)
        total = 20 + len(tcp) + len(data)
        loopback = bytes([127, 0, 0, 1])
        ip = struct.pack(">BBHHHBBH", 0x45, 0, total, 0, 0x4000, 64, 6, 0) + loopback + loopback
        self._packets.append(ip + tcp + data)

    def open(self, client_port: int = 40000, server_port: int = 5670) -> None:
        """The greetings and READY commands of a connection."""
        ports = {"client_port": client_port, "server_port": server_port}
        self.say(CLIENT, greeting(), **ports)
        self.say(SERVER, greeting(), **ports)
        self.say(CLIENT, ready(b"DEALER"), **ports)
        self.say(SERVER, ready(b"ROUTER"), **ports)

    def write(self, path: Path) -> Path:
        """Write it as a pcap file."""
        parts = [struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 1 << 18, _RAW_IP)]
        for number, packet in enumerate(self._packets):
            parts += [struct.pack("<IIII", number, 0, len(packet), len(packet)), packet]
        path.write_bytes(b"".join(parts))
        return path


def tshark(script: Path, capture: Path, *options: str) -> str:
    """tshark's output for a capture."""
    done = execute(["tshark", "-X", f"lua_script:{script}", "-r", capture, *options])
    complaints = [line for line in done.stderr.splitlines() if not line.startswith(b"Running as user")]
    assert (done.returncode, complaints) == (0, [])
    assert b"Lua Error" not in done.stdout
    return done.stdout.decode()


def tshark_fields(
    script: Path, capture: Path, fields: Sequence[str], *options: str
) -> list[dict[str, list[str]]]:
    """Of each packet, the values of the fields."""
    chosen = [part for name in fields for part in ("-e", name)]
    separators = ["-E", "separator=\x1f", "-E", "aggregator=\x1e"]
    said = tshark(script, capture, "-T", "fields", *chosen, *separators, *options)
    rows = [line.split("\x1f") for line in said.split("\n")[:-1]]
    return [
        {name: cell.split("\x1e") if cell else [] for name, cell in zip(fields, row, strict=True)}
        for row in rows
    ]


def tshark_tree(script: Path, capture: Path, *options: str) -> Iterable[ElementTree.Element]:
    """Each packet in PDML."""
    return ElementTree.fromstring(tshark(script, capture, "-T", "pdml", *options)).iter("packet")
