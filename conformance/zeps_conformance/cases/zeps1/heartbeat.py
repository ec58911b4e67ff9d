"""Heartbeats: PING and PING-OK, and sessions that become silent."""

from __future__ import annotations

import time
from collections.abc import Callable

from zeps_conformance.broker.session import NEW, PLENTY, Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.silence import mute, patience_for_silence, say, too_patient
from zeps_conformance.common.case import Needs
from zeps_conformance.common.verdicts import LostError
from zeps_conformance.model.interpreter import render

PACE = 2 * 65_536  # bytes per second: twice the minimum rate
BODY_MAX = 16_777_216


@case("PING gets PING-OK", "ZEPS-PING-1")
def answered(t: BrokerTrial) -> None:
    a = t.session("A")
    t.step("A sends PING and receives PING-OK, once.")
    a.barrier()
    a.quiet("one PING, one PING-OK", "ZEPS-PING-1")
    t.step("A sends 20 PINGs in one write: it receives 20 PING-OK.")
    a.send_together([t.codec.encode("PING")] * 20)
    for _ in range(20):
        a.expect("PING-OK", "ZEPS-PING-1")
    a.quiet("20 PINGs, 20 PING-OKs", "ZEPS-PING-1")


@case("PING-OK follows after the published messages have their sequences", "ZEPS-PING-12")
def in_order(t: BrokerTrial) -> None:
    a, b = t.session("A"), t.connect("B")
    for round_number in range(5):
        t.step("A publishes 40 messages and sends PING, in one write; it receives PING-OK.")
        messages = t.messages(40)
        frames = [t.codec.encode("PUBLISH", key=key, body=body) for key, body in messages]
        a.send_together([*frames, t.codec.encode("PING")])
        a.expect("PING-OK", "ZEPS-PING-12")
        t.step(
            "B subscribes to new messages and receives none of the 40; it subscribes behind the 30th of them "
            "and receives the last ten."
        )
        b.read("", NEW)
        b.quiet("the published messages have their sequences", "ZEPS-PING-12")
        b.read("", 40 * round_number + 30)
        b.expect_items(t.items(messages, first=40 * round_number + 1)[30:], "ZEPS-PING-12")


@case("Commands of one session are served in order", "ZEPS-PING-3")
def served_in_order(t: BrokerTrial) -> None:
    encode = t.codec.encode
    t.step("A sends ATTACH, PUBLISH, PING, SUBSCRIBE, PING, PUBLISH, PING in one write, with credit between.")
    a = t.connect("A")
    a.send_together(
        [
            encode("ATTACH", stream=t.stream),
            encode("PUBLISH", key="one", body=b"1"),
            encode("PING"),
            encode("SUBSCRIBE", pattern="", latest=NEW),
            encode("CREDIT", credit=PLENTY),
            encode("PING"),
            encode("PUBLISH", key="two", body=b"2"),
            encode("PING"),
        ]
    )
    t.step("The answers arrive in that order; the subscription delivers the second message only.")
    for name in ("ATTACH-OK", "PING-OK", "SUBSCRIBE-OK", "PING-OK"):
        a.expect(name, "ZEPS-PING-3")
    names = sorted(a.expect_any("DELIVER", "PING-OK").name for _ in range(2))
    t.check(
        names == ["DELIVER", "PING-OK"], "one message and one PING-OK", " and ".join(names), "ZEPS-PING-3"
    )
    a.quiet("one message was published after the subscription", "ZEPS-SUBSCRIBE-4")


@case("PING-OK in an open session has no answer", "ZEPS-PING-OK-1")
def pong_unasked(t: BrokerTrial) -> None:
    a = t.reader("A")
    t.step("A sends unsolicited PING-OK five times: it receives nothing, and the session stays open.")
    a.send_together([t.codec.encode("PING-OK")] * 5)
    a.quiet("PING-OK has no answer", "ZEPS-PING-OK-1")
    t.step("Subscription and credit have not changed.")
    a.publish("k", b"v")
    a.expect("DELIVER", "ZEPS-PING-OK-1", sequence=1, key="k", body=b"v")


@case("The broker ends a session that is silent for longer than its timeout", "ZEPS-PING-6", needs=Needs.TIME)
def forgets_the_silent(t: BrokerTrial) -> None:
    limit = patience_for_silence(t)
    t.step("A subscribes to a stream with plenty of credit and then sends nothing, not even PING-OK.")
    publisher = t.session("publisher")
    a = mute(t, "A", "tick")
    began = time.monotonic()
    t.step("The publisher continues; as long as the session exists, A receives.")
    _until_forgotten(t, a, publisher, limit, lambda: None)
    took = time.monotonic() - began
    if t.options.client_timeout is not None:
        right = took >= 0.8 * t.options.client_timeout
        t.check(
            right,
            f"not before {t.options.client_timeout:g} s of silence",
            f"after {took:.1f} s",
            "ZEPS-PING-6",
        )
    t.step(
        "A sends again: its session has ended, PING gets INVALID; it attaches again and has no subscription."
    )
    if a.left:
        return
    a.expect_no_session("ZEPS-PING-6")
    a.attach()
    publisher.store([("tick", b"later")])
    a.quiet("its subscription ended with the old session", "ZEPS-PING-6")


