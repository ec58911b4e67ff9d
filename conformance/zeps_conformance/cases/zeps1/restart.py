"""Stops and crashes of the broker. These cases need a broker that the suite starts, and run alone."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial

from zeps_conformance.broker.session import ALL, NEW, Item, Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import BROKER_ONLY, OWN_CAUSES, sample
from zeps_conformance.common.case import RETAINS, Needs
from zeps_conformance.common.verdicts import LostError

__all__ = ["controlled", "crash", "restart", "stop"]

SILENCE_MARGIN = 1.2  # seconds beyond the timeout after which a session has ended
STOP_PATIENCE = 40.0  # seconds for an orderly stop


Body = Callable[[BrokerTrial], None]


def controlled(
    title: str, *rules: str, limit: float = 90.0, retains: int = RETAINS
) -> Callable[[Body], Body]:
    """Registers a case that stops the broker; it is unsupported if the suite did not start the broker."""

    def register(function: Body) -> Body:
        @functools.wraps(function)
        def body(t: BrokerTrial) -> None:
            t.control()
            function(t)

        return case(title, *rules, needs=Needs.CONTROL, limit=limit, retains=retains)(body)

    return register


def stop(t: BrokerTrial) -> None:
    """Closes all connections, and asks the broker to stop. Raises FailureError if it does not stop within 40 s."""
    _leave_all(t)
    t.control().ask_to_stop()
    _await_exit(t)


def restart(t: BrokerTrial) -> None:
    """As :meth:`stop`, and starts the broker again."""
    stop(t)
    t.control().start()


def crash(t: BrokerTrial) -> None:
    """Kills the broker, closes all connections, and starts it again."""
    t.control().kill()
    _leave_all(t)
    t.control().start()


@contextmanager
def _stopping(t: BrokerTrial, *sessions: Session, cleanly: bool = False) -> Iterator[None]:
    """Signals the broker to stop; `sessions` receive DETACH. At the end the broker must have stopped, if `cleanly` with
    exit status 0. Then closes all connections, kills the broker if it still runs, and starts it again.
    """
    control = t.control()
    control.ask_to_stop()
    try:
        for session in sessions:
            session.expect("DETACH", "ZEPS-DETACH-4")
        yield
        code = _await_exit(t, "ZEPS-DETACH-4")
        t.check(code == 0 or not cleanly, "the broker exits 0", f"exit {code}", "ZEPS-DETACH-4")
    finally:
        _leave_all(t)
        if control.wait_stopped(0) is None:
            control.kill()
        control.start()


def _refused(session: Session, send: Callable[[], None], rule: str) -> None:
    """Sends a command without a session to a stopping broker, which refuses it or has closed the connection."""
    try:
        send()
        session.expect_invalid(rule, "a command without a session", "no-session")
    except LostError as error:
        session.trial.observe(f"{session.name} does not have a session", error.seen)


def _attach_late(session: Session) -> None:
    """Attaches to a stopping broker, which grants it, or refuses it for a cause of its own."""
    session.send("ATTACH", stream=session.stream)
    answer = session.expect_any("ATTACH-OK", "INVALID")
    if answer.name == "ATTACH-OK":
        session.send("DETACH-OK")
        return
    code = str(answer["reason"]).split(" ")[0]
    expected = f"{session.name} receives INVALID {' or '.join(OWN_CAUSES)}"
    session.trial.check(code in OWN_CAUSES, expected, f"INVALID {code}", "ZEPS-ATTACH-6")
    _refused(session, partial(session.send, "PING"), "ZEPS-SESSION-1")


def _wait(t: BrokerTrial, until: float) -> None:
    """Waits until a monotonic time; the sessions that answer remain alive, unless the broker has stopped."""
    while time.monotonic() < until:
        with suppress(LostError):
            t.keep_alive()
        time.sleep(0.1)


def _await_exit(t: BrokerTrial, rule: str | None = None) -> int | None:
    """Returns the broker's exit status. Raises FailureError under `rule` if it does not stop within 40 s."""
    code = t.control().wait_stopped(STOP_PATIENCE)
    seen = f"exit {code}" if code is not None else f"it still runs after {STOP_PATIENCE:g} s"
    t.check(code is not None, "the broker stops", seen, rule)
    return code


