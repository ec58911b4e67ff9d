"""The adapter of the crate zeromq: it receives continuously, and does not have options."""

from __future__ import annotations

import socket
import subprocess

import pytest
from adapter_processes import ADAPTERS, GREETING, READY_PUB, Adapter, having, listen, read_until

pytestmark = pytest.mark.timeout(1800)

ZEROMQRS = having(names=["zeromqrs"])
SOURCE = ADAPTERS / "zeromqrs"


def test_its_sources_are_clean() -> None:
    command = ["cargo", "fmt", "--check"]
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@ZEROMQRS
def test_a_subscriber_comes_back_though_nobody_asks_it_for_messages(adapter: Adapter) -> None:
    server, endpoint = listen()
    with server:
        adapter.do("open", socket="in", type="SUB", options={})
        adapter.do("subscribe", socket="in", topic="61")
        adapter.do("connect", socket="in", endpoint=endpoint)
        for _ in range(2):
            connection, _ = server.accept()
            with connection:
                connection.sendall(GREETING + READY_PUB)
                read_until(connection, b"\x00\x02\x01a")  # after the handshake


@ZEROMQRS
def test_xpub_takes_subscriptions_in_though_nobody_asks_it_for_them(adapter: Adapter) -> None:
    adapter.open_pair("XPUB")
    adapter.do("subscribe", socket="in", topic="61")
    adapter.send_until_received("out", "in", "61")
    assert adapter.recv("out") == ["0161"]


@ZEROMQRS
def test_what_comes_is_kept_in_order(adapter: Adapter) -> None:
    adapter.open_pair("PUB")
    adapter.do("subscribe", socket="in", topic="61")
    adapter.send_until_received("out", "in", "61")
    for number in range(1000):
        adapter.do("send", socket="out", parts=[f"61{number:04x}"])
    assert [adapter.recv("in") for _ in range(1000)] == [[f"61{number:04x}"] for number in range(1000)]


@ZEROMQRS
def test_unbind_lets_nobody_in_any_more(adapter: Adapter) -> None:
    adapter.do("open", socket="out", type="PUB", options={})
    endpoint = adapter.do("bind", socket="out")["endpoint"]
    adapter.do("unbind", socket="out", endpoint=endpoint)
    host, port = endpoint.removeprefix("tcp://").split(":")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, int(port)))
    assert "error" in adapter.ask("unbind", socket="out", endpoint=endpoint)


@ZEROMQRS
def test_what_the_crate_has_no_call_for_is_unsupported(adapter: Adapter) -> None:
    adapter.open_pair("PUB")
    assert "unsupported" in adapter.ask("recv", socket="out", timeout=0)
    assert "unsupported" in adapter.ask("send", socket="in", parts=["00"])
    assert "unsupported" in adapter.ask("subscribe", socket="out", topic="61")
    assert "unsupported" in adapter.ask("disconnect", socket="in", endpoint="tcp://127.0.0.1:1")


@ZEROMQRS
@pytest.mark.parametrize(
    ("kind", "options", "taken"),
    [
        ("PUB", {"linger": 0}, True),
        ("XPUB", {"verbose": True}, True),
        ("XPUB", {"verbose": False}, False),
        ("PUB", {"sndhwm": 5}, False),
        ("SUB", {"reconnect_ivl": 5}, False),
    ],
)
def test_an_option_is_taken_only_if_it_asks_for_what_the_crate_does_anyway(
    adapter: Adapter, kind: str, options: dict[str, int], taken: bool
) -> None:
    answer = adapter.ask("open", socket="a", type=kind, options=options)
    assert answer == {"ok": True} if taken else "unsupported" in answer
