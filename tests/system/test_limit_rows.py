"""The rows of docs/limits.md about the broker as a whole, sessions and streams: each test sets a low limit, exceeds it,
and checks the documented effect from outside. `test_limit_rows_network.py` has the rest. A test is named after its row,
``test_SECTION_KEY``; ``test_fixed_NAME`` for a limit without a key.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, suppress
from itertools import repeat
from pathlib import Path

import pytest
import test_limit_rows_network
from attacker_links import GREETING, frame, opening
from harness import eventually
from limited_broker import CREDIT_MAX, LimitedBroker, RawClient, overtakes, serving

from zeps_broker.service.config import Config
from zeps_broker.service.limits_page import limit_rows
from zeps_journal.block import BlockHead, unpack_head
from zeps_journal.header import header_size
from zeps_wire import zeps
from zeps_wire.zeps import Attach, Deliver, Detach, Invalid, Ping, PingOk, Publish, Subscribe

pytestmark = pytest.mark.slow

FOR_ONE_SECOND = """
[broker]
client_timeout_seconds = 1.0
heartbeat_seconds = 0.2
"""

# In total


def test_broker_stop_seconds_max() -> None:
    broker = LimitedBroker("[broker]\nstop_seconds_max = 0.2")
    broker.start()
    with RawClient(broker.endpoint) as silent:
        silent.attach()
        broker.stop()
        assert silent.until_closed() == [Detach()]
    broker = LimitedBroker("[broker]\nstop_seconds_max = 3600")
    broker.start()
    with RawClient(broker.endpoint) as client:
        client.attach()
        stopping = threading.Thread(target=broker.stop)
        stopping.start()
        client.expect(Detach)
        client.say(Publish("k", b"stored"), zeps.DetachOk())
        assert client.until_closed() == []
        stopping.join()


def test_limits_sessions_max() -> None:
    with serving("[limits]\nsessions_max = 2", 3) as (broker, first, second, third):
        first.attach("a")
        second.attach("b")
        assert third.refused(Attach("a")) == "too-many-sessions"
        first.attach("c")  # a session in place of its own
        first.detach()
        third.attach("a")
        assert first.refused(Attach("a")) == "too-many-sessions"
        second.close()
        eventually("the session of a closed connection ends", lambda: broker.figures()["sessions"] == 1)
        first.attach("a")


def test_limits_memory_bytes_max() -> None:
    """Subscriptions use up the share of sessions, incomplete frames use up theirs; neither uses the other's."""
    text = "[limits]\nmemory_bytes_max = 67_108_864\npatterns_max = 1_000_000"
    body = bytes(15 << 20)
    large = frame(Publish("k", body).encode())
    with serving(text, 2, attached=1) as (broker, greedy, newcomer):
        patterns = 0
        refusal = None
        while refusal is None:
            greedy.say(*(Subscribe(f"{patterns + n:0255}", zeps.LATEST_NEW) for n in range(500)))
            for _ in range(500):
                patterns += 1
                answer = greedy.receive()
                if isinstance(answer, Invalid):
                    refusal = answer.reason
            assert patterns * 1000 <= 64 << 20, "all memory was used"
        assert refusal.startswith("too-many-subscriptions the broker's memory for sessions is used up")
        assert newcomer.refused(Attach("s")) == "too-many-sessions"
        greedy.send(large)
        greedy.say(Ping())
        while greedy.receive() != PingOk():
            pass
        greedy.close()
        eventually("the memory is free", lambda: broker.figures()["sessions"] == 0)
        newcomer.attach()
        newcomer.read_all()
        assert newcomer.expect(Deliver).body == body
        with RawClient(broker.endpoint) as holder, RawClient(broker.endpoint) as another:
            for client in (holder, another):
                client.attach()
                client.send(large[:-1])
            eventually("one of them is closed", lambda: broker.figures()["frames_dropped"] == 1)
            assert sum(client.is_closed() for client in (holder, another)) == 1


