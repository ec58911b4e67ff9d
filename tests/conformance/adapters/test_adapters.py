"""Requirements of every adapter: it supports its library's features, and reports what it does not support."""

from __future__ import annotations

import json
import re

import pytest
from adapter_processes import (
    PATIENCE_MS,
    TURN_MS,
    TYPES,
    Adapter,
    Answer,
    build_adapter,
    having,
)

from zeps_conformance.sockets.adapter import Implementation

pytestmark = pytest.mark.timeout(1800)  # the first test of an implementation builds it


def test_it_says_what_it_is(implementation: Implementation, adapter: Adapter) -> None:
    hello = adapter.do("hello")
    assert hello["name"]
    assert re.search(r"\d", hello["version"])
    assert implementation.types
    assert set(implementation.types) <= set(hello["types"]) <= {*TYPES, "PROXY"}


def test_what_is_built_is_not_built_again(implementation: Implementation) -> None:
    again = build_adapter(implementation.id)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.endswith(": up to date\n")


@having("PUB")
def test_a_message_of_several_parts_arrives_as_it_was_sent(adapter: Adapter) -> None:
    adapter.open_pair("PUB")
    for topic in ("00c3bf", "0d0a"):
        adapter.do("subscribe", socket="in", topic=topic)
        adapter.send_until_received("out", "in", topic)
    several = ["00c3bf80", "", "01", "7b" * 300]
    for parts in (["00c3be", "aa"], several, ["00"], ["0d0a"]):
        assert adapter.do("send", socket="out", parts=parts) == {"ok": True}
    assert adapter.recv("in") == several
    assert adapter.recv("in") == ["0d0a"]
    assert adapter.recv("in", TURN_MS) is None


@having("PUB")
def test_a_topic_that_is_no_text_is_unsupported_at_worst(adapter: Adapter) -> None:
    adapter.open_pair("PUB")
    answer = adapter.ask("subscribe", socket="in", topic="80ff")
    if answer["ok"]:
        adapter.send_until_received("out", "in", "80ff")
    else:
        assert "unsupported" in answer


@having("PUB")
def test_an_unsubscribed_topic_stays_away(adapter: Adapter) -> None:
    adapter.open_pair("PUB")
    adapter.do("subscribe", socket="in", topic="61")
    adapter.do("subscribe", socket="in", topic="62")
    adapter.send_until_received("out", "in", "61")
    adapter.do("unsubscribe", socket="in", topic="61")
    for _ in range(PATIENCE_MS // TURN_MS):
        adapter.do("send", socket="out", parts=["61"])
        if adapter.recv("in", TURN_MS) is None:
            break
    else:
        pytest.fail("61 still arrives")
    adapter.send_until_received("out", "in", "62")


@having("XPUB")
def test_xpub_sees_subscriptions_come_and_go(adapter: Adapter) -> None:
    adapter.open_pair("XPUB")
    adapter.subscribe("00c3bf")
    adapter.do("unsubscribe", socket="in", topic="00c3bf")
    assert adapter.recv("out") == ["0000c3bf"]


@having("XPUB")
def test_xpub_sees_that_a_subscriber_is_gone(adapter: Adapter) -> None:
    adapter.open_pair("XPUB")
    adapter.subscribe("")
    adapter.do("close", socket="in")
    assert adapter.recv("out") == ["00"]


@having("XSUB")
def test_xsub_subscribes_and_receives(adapter: Adapter) -> None:
    adapter.open_pair("PUB", "XSUB")
    adapter.do("subscribe", socket="in", topic="80")
    adapter.send_until_received("out", "in", "8081")


@having("PUB", "PROXY")  # both its ends belong to the same library
@pytest.mark.parametrize("connected", [False, True], ids=["bound", "connected"])
def test_a_proxy_takes_subscriptions_up_and_messages_down(adapter: Adapter, connected: bool) -> None:
    adapter.do("open", socket="out", type="PUB", options={})
    adapter.do("open", socket="in", type="SUB", options={})
    upstream = {"connect": adapter.do("bind", socket="out")["endpoint"]} if connected else {}
    proxy = adapter.do("proxy", frontend="XSUB", backend="XPUB", **upstream)
    if not connected:
        adapter.do("connect", socket="out", endpoint=proxy["frontend"])
    adapter.do("connect", socket="in", endpoint=proxy["backend"])
    adapter.do("subscribe", socket="in", topic="70")
    adapter.send_until_received("out", "in", "7071")
    assert (proxy["frontend"] is None) is connected
    adapter.do("proxy_close", proxy=proxy["proxy"])
    adapter.do("send", socket="out", parts=["7072"])
    assert adapter.recv("in", TURN_MS) is None


def test_what_the_library_does_not_offer_is_unsupported(adapter: Adapter) -> None:
    has = set(adapter.do("hello")["types"])
    for number, kind in enumerate(TYPES):
        answer = adapter.ask("open", socket=str(number), type=kind, options={})
        assert answer["ok"] is (kind in has), answer
        assert ("unsupported" in answer) is (kind not in has), answer
    answer = adapter.ask("open", socket="a", type="SUB", options={"no-such-option": 1})
    assert (answer["ok"], list(answer)) == (False, ["ok", "unsupported"]), answer


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"hello",
        b"[]",
        b"{}",
        b"\xff",
        b'{"op":"juggle"}',
        b'{"op":"send","socket":"unknown","parts":["00"]}',
        b'{"op":"bind"}',
    ],
)
def test_a_bad_request_is_told_and_the_adapter_goes_on(adapter: Adapter, line: bytes) -> None:
    answer = adapter.line(line)
    assert answer["ok"] is False
    assert answer["error"]
    assert adapter.do("hello")["name"]


@having("PUB")
def test_bad_bytes_are_not_sent(adapter: Adapter) -> None:
    adapter.do("open", socket="out", type="PUB", options={})
    for part in ("0", "0g"):
        assert "error" in adapter.ask("send", socket="out", parts=[part])


@having("PUB")
def test_a_socket_that_is_closed_is_gone(adapter: Adapter) -> None:
    adapter.do("open", socket="a", type="PUB", options={})
    adapter.do("bind", socket="a")
    adapter.do("close", socket="a")
    assert "error" in adapter.ask("send", socket="a", parts=["00"])
    adapter.do("open", socket="a", type="PUB", options={})


@pytest.mark.parametrize(
    ("request_line", "answer"),
    [(b'{"op":"exit"}\n', {"ok": True}), (b"", None)],
    ids=["exit", "end of input"],
)
def test_it_ends_when_told(
    implementation: Implementation, adapter: Adapter, request_line: bytes, answer: Answer | None
) -> None:
    if "PUB" in implementation.types:
        adapter.open_pair("PUB")
        adapter.do("subscribe", socket="in", topic="")
    else:
        adapter.do("proxy", frontend="XSUB", backend="XPUB")
    output, code = adapter.end(request_line)
    assert [json.loads(line) for line in output.splitlines()] == ([] if answer is None else [answer])
    assert code == 0


def test_an_unknown_name_is_told() -> None:
    done = build_adapter("no-such-implementation")
    assert done.returncode == 1
    assert "no-such-implementation" in done.stderr