@case("Any valid command is a sign of life", "ZEPS-PING-7", needs=Needs.TIME)
def signs_of_life(t: BrokerTrial) -> None:
    limit = patience_for_silence(t)
    t.step(
        "Five sessions each send one kind of command now and then: PING, PING-OK, CREDIT, SUBSCRIBE, PUBLISH."
    )
    talkers = {name: mute(t, name, "mark") for name in ("PING", "PING-OK", "CREDIT", "SUBSCRIBE", "PUBLISH")}
    t.step("A sixth session then sends nothing; its end shows how long the broker waits.")
    publisher = t.session("publisher")
    silent = mute(t, "A", "tick")
    period = 1.0 if t.options.client_timeout is None else t.options.client_timeout / 4
    spoke = 0.0

    def speak() -> None:
        nonlocal spoke
        if time.monotonic() - spoke >= period:
            spoke = time.monotonic()
            for name, talker in talkers.items():
                say(t, name, talker)

    _until_forgotten(t, silent, publisher, limit, speak)
    t.step("The five are still served: they receive, and PING gets PING-OK.")
    speak()
    publisher.publish("mark", b"still attached")
    for name, talker in talkers.items():
        message = talker.expect("DELIVER", "ZEPS-PING-7", key="mark", body=b"still attached")
        t.observe(f"the session that only sends {name} is served", render(message))
        talker.barrier()


@case(
    "A PUBLISH that is under way counts as a sign of life",
    "ZEPS-PING-15",
    "ZEPS-PING-17",
    needs=Needs.TIME,
    retains=17 << 20,
)
def slow_message(t: BrokerTrial) -> None:
    limit = patience_for_silence(t)
    stream = t.new_stream()
    size = min(int(PACE * (limit * t.options.pace + 1)), BODY_MAX)
    t.step(
        f"A sender publishes a body of {size:,} bytes at {PACE:,} bytes per second, and sends nothing else."
    )
    sender = t.session("sender", stream)
    sender.answers_pings = False
    data = sender.begin(t.codec.encode("PUBLISH", key="slow", body=bytes(size)))
    began, sent = time.monotonic(), 0

    def go_on() -> None:
        nonlocal sent
        due = min(int(PACE * (time.monotonic() - began)), len(data))
        sender.send_piece(data[sent:due])
        sent = due

    t.step("Another session, A, sends nothing; its end shows how long the broker waits.")
    publisher = t.session("publisher")
    _until_forgotten(t, mute(t, "A", "tick"), publisher, limit, go_on)
    t.step("The rest of the message arrives: the sender's session is still open, and the message is stored.")
    sender.send_piece(data[sent:])
    sender.barrier("ZEPS-PING-15")
    reader = t.reader("reader", stream=stream)
    reader.expect("DELIVER", "ZEPS-PING-15", sequence=1, key="slow", body=bytes(size))


@case("The broker sends PING to a silent session before it ends it", "ZEPS-PING-9", needs=Needs.TIME)
def asks_the_silent(t: BrokerTrial) -> None:
    limit = patience_for_silence(t)
    t.step("A subscribes to a stream and then sends nothing; B sends nothing except PING-OK, as an answer.")
    publisher = t.session("publisher")
    silent = mute(t, "A", "tick")
    answering = t.reader("B", "mark", NEW)
    answering.only_answers = True
    _until_forgotten(t, silent, publisher, limit, answering.absorb)
    t.step("Before A's session ended, A received PING.")
    t.check(silent.pinged > 0, "PING, before the session ends", f"{silent.pinged} PINGs", "ZEPS-PING-9")
    t.step("B, which received PING too and has answered, is still served.")
    t.check(answering.pinged > 0, "PING for B", f"{answering.pinged} PINGs", "ZEPS-PING-9")
    publisher.publish("mark", b"still attached")
    answering.expect("DELIVER", "ZEPS-PING-7", key="mark", body=b"still attached")


def _until_forgotten(
    t: BrokerTrial, silent: Session, publisher: Session, limit: float, meanwhile: Callable[[], None]
) -> None:
    """Publishes, and calls `meanwhile` between, until `silent` no longer receives or its connection ends (then it is
    `left`). After `limit` seconds, multiplied by the run's pace, raises FailureError if the broker's timeout is known,
    and OutOfTimeError otherwise.
    """
    began = time.monotonic()
    pause, lag = min(0.25, limit / 20), min(1.0, limit / 6) * t.options.pace
    limit *= t.options.pace
    count = 0
    while True:
        count += 1
        publisher.store([("tick", b"%d" % count)])
        missing = time.monotonic() + lag
        try:
            while (message := silent.next(pause)) is None and time.monotonic() < missing:
                meanwhile()
        except LostError:
            silent.leave()
            return
        waited = time.monotonic() - began
        if message is None or message.name in ("INVALID", "DETACH"):
            silent.forgotten()
            t.observe("the silent session has ended", f"after {waited:.1f} s")
            return
        if waited > limit:
            if t.options.client_timeout is None:
                raise too_patient(waited)
            seen = f"still served after {waited:.1f} s"
            t.check(False, f"a silent session ends within {limit:.1f} s", seen, "ZEPS-PING-6")
        meanwhile()
        time.sleep(pause)