def test_limits_inbox_bytes_max() -> None:
    assert not overtakes("turn_steps_max = 1\ninbox_bytes_max = 1")
    eventually("so it is", lambda: overtakes("turn_steps_max = 1"))


def test_limits_streams_max(tmp_path: Path) -> None:
    text = "[limits]\nstreams_max = 2"
    with serving(text, 2, data=tmp_path) as (_, client, early):
        early.attach("early")
        for name in ("empty", "a", "b"):
            client.attach(name)
            if name != "empty":
                client.publish(Publish("k", b""))
        assert client.refused(Attach("c")) == "stream-unavailable"
        client.attach("a")
        early.say(Publish("k", b""))
        early.read_all()
        early.expect(Deliver)
    with serving(text, data=tmp_path) as (_, client):
        assert client.refused(Attach("c")) == "stream-unavailable", "streams of an earlier run count"
        client.attach("b")


def test_limits_new_streams_max() -> None:
    """A connection, an address and all together are refused; others are not refused before their limit."""
    names = map("name {}".format, range(1_000_000))

    def attaches(address: str) -> list[zeps.Message]:
        """Returns the answers to a new connection, which attaches to three new names in one write."""
        with RawClient(broker.endpoint, address=address) as client:
            client.say(*(Attach(next(names)) for _ in range(3)))
            return [client.receive() for _ in range(3)]

    def is_refused(address: str) -> bool:
        """Returns whether a connection's first ATTACH to a new name is refused."""
        return isinstance(attaches(address)[0], Invalid)

    with LimitedBroker("[limits]\nnew_streams_max = 20") as broker:
        assert [type(answer) for answer in attaches("127.0.0.1")] == [zeps.AttachOk, zeps.AttachOk, Invalid]
        eventually("the address has had its part", lambda: is_refused("127.0.0.1"))
        assert not is_refused("127.0.0.2")
        addresses = (f"127.0.{high}.{low}" for high in range(1, 255) for low in range(1, 255))
        eventually("all have had theirs", lambda: is_refused(next(addresses)))
        eventually("there are new ones", lambda: not is_refused(next(addresses)))


def test_limits_cache_bytes_max() -> None:
    """Readers of a long stream get the same messages; little stays in memory for the next reader."""
    held = {}
    for limit in (1, 4 << 20):
        text = f"[limits]\ncache_bytes_max = {limit}\n[journal]\ncache_bytes_max = 1"
        with serving(text, attached=1) as (broker, publisher):
            for _ in range(20):
                publisher.publish(Publish("k", bytes(100_000)))
            for _ in range(2):
                with RawClient(broker.endpoint) as reader:
                    reader.attach()
                    reader.read_all()
                    assert [reader.expect(Deliver).sequence for _ in range(20)] == [*range(1, 21)]
            figures = broker.figures()
            held[limit] = figures["cache_bytes"]
            if limit == 1:
                assert figures["cache_blocks"] == 1
    assert held[4 << 20] > 2 * held[1]


@pytest.mark.parametrize(("limit", "is_read_from_disk"), [(1, True), (64 << 20, False)])
def test_journal_cache_bytes_max(limit: int, is_read_from_disk: bool) -> None:
    """Damage on the disk shows where blocks come from."""
    with serving(f"[journal]\ncache_bytes_max = {limit}", attached=1) as (broker, client):
        client.publish(Publish("k", b"x" * 1000))
        (segment,) = broker.segments("s")
        data = segment.read_bytes()
        with segment.open("r+b") as file:
            file.write(data.replace(b"x" * 1000, b"y" * 1000))
        client.read_all()
        answer = client.receive()
        if is_read_from_disk:
            assert isinstance(answer, Invalid)
            assert answer.reason.startswith("damage 1 1 ")
        else:
            assert isinstance(answer, Deliver)
            assert answer.body == b"x" * 1000


