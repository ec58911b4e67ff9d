"""Ports at which the suite stops listening and begins again are nobody else's meanwhile."""

from __future__ import annotations

import socket
from pathlib import Path

from zeps_conformance.loopback import listen


def test_no_connection_is_given_the_port() -> None:
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for _ in range(50):
        with listen() as server:
            host, port = server.getsockname()
            assert host == "127.0.0.1"
            assert 1024 < port < lowest


def test_it_can_be_listened_at_again_with_connections_of_before_still_open() -> None:
    with listen() as server:
        address = server.getsockname()
        client = socket.create_connection(address)
        accepted, _ = server.accept()
    with (
        client,
        accepted,
        socket.create_server(address) as again,
        socket.create_connection(address) as second,
    ):
        there, _ = again.accept()
        there.close()
        assert second.recv(1) == b""


def test_listeners_do_not_get_one_anothers_ports() -> None:
    servers = [listen() for _ in range(100)]
    assert len({server.getsockname()[1] for server in servers}) == 100
    for server in servers:
        server.close()
