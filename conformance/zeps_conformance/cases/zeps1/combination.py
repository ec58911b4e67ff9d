"""Combinations: several patterns, starts and credits, while messages arrive."""

from __future__ import annotations

from collections.abc import Iterable

from zeps_conformance.broker.session import ALL, NEW, PLENTY, Item, Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.model.interpreter import render

KEYS = ("a", "ab", "abc", "b", "ba", "c", "")
PATTERNS = (*KEYS, "abcd", "bb")
ROUNDS = 10


class Plan:
    """The messages that a session must receive, in order, while it is granted exactly what they cost: first what its
    new subscriptions add from the past, in their order, and then the later messages of all its subscriptions.
    """

    def __init__(self, t: BrokerTrial, session: Session, items: list[Item]) -> None:
        self.trial, self.session, self.items = t, session, items
        self.subscriptions: list[tuple[str, int]] = []
        self.done = 0  # the session has received, or does not want, everything up to here
        self.received: set[int] = set()
        self.due: list[Item] = []

    def subscribe(self, pattern: str, latest: int) -> None:
        """Subscribes while only past messages are due, if any. What the first subscription brings is received at once,
        because only then it is certain what is past for the second.
        """
        self.session.subscribe(pattern, latest)
        start = len(self.items) if latest == NEW else latest
        first = not self.subscriptions
        self.subscriptions.append((pattern, start))
        self.done = len(self.items)
        self._add(item for item in self.items[start:] if item.key.startswith(pattern))
        if first:
            self.receive(len(self.due), "ZEPS-SUBSCRIBE-3")

    def published(self) -> None:
        """Makes the messages due that were published since the last call."""
        later, self.done = self.items[self.done :], len(self.items)
        self._add(
            item
            for item in later
            if any(item.key.startswith(name) and item.sequence > start for name, start in self.subscriptions)
        )

    def receive(self, count: int, rule: str) -> None:
        """Grants exactly what the next `count` messages cost; these must arrive, and no other."""
        part, self.due = self.due[:count], self.due[count:]
        self.session.grant(sum(self.trial.cost(item.key, item.body) for item in part))
        self.session.expect_items(part, rule)
        self.session.barrier("ZEPS-CREDIT-5")

    def _add(self, items: Iterable[Item]) -> None:
        for item in items:
            if item.sequence not in self.received:
                self.received.add(item.sequence)
                self.due.append(item)


@case(
    "Past messages of several new subscriptions arrive in their order while more are published",
    "ZEPS-SUBSCRIBE-12",
    "ZEPS-SUBSCRIBE-16",
    "ZEPS-SUBSCRIBE-7",
    "ZEPS-CREDIT-5",
    limit=60.0,
)
def fills_and_flow(t: BrokerTrial) -> None:
    messages = t.messages(40, KEYS)
    items = t.fill(messages)
    b = t.session("B")
    for name in ("A1", "A2", "A3"):
        t.step(
            f"{name} subscribes in rounds to patterns with starts of all kinds, at random from the seed; B publishes; "
            "credit is granted for some messages at a time, and these arrive, in order."
        )
        plan = Plan(t, t.session(name), items)
        for _ in range(ROUNDS):
            for _ in range(t.rng.randrange(4)):
                latest = t.rng.choice((ALL, NEW, t.rng.randrange(1, len(items) + 1), len(items)))
                plan.subscribe(t.rng.choice(PATTERNS), latest)
                if t.rng.random() < 0.3 and plan.due:
                    plan.receive(1, "ZEPS-SUBSCRIBE-12")
            more = t.messages(t.rng.randrange(6), (t.rng.choice(KEYS), t.rng.choice(KEYS)))
            b.store(more)
            items += t.items(more, first=len(items) + 1)
            plan.published()
            plan.receive(t.rng.randrange(len(plan.due) + 1), "ZEPS-SUBSCRIBE-12")
            plan.receive(len(plan.due), "ZEPS-SUBSCRIBE-16")
        plan.session.leave()


