"""What holds of every shim: it does what its library does, and says what it cannot."""

from __future__ import annotations

import json
import re

import pytest
from shims import PATIENCE_MS, TURN_MS, TYPES, Answer, Shim, Testee, having, suts

pytestmark = pytest.mark.timeout(1800)  # the first test of a testee builds it


def test_it_says_what_it_is(testee: Testee, shim: Shim) -> None:
    hello = shim.do("hello")
    assert hello["name"]
    assert re.search(r"\d", hello["version"])
    assert testee.types
    assert set(testee.types) <= set(hello["types"]) <= {*TYPES, "PROXY"}


def test_what_is_built_is_not_built_again(testee: Testee) -> None:
    again = suts(testee.name)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.endswith(": up to date\n")


@having("PUB")
def test_a_message_of_several_parts_arrives_as_it_was_sent(shim: Shim) -> None:
    shim.open_pair("PUB")
    for topic in ("00c3bf", "0d0a"):
        shim.do("subscribe", socket="in", topic=topic)
        shim.send_until_received("out", "in", topic)
    several = ["00c3bf80", "", "01", "7b" * 300]
    for parts in (["00c3be", "aa"], several, ["00"], ["0d0a"]):
        assert shim.do("send", socket="out", parts=parts) == {"ok": True}
    assert shim.recv("in") == several
    assert shim.recv("in") == ["0d0a"]
    assert shim.recv("in", TURN_MS) is None


@having("PUB")
def test_a_topic_that_is_no_text_is_unsupported_at_worst(shim: Shim) -> None:
    shim.open_pair("PUB")
    answer = shim.ask("subscribe", socket="in", topic="80ff")
    if answer["ok"]:
        shim.send_until_received("out", "in", "80ff")
    else:
        assert "unsupported" in answer


@having("PUB")
def test_an_unsubscribed_topic_stays_away(shim: Shim) -> None:
    shim.open_pair("PUB")
    shim.do("subscribe", socket="in", topic="61")
    shim.do("subscribe", socket="in", topic="62")
    shim.send_until_received("out", "in", "61")
    shim.do("unsubscribe", socket="in", topic="61")
    for _ in range(PATIENCE_MS // TURN_MS):
        shim.do("send", socket="out", parts=["61"])
        if shim.recv("in", TURN_MS) is None:
            break
    else:
        pytest.fail("61 goes on arriving")
    shim.send_until_received("out", "in", "62")


@having("XPUB")
def test_xpub_sees_subscriptions_come_and_go(shim: Shim) -> None:
    shim.open_pair("XPUB")
    shim.do("subscribe", socket="in", topic="00c3bf")
    assert shim.recv("out") == ["0100c3bf"]
    shim.do("unsubscribe", socket="in", topic="00c3bf")
    assert shim.recv("out") == ["0000c3bf"]


@having("XPUB")
def test_xpub_sees_that_a_subscriber_is_gone(shim: Shim) -> None:
    shim.open_pair("XPUB")
    shim.do("subscribe", socket="in", topic="")
    assert shim.recv("out") == ["01"]
    shim.do("close", socket="in")
    assert shim.recv("out") == ["00"]


@having("XSUB")
def test_xsub_subscribes_and_receives(shim: Shim) -> None:
    shim.do("open", socket="out", type="PUB", options={})
    shim.do("open", socket="in", type="XSUB", options={})
    shim.do("connect", socket="in", endpoint=shim.do("bind", socket="out")["endpoint"])
    shim.do("subscribe", socket="in", topic="80")
    shim.send_until_received("out", "in", "8081")


@having("PUB")  # its ends are of the same library
@pytest.mark.parametrize("connected", [False, True], ids=["bound", "connected"])
def test_a_proxy_takes_subscriptions_up_and_messages_down(shim: Shim, connected: bool) -> None:
    shim.do("open", socket="out", type="PUB", options={})
    shim.do("open", socket="in", type="SUB", options={})
    upstream = {"connect": shim.do("bind", socket="out")["endpoint"]} if connected else {}
    proxy = shim.do("proxy", frontend="XSUB", backend="XPUB", **upstream)
    if not connected:
        shim.do("connect", socket="out", endpoint=proxy["frontend"])
    shim.do("connect", socket="in", endpoint=proxy["backend"])
    shim.do("subscribe", socket="in", topic="70")
    shim.send_until_received("out", "in", "7071")
    assert (proxy["frontend"] is None) is connected
    shim.do("proxy_close", proxy=proxy["proxy"])
    shim.do("send", socket="out", parts=["7072"])
    assert shim.recv("in", TURN_MS) is None


def test_what_the_library_does_not_offer_is_unsupported(shim: Shim) -> None:
    has = set(shim.do("hello")["types"])
    for number, kind in enumerate(TYPES):
        answer = shim.ask("open", socket=str(number), type=kind, options={})
        assert answer["ok"] is (kind in has), answer
        assert ("unsupported" in answer) is (kind not in has), answer
    answer = shim.ask("open", socket="a", type="SUB", options={"no-such-option": 1})
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
        b'{"op":"send","socket":"nobody","parts":["00"]}',
        b'{"op":"bind"}',
    ],
)
def test_a_bad_request_is_told_and_the_shim_goes_on(shim: Shim, line: bytes) -> None:
    answer = shim.line(line)
    assert answer["ok"] is False
    assert answer["error"]
    assert shim.do("hello")["name"]


@having("PUB")
def test_bad_octets_are_not_sent(shim: Shim) -> None:
    shim.do("open", socket="out", type="PUB", options={})
    for part in ("0", "0g"):
        assert "error" in shim.ask("send", socket="out", parts=[part])


@having("PUB")
def test_a_socket_that_is_closed_is_gone(shim: Shim) -> None:
    shim.do("open", socket="a", type="PUB", options={})
    shim.do("bind", socket="a")
    shim.do("close", socket="a")
    assert "error" in shim.ask("send", socket="a", parts=["00"])
    shim.do("open", socket="a", type="PUB", options={})


@pytest.mark.parametrize(
    ("request_line", "answer"),
    [(b'{"op":"exit"}\n', {"ok": True}), (b"", None)],
    ids=["exit", "end of input"],
)
def test_it_ends_when_told(testee: Testee, shim: Shim, request_line: bytes, answer: Answer | None) -> None:
    if "PUB" in testee.types:
        shim.open_pair("PUB")
        shim.do("subscribe", socket="in", topic="")
    else:
        shim.do("proxy", frontend="XSUB", backend="XPUB")
    output, code = shim.end(request_line)
    assert [json.loads(line) for line in output.splitlines()] == ([] if answer is None else [answer])
    assert code == 0


def test_an_unknown_name_is_told() -> None:
    done = suts("no-such-testee")
    assert done.returncode == 1
    assert "no-such-testee" in done.stderr
