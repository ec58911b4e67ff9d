"""Endpoints: valid texts, and the errors for invalid ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeps_conformance.wire.endpoint import Endpoint, parse_endpoint
from zeps_conformance.wire.router_server import RouterServer


def test_tcp_and_ipc() -> None:
    assert parse_endpoint("tcp://127.0.0.1:5670") == Endpoint(
        "tcp://127.0.0.1:5670", "tcp", "127.0.0.1", 5670
    )
    assert parse_endpoint("tcp://[::1]:80").host == "::1"
    assert parse_endpoint("ipc:///run/zeps").path == "/run/zeps"


@pytest.mark.parametrize(
    "text",
    ["", "tcp://", "tcp://host", "tcp://:1", "tcp://host:x", "tcp://host:70000", "ipc://", "udp://h:1"],
)
def test_no_endpoint(text: str) -> None:
    with pytest.raises(ValueError, match="is not an endpoint: write tcp://HOST:PORT or ipc://PATH"):
        parse_endpoint(text)


@pytest.mark.parametrize("begin", ["{}/socket", "@{}"])
def test_ipc_connects(tmp_path: Path, begin: str) -> None:
    endpoint = parse_endpoint("ipc://" + begin.format(tmp_path))
    with pytest.raises(OSError, match=r"No such file|refused"):
        endpoint.connect(1.0)
    with endpoint.listen() as server, endpoint.connect(1.0) as client:
        accepted, _ = server.accept()
        client.sendall(b"x")
        assert accepted.recv(1) == b"x"
        accepted.close()


def test_a_router_listens_at_a_path(tmp_path: Path) -> None:
    with RouterServer(f"ipc://{tmp_path}/socket") as server:
        assert server.endpoint == f"ipc://{tmp_path}/socket"
        with parse_endpoint(server.endpoint).connect(1.0) as client:
            assert client.recv(1) == b"\xff"
