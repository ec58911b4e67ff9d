"""Memory of ended sessions is freed at once, without the cyclic collector."""

from __future__ import annotations

import tracemalloc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from core_bench import Bench, MakeBench
from garbage import nothing_to_collect

from zeps_broker.core.broker import Broker
from zeps_broker.core.matching import Prefix
from zeps_broker.core.reading import Reading
from zeps_broker.core.replay_cache import CachedBlock, ReplayCache
from zeps_broker.core.session import SESSION_BYTES
from zeps_broker.core.stream import Stream
from zeps_broker.journal import JournalStore
from zeps_broker.ports import Gone, Malformed
from zeps_broker.service.descriptors import ReservingDisk
from zeps_broker.sim.disk import Platter, SimStore
from zeps_wire import zeps
from zeps_wire.zeps import LATEST_NEW as NEW
from zeps_wire.zeps import Attach, Credit, Detach, Publish, Subscribe, SubscribeOk

CREDIT = zeps.Credit(1 << 40)


def fill(bench: Bench, blocks: int = 12) -> None:
    """Publishes blocks of equal and of different sizes, a third of the keys cold."""
    for number in range(blocks):
        keys = [f"{'hot' if n % 3 else 'cold'}/{n if number % 2 else n % 10}" for n in range(20)]
        bench.publish("publisher", *keys, body=b"x" * number)


@pytest.mark.parametrize("patterns", [[""], ["hot/"], ["hot/1", "cold/"]], ids=["all", "prefix", "prefixes"])
@pytest.mark.parametrize("cache", [1, 1 << 20], ids=["evicting", "keeping"])
def test_a_replay_leaves_nothing(bench: Bench, patterns: list[str], cache: int) -> None:
    bench.broker._low_gear.cache = ReplayCache(cache)
    fill(bench)
    with nothing_to_collect():
        for _ in range(3):
            subscriptions = [zeps.Subscribe(pattern, zeps.LATEST_ALL) for pattern in patterns]
            bench.attach("reader", *subscriptions, CREDIT, settle=True)
            assert len(bench.take("reader")) > 50
            bench.say("reader", zeps.Detach())
            bench.forget()


def expire(bench: Bench) -> None:
    """Advances the time in steps too short for the broker to conclude that it was away itself."""
    for _ in range(10):
        bench.tick(3.0)
    assert bench.broker.stats()["expired"]


def overflow(bench: Bench) -> None:
    """Requests more answers than the outbox holds while the pipe is full."""
    bench.room["reader"] = 0
    for _ in range(3):
        bench.say("reader", *[zeps.Ping()] * 200)
    assert bench.broker.stats()["dropped"]


def shut_down(bench: Bench) -> None:
    bench.broker.shutdown(bench.now)
    bench.send()
    bench.tick(10.0)


ENDINGS: dict[str, Callable[[Any], None]] = {
    "DETACH": lambda bench: bench.say("reader", zeps.Detach()),
    "INVALID": lambda bench: bench.say("reader", b"\xff"),
    "malformed": lambda bench: bench.say("reader", Malformed("not a frame")),
    "gone": lambda bench: bench.say("reader", Gone()),
    "another ATTACH": lambda bench: bench.say("reader", zeps.Attach("other"), zeps.Detach()),
    "expiry": expire,
    "overflow": overflow,
    "shutdown": shut_down,
}


@pytest.mark.parametrize("end", ENDINGS.values(), ids=ENDINGS.keys())
@pytest.mark.parametrize("gear", ["high", "low"])
def test_a_session_that_ends_leaves_nothing(bench: Bench, end: Callable[[Bench], None], gear: str) -> None:
    fill(bench)
    bench.say("publisher", zeps.Detach())
    credit = CREDIT if gear == "high" else zeps.Credit(200)
    with nothing_to_collect():
        bench.attach("reader", zeps.Subscribe("hot/", zeps.LATEST_ALL), credit, settle=True)
        session = bench.broker.session("reader")
        assert session is not None
        assert (session.group is not None) == (gear == "high")
        del session
        end(bench)
        bench.tick()
        assert bench.broker.session("reader") is None
        bench.forget()


