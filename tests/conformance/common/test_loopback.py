"""Reserved ports: no other process receives them while the suite does not listen there."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from zeps_conformance.common import loopback
from zeps_conformance.common.loopback import listen, reserve, stop


def test_no_connection_is_given_the_port() -> None:
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    for _ in range(50):
        with reserve() as held:
            host, port = held.getsockname()
            assert host == "127.0.0.1"
            assert 1024 < port < lowest


def test_it_can_be_listened_at_again_with_connections_of_before_still_open() -> None:
    with reserve() as held:
        with listen(held) as server:
            address = server.getsockname()
            client = socket.create_connection(address)
            accepted, _ = server.accept()
        with client, accepted:
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(address)
            with listen(held) as again, socket.create_connection(address) as second:
                there, _ = again.accept()
                there.close()
                assert second.recv(1) == b""


def test_nobody_else_is_given_a_port_that_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also while no socket listens there."""
    with reserve() as held:
        with listen(held):
            pass
        monkeypatch.setattr("zeps_conformance.common.loopback._spare_ports", lambda: [held.getsockname()[1]])
        with pytest.raises(OSError, match="is free"):
            reserve()


def test_a_server_is_closed_for_whoever_else_has_it() -> None:
    with reserve() as held, listen(held) as server, server.dup():
        address = server.getsockname()
        stop(server)
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(address)
        listen(held).close()


def test_those_who_hold_ports_at_one_time_do_not_get_one_anothers() -> None:
    all_held = [reserve() for _ in range(100)]
    assert len({held.getsockname()[1] for held in all_held}) == 100
    for held in all_held:
        held.close()


@pytest.mark.parametrize(
    ("kernels", "spare"),
    [
        ("32768\t60999\n", range(10_240, 32_768)),
        ("1024\t40000\n", range(40_001, 65_536)),
        ("1024\t65535\n", range(10_240, 65_536)),
        ("none", range(10_240, 32_768)),
    ],
)
def test_ports_are_where_the_kernel_gives_none_to_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kernels: str, spare: range
) -> None:
    (tmp_path / "range").write_text(kernels)
    monkeypatch.setattr("zeps_conformance.common.loopback._RANGE", tmp_path / "range")
    assert loopback._spare_ports() == spare