def test_transport_handshakes_max() -> None:
    with serving("[transport]\nhandshakes_max = 2", attached=1) as (broker, complete):
        with (
            RawClient(broker.endpoint, GREETING) as oldest,
            RawClient(broker.endpoint, GREETING) as older,
            RawClient(broker.endpoint, b"") as newest,
        ):
            assert eventually("three have been accepted", oldest.is_closed)
            older.send(opening()[len(GREETING) :])
            older.attach()
            newest.send(opening())
            newest.attach()
        complete.barrier()


def test_transport_connections_max() -> None:
    with serving("[transport]\nconnections_max = 2", 2, attached=1) as (broker, first, unused):
        eventually("both are there", lambda: broker.figures()["connections"] == 2)
        with RawClient(broker.endpoint) as second:
            assert unused.until_closed() == []
            second.attach()
            with RawClient(broker.endpoint, opening()) as third:
                assert eventually("the third is closed", third.is_closed)
            second.barrier()
            first.barrier()
        figures = broker.figures()
        assert (figures["connections_unused"], figures["connections_refused"]) == (1, 1)
        assert len(broker.log("connections-full")) == 1


# For each session


def test_broker_client_timeout_seconds() -> None:
    with serving(FOR_ONE_SECOND, 2, attached=2) as (broker, silent, talking):

        def is_forgotten() -> bool:
            talking.barrier()
            return silent.is_closed()

        eventually("the silent one is forgotten", is_forgotten)
        talking.barrier()
        figures = broker.figures()
        assert (figures["expired"], figures["sessions"]) == (1, 1)


@pytest.mark.parametrize("rate", [1, 10**9])
def test_broker_rate_min(rate: int) -> None:
    """A client sends a byte of a message at intervals, fast enough or not; another is silent."""
    with serving(f"{FOR_ONE_SECOND}rate_min = {rate}", 2, attached=1) as (broker, slow, silent):
        message = frame(Publish("k", bytes(100_000)).encode())
        slow.send(message[:100])
        sent = 100
        silent.attach()

        def both_are_looked_at() -> bool:
            nonlocal sent
            if not slow.is_closed():
                slow.send(message[sent : sent + 1])
                sent += 1
            return silent.is_closed()

        if rate == 1:
            eventually("the silent one is forgotten", both_are_looked_at)
            slow.send(message[sent:])
            slow.barrier()
            assert broker.figures()["published"] == 1
        else:
            slow.send_until_closed(b"x")
        assert broker.figures()["expired"] >= 1


def test_limits_patterns_max() -> None:
    text = "[limits]\npatterns_max = 3"
    with serving(text, 2, attached=1) as (_, client, other):
        client.publish(*[Publish("k", b"")] * 20)
        for pattern in "abca":
            client.subscribe(pattern, zeps.LATEST_NEW)
        assert client.refused(Subscribe("d", zeps.LATEST_NEW)) == "too-many-subscriptions"
        client.barrier()  # and its session continues
        other.attach()
        for latest in (18, 16, 14, 12):
            other.subscribe("", latest)
        assert other.refused(Subscribe("", 10)) == "too-many-subscriptions", "three wait for older messages"
        other.say(CREDIT_MAX)
        assert sorted(other.expect(Deliver).sequence for _ in range(8)) == [*range(13, 21)]
        other.subscribe("", 10)


def test_limits_outbox_messages_max(tmp_path: Path) -> None:
    assert is_ended_for_unread_answers("outbox_messages_max = 4", tmp_path)
    assert not is_ended_for_unread_answers("", tmp_path)


def test_limits_outbox_bytes_max(tmp_path: Path) -> None:
    assert is_ended_for_unread_answers("outbox_bytes_max = 300", tmp_path)