def _leave_all(t: BrokerTrial) -> None:
    for session in t.sessions:
        session.leave()


@controlled("Sequences survive an orderly stop", "ZEPS-SEQUENCE-3", "ZEPS-SEQUENCE-2")
def after_stop(t: BrokerTrial) -> None:
    t.step("A publishes ten messages and reads them; the broker is stopped and started again.")
    items = t.fill(t.messages(10))
    reader = t.reader("A")
    reader.expect_items(items)
    reader.detach()
    restart(t)
    t.step("B reads the same ten messages, and publishes the eleventh.")
    b = t.reader("B")
    b.expect_items(items, "ZEPS-SEQUENCE-3")
    b.publish("eleventh", b"11")
    b.expect_items([Item(11, "eleventh", b"11")], "ZEPS-SEQUENCE-2")


@controlled("Sequences survive a crash", "ZEPS-SEQUENCE-3", "ZEPS-SEQUENCE-4", limit=120.0)
def after_kill(t: BrokerTrial) -> None:
    known: list[Item] = []
    for round_number in range(3):
        t.step(
            "A subscribes to the stream; B publishes 200 messages without waiting; after A has received "
            "some, the broker is killed."
        )
        a, b = t.reader("A", "", NEW), t.session("B")
        b.publish_many([(f"round{round_number}", b"%d" % index) for index in range(200)])
        known += [_item(a) for _ in range(t.rng.randrange(1, 60))]
        crash(t)
        t.step(
            "After the restart, every message that A received is stored, under the same sequences, without "
            "gaps."
        )
        known = _read_all(t, f"C{round_number}", known)


@controlled(
    "Messages published before a PING survive a crash after PING-OK",
    "ZEPS-PING-10",
    limit=120.0,
    retains=1 << 16,
)
def confirmed_survives_kill(t: BrokerTrial) -> None:
    messages: list[tuple[str, bytes]] = []
    for count in (1, 40, 700):
        t.step(
            f"A publishes {count} messages and sends PING; after PING-OK has arrived, the broker is killed."
        )
        a = t.session("A")
        burst = t.messages(count, (f"of{count}",))
        messages += burst
        a.store(burst)
        crash(t)
        t.step("After the restart, B reads every message that was published until now.")
        b = t.reader("B")
        b.expect_items(t.items(messages), "ZEPS-PING-10")
        b.leave()


@controlled("A broker that stops detaches its sessions first", "ZEPS-DETACH-4")
def stop_detaches(t: BrokerTrial) -> None:
    t.step("A and B have open sessions when the broker receives the signal to stop.")
    a, b = t.reader("A"), t.session("B")
    t.step("Both receive DETACH; A answers with DETACH-OK, B with a DETACH of its own, which gets DETACH-OK.")
    with _stopping(t, a, b, cleanly=True):
        b.send("DETACH")
        b.expect("DETACH-OK", "ZEPS-DETACH-1")
        a.send("DETACH-OK")
        t.step("Then the broker stops.")


@controlled(
    "Messages that a client published before it received the broker's DETACH are stored",
    "ZEPS-DETACH-5",
)
def published_before_detach(t: BrokerTrial) -> None:
    messages = t.messages(40)
    t.step("A publishes twenty messages; the broker receives the signal to stop; A publishes ten more.")
    a = t.session("A")
    a.store(messages[:20])
    with _stopping(t):
        a.publish_many(messages[20:30])
        t.step(
            "A receives DETACH, publishes ten more, for the broker still under way, and answers DETACH-OK."
        )
        a.expect("DETACH", "ZEPS-DETACH-4")
        a.publish_many(messages[30:])
        a.send("DETACH-OK")
    t.step("After the restart, the broker has all forty messages.")
    t.reader("B").expect_items(t.items(messages), "ZEPS-DETACH-5")


