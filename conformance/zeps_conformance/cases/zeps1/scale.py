"""Scale: many messages, patterns, keys, streams and sessions, and many bytes."""

from __future__ import annotations

from zeps_conformance.broker.context import BrokerContext
from zeps_conformance.broker.reason import Reasons
from zeps_conformance.broker.session import ALL, NEW, PLENTY, Item, Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.combination import expect_set
from zeps_conformance.cases.zeps1.refusals import refuse_beyond_end
from zeps_conformance.common.verdicts import LostError

MESSAGES = 70_000  # more than 2^16
KEYS = 1000
PATTERNS = 1000
STREAMS = 1000
SESSIONS = 300
LARGE, LARGEST = 1 << 20, 1 << 22  # bytes of a body
TOTAL = 64 << 20  # bytes that one session receives
BATCH = 100  # commands in one write
LATER = ("stream-unavailable", "too-many-sessions")  # codes with which a refused ATTACH may be tried again
TRIES, WAIT = 400, 0.05  # attempts to begin streams, and the seconds between them


@case(
    "70,000 messages of one stream have consecutive sequences, live and replayed",
    "ZEPS-SEQUENCE-2",
    "ZEPS-SUBSCRIBE-2",
    "ZEPS-SUBSCRIBE-3",
    "ZEPS-DELIVER-2",
    limit=90.0,
    retains=8 << 20,
)
def messages(t: BrokerTrial) -> None:
    count = t.volume(MESSAGES, 600)
    series = t.series()
    t.step(f"A reads live while B publishes {MESSAGES:,} messages; every sequence arrives, in order.")
    a, b = t.reader("A", "", NEW), t.session("B")
    half = count // 2
    b.publish_series(series, 1, half)
    a.expect_series(series, 1, half, "ZEPS-SEQUENCE-2")
    t.step("Half-way, C subscribes from the start: it replays, and then continues with the new messages.")
    c = t.reader("C", "", ALL)
    b.publish_series(series, half + 1, count)
    c.expect_series(series, 1, count, "ZEPS-SUBSCRIBE-2")
    a.expect_series(series, half + 1, count, "ZEPS-SEQUENCE-2")
    b.barrier()
    t.step("Other sessions resume around 2^8, 2^12 and 2^16, with credit for four messages: these arrive.")
    d = t.connect("D")
    for edge in (1 << 8, 1 << 12, 1 << 16):
        for latest in (edge - 2, edge - 1, edge, edge + 1):
            if latest + 4 <= count:
                d.attach()
                d.subscribe("", latest)
                d.grant(4 * series.cost)
                d.expect_items(series.items(latest + 1, latest + 4), "ZEPS-SUBSCRIBE-3")
                d.barrier()
    t.step("A latest beyond the end names it.")
    refuse_beyond_end(d, count + (1 << 16), count)


@case(
    "A session with many patterns receives the messages of each of them",
    "ZEPS-SUBSCRIBE-6",
    "ZEPS-SUBSCRIBE-15",
    limit=60.0,
)
def patterns(t: BrokerTrial) -> None:
    t.step(f"A subscribes to {PATTERNS:,} patterns, or as many as the broker allows a session.")
    a = t.session("A")
    names = _subscribe_many(a, [f"key{number:04d}." for number in range(t.volume(PATTERNS, 90))])
    a.grant(PLENTY)
    t.step("B publishes a message for each pattern, each after one that only a shorter pattern would match.")
    b = t.session("B")
    messages = [(key, body) for name in names for key, body in ((name[:-1], b"-"), (name + "x", b"+"))]
    b.store(messages)
    t.step("A receives the messages of its patterns, once each, and no other.")
    a.expect_items(t.items(messages)[1::2], "ZEPS-SUBSCRIBE-15")
    a.quiet("no pattern matches the shorter keys", "ZEPS-SUBSCRIBE-15")
    t.step("C subscribes to the same patterns without credit, from the start: each message arrives once.")
    c = t.session("C")
    _subscribe_many(c, names, ALL)
    c.grant(PLENTY)
    expect_set(c, t.items(messages)[1::2], "ZEPS-SUBSCRIBE-6")


@case(
    "Messages of 1,000 keys reach the sessions that subscribe to them",
    "ZEPS-SUBSCRIBE-15",
    "ZEPS-SUBSCRIBE-2",
    limit=60.0,
    retains=1 << 20,
)
def keys(t: BrokerTrial) -> None:
    count = t.volume(KEYS, 120)
    names = [f"k{number:04d}" for number in range(count)]
    prefixes = ("k0", "k000", "k0007", f"k{count - 1:04d}", f"k00{count % 100:02d}", "k")
    t.step(
        f"Six sessions subscribe to prefixes of {KEYS:,} keys; B publishes to each key twice, in two orders."
    )
    readers = [t.reader(f"A{index}", prefix, NEW) for index, prefix in enumerate(prefixes)]
    b = t.session("B")
    messages = [(name, b"first of " + name.encode()) for name in names]
    messages += [(name, b"second of " + name.encode()) for name in sorted(names, key=lambda name: name[::-1])]
    b.store(messages)
    items = t.items(messages)
    t.step("Each receives the messages of its keys, in order; so does a replay.")
    replay = t.connect("C")
    for prefix, reader in zip(prefixes, readers, strict=True):
        due = [item for item in items if item.key.startswith(prefix)]
        reader.expect_items(due, "ZEPS-SUBSCRIBE-15")
        replay.read(prefix, ALL)
        replay.expect_items(due, "ZEPS-SUBSCRIBE-2")
        replay.barrier()