def test_peers_without_a_session_leave_nothing(bench: Bench) -> None:
    with nothing_to_collect():
        bench.say("stranger", zeps.Ping(), b"\xff", zeps.Attach(""), Malformed("not a frame"))
        assert len(bench.take("stranger")) == 4
        bench.outputs.clear()


def test_a_stream_on_the_real_disk_leaves_nothing(make_bench: MakeBench, tmp_path: Path) -> None:
    store = JournalStore(tmp_path / "data", sync="os", disk=ReservingDisk())
    bench = make_bench()
    bench.broker = Broker(store, bench.broker.settings)
    with nothing_to_collect():
        fill(bench, 3)
        bench.say("publisher", zeps.Detach())
        bench.attach("reader", zeps.Subscribe("hot/", zeps.LATEST_ALL), CREDIT, settle=True)
        bench.say("reader", zeps.Detach(), zeps.Attach("never published to"), zeps.Detach())
        bench.forget()
    store.close()


def test_what_is_selected_of_a_block_is_bounded_by_its_bytes() -> None:
    """Distinct patterns select the same messages repeatedly; the cache holds the block and as much again."""
    log = SimStore(Platter()).open("s")
    frames = [zeps.Deliver(n, f"key/{n:04}", b"x" * (n % 5)).encode() for n in range(1, 2002)]
    log.append(frames[:1], 0)
    log.append(frames[1:], 0)  # the log returns this block whole, because of its even sequence
    cache = ReplayCache(1 << 30)

    def select(number: int) -> None:
        reading = Reading(Prefix())
        for pattern in (b"key/0", b"key/1", b"none/%d" % number):
            reading.subscribe(pattern, 0)
        block = cache.find(log, 1, reading.span())
        assert isinstance(block, CachedBlock)
        selection, _ = block.select(reading.span(), 0)
        assert len(selection.take(0, len(selection))[0]) == 1998

    tracemalloc.start()
    try:
        for number in range(50):
            select(number)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < cache.memory_bytes


def test_patterns_that_nobody_has_any_more_count(bench: Bench) -> None:
    """The cache finds selections by their patterns, of which a session may have many long ones."""
    fill(bench)
    for number in range(20):
        patterns = [f"{number}/{n}".ljust(250, ".") for n in range(10)]
        bench.attach("reader", *[zeps.Subscribe(pattern, zeps.LATEST_ALL) for pattern in patterns], CREDIT)
        bench.settle()
        bench.say("reader", zeps.Detach())
    assert bench.broker.stats()["cache_bytes"] > 20 * 10 * 250


def test_subscribing_from_ever_lower_points_takes_no_more_memory(make_bench: MakeBench) -> None:
    """Neither before the first read, nor while the first request is being read."""
    bench = make_bench(patterns_max=20)
    bench.attach("p", *[Publish("k", b"")] * 5000)
    bench.attach("a", Subscribe("k", 100))
    for latest in range(4999, 500, -1):
        bench.say("a", Subscribe("other", latest))
    reading = bench.broker.session("a").reading
    assert reading.history == 0
    bench.say("a", Subscribe("third", 50))
    for latest in range(499, 100, -1):
        bench.say("a", Subscribe("other", latest))
    assert (len(reading), reading.fills) == (3, 1)
    assert reading.history <= 5


def test_what_is_remembered_for_older_messages_is_bounded(make_bench: MakeBench) -> None:
    bench = make_bench(patterns_max=20)
    bench.attach("p", *[Publish("k", b"")] * 5000)
    bench.attach("a", Subscribe("k", 4000))
    for latest in range(3999, 3800, -1):
        bench.say("a", Subscribe("k", latest), Credit(30))  # one message of a fill at a time
        bench.settle()
    reading = bench.broker.session("a").reading
    assert reading.fills <= 20
    assert reading.history <= 80
    before = bench.broker.memory.used
    bench.say("a", Detach())
    assert bench.broker.memory.used < before


