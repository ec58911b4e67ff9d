"""Silence, time-outs and stops of a broker."""

from __future__ import annotations

from core_bench import ALL, NEW, PLENTY, Bench, MakeBench, names

from zeps_broker.ports import Peer
from zeps_wire import zeps
from zeps_wire.zeps import Detach, DetachOk, Ping, PingOk, Publish, Subscribe

# Time


def test_a_silent_client_is_asked_and_then_forgotten(bench: Bench) -> None:
    bench.attach("a")
    bench.wait(25)
    assert names(bench.take("a")) == ["PING"] * 3
    assert bench.broker.stats()["sessions"] == 0
    assert bench.broker.stats()["expired"] == 1


def test_any_command_is_a_sign_of_life(bench: Bench) -> None:
    bench.attach("a")
    for _ in range(30):
        bench.tick(3.0)
        bench.say("a", PingOk())
    assert bench.take("a") == []
    assert bench.broker.stats()["sessions"] == 1


class Wire:
    """A transport on which incomplete frames advance under the test's control."""

    def __init__(self, unseen_bytes: int = 0) -> None:
        self.unseen_bytes = unseen_bytes
        self.waiting: dict[Peer, float] = {}

    def move(self, peer: Peer, byte_count: float) -> None:
        self.waiting[peer] = self.waiting.get(peer, 0) + byte_count

    def advanced(self, peer: Peer) -> int:
        return int(self.waiting.pop(peer, 0))


def test_a_frame_that_advances_is_a_sign_of_life(make_bench: MakeBench) -> None:
    wire = Wire()
    bench = make_bench(progress=wire, rate_min=1000)
    bench.attach("fast")
    bench.attach("slow")
    bench.attach("silent")
    forgotten = {}
    for second in range(1, 301):
        wire.move("fast", 1000)
        wire.move("slow", 500)
        bench.tick(1.0)
        for peer in ("fast", "slow", "silent"):
            if bench.broker.session(peer) is None:
                forgotten.setdefault(peer, second)
    assert names(bench.take("fast")) == []
    assert forgotten == {"silent": 20, "slow": 40}


def test_bytes_of_a_frame_are_not_saved_up(make_bench: MakeBench) -> None:
    wire = Wire()
    bench = make_bench(progress=wire, rate_min=1000)
    bench.attach("a")
    wire.move("a", 10**9)
    bench.wait(24)
    assert bench.broker.stats()["sessions"] == 1
    bench.tick(1.0)
    assert bench.broker.stats()["sessions"] == 0


def test_a_transport_of_whole_frames_gets_the_time_of_the_longest(make_bench: MakeBench) -> None:
    bench = make_bench(progress=Wire(unseen_bytes=30_000), rate_min=1000)
    bench.attach("a")
    bench.wait(49)
    assert bench.broker.stats()["sessions"] == 1
    bench.tick(1.0)
    assert bench.broker.stats()["sessions"] == 0


def test_a_broker_that_was_away_blames_nobody(bench: Bench) -> None:
    bench.attach("a")
    bench.tick(1.0)
    bench.tick(1000.0)
    assert bench.broker.stats()["sessions"] == 1
    bench.wait(25)
    assert bench.broker.stats()["sessions"] == 0


def test_ten_thousand_that_vanish_leave_nothing_behind(bench: Bench) -> None:
    for number in range(10_000):
        bench.attach(number, Subscribe(f"k{number % 100}", NEW), stream=f"s{number % 10}")
    bench.forget()
    bench.wait(30)
    left = bench.broker.stats()
    assert left["expired"] == 10_000
    for what in ("sessions", "streams", "groups", "blocked", "ready", "timers", "cache_bytes"):
        assert left[what] == 0, what


def test_coming_and_going_leaves_nothing_behind(bench: Bench) -> None:
    for number in range(2000):
        bench.say(number, zeps.Attach("s"), Subscribe("a", NEW), Detach())
    stats = bench.broker.stats()
    assert stats["sessions"] == stats["streams"] == 0
    assert stats["timers"] < 200


def test_timeout_says_when_there_is_something_to_do(bench: Bench) -> None:
    assert bench.broker.timeout(bench.now) == 1.0
    bench.publish("p", "k")
    assert 0 < bench.broker.timeout(bench.now) <= 1.0
    messages = (zeps.Attach("s"), Subscribe("", ALL), PLENTY)
    bench.broker.handle(bench.now, 0, [("a", message.encode()) for message in messages])
    assert bench.broker.timeout(bench.now) == 0.0
    bench.send()
    assert bench.broker.timeout(bench.now) == 0.0
    bench.tick()
    assert bench.broker.timeout(bench.now) > 0.0


# Ends


def test_a_clean_stop_detaches_and_drains(bench: Bench) -> None:
    bench.attach("a", Subscribe("", NEW), PLENTY)
    bench.attach("b")
    bench.broker.shutdown(bench.now)
    bench.send()
    assert names(bench.take("a")) == ["DETACH"]
    assert not bench.broker.done
    bench.say("a", Publish("late", b""), DetachOk())
    bench.say("new", zeps.Attach("s"))
    assert bench.take("new")[0].reason.startswith("stopping ")
    assert not bench.broker.done
    bench.say("b", Detach())
    assert names(bench.take("b")) == ["DETACH", "DETACH-OK"]
    assert bench.broker.done
    assert bench.platter.tracks["s"].last == 1
    assert bench.take("a") == []


def test_a_stop_does_not_wait_for_ever(bench: Bench) -> None:
    bench.attach("a")
    bench.broker.shutdown(bench.now)
    bench.send()
    bench.tick(4.9)
    assert not bench.broker.done
    bench.tick(0.2)
    assert bench.broker.done


def test_a_journal_that_fails_stops_everything(bench: Bench) -> None:
    bench.attach("a", Subscribe("", NEW), PLENTY)
    bench.publish("p", "k")
    assert bench.sequences("a") == [1]
    bench.platter.full = True
    bench.say("p", Publish("k", b""), Ping())
    assert names(bench.take("a")) == ["DETACH"]
    assert names(bench.take("p")) == ["DETACH"]
    assert "no space" in (bench.broker.failure or "")
    assert bench.broker.done
    bench.platter.full = False
    bench.say("p", Publish("k", b""))
    assert bench.platter.tracks["s"].last == 1


def test_a_store_that_fails_in_a_tick_stops_everything(bench: Bench) -> None:
    def fail(now_us: int) -> None:
        from zeps_broker.ports import JournalError

        raise JournalError("sync failed")

    bench.attach("a")
    bench.store.tick = fail
    bench.tick()
    assert names(bench.take("a")) == ["DETACH"]
    assert bench.broker.failure == "sync failed"