@case(
    "1,000 streams are numbered and read separately",
    "ZEPS-STREAM-1",
    "ZEPS-STREAM-3",
    limit=90.0,
)
def streams(t: BrokerTrial) -> None:
    count = t.volume(STREAMS, 40)
    names = [f"{t.stream}/{number:x}" for number in range(count)]
    t.step(f"A attaches to {STREAMS:,} streams in turn, and publishes its name to each.")
    a = t.connect("A")
    _publish_to_each(a, names, "number")
    t.step("Backwards, it publishes a second message to each.")
    _publish_to_each(a, names[::-1], "again")
    a.barrier()
    a.offended = False
    t.step("Four readers read each stream: it contains its two messages, with sequences 1 and 2.")
    readers = [t.connect(f"B{index}") for index in range(4)]
    encode = t.codec.encode
    for start in range(0, count, len(readers)):
        pairs = list(zip(readers, names[start : start + len(readers)], strict=False))
        for reader, name in pairs:
            reader.send_together(
                [
                    encode("ATTACH", stream=name),
                    encode("SUBSCRIBE", pattern="", latest=ALL),
                    encode("CREDIT", credit=PLENTY),
                ]
            )
        for reader, name in pairs:
            reader.expect("ATTACH-OK", "ZEPS-ATTACH-1")
            reader.expect("SUBSCRIBE-OK", "ZEPS-SUBSCRIBE-1")
            body = name.encode()
            reader.expect_items([Item(1, "number", body), Item(2, "again", body)], "ZEPS-STREAM-3")
            reader.stream = name
    for reader in readers:
        reader.quiet("the streams have two messages each", "ZEPS-STREAM-1")