@case(
    "Several patterns with different starts before any credit bring each message once",
    "ZEPS-SUBSCRIBE-6",
    "ZEPS-SUBSCRIBE-3",
    "ZEPS-SUBSCRIBE-4",
    "ZEPS-CREDIT-6",
)
def patterns_before_credit(t: BrokerTrial) -> None:
    items = t.fill(t.messages(60, KEYS))
    b = t.session("B")
    choices = [
        [("a", 30), ("b", ALL), ("c", NEW)],
        [("c", NEW), ("a", 59), ("ab", 3), ("b", 60)],
        [("", NEW), ("abc", 1), ("b", 20), ("ba", ALL)],
        [("ab", 58), ("a", 2), ("ab", NEW), ("c", 57), ("c", 1)],
    ]
    for number, asked in enumerate(choices):
        t.step(f"A{number} subscribes to {len(asked)} patterns with different starts; then B publishes.")
        a = t.session(f"A{number}")
        for pattern, latest in asked:
            a.subscribe(pattern, latest)
        end = len(items)
        more = t.messages(7, KEYS)
        b.store(more)
        items = [*items, *t.items(more, first=end + 1)]
        t.step(
            "With credit for half, and then for all, each message that a subscription brings arrives once."
        )
        due = [
            item
            for item in items
            if any(
                item.key.startswith(pattern) and item.sequence > (end if latest == NEW else latest)
                for pattern, latest in asked
            )
        ]
        cost = sum(t.cost(item.key, item.body) for item in due)
        a.grant(cost // 2)
        a.grant(cost - cost // 2)
        expect_set(a, due, "ZEPS-SUBSCRIBE-6")
        a.barrier("ZEPS-SUBSCRIBE-3")
        a.leave()


@case(
    "A subscription that is added during a long replay brings its messages once",
    "ZEPS-SUBSCRIBE-6",
    "ZEPS-SUBSCRIBE-7",
    "ZEPS-GEAR-1",
    limit=60.0,
    retains=2 << 20,
)
def added_during_replay(t: BrokerTrial) -> None:
    count = t.volume(1500, 300)
    messages = t.messages(count, ("a", "b", "c"), size=600)
    items = t.fill(messages)
    t.step(f"A replays the messages of a, of {count} messages of 600 bytes, with credit for a third of them.")
    a, b = t.session("A"), t.session("B")
    a.subscribe("a", ALL)
    wanted = [item for item in items if item.key == "a"]
    first = wanted[: len(wanted) // 3]
    a.grant(sum(t.cost(item.key, item.body) for item in first))
    a.expect_items(first, "ZEPS-SUBSCRIBE-2")
    t.step("A subscribes to b in the midst, and to everything from behind the middle on; B publishes more.")
    middle = count // 2 + count // 8
    a.subscribe("b", ALL)
    a.subscribe("", middle)
    more = t.messages(30, ("a", "b", "c"))
    b.store(more)
    items = [*items, *t.items(more, first=count + 1)]
    t.step("With plenty of credit every message arrives once, those of b in ascending sequence.")
    a.grant(PLENTY)
    had = {item.sequence for item in first}
    due = [
        item
        for item in items
        if item.sequence not in had and (item.key in ("a", "b") or item.sequence > middle)
    ]
    order = [item.sequence for item in expect_set(a, due, "ZEPS-SUBSCRIBE-6") if item.key == "b"]
    t.check(order == sorted(order), "ascending sequences of b", "another order", "ZEPS-DELIVER-1")
    a.quiet("it has received everything", "ZEPS-SUBSCRIBE-7")


@case(
    "Large messages among small ones wait for credit, one by one",
    "ZEPS-CREDIT-5",
    "ZEPS-CREDIT-6",
    "ZEPS-CREDIT-7",
    retains=4 << 20,
)
def large_among_small(t: BrokerTrial) -> None:
    noise = t.random_bytes(1 << 18)
    sizes = (1, 300_000, 2, 65_519, 65_520, 0, 262_144 - 20, 262_144, 5, 1 << 20, 7, 70_000, 1, 2)
    messages = [
        (f"k{index % 3}", (noise * (1 + size // len(noise)))[:size]) for index, size in enumerate(sizes)
    ]
    t.step("A is live and B replays, on a stream of messages of 0 bytes to 1 MiB.")
    a = t.session("A")
    a.subscribe("", NEW)
    items = t.fill(messages)
    b = t.session("B")
    b.subscribe("", ALL)
    t.step("Each is granted one byte less than the next message costs, and then that byte.")
    for item in items:
        for session in (a, b):
            session.grant(t.cost(item.key, item.body) - 1)
            session.barrier("ZEPS-CREDIT-5")
            session.grant(1)
            session.expect_items([item], "ZEPS-CREDIT-6")


@case(
    "Sessions with different credit on one stream change gears independently",
    "ZEPS-SESSION-3",
    "ZEPS-CREDIT-5",
    "ZEPS-GEAR-1",
    limit=60.0,
    retains=2 << 20,
)
def credits_apart(t: BrokerTrial) -> None:
    messages = t.messages(480, ("a", "b"), size=700)
    items = t.items(messages)
    t.step("Eight sessions subscribe; each is granted credit for another number of messages in each round.")
    b = t.session("B")
    readers = [t.session(f"A{number}") for number in range(8)]
    due = {}
    for number, reader in enumerate(readers):
        pattern = ("", "a", "b")[number % 3]
        reader.subscribe(pattern, NEW)
        due[reader] = [item for item in items if item.key.startswith(pattern)]
    t.step("In every second round the credit is granted before the messages are published, else afterwards.")
    for turn in range(4):
        start, parts = 120 * turn, {}
        if turn % 2 == 0:
            b.store(messages[start : start + 120])
        for number, reader in enumerate(readers):
            there = [item for item in due[reader] if item.sequence <= start + 120]
            parts[reader] = there[: (30, 1, 7, 0, 59, 60, 119, 200)[(number + turn) % 8]]
            reader.grant(sum(t.cost(item.key, item.body) for item in parts[reader]))
            due[reader] = due[reader][len(parts[reader]) :]
        if turn % 2:
            b.store(messages[start : start + 120])
        for reader, part in parts.items():
            reader.expect_items(part, "ZEPS-SESSION-3")
    t.step("With plenty, each receives its other messages.")
    for reader in readers:
        reader.grant(PLENTY)
    for reader in readers:
        reader.expect_items(due[reader], "ZEPS-GEAR-1")


def expect_set(session: Session, items: list[Item], rule: str, undue: str = "ZEPS-SUBSCRIBE-3") -> list[Item]:
    """Checks that the next messages are `items`, in any order. Returns them as they arrived. A message of another
    sequence violates the rule `undue`.
    """
    due = {item.sequence: item for item in items}
    expected = set(due)
    arrived = []
    for _ in items:
        message = session.expect("DELIVER", rule)
        item = due.pop(int(message["sequence"]), None)
        if item is None or tuple(message.values.values()) != tuple(item):
            violated = rule if message["sequence"] in expected else undue
            session.trial.check(False, "a message that is due, as published", render(message), violated)
        else:
            arrived.append(item)
    session.trial.observe(f"{session.name} receives {len(items)} messages", "each once, in any order")
    return arrived
