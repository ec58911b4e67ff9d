"""The ceiling: a loop in Python without the functions of a broker (sessions, credit, patterns, heartbeats, recovery).

    python benchmarks/ceiling_loop.py SUBSCRIBERS FILE os|always     # prints its endpoint

Each PUBLISH of a read becomes a DELIVER with a sequence. These are checksummed, appended to FILE as one block (with
`always`, also synced), and sent to every subscriber. The first SUBSCRIBERS peers, which send `sub`, are subscribers;
the next peer is the publisher. Ends when the publisher closes its connection.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
import zlib

from zmtp_load import exactly

_GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + bytes(32)
_DELIVER = struct.Struct(">BQHBQ")  # a long frame's head, and the fields up to the key
_READY = b"\x04\x1c\x05READY\x0bSocket-Type\x00\x00\x00\x06ROUTER"


def accept(server: socket.socket) -> socket.socket:
    """Accept the next peer, and complete its handshake."""
    sock, _ = server.accept()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.sendall(_GREETING + _READY)
    exactly(sock, 64)
    exactly(sock, exactly(sock, 2)[1])
    return sock


def numbered(data: bytes, sequence: int) -> tuple[bytes, int, int]:
    """Number the PUBLISHes of `data`, all long frames, from `sequence`: (DELIVER frames, next sequence, bytes used)."""
    place, end, out = 0, len(data), []
    while place + 9 <= end:
        size = int.from_bytes(data[place + 1 : place + 9])
        start = place + 9
        if start + size > end:
            break
        place = start + size
        out.append(_DELIVER.pack(2, size + 8, 0xAAA5, 7, sequence))
        out.append(data[start + 3 : place])
        sequence += 1
    return b"".join(out), sequence, place


def main() -> None:
    subscriber_count, path, sync = int(sys.argv[1]), sys.argv[2], sys.argv[3]
    server = socket.create_server(("127.0.0.1", 0), backlog=subscriber_count + 1)
    print(f"ready tcp://127.0.0.1:{server.getsockname()[1]}", flush=True)
    subscribers = []
    for _ in range(subscriber_count):
        sock = accept(server)
        exactly(sock, 5)
        sock.sendall(b"\x00\x02ok")
        subscribers.append(sock)
    publisher = accept(server)
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    rest = b""
    sequence = 1
    while more := publisher.recv(1 << 18):
        data = rest + more
        first = sequence
        block, sequence, taken = numbered(data, first)
        rest = data[taken:]
        os.writev(file, (struct.pack("<QII", first, sequence - first, zlib.crc32(block)), block))
        if sync == "always":
            os.fdatasync(file)
        for sock in subscribers:
            sock.sendall(block)


if __name__ == "__main__":
    main()
