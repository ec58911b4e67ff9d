"""What holds of the shims over libzmq: each option and call reaches the library."""

from __future__ import annotations

import contextlib
import socket

import pytest
from shims import GREETING, PATIENCE_MS, READY_SUB, TURN_MS, Shim, having

pytestmark = [pytest.mark.timeout(1800), having(names=["libzmq", "libzmq-debian", "zeromqjs", "jeromq"])]

PATIENCE_S = PATIENCE_MS / 1000


def peer(shim: Shim, **options: int) -> socket.socket:
    """A connection of ours to a PUB with these options, before the greeting."""
    shim.do("open", socket="pub", type="PUB", options=options)
    host, port = shim.do("bind", socket="pub")["endpoint"].removeprefix("tcp://").split(":")
    return socket.create_connection((host, int(port)), PATIENCE_S)


def read(connection: socket.socket, octets: int) -> bytes:
    """So many octets; fewer if the connection ends before."""
    data = b""
    while len(data) < octets and (more := connection.recv(octets - len(data))):
        data += more
    return data


def frame(connection: socket.socket) -> bytes:
    """The next short frame: its flags, and what it carries; nothing at the end."""
    head = read(connection, 2)
    return head[:1] + read(connection, head[1]) if head else b""


def test_all_types_are_there(shim: Shim) -> None:
    assert shim.do("hello")["types"] == ["PUB", "XPUB", "SUB", "XSUB", "PROXY"]


def test_nodrop_and_sndhwm_make_a_sender_wait(shim: Shim) -> None:
    shim.do("open", socket="out", type="XPUB", options={"nodrop": True, "sndhwm": 1})
    shim.do("open", socket="in", type="SUB", options={"rcvhwm": 1})
    shim.do("connect", socket="in", endpoint=shim.do("bind", socket="out")["endpoint"])
    shim.do("subscribe", socket="in", topic="")
    assert shim.recv("out") == ["01"]
    sent = 0
    while "again" not in (answer := shim.do("send", socket="out", parts=["61" * 500_000])):
        sent += 1
        assert sent < 200
    assert answer == {"ok": True, "again": True}
    assert [len(shim.recv("in") or []) for _ in range(sent)] == [1] * sent
    assert shim.recv("in", TURN_MS) is None


def test_verbose_tells_of_what_is_subscribed_already(shim: Shim) -> None:
    shim.do("open", socket="out", type="XPUB", options={"verbose": True})
    endpoint = shim.do("bind", socket="out")["endpoint"]
    for name in ("one", "two"):
        shim.do("open", socket=name, type="SUB", options={})
        shim.do("connect", socket=name, endpoint=endpoint)
        shim.do("subscribe", socket=name, topic="61")
        assert shim.recv("out") == ["0161"]
    for name in ("one", "two"):
        shim.do("unsubscribe", socket=name, topic="61")
        assert shim.recv("out") == ["0061"]


def test_maxmsgsize_keeps_a_larger_message_out(shim: Shim) -> None:
    shim.do("open", socket="out", type="XPUB", options={})
    shim.do("open", socket="in", type="SUB", options={"maxmsgsize": 100})
    shim.do("connect", socket="in", endpoint=shim.do("bind", socket="out")["endpoint"])
    shim.do("subscribe", socket="in", topic="")
    assert shim.recv("out") == ["01"]
    shim.do("send", socket="out", parts=["61" * 100])
    assert shim.recv("in") == ["61" * 100]
    shim.do("send", socket="out", parts=["61" * 101])
    assert shim.recv("in", TURN_MS) is None
    assert shim.recv("out") == ["00"]


def test_a_silent_peer_has_handshake_ivl(shim: Shim) -> None:
    with peer(shim, handshake_ivl=200) as connection:
        assert len(read(connection, 100)) < 65  # its greeting at most, and then the end


def test_heartbeats_carry_their_ttl_and_are_waited_for(shim: Shim) -> None:
    options = {"heartbeat_ivl": 100, "heartbeat_ttl": 3000, "heartbeat_timeout": 2000}
    with peer(shim, **options) as connection:
        connection.sendall(GREETING + READY_SUB)
        assert read(connection, 64)[:1] == b"\xff"
        frames = list(iter(lambda: frame(connection), b""))
    assert frames[0].startswith(b"\x04\x05READY")
    assert len(frames) > 4  # the timeout would otherwise be that of the interval, after two of them
    assert set(frames[1:]) == {b"\x04\x04PING" + (30).to_bytes(2, "big")}


@pytest.mark.parametrize(("interval", "comes_back"), [(20, True), (-1, False)])
def test_reconnect_ivl_brings_a_subscriber_back(shim: Shim, interval: int, comes_back: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_S)
        shim.do("open", socket="in", type="SUB", options={"reconnect_ivl": interval})
        shim.do("connect", socket="in", endpoint=f"tcp://127.0.0.1:{server.getsockname()[1]}")
        server.accept()[0].close()
        server.settimeout(PATIENCE_S if comes_back else 0.5)
        with contextlib.nullcontext() if comes_back else pytest.raises(TimeoutError):
            server.accept()[0].close()


def test_disconnect_ends_the_connection(shim: Shim) -> None:
    shim.do("open", socket="out", type="XPUB", options={})
    shim.do("open", socket="in", type="SUB", options={})
    endpoint = shim.do("bind", socket="out")["endpoint"]
    shim.do("connect", socket="in", endpoint=endpoint)
    shim.do("subscribe", socket="in", topic="61")
    assert shim.recv("out") == ["0161"]
    shim.do("disconnect", socket="in", endpoint=endpoint)
    assert shim.recv("in", TURN_MS) is None  # libzmq takes the pipe down in the calls of that socket
    assert shim.recv("out") == ["0061"]
    assert "error" in shim.ask("disconnect", socket="in", endpoint=endpoint)


def test_unbind_lets_nobody_in_any_more(shim: Shim) -> None:
    shim.do("open", socket="out", type="XPUB", options={})
    endpoint = shim.do("bind", socket="out")["endpoint"]
    shim.do("unbind", socket="out", endpoint=endpoint)
    shim.do("open", socket="in", type="SUB", options={})
    shim.do("connect", socket="in", endpoint=endpoint)
    shim.do("subscribe", socket="in", topic="61")
    assert shim.recv("out", 500) is None
    assert "error" in shim.ask("unbind", socket="out", endpoint=endpoint)


def test_what_waits_is_sent_while_it_may_linger(shim: Shim) -> None:
    """The subscriber cannot take all, so most of it is still with the publisher when that is closed."""
    shim.do("open", socket="out", type="XPUB", options={"linger": PATIENCE_MS})
    shim.do("open", socket="in", type="SUB", options={"rcvhwm": 1})
    shim.do("connect", socket="in", endpoint=shim.do("bind", socket="out")["endpoint"])
    shim.do("subscribe", socket="in", topic="")
    assert shim.recv("out") == ["01"]
    for number in range(50):
        shim.do("send", socket="out", parts=[f"{number:02x}", "61" * 500_000])
    shim.do("close", socket="out")
    for number in range(50):
        parts = shim.recv("in")
        assert parts, f"what came last is before {number}"
        assert parts[0] == f"{number:02x}"


@pytest.mark.parametrize(("kind", "op"), [("PUB", "recv"), ("SUB", "send")])
def test_a_call_that_a_type_does_not_have_is_unsupported(shim: Shim, kind: str, op: str) -> None:
    shim.do("open", socket="a", type=kind, options={})
    assert "unsupported" in shim.ask(op, socket="a", parts=["00"], timeout=0)
