"""Stops and crashes of the broker. These cases need a broker that the suite starts, and run alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from zeps_conformance.broker.options import Control
from zeps_conformance.broker.session import ALL, NEW, Item, Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.common.case import Needs

STOP_PATIENCE = 40.0  # seconds for an orderly stop


def stop(t: BrokerTrial, control: Control) -> None:
    """Closes all connections, and asks the broker to stop. Raises FailureError if it does not stop within 40 s."""
    _leave_all(t)
    control.ask_to_stop()
    _await_exit(t, control)


def _crash(t: BrokerTrial, control: Control) -> None:
    """Kills the broker, and closes all connections."""
    control.kill()
    _leave_all(t)


@contextmanager
def _stopping(t: BrokerTrial, control: Control) -> Iterator[None]:
    """Signals the broker to stop; at the end closes all connections, kills it if it still runs, and starts it again."""
    control.ask_to_stop()
    try:
        yield
    finally:
        _leave_all(t)
        if control.wait_stopped(0) is None:
            control.kill()
        control.start()


def _await_exit(t: BrokerTrial, control: Control, rule: str | None = None) -> int | None:
    """Returns the broker's exit status. Raises FailureError under `rule` if it does not stop within 40 s."""
    code = control.wait_stopped(STOP_PATIENCE)
    seen = f"exit {code}" if code is not None else f"it still runs after {STOP_PATIENCE:g} s"
    t.check(code is not None, "the broker stops", seen, rule)
    return code


def _leave_all(t: BrokerTrial) -> None:
    for session in t.sessions:
        session.leave()


@case("Sequences survive an orderly stop", "ZEPS-SEQUENCE-3", "ZEPS-SEQUENCE-2", needs=Needs.CONTROL)
def after_stop(t: BrokerTrial) -> None:
    control = t.control()
    t.allow(60)
    t.step("A publishes ten messages and reads them; the broker is stopped and started again.")
    items = t.fill(t.messages(10))
    reader = t.reader("A")
    reader.expect_items(items)
    reader.detach()
    stop(t, control)
    control.start()
    t.step("B reads the same ten messages, and publishes the eleventh.")
    b = t.reader("B")
    b.expect_items(items, "ZEPS-SEQUENCE-3")
    b.publish("eleventh", b"11")
    b.expect_items([Item(11, "eleventh", b"11")], "ZEPS-SEQUENCE-2")


@case("Sequences survive a crash", "ZEPS-SEQUENCE-3", "ZEPS-SEQUENCE-4", needs=Needs.CONTROL)
def after_kill(t: BrokerTrial) -> None:
    control = t.control()
    t.allow(90)
    known: list[Item] = []
    for round_number in range(3):
        t.step(
            "A subscribes to the stream; B publishes 200 messages without waiting; after A has received "
            "some, the broker is killed."
        )
        a, b = t.reader("A", "", NEW), t.session("B")
        b.publish_many([(f"round{round_number}", b"%d" % index) for index in range(200)])
        known += [_item(a) for _ in range(t.rng.randrange(1, 60))]
        _crash(t, control)
        t.step(
            "After the restart, every message that A received is stored, under the same sequences, without "
            "gaps."
        )
        control.start()
        known = _read_all(t, f"C{round_number}", known)


@case("Messages published before a PING survive a crash after PING-OK", "ZEPS-PING-10", needs=Needs.CONTROL)
def confirmed_survives_kill(t: BrokerTrial) -> None:
    control = t.control()
    t.allow(90)
    messages: list[tuple[str, bytes]] = []
    for count in (1, 40, 700):
        t.step(
            f"A publishes {count} messages and sends PING; after PING-OK has arrived, the broker is killed."
        )
        a = t.session("A")
        burst = t.messages(count, (f"of{count}",))
        messages += burst
        a.store(burst)
        _crash(t, control)
        t.step("After the restart, B reads every message that was published until now.")
        control.start()
        b = t.reader("B")
        b.expect_items(t.items(messages), "ZEPS-PING-10")
        b.leave()


@case("A broker that stops detaches its sessions first", "ZEPS-DETACH-4", needs=Needs.CONTROL)
def stop_detaches(t: BrokerTrial) -> None:
    control = t.control()
    t.allow(60)
    t.step("A and B have open sessions when the broker receives the signal to stop.")
    a, b = t.reader("A"), t.session("B")
    with _stopping(t, control):
        t.step(
            "Both receive DETACH; A answers with DETACH-OK, B with a DETACH of its own, which gets DETACH-OK."
        )
        a.expect("DETACH", "ZEPS-DETACH-4")
        b.expect("DETACH", "ZEPS-DETACH-4")
        b.send("DETACH")
        b.expect("DETACH-OK", "ZEPS-DETACH-1")
        a.send("DETACH-OK")
        t.step("Then the broker stops.")
        code = _await_exit(t, control, "ZEPS-DETACH-4")
        t.check(code == 0, "the broker exits 0", f"exit {code}", "ZEPS-DETACH-4")


@case(
    "Messages that a client published before it received the broker's DETACH are stored",
    "ZEPS-DETACH-5",
    needs=Needs.CONTROL,
)
def published_before_detach(t: BrokerTrial) -> None:
    control = t.control()
    t.allow(60)
    messages = t.messages(40)
    t.step("A publishes twenty messages; the broker receives the signal to stop; A publishes ten more.")
    a = t.session("A")
    a.store(messages[:20])
    with _stopping(t, control):
        a.publish_many(messages[20:30])
        t.step(
            "A receives DETACH, publishes ten more, for the broker still under way, and answers DETACH-OK."
        )
        a.expect("DETACH", "ZEPS-DETACH-4")
        a.publish_many(messages[30:])
        a.send("DETACH-OK")
        _await_exit(t, control, "ZEPS-DETACH-4")
    t.step("After the restart, the broker has all forty messages.")
    t.reader("B").expect_items(t.items(messages), "ZEPS-DETACH-5")


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
    marker.publish("marker", name.encode())
    marker.barrier()
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