def is_ended_for_unread_answers(limits: str, folder: Path) -> bool:
    """Whether a session ends if some 20 answers wait beyond kernel buffer and queue. If not, all must arrive."""
    text = f"[transport]\nsend_bytes_max = 1\n[limits]\n{limits}"
    asking = [Subscribe("", 1)] * 20
    asked = 0
    with serving(text, 2, attached=2, endpoints=[f"ipc://{folder}/broker"]) as (broker, client, other):
        while not broker.figures()["blocked"] and not broker.figures()["dropped"]:
            client.say(*asking)
            asked += len(asking)
            other.barrier()
        with suppress(BrokenPipeError, ConnectionResetError):
            client.say(*asking)
            asked += len(asking)
        eventually(
            "all is served", lambda: broker.figures()["refused"] == asked or broker.figures()["dropped"]
        )
        other.barrier()
        if broker.figures()["dropped"]:
            assert len(client.until_closed()) < asked
            return True
        assert [client.refused() for _ in range(asked)] == ["beyond-end"] * asked
        client.barrier()
        return False


# Regular expressions


REGEX = '[broker]\nmatch = "regex"\n[limits]\n'
WEIGHT_MAX = 100
PATTERNS_MAX = WEIGHT_MAX // 9
"""More than this number of regular expressions exceed the weight limit, however small they are."""


def patterns_granted(clients: Iterable[RawClient]) -> int:
    """Returns how many clients can subscribe to a distinct pattern each before one is refused."""
    for number, client in enumerate(clients):
        client.say(Subscribe(f"{number}[a-z]", zeps.LATEST_NEW))
        answer = client.receive()
        if isinstance(answer, Invalid):
            assert answer.reason.startswith("too-many-subscriptions ")
            client.barrier()
            return number
    raise AssertionError("none was refused")


def test_limits_regex_program_max() -> None:
    with serving(f"{REGEX}regex_program_max = 100", attached=1) as (_, client):
        for pattern in (r"\pL", "(a?){60}a{60}"):
            assert client.refused(Subscribe(pattern, zeps.LATEST_NEW)) == "bad-pattern"
        client.subscribe("^device/7/(temp|hum)/[0-9]+$", zeps.LATEST_NEW)


def test_fixed_unicode_classes_max() -> None:
    with serving(f"{REGEX}regex_program_max = 2000", attached=1) as (_, client):
        client.subscribe(r"\p{Greek}" * 16, zeps.LATEST_NEW)
        assert client.refused(Subscribe(r"\p{Greek}" * 17, zeps.LATEST_NEW)) == "bad-pattern"
        client.barrier()


def test_limits_regex_session_weight_max() -> None:
    with serving(f"{REGEX}regex_session_weight_max = {WEIGHT_MAX}", 2) as (_, first, second):
        for client in (first, second):
            client.attach()
            assert 0 < patterns_granted(repeat(client)) <= PATTERNS_MAX


def test_limits_regex_stream_weight_max() -> None:
    with LimitedBroker(f"{REGEX}regex_stream_weight_max = {WEIGHT_MAX}") as broker, ExitStack() as stack:
        clients = [stack.enter_context(RawClient(broker.endpoint)) for _ in range(PATTERNS_MAX + 1)]
        for client in clients:
            client.attach()
        granted = patterns_granted(clients)
        assert 0 < granted <= PATTERNS_MAX
        refused = clients[granted]
        refused.subscribe("0[a-z]", zeps.LATEST_NEW)  # another session has it
        refused.attach("another stream")
        refused.subscribe("new[a-z]", zeps.LATEST_NEW)


def test_limits_regex_weight_max() -> None:
    with LimitedBroker(f"{REGEX}regex_weight_max = {WEIGHT_MAX}") as broker, ExitStack() as stack:
        clients = [stack.enter_context(RawClient(broker.endpoint)) for _ in range(PATTERNS_MAX + 1)]
        for number, client in enumerate(clients):
            client.attach(f"stream {number}")
        granted = patterns_granted(clients)
        assert 0 < granted <= PATTERNS_MAX
        refused = clients[granted]
        refused.attach("stream 0")
        refused.subscribe("0[a-z]", zeps.LATEST_NEW)  # another session of that stream has it


