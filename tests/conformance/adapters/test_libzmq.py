"""Adapters of libzmq: each option and call reaches the library."""

from __future__ import annotations

import contextlib
import socket

import pytest
from adapter_processes import GREETING, PATIENCE_MS, READY_SUB, TURN_MS, Adapter, having

pytestmark = [pytest.mark.timeout(1800), having(names=["libzmq", "libzmq-debian", "zeromqjs", "jeromq"])]

PATIENCE_S = PATIENCE_MS / 1000


def peer(adapter: Adapter, **options: int) -> socket.socket:
    """Connects to a PUB with these options, before the greetings."""
    adapter.do("open", socket="pub", type="PUB", options=options)
    host, port = adapter.do("bind", socket="pub")["endpoint"].removeprefix("tcp://").split(":")
    return socket.create_connection((host, int(port)), PATIENCE_S)


def read(connection: socket.socket, size: int) -> bytes:
    """Returns the given number of bytes; fewer if the connection ends before."""
    data = b""
    while len(data) < size and (more := connection.recv(size - len(data))):
        data += more
    return data


def frame(connection: socket.socket) -> bytes:
    """Returns the next short frame: its flags and its content; empty at the end."""
    head = read(connection, 2)
    return head[:1] + read(connection, head[1]) if head else b""


def test_all_types_are_there(adapter: Adapter) -> None:
    assert adapter.do("hello")["types"] == ["PUB", "XPUB", "SUB", "XSUB", "PROXY"]


def test_nodrop_and_sndhwm_make_a_sender_wait(adapter: Adapter) -> None:
    adapter.open_pair("XPUB", out_options={"nodrop": True, "sndhwm": 1}, in_options={"rcvhwm": 1})
    adapter.subscribe("")
    sent = 0
    while "again" not in (answer := adapter.do("send", socket="out", parts=["61" * 500_000])):
        sent += 1
        assert sent < 200
    assert answer == {"ok": True, "again": True}
    assert [len(adapter.recv("in") or []) for _ in range(sent)] == [1] * sent
    assert adapter.recv("in", TURN_MS) is None


def test_verbose_tells_of_what_is_subscribed_already(adapter: Adapter) -> None:
    adapter.do("open", socket="out", type="XPUB", options={"verbose": True})
    endpoint = adapter.do("bind", socket="out")["endpoint"]
    for name in ("one", "two"):
        adapter.do("open", socket=name, type="SUB", options={})
        adapter.do("connect", socket=name, endpoint=endpoint)
        adapter.do("subscribe", socket=name, topic="61")
        assert adapter.recv("out") == ["0161"]
    for name in ("one", "two"):
        adapter.do("unsubscribe", socket=name, topic="61")
        assert adapter.recv("out") == ["0061"]


def test_maxmsgsize_keeps_a_larger_message_out(adapter: Adapter) -> None:
    adapter.open_pair("XPUB", in_options={"maxmsgsize": 100})
    adapter.subscribe("")
    adapter.do("send", socket="out", parts=["61" * 100])
    assert adapter.recv("in") == ["61" * 100]
    adapter.do("send", socket="out", parts=["61" * 101])
    assert adapter.recv("in", TURN_MS) is None
    assert adapter.recv("out") == ["00"]


def test_a_silent_peer_has_handshake_ivl(adapter: Adapter) -> None:
    with peer(adapter, handshake_ivl=200) as connection:
        assert len(read(connection, 100)) < 65  # at most its greeting, and then the end


def test_heartbeats_carry_their_ttl_and_are_waited_for(adapter: Adapter) -> None:
    options = {"heartbeat_ivl": 100, "heartbeat_ttl": 3000, "heartbeat_timeout": 2000}
    with peer(adapter, **options) as connection:
        connection.sendall(GREETING + READY_SUB)
        assert read(connection, 64)[:1] == b"\xff"
        frames = list(iter(lambda: frame(connection), b""))
    assert frames[0].startswith(b"\x04\x05READY")
    assert len(frames) > 4  # otherwise the timeout would be the interval's, after two of them
    assert set(frames[1:]) == {b"\x04\x04PING" + (30).to_bytes(2, "big")}


@pytest.mark.parametrize(("interval", "comes_back"), [(20, True), (-1, False)])
def test_reconnect_ivl_brings_a_subscriber_back(adapter: Adapter, interval: int, comes_back: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_S)
        adapter.do("open", socket="in", type="SUB", options={"reconnect_ivl": interval})
        adapter.do("connect", socket="in", endpoint=f"tcp://127.0.0.1:{server.getsockname()[1]}")
        server.accept()[0].close()
        server.settimeout(PATIENCE_S if comes_back else 0.5)
        with contextlib.nullcontext() if comes_back else pytest.raises(TimeoutError):
            server.accept()[0].close()


def test_disconnect_ends_the_connection(adapter: Adapter) -> None:
    endpoint = adapter.open_pair("XPUB")
    adapter.subscribe("61")
    adapter.do("disconnect", socket="in", endpoint=endpoint)
    assert adapter.recv("in", TURN_MS) is None  # libzmq removes the pipe in calls on that socket
    assert adapter.recv("out") == ["0061"]
    assert "error" in adapter.ask("disconnect", socket="in", endpoint=endpoint)


def test_unbind_lets_nobody_in_any_more(adapter: Adapter) -> None:
    adapter.do("open", socket="out", type="XPUB", options={})
    endpoint = adapter.do("bind", socket="out")["endpoint"]
    adapter.do("unbind", socket="out", endpoint=endpoint)
    adapter.do("open", socket="in", type="SUB", options={})
    adapter.do("connect", socket="in", endpoint=endpoint)
    adapter.do("subscribe", socket="in", topic="61")
    assert adapter.recv("out", 500) is None
    assert "error" in adapter.ask("unbind", socket="out", endpoint=endpoint)


def test_what_waits_is_sent_while_it_may_linger(adapter: Adapter) -> None:
    """The subscriber cannot receive everything, so most of it is still queued when the publisher is closed."""
    adapter.open_pair("XPUB", out_options={"linger": PATIENCE_MS}, in_options={"rcvhwm": 1})
    adapter.subscribe("")
    for number in range(50):
        adapter.do("send", socket="out", parts=[f"{number:02x}", "61" * 500_000])
    adapter.do("close", socket="out")
    for number in range(50):
        parts = adapter.recv("in")
        assert parts, f"the last message is before {number}"
        assert parts[0] == f"{number:02x}"


@pytest.mark.parametrize(("kind", "op"), [("PUB", "recv"), ("SUB", "send")])
def test_a_call_that_a_type_does_not_have_is_unsupported(adapter: Adapter, kind: str, op: str) -> None:
    adapter.do("open", socket="a", type=kind, options={})
    assert "unsupported" in adapter.ask(op, socket="a", parts=["00"], timeout=0)
