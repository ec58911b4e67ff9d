"""Gaps: messages lost before delivery are announced by their first and last sequence."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.broker.reason import Reason
from zeps_conformance.broker.session import ALL, NEW, PLENTY, Item, Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import NEGATIVE
from zeps_conformance.cases.zeps1.restart import controlled, stop
from zeps_conformance.common.verdicts import OutOfTimeError
from zeps_conformance.model.interpreter import render

KEYS = ("a", "b")  # in turn; the first message of a stream has key a
BATCH = 16  # messages; a stream with small retention keeps about four times as many
BATCHES = 32


class Brief:
    """A new stream with small retention, and its publisher; `end` is the last message's sequence. It extends the case's
    time limit by a minute. Raises UnsupportedError if the run does not name such streams.
    """

    def __init__(self, t: BrokerTrial) -> None:
        self.trial = t
        self.name = t.brief_stream()
        t.allow(60)
        self.size = max(t.options.streams.brief_octets // (4 * BATCH), 64)
        self.publisher = t.session("P", self.name)
        self.end = 0

    @property
    def cost(self) -> int:
        """Returns the bytes of credit that one message costs."""
        return self.trial.cost(KEYS[0], self.body(1))

    def body(self, sequence: int) -> bytes:
        return (b"%d:" % sequence).ljust(self.size, b".")

    def item(self, sequence: int) -> Item:
        return Item(sequence, KEYS[(sequence - 1) % 2], self.body(sequence))

    def publish(self, count: int) -> None:
        """Publishes `count` more messages, and waits until they are stored."""
        items = [self.item(self.end + number) for number in range(1, count + 1)]
        self.publisher.publish_many([(item.key, item.body) for item in items])
        self.publisher.barrier()
        self.end += count

    def oldest(self) -> int:
        """Returns the oldest retained sequence: the first that a new session, subscribed to everything, receives."""
        reader = self.trial.session("probe", self.name)
        reader.may_lose = True
        reader.subscribe("", ALL)
        reader.grant(self.cost)
        sequence, _ = self.first(reader)
        reader.detach()
        reader.leave()
        return sequence

    def first(self, session: Session) -> tuple[int, list[Reason]]:
        """Returns the next sequence that `session` receives, and the gaps that are announced before it, in order."""
        notices: list[Reason] = []
        while True:
            message, reason = session.expect_message_or_notice("a message", "ZEPS-SUBSCRIBE-2")
            if reason is None:
                break
            notices.append(reason)
        sequence = int(message["sequence"])
        right = tuple(message.values.values()) == tuple(self.item(sequence))
        self.trial.check(
            right, f"sequence {sequence} with its published content", render(message), "ZEPS-DELIVER-2"
        )
        return sequence, notices

    def outgrow(self, least: int) -> int:
        """Publishes until no sequence before `least` is retained; returns the oldest retained sequence. Raises
        OutOfTimeError if that takes more than 512 messages.
        """
        for _ in range(BATCHES):
            self.publish(BATCH)
            if (oldest := self.oldest()) >= least:
                return oldest
        raise OutOfTimeError(f"sequence {least - 1} is still retained, {BATCHES * BATCH} messages later")


def _read_on(
    session: Session,
    first: int,
    item_of: Callable[[int], Item],
    code: str,
    rule: str,
    *,
    count: int = 0,
    last: int = 0,
) -> list[tuple[int, int]]:
    """Reads from sequence `first` on, until `count` messages arrived and all up to `last` arrived or were announced as
    gaps. Returns the gaps. Raises FailureError under `rule` if one has another code than `code`, or does not begin at
    the next sequence.
    """
    t, at, delivered, gaps = session.trial, first, 0, []
    while delivered < count or at <= last:
        message, reason = session.expect_message_or_notice(f"sequence {at}, or its announcement", rule)
        if reason is None:
            right = tuple(message.values.values()) == tuple(item_of(at))
            t.check(right, f"sequence {at} with its published content", render(message), rule)
            at, delivered = at + 1, delivered + 1
        else:
            t.check(reason.code == code, f"an announcement with the code {code}", reason.code, rule)
            t.check(reason.first == at, f"an announcement from {at} on", f"from {reason.first} on", rule)
            t.observe(
                f"{session.name} receives the announcement of the gap", f"{reason.first} to {reason.last}"
            )
            gaps.append((reason.first, reason.last))
            at = reason.last + 1
    return gaps


@case(
    "Messages that retention removes before delivery are announced, and delivery continues behind them",
    "ZEPS-RETAIN-1",
    "ZEPS-GAP-1",
    "ZEPS-GAP-3",
    "ZEPS-GAP-4",
)
def retention_announced(t: BrokerTrial) -> None:
    brief = Brief(t)
    t.step(
        "P publishes six messages to a stream with small retention. A and B subscribe to everything; A has "
        "credit for three messages less one byte, B has no credit."
    )
    brief.publish(6)
    a, b = t.session("A", brief.name), t.session("B", brief.name)
    a.subscribe("", ALL)
    b.subscribe("", ALL)
    a.may_lose = b.may_lose = True
    a.grant(3 * brief.cost - 1)
    a.expect_items([brief.item(1), brief.item(2)])
    t.step("P publishes until the six messages have been removed.")
    brief.outgrow(7)
    t.step(
        "A and B are granted the missing credit for three messages. First the gap is announced, to A from "
        "3 on, to B from 1 on; then three messages arrive, for which the credit suffices exactly."
    )
    for session, first, credit in ((a, 3, 2 * brief.cost + 1), (b, 1, 3 * brief.cost)):
        session.grant(credit)
        gaps = _read_on(session, first, brief.item, "retention", "ZEPS-RETAIN-1", count=3)
        seen = f"up to {gaps[-1][1]}" if gaps else "none"
        t.check(
            bool(gaps) and gaps[-1][1] >= 6,
            "the announcement of a gap up to 6 at least",
            seen,
            "ZEPS-RETAIN-1",
        )
        session.quiet("the credit is used up", "ZEPS-GAP-3")


@case(
    "Past messages that a subscription adds and retention removes are announced",
    "ZEPS-RETAIN-1",
    "ZEPS-SUBSCRIBE-12",
)
def retention_of_what_is_added(t: BrokerTrial) -> None:
    brief = Brief(t)
    t.step(
        "P publishes a and b in turn, six messages. A reads all of b, and subscribes to a, without credit."
    )
    brief.publish(6)
    a = t.reader("A", "b", ALL, brief.name, credit=3 * brief.cost)
    a.expect_items([brief.item(2), brief.item(4), brief.item(6)])
    a.subscribe("a", ALL)
    a.may_lose = True
    t.step("P publishes until the six messages have been removed. A is granted credit for two messages.")
    brief.outgrow(7)
    a.grant(2 * brief.cost)
    t.step(
        "Before the first of them arrives, every message of a is announced, and everything behind the six "
        "messages."
    )
    first, notices = brief.first(a)
    announced = {number for notice in notices for number in range(notice.first, notice.last + 1)}
    untold = sorted({1, 3, 5, *range(7, first)} - announced)
    seen = f"nothing of {', '.join(map(str, untold[:8]))}" if untold else "every one of them"
    t.check(not untold, f"announcements of 1, 3, 5 and all from 7 to {first - 1}", seen, "ZEPS-RETAIN-1")
    _read_on(a, first + 1, brief.item, "retention", "ZEPS-RETAIN-1", count=1)
    a.quiet("the credit is used up", "ZEPS-GAP-3")


@case(
    "A session that would receive none of the removed messages receives no announcement",
    "ZEPS-GAP-2",
    "ZEPS-SUBSCRIBE-2",
)
def retention_not_owed(t: BrokerTrial) -> None:
    brief = Brief(t)
    t.step(
        "A, with plenty of credit, subscribes to a key of a stream with small retention; B does not "
        "subscribe."
    )
    brief.publish(2)
    a, b = t.reader("A", "another", ALL, brief.name), t.session("B", brief.name)
    b.grant(PLENTY)
    t.step(
        "P publishes messages of other keys, until the first six have been removed: A and B receive nothing."
    )
    oldest = brief.outgrow(7)
    a.quiet("no removed message was for A", "ZEPS-GAP-2")
    b.quiet("it has not subscribed", "ZEPS-GAP-2")
    t.step(
        "C subscribes to everything, and D to new messages: neither receives an announcement of removed "
        "messages."
    )
    c, d = t.session("C", brief.name), t.session("D", brief.name)
    c.subscribe("", ALL)
    c.may_lose = True
    c.grant(brief.cost)
    first, notices = brief.first(c)
    t.check(first >= oldest, f"sequence {oldest}, or later", f"sequence {first}", "ZEPS-SUBSCRIBE-2")
    for notice in notices:  # of messages that retention has removed since
        t.check(notice.first >= oldest, f"no announcement before {oldest}", f"{notice.first}", "ZEPS-GAP-2")
    d.subscribe("", brief.end)
    d.grant(PLENTY)
    d.quiet("it subscribed to new messages only", "ZEPS-GAP-2")


@case(
    "A latest whose following messages have been removed is refused",
    "ZEPS-RETAIN-2",
    "ZEPS-SUBSCRIBE-13",
    polarity=NEGATIVE,
)
def not_retained(t: BrokerTrial) -> None:
    brief = Brief(t)
    t.step("P publishes to a stream with small retention, until the first six messages are removed.")
    oldest = brief.outgrow(7)
    t.step(
        "A, with plenty of credit, subscribes with a latest before the oldest message: each SUBSCRIBE is "
        "refused."
    )
    a = t.session("A", brief.name)
    a.grant(PLENTY)
    last = oldest - 1
    for latest in (1, oldest // 2, oldest - 2):
        a.send("SUBSCRIBE", pattern="", latest=latest)
        reason = a.expect_invalid("ZEPS-RETAIN-2", f"a latest of {latest}", "not-retained")
        right = reason.first == latest + 1 and reason.last >= last
        expected = f"the sequences from {latest + 1} to {last}, or later if more were removed meanwhile"
        t.check(right, expected, f"{reason.first} to {reason.last}", "ZEPS-RETAIN-2")
        last = reason.last
    a.quiet("every subscription was refused", "ZEPS-RETAIN-2")
    t.step("B subscribes with the last removed sequence, and C with 0: both receive the following message.")
    _find_border(t, brief, last)
    t.step("P publishes one more: A still receives nothing.")
    brief.publish(1)
    a.quiet("every subscription was refused", "ZEPS-RETAIN-2")


def _find_border(t: BrokerTrial, brief: Brief, last: int) -> None:
    """Checks that `last` is the last removed sequence: a SUBSCRIBE with it as latest is granted and delivers the next
    one. Later removals are tolerated; raises OutOfTimeError if the oldest message changes each time.
    """
    for _ in range(BATCHES):
        b = t.session("B", brief.name)
        b.may_lose = True
        b.grant(brief.cost)
        b.send("SUBSCRIBE", pattern="", latest=last)
        granted = b.expect_any("SUBSCRIBE-OK", "INVALID").name == "SUBSCRIBE-OK"
        if granted and not (first := brief.first(b))[1]:
            seen = f"sequence {first[0]}"
            t.check(first[0] == last + 1, f"sequence {last + 1}", seen, "ZEPS-RETAIN-2")
            oldest = brief.oldest()
            t.check(
                oldest > last, f"sequence {last + 1} as the oldest", f"sequence {oldest}", "ZEPS-RETAIN-2"
            )
            if oldest == last + 1:
                return
        b.leave()
        last = max(last + 1, brief.oldest() - 1)
    raise OutOfTimeError(f"the oldest retained message changed during each of {BATCHES} checks")


@controlled(
    "Messages that the broker can no longer read are announced, and delivery continues behind them",
    "ZEPS-DAMAGE-1",
    "ZEPS-GAP-1",
    "ZEPS-GAP-3",
    "ZEPS-GAP-2",
    "ZEPS-GAP-4",
    "ZEPS-SEQUENCE-3",
    limit=120.0,
    retains=1 << 16,
)
def damage_announced(t: BrokerTrial) -> None:
    t.step(
        "P publishes 600 messages in six bursts. The broker is stopped; in its files one bit of the 301st "
        "is flipped."
    )
    items = t.items([(KEYS[0], t.random_bytes(40).hex().encode()) for _ in range(600)])
    publisher = t.session("P")
    for start in range(0, 600, 100):
        publisher.store([(item.key, item.body) for item in items[start : start + 100]])
    stop(t)
    copies = t.control().damage(items[300].body)
    t.control().start()
    if not copies:
        t.unsupported("no file in the broker's folder contains the published message")
    t.observe("the message is found in the broker's files", f"{copies} times")
    t.step("After its restart, the broker serves the stream, and numbers new messages as usual.")
    publisher = t.session("P2")
    publisher.store([("next", b"601")])
    items.append(Item(601, "next", b"601"))

    def item_of(sequence: int) -> Item:
        return items[sequence - 1]

    t.step("A reads the stream: messages that are lost are announced, before the messages behind them.")
    a = t.reader("A")
    gaps = _read_on(a, 1, item_of, "damage", "ZEPS-DAMAGE-1", last=601)
    lost = sum(last - first + 1 for first, last in gaps)
    t.check(lost <= 300, "messages of other bursts are served", f"{lost} of 600 are lost", "ZEPS-GAP-1")
    t.step(
        "B does the same with exactly the credit that the others cost, and receives the same announcements."
    )
    b = t.session("B")
    b.subscribe("", ALL)
    gone = {number for first, last in gaps for number in range(first, last + 1)}
    b.grant(sum(t.cost(item.key, item.body) for item in items if item.sequence not in gone))
    again = _read_on(b, 1, item_of, "damage", "ZEPS-DAMAGE-1", last=601)
    t.check(again == gaps, f"the gaps {gaps}", f"{again}", "ZEPS-DAMAGE-1")
    b.quiet("the credit is used up", "ZEPS-GAP-3")
    t.step("C subscribes behind 301: it receives no announcement before that.")
    c = t.reader("C", "", 301)
    _read_on(c, 302, item_of, "damage", "ZEPS-GAP-2", last=601)
    t.step("D subscribes to new messages: it receives no announcement.")
    t.reader("D", "", NEW).quiet("the lost messages are not new", "ZEPS-GAP-2")
