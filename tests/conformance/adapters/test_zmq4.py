"""The adapter of zmq4: supported and unsupported options and calls."""

from __future__ import annotations

import subprocess

import pytest
from adapter_processes import ADAPTERS, PATIENCE_MS, TURN_MS, Adapter, having, listen

pytestmark = pytest.mark.timeout(1800)

ZMQ4 = having(names=["zmq4"])
SOURCE = ADAPTERS / "zmq4"


@pytest.mark.parametrize("command", [["gofmt", "-l", "."], ["go", "vet", "./..."]], ids=["gofmt", "vet"])
def test_its_sources_are_clean(command: list[str]) -> None:
    # otherwise the commands would print messages about it
    subprocess.run(["go", "mod", "download"], cwd=SOURCE, check=True)
    done = subprocess.run(command, cwd=SOURCE, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


@ZMQ4
def test_reconnect_ivl_brings_a_subscriber_back(adapter: Adapter) -> None:
    server, endpoint = listen()
    with server:
        adapter.do("open", socket="in", type="SUB", options={"reconnect_ivl": 20})
        adapter.do("connect", socket="in", endpoint=endpoint)
        for _ in range(2):
            server.accept()[0].close()


@ZMQ4
@pytest.mark.parametrize("options", [{}, {"sndhwm": 1}], ids=["none", "one"])
def test_sndhwm_drops_what_nobody_takes(adapter: Adapter, options: dict[str, int]) -> None:
    """Before it requests messages, the subscriber receives only ten of them and the kernel's buffers."""
    adapter.open_pair("PUB", out_options=options)
    adapter.do("subscribe", socket="in", topic="")
    adapter.send_until_received("out", "in", "61")
    for _ in range(100):
        adapter.do("send", socket="out", parts=["61" * 500_000])
    if not options:
        assert all(adapter.recv("in") for _ in range(100))
        return
    received = 0
    while adapter.recv("in", TURN_MS):
        received += 1
    assert received < 100


@ZMQ4
@pytest.mark.parametrize(
    ("kind", "options"),
    [("XPUB", {"sndhwm": 5}), ("XPUB", {"verbose": 1}), ("SUB", {"rcvhwm": 5}), ("PUB", {"linger": 5})],
)
def test_what_zmq4_has_no_option_for_is_unsupported(
    adapter: Adapter, kind: str, options: dict[str, int]
) -> None:
    assert "unsupported" in adapter.ask("open", socket="a", type=kind, options=options)


@ZMQ4
def test_what_zmq4_has_no_call_for_is_unsupported(adapter: Adapter) -> None:
    adapter.do("open", socket="out", type="PUB", options={})
    endpoint = adapter.do("bind", socket="out")["endpoint"]
    assert "unsupported" in adapter.ask("recv", socket="out", timeout=0)
    assert "unsupported" in adapter.ask("unbind", socket="out", endpoint=endpoint)
    assert "unsupported" in adapter.ask("disconnect", socket="out", endpoint=endpoint)


@ZMQ4
def test_the_end_of_a_connection_is_an_error_as_zmq4_has_it(adapter: Adapter) -> None:
    adapter.open_pair("PUB")
    adapter.do("subscribe", socket="in", topic="")
    adapter.send_until_received("out", "in", "61")
    adapter.do("close", socket="out")
    assert "EOF" in adapter.ask("recv", socket="in", timeout=PATIENCE_MS)["error"]
    assert adapter.recv("in", 0) is None