# For each stream


def published(limits: str, *messages: Publish) -> list[BlockHead]:
    """Returns the blocks of a stream to which `messages` were published with one write."""
    with serving(limits, attached=1) as (broker, client):
        client.say(*messages, Ping())
        client.expect(PingOk)
        return [head for segment in broker.segments("s") for head in heads_of(segment, "s")]


def heads_of(segment: Path, stream: str) -> Iterator[BlockHead]:
    data = segment.read_bytes()
    at = header_size(stream)
    while at < len(data):
        head = unpack_head(data, at, at)
        assert head is not None
        yield head
        at = head.end


def test_limits_block_messages_max() -> None:
    messages = [Publish("k", b"")] * 20
    assert [head.messages for head in published("[limits]\nblock_messages_max = 4", *messages)] == [4] * 5
    assert max(head.messages for head in published("", *messages)) > 4


def test_limits_block_bytes_max() -> None:
    messages = [*[Publish("k", bytes(100))] * 20, Publish("k", bytes(5000)), Publish("k", b"")]
    heads = published("[limits]\nblock_bytes_max = 1000", *messages)
    (large,) = [head for head in heads if published_bytes(head) > 1000]
    assert (large.first_sequence, large.messages) == (21, 1), "a larger message is a block of its own"
    assert max(map(published_bytes, published("", *messages[:20]))) > 1000


def published_bytes(head: BlockHead) -> int:
    """Returns the bytes of a block's messages as published, without sequences."""
    return head.frames_size - 8 * head.messages


def test_journal_segment_bytes() -> None:
    with serving("[journal]\nsegment_bytes = 10_000", attached=1) as (broker, client):
        for _ in range(100):
            client.publish(Publish("k", bytes(1000)))
        sizes = [segment.stat().st_size for segment in broker.segments("s")]
        assert len(sizes) > 10
        assert max(sizes) <= 10_000, sizes


def test_journal_retain_bytes() -> None:
    limit = 100_000
    with serving(f"[journal]\nretain_bytes = {limit}", attached=1) as (broker, client):
        kept = []
        for _ in range(300):
            client.publish(Publish("k", bytes(1000)))
            kept.append(sum(segment.stat().st_size for segment in broker.segments("s")))
        assert max(kept) <= limit + limit // 4, "the newest segment comes on top"
        assert min(kept[100:]) >= limit * 3 // 4
        assert client.refused(Subscribe("", 1)) == "not-retained"
        client.read_all()
        first = client.expect(Deliver).sequence
        assert [client.expect(Deliver).sequence for _ in range(300 - first)] == [*range(first + 1, 301)]


# All rows


TESTED_INSIDE = {
    "fixed.idle_max": "tests/broker/journal/test_idle.py::test_at_most_so_many_stay_open_and_the_others_are_freed",
    "limits.route_keys_max": "tests/broker/core/test_memory.py::test_keys_whose_subscribers_are_remembered_are_bounded",
}
"""Rows without an effect visible from outside, and the tests that cover them."""


def test_every_row_has_a_test() -> None:
    """And every test has a row."""
    rows = limit_rows(Config())
    expected = {row.name if row.is_setting else f"fixed.{row.name.lower()}" for row in rows}
    tests = [*vars(test_limit_rows_network), *globals()]
    tested = {name.removeprefix("test_").replace("_", ".", 1) for name in tests if name.startswith("test_")}
    tested -= {"every.row_has_a_test", "limit.rows_network"}
    assert not tested & TESTED_INSIDE.keys()
    assert tested | TESTED_INSIDE.keys() == expected
    for place in TESTED_INSIDE.values():
        file, _, name = place.partition("::")
        assert f"\ndef {name}(" in (Path(__file__).parents[2] / file).read_text(), place
