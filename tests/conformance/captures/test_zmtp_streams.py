"""ZMTP in captures: each violation that is certain is reported, on either side, with rule, packet and offset."""

from __future__ import annotations

import pytest
from captured import (
    BROKER,
    CLIENT,
    GREETING,
    WIRE,
    Dialogue,
    judge_dialogues,
    number_of,
    opened,
    packets_in,
    rules,
    violations,
)

from zeps_conformance.captures.checker import Checked, Party, Scope
from zeps_conformance.captures.rules import ZMTP_RULES

ZMTP = Scope(zeps=False)
READY = WIRE.ready(b"DEALER")


def greeting(**fields: object) -> bytes:
    return WIRE.greeting(**fields)  # type: ignore[arg-type]


def ready(*pairs: tuple[bytes, bytes]) -> bytes:
    return WIRE.command("READY", properties=list(pairs))


def command(body: bytes) -> bytes:
    return WIRE.frame(body, command=True)


def test_reports_list_these_rules() -> None:
    found = {rule for _, rule in (*GREETINGS, *FIRST_FRAMES, *LATER_FRAMES)} | {"ZMTP-F-5"}
    assert found == set(ZMTP_RULES)


def judge(dialogue: Dialogue) -> Checked:
    return judge_dialogues(dialogue, scope=ZMTP)


GREETINGS = [
    (greeting(version=(3, 2)), "ZMTP-G-2"),
    (greeting(version=(4, 0)), "ZMTP-G-2"),
    (greeting(filler=bytes(30) + b"x"), "ZMTP-G-1"),
    (greeting(as_server=1), "ZMTP-G-13"),
    (greeting(mechanism=b"null"), "ZMTP-G-22"),
]
FIRST_FRAMES = [
    (WIRE.message(b"hello"), "ZMTP-N-1"),
    (WIRE.command("PING", ttl=0, context=b""), "ZMTP-N-1"),
    (command(b"\x05READY\x0bSocket-Type\0\0\0\x09DEAL"), "ZMTP-N-3"),
    (ready((b"Socket-Type", b"DEALER"), (b"a b", b"")), "ZMTP-N-4"),
    (ready((b"Socket-Type", b"Dealer")), "ZMTP-N-20"),
    (command(b"\x05ERROR\x09no"), "ZMTP-N-14"),
    (ready((b"X-Other", b"")), "ZMTP-N-7"),
]
LATER_FRAMES = [
    (b"\x08\x01x", "ZMTP-F-1"),
    (b"\x05\x02\x01x", "ZMTP-F-3"),
    (b"\x02" + b"\xff" * 8, "ZMTP-F-7"),
    (command(b""), "ZMTP-F-14"),
    (command(b"\x00x"), "ZMTP-F-14"),
    (command(b"\x09PING"), "ZMTP-F-14"),
    (ready((b"Socket-Type", b"DEALER"), (b"X-Again", b"")), "ZMTP-N-1"),
    (command(b"\x04PING\0"), "ZMTP-H-2"),
    (command(b"\x04PING\0\0" + bytes(17)), "ZMTP-H-4"),
    (command(b"\x04PONG" + bytes(17)), "ZMTP-H-4"),
    (WIRE.command("PONG", context=b"other"), "ZMTP-H-3"),
]


@pytest.mark.parametrize(("data", "rule"), GREETINGS)
@pytest.mark.parametrize("side", [CLIENT, BROKER])
def test_greetings(data: bytes, rule: str, side: bool) -> None:
    dialogue = Dialogue().bytes(CLIENT, data if side else GREETING).bytes(BROKER, GREETING if side else data)
    dialogue.bytes(CLIENT, READY).bytes(BROKER, WIRE.ready(b"ROUTER"))
    (violation,) = violations(judge(dialogue))
    assert (violation.party, violation.rule) == (Party.CLIENT if side else Party.BROKER, rule)
    assert (violation.packet, violation.offset) == (4 if side else 5, 0)


@pytest.mark.parametrize(("data", "rule"), FIRST_FRAMES)
def test_the_first_frame(data: bytes, rule: str) -> None:
    dialogue = Dialogue().bytes(CLIENT, GREETING).bytes(BROKER, GREETING).bytes(CLIENT, data)
    violation = next(found for found in violations(judge(dialogue)) if found.rule == rule)
    assert (violation.packet, violation.offset, violation.party) == (6, len(GREETING), Party.CLIENT)