@controlled(
    "A broker that has sent DETACH serves only PUBLISH and DETACH",
    "ZEPS-DETACH-5",
    "ZEPS-DETACH-1",
)
def stopping_ignores(t: BrokerTrial) -> None:
    messages = t.messages(6)
    commands = ("ATTACH", "SUBSCRIBE", "CREDIT", "PING", "PING-OK")
    t.step("A has published a message when the broker receives the signal to stop; A receives DETACH.")
    a = t.session("A")
    a.store(messages[:1])
    with _stopping(t, a):
        for name, message in zip(commands, messages[1:], strict=True):
            t.step(f"A sends {name}, as if it was under way, and publishes a message.")
            a.send_frame(sample(t, name))
            a.publish_many([message])
        t.step("A sends DETACH: the only answer to all of this is DETACH-OK.")
        a.send("DETACH")
        a.expect("DETACH-OK", "ZEPS-DETACH-1")
    t.step("After the restart, the broker has all messages in order.")
    t.reader("B").expect_items(t.items(messages), "ZEPS-DETACH-5")


@controlled(
    "A command that only a broker sends does not end a session whose broker has sent DETACH",
    "ZEPS-DETACH-5",
    "ZEPS-DETACH-1",
    "ZEPS-INVALID-5",
)
def stopping_broker_commands(t: BrokerTrial) -> None:
    t.step("Sessions are open when the broker receives the signal to stop; each receives DETACH.")
    keeper = t.session("keeper")
    sessions = {name: t.session(name, t.new_stream(name)) for name in BROKER_ONLY}
    with _stopping(t, keeper, *sessions.values()):
        for name, session in sessions.items():
            t.step(
                f"One sends {name}, PING, PUBLISH and DETACH: the answer is DETACH-OK, perhaps after one INVALID "
                "unexpected."
            )
            session.send_frame(sample(t, name))
            session.send("PING")
            session.publish("after", name.encode())
            session.send("DETACH")
            answer = session.expect_any("INVALID", "DETACH-OK")
            if answer.name == "INVALID":
                code = str(answer["reason"]).split(" ")[0]
                t.check(code == "unexpected", "INVALID unexpected", f"INVALID {code}", "ZEPS-INVALID-5")
                session.expect("DETACH-OK", "ZEPS-DETACH-1")
        keeper.send("DETACH-OK")
    t.step("After the restart, the broker has what each has published.")
    for name, session in sessions.items():
        reader = t.reader(f"{name} reader", stream=session.stream)
        reader.expect_items([Item(1, "after", name.encode())], "ZEPS-DETACH-5")


@controlled(
    "A session that is silent ends after its timeout, also if its broker has sent DETACH",
    "ZEPS-PING-6",
    "ZEPS-SESSION-1",
)
def stopping_expires(t: BrokerTrial) -> None:
    limit = t.options.client_timeout
    if limit is None or not 2 < limit <= t.options.patience:
        t.unsupported(f"needs a timeout of over 2 s that is known, and at most {t.options.patience:g} s")
    t.allow(2 * limit)
    a, b = t.session("A"), t.session("B")
    a.answers_pings = False
    began = time.monotonic()
    t.step(
        "A is silent for almost the timeout when the broker receives the signal to stop; A and B get DETACH."
    )
    _wait(t, began + limit - 1)
    with _stopping(t, a, b):
        t.step("A is silent for longer than the timeout. It has no session then, or the broker has stopped.")
        _wait(t, began + limit + SILENCE_MARGIN * t.options.pace)
        a.forgotten()
        late = [t.codec.encode("PUBLISH", key="late", body=b""), t.codec.encode("PING")]
        _refused(a, partial(a.send_together, late), "ZEPS-PING-6")
        _refused(a, lambda: None, "ZEPS-SESSION-1")
        with suppress(LostError):  # the broker may have stopped
            b.send("DETACH-OK")
    t.step("After the restart, the stream is empty.")
    t.reader("C").quiet("what was published without a session is not stored", "ZEPS-SESSION-1")


