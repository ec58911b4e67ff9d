"""Referee of a socket's connections: valid traffic has no fault, and each violation is reported under its rule."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from zeps_conformance.common.dialects import V3_0, V3_1
from zeps_conformance.model.rulebook import load_book
from zeps_conformance.sockets.referee import ConnectionReferee
from zeps_conformance.wire.zmtp_codec import PROTOCOLS, packaged_wire

WIRE = packaged_wire()
PING = WIRE.command("PING", ttl=0, context=b"asked")
PONG = WIRE.command("PONG", context=b"asked")
OLD, NEW = (3, 0), (3, 1)


def between(
    kind: str, suite: bytes, peer: bytes, version: tuple[int, int] = NEW, types: tuple[str, ...] = ()
) -> list[str]:
    """Returns the rules that an implementation of the type `kind` violates by `peer`, sent after the handshake and
    after the suite has sent `suite` in `version`.
    """
    opposite = b"PUB" if "SUB" in kind else b"SUB"
    referee = ConnectionReferee(WIRE, "P", types or (kind,))
    referee.sent(WIRE.greeting(version) + WIRE.ready(opposite))
    referee.received(WIRE.greeting(NEW) + WIRE.ready(kind.encode()))
    referee.sent(suite)
    for index in range(len(peer)):
        referee.received(peer[index : index + 1])
    return [fault.rule for fault in referee.faults()]


VALID = [
    ("SUB", PING, PONG + WIRE.subscribe(b"a", V3_1) + WIRE.cancel(b"a", V3_1), NEW),
    ("SUB", b"", WIRE.subscribe(b"a", V3_0) + WIRE.cancel(b"a", V3_0), OLD),
    ("XSUB", b"", WIRE.message(b"hello", b"world") + WIRE.subscribe(b"a", V3_0), NEW),
    ("PUB", WIRE.subscribe(b"a", V3_1), WIRE.message(b"ab", b"\0"), NEW),
    ("XPUB", WIRE.subscribe(b"", V3_0), WIRE.message(b"") + WIRE.command("PING", ttl=3, context=b"x"), OLD),
    ("PUB", WIRE.subscribe_filter(7, b"x", V3_1), WIRE.message(b"anything"), NEW),
    ("PUB", WIRE.subscribe_filter(7, b"x", V3_0), WIRE.message(b"anything"), OLD),
    ("PUB", WIRE.message(b"x", b"\x01a"), WIRE.message(b"anything"), OLD),
    ("PUB", b"\xff", WIRE.message(b"anything") + PONG, NEW),
    ("SUB", WIRE.frame(b"\x04PING\0", command=True), PONG, NEW),
    ("SUB", WIRE.frame(b"\x04PING\0\0" + bytes(17), command=True), PONG, NEW),
]


@pytest.mark.parametrize(("kind", "suite", "peer", "version"), VALID)
def test_valid_traffic(kind: str, suite: bytes, peer: bytes, version: tuple[int, int]) -> None:
    assert between(kind, suite, peer, version) == []


INVALID = [
    ("SUB", PING, PONG + PONG, NEW, "ZMTP-H-3"),
    ("PUB", PING, WIRE.command("PONG", context=b"other"), NEW, "ZMTP-H-3"),
    ("SUB", b"", WIRE.subscribe(b"a", V3_1), OLD, "ZMTP-S-1"),
    ("XSUB", b"", WIRE.cancel(b"a", V3_1), OLD, "ZMTP-S-2"),
    ("SUB", b"", WIRE.subscribe(b"a", V3_0), NEW, "ZMTP-S-3"),
    ("SUB", b"", WIRE.cancel(b"a", V3_0), NEW, "ZMTP-S-4"),
    ("SUB", b"", WIRE.message(b"\x01a", b"b"), NEW, "ZMTP-S-3"),
    ("SUB", b"", WIRE.message(b"\x00a", b"b"), OLD, "ZMTP-S-2"),
    ("SUB", b"", WIRE.message(b"\x01a", b"b"), OLD, "ZMTP-S-1"),
    ("XSUB", b"", WIRE.subscribe(b"a", V3_1, long=True), NEW, "ZMTP-S-6"),
    ("PUB", WIRE.subscribe(b"a", V3_1), WIRE.message(b"b", b"a"), NEW, "ZMTP-S-7"),
]


@pytest.mark.parametrize(("kind", "suite", "peer", "version", "rule"), INVALID)
def test_violations(kind: str, suite: bytes, peer: bytes, version: tuple[int, int], rule: str) -> None:
    assert rule in between(kind, suite, peer, version)


def test_a_socket_type_that_was_not_asked_for() -> None:
    assert between("PUB", b"", b"", types=("XPUB",)) == ["ZMTP-N-7"]


@pytest.mark.parametrize(
    ("data", "rule"), [(b"\xff" + bytes(8) + b"\x7f\x01\x00", "ZMTP-G-2"), (b"HTTP/1.1", "ZMTP-G-1")]
)
def test_other_protocols_answer_only_peers_that_speak_them(data: bytes, rule: str) -> None:
    referee = ConnectionReferee(WIRE, "P", ("PUB",))
    referee.received(data)
    assert list(referee.faults()) == []
    referee.sent(WIRE.greeting())
    assert [fault.rule for fault in referee.faults()] == [rule]
    for first in (b"\xff" + bytes(8) + b"\x7f\x01\x00", b"\x05\x00abcd", b"GET / HTTP/1.1"):
        older = ConnectionReferee(WIRE, "P", ("PUB",))
        older.sent(first)
        older.received(data + bytes(64))
        assert list(older.faults()) == []


def test_a_subscription_may_remain_if_the_publisher_connects_again() -> None:
    first = ConnectionReferee(WIRE, "P", ("PUB",))
    first.sent(WIRE.greeting() + WIRE.ready(b"SUB") + WIRE.subscribe(b"a", V3_1))
    for earlier, rules in (([first], []), ([], ["ZMTP-S-7"])):
        again = ConnectionReferee(WIRE, "P again", ("PUB",), earlier)
        again.sent(WIRE.greeting() + WIRE.ready(b"SUB"))
        again.received(WIRE.greeting() + WIRE.ready(b"PUB") + WIRE.message(b"ab"))
        assert [fault.rule for fault in again.faults()] == rules


def test_the_tests_have_every_rule_of_the_referee() -> None:
    named = set(re.findall(r"ZMTP-[A-Z]-\d+", Path(inspect.getfile(ConnectionReferee)).read_text("utf-8")))
    assert named == {rule for *_, rule in INVALID} | {"ZMTP-N-7", "ZMTP-G-1", "ZMTP-G-2"}
    assert named <= {rule.id for rule in load_book(None, PROTOCOLS).all_rules()}