@case(
    "300 sessions of one stream, with different credit and patterns, receive what is theirs",
    "ZEPS-SESSION-3",
    "ZEPS-CREDIT-5",
    limit=90.0,
)
def sessions(t: BrokerTrial) -> None:
    count = t.volume(SESSIONS, 24)
    messages = t.messages(12, ("a.x", "b.y", "c.z"))
    items = t.items(messages)
    t.step(f"{SESSIONS} sessions subscribe to one of four patterns, with credit for none to five messages.")
    readers: list[tuple[Session, list[Item], int]] = []
    for number in range(count):
        pattern = ("", "a", "b.y", "c.")[number % 4]
        due = [item for item in items if item.key.startswith(pattern)]
        paid = min(number // 4 % 6, len(due))
        credit = sum(t.cost(item.key, item.body) for item in due[:paid])
        readers.append((t.reader(f"A{number}", pattern, NEW, credit=credit), due, paid))
    t.step("B publishes twelve messages: each session receives those that its credit covers.")
    b = t.session("B")
    b.store(messages)
    for session, due, paid in readers:
        session.expect_items(due[:paid], "ZEPS-SESSION-3")
    for session, _, _ in readers:
        session.send("PING")
    for session, _, _ in readers:
        session.expect("PING-OK", "ZEPS-CREDIT-5")
    t.step(
        "Every second session disconnects; the others are granted plenty, and receive their other messages."
    )
    for session, _, _ in readers[1::2]:
        session.leave()
    stayed = readers[0::2]
    for session, _, _ in stayed:
        session.grant(PLENTY)
    for session, due, paid in stayed:
        session.expect_items(due[paid:], "ZEPS-SESSION-3")
        session.leave()


@case(
    "64 MiB pass through one session, in large messages among small ones",
    "ZEPS-PUBLISH-3",
    "ZEPS-PUBLISH-4",
    "ZEPS-CREDIT-2",
    limit=90.0,
    retains=16 << 20,
)
def bytes_of_one_session(t: BrokerTrial) -> None:
    t.step("A subscribes to its own stream, and grants exactly what each round costs.")
    a = t.session("A")
    a.subscribe("", NEW)
    noise = t.random_bytes(1 << 16)
    passed, sequence = 0, 0
    t.step("It publishes large messages among small ones, 64 MiB in all; each round arrives whole, in order.")
    while passed < t.volume(TOTAL, LARGE):
        sizes = (3, LARGE, 0, 200, LARGEST if sequence % 2 else LARGE, 70_000, 1, LARGE)
        bodies = [
            (b"%d:" % index + noise * (size // len(noise) + 1))[:size] for index, size in enumerate(sizes)
        ]
        messages = [("large" if len(body) >= LARGE else "small", body) for body in bodies]
        cost = sum(t.cost(*message) for message in messages)
        a.grant(cost)
        a.publish_many(messages)
        a.expect_items(t.items(messages, first=sequence + 1), "ZEPS-PUBLISH-4")
        passed, sequence = passed + cost, sequence + len(messages)
    a.barrier()


@case(
    "A connection whose pipe is full receives everything later, and delays no other session",
    "ZEPS-GEAR-1",
    "ZEPS-GEAR-2",
    "ZEPS-GEAR-3",
    "ZEPS-SESSION-3",
    limit=90.0,
    retains=24 << 20,
)
def full_pipe(t: BrokerTrial) -> None:
    t.step(
        "A subscribes with plenty of credit, and reads nothing; its window is small, so that its pipe fills."
    )
    a, b, c = t.session("A"), t.session("B"), t.reader("C", "", NEW)
    a.peer.narrow()
    a.subscribe("", NEW)
    a.grant(PLENTY)
    series = t.series("full", t.random_bytes(1 << 13))
    count = t.volume(2000, 200)
    t.step("B publishes 16 MiB; C, which reads, receives them meanwhile.")
    for start in range(1, count + 1, BATCH):
        end = min(start + BATCH - 1, count)
        b.publish_series(series, start, end)
        c.expect_series(series, start, end, "ZEPS-SESSION-3")
    t.step(
        "A grants more credit and sends PING while its pipe is full, and then reads: everything arrives once."
    )
    a.send("CREDIT", credit=PLENTY)
    a.send("PING")
    sequence = 1
    while (message := a.expect_any("DELIVER", "PING-OK")).name == "DELIVER":
        t.check(
            tuple(message.values.values()) == tuple(series.item(sequence)),
            f"sequence {sequence} as published",
            f"sequence {message['sequence']}",
            "ZEPS-GEAR-1",
        )
        sequence += 1
    a.expect_series(series, sequence, count, "ZEPS-GEAR-1")
    b.publish_series(series, count + 1, count + 1)
    for reader in (a, c):
        reader.expect_series(series, count + 1, count + 1, "ZEPS-GEAR-1")


def _publish_to_each(session: Session, names: list[str], key: str) -> None:
    """Attaches to each of the streams `names` in turn, and publishes its name under `key`. Streams that the broker may
    not begin yet (ZEPS-ATTACH-6) are tried again, each time after a while.
    """
    t, left, tries = session.trial, names, 0
    while left:
        batch, rest = left[:BATCH], left[BATCH:]
        refused: list[str] = []
        done = 0
        try:
            session.send_together([frame for name in batch for frame in _attach_and_publish(t, name, key)])
            for name in batch:
                answer = session.expect_any("ATTACH-OK", "INVALID")
                if answer.name == "INVALID":
                    code = Reasons(t.codec.model).read(str(answer["reason"])).code
                    t.check(
                        code in LATER, f"ATTACH-OK or INVALID {LATER[0]}", f"INVALID {code}", "ZEPS-ATTACH-1"
                    )
                    session.expect_invalid("ZEPS-SESSION-1", "PUBLISH after a refused ATTACH", "no-session")
                    refused.append(name)
                session.stream = name
                done += 1
        except LostError:
            if not session.may_close:
                raise
            refused += batch[done:]
        left = refused + rest
        if refused:
            tries += 1
            seen = f"{len(left)} streams are refused"
            t.check(tries < TRIES, f"{len(names)} streams can be begun, in time", seen, "ZEPS-ATTACH-1")
            session.reconnect()
            session.peer.listen(WAIT)


def _attach_and_publish(t: BrokerContext, name: str, key: str) -> list[bytes]:
    encode = t.codec.encode
    return [encode("ATTACH", stream=name), encode("PUBLISH", key=key, body=name.encode())]


def _subscribe_many(session: Session, patterns: list[str], latest: int = NEW) -> list[str]:
    """Subscribes to `patterns` in turn. Returns those that are granted, up to the first refused for their number."""
    granted: list[str] = []
    for start in range(0, len(patterns), BATCH):
        batch = patterns[start : start + BATCH]
        frames = [session.trial.codec.encode("SUBSCRIBE", pattern=name, latest=latest) for name in batch]
        session.send_together(frames)
        for name in batch:
            answer = session.expect_any("SUBSCRIBE-OK", "INVALID")
            if answer.name == "SUBSCRIBE-OK":
                granted.append(name)
            else:
                right = str(answer["reason"]).startswith("too-many-subscriptions ")
                session.trial.check(right, "SUBSCRIBE-OK", str(answer["reason"]), "ZEPS-SUBSCRIBE-1")
        if len(granted) < start + len(batch):
            break
    session.trial.check(bool(granted), "a subscription is granted", "none is", "ZEPS-SUBSCRIBE-1")
    return granted