def test_sessions_and_subscriptions_take_memory_and_give_it_back(make_bench: MakeBench) -> None:
    bench = make_bench(memory_bytes_max=80 << 20)
    limit = bench.broker.memory.size
    peers = [f"s{number}" for number in range(limit // SESSION_BYTES + 1)]
    for peer in peers:
        bench.say(peer, Attach("s"))
    (refusal,) = bench.take(peers[-1])
    assert refusal.reason.startswith("too-many-sessions the broker's memory for sessions is used up")
    bench.say(peers[0], Subscribe("a", NEW))
    assert bench.take(peers[0])[-1].reason.startswith("too-many-subscriptions the broker's memory")
    bench.say(peers[1], Detach())
    bench.say(peers[0], Subscribe("a", NEW))
    assert bench.take(peers[0]) == [SubscribeOk()]
    for peer in peers:
        bench.handle((peer, Gone()))
    assert bench.broker.memory.used == 0


def test_a_refused_subscribe_takes_no_memory(make_bench: MakeBench) -> None:
    """After a refused position and after a refused pattern."""
    bench = make_bench(match="regex")
    bench.attach("a", Publish("k", b""), Subscribe("^k", NEW))
    before = bench.broker.memory.used
    bench.say("a", Subscribe("^other", 17), Subscribe("(", NEW))
    assert [str(message.reason).split()[0] for message in bench.take("a")] == ["beyond-end", "bad-pattern"]
    assert bench.broker.memory.used == before


def test_groups_without_members_have_no_more_patterns_than_one_session_may_have(bench: Bench) -> None:
    """A session that subscribes once per batch leaves a larger group behind each time."""
    bench.attach("reader", CREDIT)
    for number in range(200):
        bench.say("reader", zeps.Subscribe(f"{number}.", zeps.LATEST_NEW))
    groups = bench.broker._streams["s"]._groups
    assert sum(map(len, groups)) <= 200 + bench.broker.settings.patterns_max
    bench.publish("publisher", "199.", "200.")
    assert [message.sequence for message in bench.take("reader") if isinstance(message, zeps.Deliver)] == [1]


def test_the_keys_that_all_streams_remember_are_bounded(make_bench: MakeBench) -> None:
    bench = make_bench(memory_bytes_max=80 << 20)
    memory = bench.broker._routes_memory
    for stream in range(4):
        bench.attach(f"s{stream}", Subscribe("", NEW), CREDIT, stream=f"stream {stream}")
        for part in range(5):
            bench.publish(f"s{stream}", *[f"{part} {number}" for number in range(2000)])
            assert memory.used <= memory.size
    assert memory.used > memory.size // 2
    assert all(len(bench.take(f"s{stream}")) >= 10_000 for stream in range(4)), "all are delivered"
    for stream in range(4):
        bench.say(f"s{stream}", Detach())
    assert memory.used == 0


def test_keys_whose_subscribers_are_remembered_are_bounded(make_bench: MakeBench) -> None:
    bench = make_bench(route_keys_max=4)
    bench.attach("reader", Subscribe("k1", NEW), CREDIT)
    bench.attach("publisher")
    routes = bench.broker.session("publisher").stream._routes
    for first in range(0, 100, 10):
        bench.publish("publisher", *[f"k{number}" for number in range(first, first + 10)])
        assert 0 < len(routes) <= 4
    assert bench.sequences("reader") == [2, *range(11, 21)]


def test_figures_are_told_while_streams_come(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures are read as if by another thread."""
    bench.attach("a")
    streams = bench.broker._streams

    def groups(stream: Stream) -> int:
        streams[f"another {len(streams)}"] = stream
        return 1

    monkeypatch.setattr(Stream, "groups", property(groups))
    assert bench.broker.stats()["groups"] == 1


def test_few_peers_are_kept_that_are_gone(make_bench: MakeBench) -> None:
    """A peer is a connection, with all of its state. Stopped timers may refer to 64 of them."""

    class Connection:
        """An object that only a broker refers to."""

    bench = make_bench(new_streams_max=100_000)
    bench.broker._source_of = lambda peer: "a host"
    kept: weakref.WeakSet[Connection] = weakref.WeakSet()
    for number in range(500):
        peer = Connection()
        kept.add(peer)
        bench.say(peer, Attach(f"a {number}"), Malformed("rubbish"), Publish("k", b""), Attach(f"b {number}"))
        bench.handle((peer, Gone()))
        assert len(bench.take(peer)) == 4
        bench.outputs.clear()
    assert 0 < len(kept) < 70