@pytest.mark.parametrize(("data", "rule"), LATER_FRAMES)
def test_later_frames(data: bytes, rule: str) -> None:
    before = WIRE.message(b"before") + WIRE.message(b"", b"x" * 300)
    dialogue = opened().bytes(BROKER, WIRE.command("PING", ttl=0, context=b"asked"))
    dialogue.bytes(CLIENT, before).bytes(CLIENT, data).bytes(CLIENT, WIRE.message(b"after"))
    violation = next(found for found in violations(judge(dialogue)) if found.rule == rule)
    assert violation.packet == number_of(packets_in(dialogue), data)
    assert violation.offset == len(GREETING + READY + before)


@pytest.mark.parametrize("split", [True, False])
def test_nothing_follows_an_error_in_place_of_ready(split: bool) -> None:
    error = WIRE.command("ERROR", reason=b"no")
    dialogue = Dialogue().bytes(CLIENT, GREETING).bytes(BROKER, GREETING)
    if split:
        dialogue.bytes(CLIENT, error).bytes(CLIENT, READY)
    else:
        dialogue.bytes(CLIENT, error + READY)
    (violation,) = violations(judge(dialogue))
    assert (violation.rule, violation.offset) == ("ZMTP-N-1", len(GREETING + error))


def test_a_long_frame_for_a_short_body_is_a_warning_and_reported_once() -> None:
    data = WIRE.frame(b"x", long=True)
    (violation,) = violations(judge(opened().bytes(CLIENT, data * 3)))
    assert violation.rule == "ZMTP-F-5"


def test_pongs_that_answer() -> None:
    dialogue = opened()
    for context in (b"", b"a", b"b" * 16):
        dialogue.bytes(CLIENT, WIRE.command("PING", ttl=1, context=context))
        dialogue.bytes(BROKER, WIRE.command("PONG", context=context))
    assert rules(judge(dialogue)) == []


@pytest.mark.parametrize("body", [b"\x04PING\0", b"\x04PING\0\0" + bytes(17)])
def test_what_answers_a_malformed_ping_is_not_judged(body: bytes) -> None:
    dialogue = opened().bytes(CLIENT, command(body)).bytes(BROKER, WIRE.command("PONG", context=b"any"))
    assert ("broker", "ZMTP-H-3") not in rules(judge(dialogue))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (greeting(mechanism=b"CURVE"), "the client: encrypted, mechanism 'CURVE'"),
        (greeting(mechanism=b"PLAIN"), "the client: mechanism 'PLAIN'"),
        (greeting(version=(2, 1)), "the client: it speaks ZMTP 2.0"),
        (greeting(version=(1, 0)), "the client: it speaks ZMTP 2.0"),
        (greeting(version=(0, 0)), "the client: it speaks ZMTP 1.0"),
        (b"\x01\x00", "the client: it does not begin with a greeting of ZMTP"),
    ],
)
def test_connections_that_are_not_judged(data: bytes, reason: str) -> None:
    dialogue = Dialogue().bytes(CLIENT, data).bytes(BROKER, GREETING).bytes(CLIENT, bytes(100))
    (judged,) = judge(dialogue).connections
    assert judged.passed_over == reason
    assert judged.violations == []


def test_a_pair_of_other_socket_types_is_judged_by_zmtp_alone() -> None:
    dialogue = Dialogue().greet(types=(b"SUB", b"PUB")).bytes(BROKER, b"\x10\0")
    checked = judge_dialogues(dialogue)
    assert not checked.connections[0].is_zeps
    assert rules(checked) == [("broker", "ZMTP-F-1")]


def test_a_dealer_and_a_router_with_another_protocol_are_judged_by_zmtp_alone() -> None:
    checked = judge_dialogues(opened().frame(CLIENT, b"hello").frame(BROKER, b"", b"world"))
    assert not checked.connections[0].is_zeps
    assert rules(checked) == []


def test_the_side_that_connects_may_be_the_broker() -> None:
    dialogue = Dialogue().bytes(CLIENT, GREETING).bytes(BROKER, GREETING)
    dialogue.bytes(CLIENT, WIRE.ready(b"ROUTER")).bytes(BROKER, WIRE.ready(b"DEALER")).got(
        "ATTACH", stream="s"
    )
    dialogue.sent("PING-OK")
    assert rules(judge_dialogues(dialogue)) == [("broker", "ZEPS-PING-3")]