@controlled(
    "Bad input ends a session whose broker has sent DETACH",
    "ZEPS-INVALID-1",
    "ZEPS-INVALID-2",
    "ZEPS-INVALID-3",
)
def stopping_bad_input(t: BrokerTrial) -> None:
    messages = t.messages(3)
    t.step(
        "A and B have sessions, of which B's keeps the broker running, when it receives the signal to stop."
    )
    a, b = t.session("A"), t.session("B")
    a.store(messages[:1])
    with _stopping(t, a, b):
        t.step(
            "A publishes, sends an invalid frame, and publishes again: INVALID twice, or the connection closes."
        )
        a.publish_many(messages[1:2])
        a.send_frame(b"\xaa\xa5\xff")
        a.expect_invalid("ZEPS-INVALID-1", "an unknown command", "unknown-command")
        _refused(a, lambda: a.publish_many(messages[2:]), "ZEPS-INVALID-2")
        b.send("DETACH")
        b.expect("DETACH-OK", "ZEPS-DETACH-1")
    t.step("After the restart, the broker has what A published before the invalid frame, and nothing else.")
    reader = t.reader("C")
    reader.expect_items(t.items(messages[:2]), "ZEPS-INVALID-3")
    reader.quiet("the session had ended", "ZEPS-INVALID-2")


@controlled(
    "A session that a stopping broker has detached serves no further command",
    "ZEPS-DETACH-2",
    "ZEPS-SESSION-1",
    "ZEPS-ATTACH-6",
)
def stopping_closed(t: BrokerTrial) -> None:
    t.step(
        "A, B and C have sessions, of which C's keeps the broker running, when it receives the signal to stop."
    )
    a, b, c = t.session("A"), t.session("B"), t.session("C")
    late = t.connect("late")
    with _stopping(t, a, b, c, cleanly=True):
        t.step("A sends DETACH-OK and B sends DETACH, which gets DETACH-OK: both have no session after it.")
        a.send("DETACH-OK")
        b.send("DETACH")
        b.expect("DETACH-OK", "ZEPS-DETACH-1")
        for session in (a, b):
            _refused(session, partial(session.send, "PING"), "ZEPS-SESSION-1")
            _refused(session, partial(session.publish, "late", b""), "ZEPS-DETACH-2")
        t.step(
            "A connection without a session attaches: INVALID with a code for a cause of the broker, or granted."
        )
        _attach_late(late)
        t.step("C sends DETACH, which gets DETACH-OK, and the broker stops.")
        c.send("DETACH")
        c.expect("DETACH-OK", "ZEPS-DETACH-1")
        late.leave()
    t.step("After the restart, the stream is empty.")
    t.reader("D").quiet("what was published without a session is not stored", "ZEPS-SESSION-1")


def _item(session: Session) -> Item:
    message = session.expect("DELIVER", "ZEPS-GEAR-1")
    sequence, key, body = message["sequence"], message["key"], message["body"]
    assert isinstance(sequence, int)
    assert isinstance(key, str)
    assert isinstance(body, bytes)
    return Item(sequence, key, body)


def _read_all(t: BrokerTrial, name: str, known: list[Item]) -> list[Item]:
    """Returns the whole stream after a crash; checks that it has no gaps, and contains `known` unchanged."""
    marker = t.session(f"{name}-marker")
    marker.store([("marker", name.encode())])
    reader = t.reader(name, "", ALL)
    items: list[Item] = []
    while not items or (items[-1].key, items[-1].body) != ("marker", name.encode()):
        items.append(_item(reader))
        right = items[-1].sequence == len(items)
        t.check(right, f"sequence {len(items)}", f"sequence {items[-1].sequence}", "ZEPS-SEQUENCE-2")
    lost = [item for item in known if item.sequence > len(items) or items[item.sequence - 1] != item]
    seen = f"{len(lost)} are missing or different" if lost else "they are"
    t.check(not lost, f"the {len(known)} delivered messages are stored unchanged", seen, "ZEPS-SEQUENCE-4")
    return items
