"""Turns of bounded work: how much received input one turn serves, and of which peers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from core_bench import Bench, MakeBench
from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.core import stream
from zeps_broker.core.allowance import Allowance
from zeps_broker.core.reasons import parse
from zeps_broker.core.regex import Regex
from zeps_broker.core.settings import Settings
from zeps_broker.core.style import WORK_PER_STEP
from zeps_broker.frame_batch import FrameBatch
from zeps_broker.ports import Gone
from zeps_broker.sim.network import in_runs
from zeps_wire import zeps
from zeps_wire.zeps import (
    Attach,
    AttachOk,
    Credit,
    Deliver,
    EndingCode,
    Invalid,
    Ping,
    PingOk,
    Publish,
    Subscribe,
)


def test_a_flood_waits_and_others_are_served(bench: Bench) -> None:
    bench.attach("flood")
    bench.attach("other")
    flood = [("flood", Ping().encode())] * 20_000
    bench.turn(*in_runs(flood), ("other", Ping()))
    assert bench.take("other") == [PingOk()]
    settings = bench.broker.settings
    assert len(bench.take("flood")) <= settings.peer_steps_max
    assert bench.broker.waiting
    assert bench.broker.timeout(bench.now) == 0.0
    bench.turn(("other", Ping()))
    assert bench.take("other") == [PingOk()], "a peer that comes later waits for one turn, not for the flood"
    bench.finish()
    assert len(bench.take("flood")) == 20_000 - settings.peer_steps_max
    figures = bench.broker.stats()
    assert 0 < figures["turn_steps_highest"] <= settings.turn_steps_max
    assert figures["turn_messages_highest"] == 20_001


def test_peers_that_did_not_have_a_turn_have_the_next(make_bench: MakeBench) -> None:
    bench = make_bench(turn_steps_max=10, peer_steps_max=5)
    peers = ["a", "b", "c", "d"]
    for peer in peers:
        bench.attach(peer)
    bench.turn(*[(peer, Ping()) for peer in peers for _ in range(8)])
    assert [len(bench.take(peer)) for peer in peers] == [5, 5, 0, 0]
    bench.turn()
    assert [len(bench.take(peer)) for peer in peers] == [0, 0, 5, 5]
    bench.turn()
    assert [len(bench.take(peer)) for peer in peers] == [3, 3, 3, 1]


def test_nothing_more_is_received_of_a_peer_that_waits(make_bench: MakeBench) -> None:
    bench = make_bench(peer_steps_max=1, inbox_bytes_max=1000)
    bench.attach("a")
    bench.turn(("a", Ping()), ("a", Ping()))
    assert bench.broker.holds("a")
    assert not bench.broker.holds("b")
    assert not bench.broker.holds(None)
    bench.turn(("a", FrameBatch(bytes(2000), 0, 20, 100)))
    assert bench.broker.holds("b"), "the bytes of all peers together are bounded"
    assert bench.broker.holds(None)


COMMANDS = st.sampled_from(
    [Attach("s"), Ping(), Publish("a", b"x"), Publish("b", b"y"), Credit(50), Subscribe("a", 0), b"", b"??"]
)


@given(
    sent=st.lists(st.tuples(st.sampled_from("pq"), COMMANDS), max_size=40),
    budgets=st.tuples(st.integers(1, 60), st.integers(1, 60)),
    runs=st.booleans(),
    match=st.sampled_from(["prefix", "regex"]),
)
def test_everything_is_served_in_order_however_small_the_turns(
    sent: list[tuple[str, Any]], budgets: tuple[int, int], runs: bool, match: str
) -> None:
    """The answers to each peer, and the number of stored messages, do not depend on the size of a turn."""

    def answers(**limits: int) -> list[Any]:
        bench = Bench(runs=runs, match=match, **limits)
        bench.handle(*sent)
        stored = bench.platter.tracks["s"].last if "s" in bench.platter.tracks else 0
        return [stored, *([m for m in bench.take(peer) if not isinstance(m, Deliver)] for peer in "pq")]

    assert answers(turn_steps_max=budgets[0], peer_steps_max=budgets[1]) == answers()


def test_what_was_published_before_the_end_of_a_connection_is_stored(make_bench: MakeBench) -> None:
    bench = make_bench(peer_steps_max=1)
    bench.attach("p")
    bench.turn(
        ("p", Publish("k", b"1")), ("p", Ping()), ("p", Publish("k", b"2")), ("p", Ping()), ("p", Gone())
    )
    assert bench.broker.session("p") is not None, "its end is processed after its input"
    bench.finish()
    assert bench.broker.session("p") is None
    assert bench.store.open("s").last_sequence == 2


def test_rubbish_closes_its_connection(make_bench: MakeBench) -> None:
    bench = make_bench(malformed_max=3)
    bench.turn(("r", FrameBatch(bytes(4), 0, 0, 4)), ("r", Attach("s")), ("other", Attach("s")))
    assert bench.broker.poll_closing() == ["r"]
    messages = bench.take("r")
    assert [parse(message.reason)[0] for message in messages] == [EndingCode.MALFORMED] * 4
    assert bench.take("other") == [AttachOk()]
    assert not bench.broker.waiting, "no more of its input is served"
    assert bench.broker.poll_closing() == []
    bench.turn(("r", Gone()))
    bench.turn(("r", b""), ("r", b""), ("r", b""))
    assert bench.broker.poll_closing() == [], "another connection has a count of its own"


def test_a_few_malformed_messages_are_answered(make_bench: MakeBench) -> None:
    bench = make_bench(malformed_max=3)
    for _ in range(3):
        bench.say("r", b"")
    bench.say("r", Attach("s"))
    assert [type(message) for message in bench.take("r")] == [Invalid] * 3 + [AttachOk]
    assert bench.broker.poll_closing() == []


def test_the_connection_of_a_session_that_expired_is_closed(bench: Bench) -> None:
    bench.attach("a")
    bench.wait(21)
    assert bench.broker.session("a") is None
    assert bench.broker.poll_closing() == ["a"]


def test_a_session_whose_input_waits_does_not_expire(make_bench: MakeBench) -> None:
    bench = make_bench(turn_steps_max=1, peer_steps_max=1)
    bench.attach("a")
    bench.attach("b")
    bench.turn(*[("a", Ping())] * 50, ("b", Ping()))
    bench.wait(50)
    assert bench.broker.session("b") is not None


HOSTILE = "(?:a?){300}x"
"""A pattern that visits 600 instructions for each `a` of a key."""
KEY_STEPS = 3 * 600 * 250 // WORK_PER_STEP
"""Approximate steps of a new key of 250 bytes on a stream with three such patterns."""


def attach_hostile(bench: Bench) -> None:
    """Attaches two peers to a stream, one of them with three hostile patterns, and a third to another stream."""
    bench.attach("a", *(Subscribe(f"{HOSTILE}{n}", zeps.LATEST_NEW) for n in range(3)), Credit(10**9))
    bench.attach("flood")
    bench.attach("other", stream="other")


def test_subscribing_costs_what_compiling_the_pattern_costs(make_bench: MakeBench) -> None:
    bench = make_bench(match="regex")
    bench.attach("flood")
    bench.attach("other")
    patterns = [rf"{n}\pL\pN{{{n}}}" for n in range(1, 101)]
    bench.turn(*(("flood", Subscribe(p, zeps.LATEST_NEW)) for p in patterns), ("other", Ping()))
    settings, cost = bench.broker.settings, Regex(Settings()).cost(patterns[0].encode())
    assert cost > 50
    assert 0 < len(bench.take("flood")) <= settings.peer_steps_max // cost + 1
    assert bench.take("other") == [PingOk()]
    answers = 0
    while bench.broker.waiting:
        bench.turn()
        answers += len(bench.take("flood"))
    assert answers > 80, "the others were answered in later turns"
    dearest = max(Regex(Settings()).cost(pattern.encode()) for pattern in patterns)
    assert bench.broker.stats()["turn_steps_highest"] <= settings.turn_steps_max + dearest


@pytest.mark.parametrize("sizes", [1, 3])
def test_new_keys_cost_what_searching_the_patterns_costs(make_bench: MakeBench, sizes: int) -> None:
    """The rest of frames of one size, or of several sizes, waits in order for the next turn."""
    bench = make_bench(match="regex")
    attach_hostile(bench)
    keys = [f"{n:03}" + "a" * (240 + n % sizes) + f"x{n % 4}" for n in range(60)]
    flood = [Publish(key, b"").encode() for key in keys]
    batch = [("flood", frame) for frame in [*flood[:50], Ping().encode(), *flood[50:], Ping().encode()]]
    bench.turn(*in_runs(batch), ("other", Ping()))
    assert bench.take("other") == [PingOk()]
    per_turn = bench.broker.settings.peer_steps_max // KEY_STEPS + 1
    turns = 1
    assert 0 < bench.broker.session("a").stream.end <= per_turn
    turns += bench.finish()
    assert bench.take("flood") == [PingOk()] * 2, "nothing was taken for another command"
    assert turns >= 60 // per_turn
    assert bench.store.open("s").last_sequence == 60
    got = [(m.sequence, m.key) for m in bench.take("a") if isinstance(m, Deliver)]
    assert got == [(n, key) for n, key in enumerate(keys, 1) if n % 4 != 0]


@pytest.mark.parametrize("sizes", [1, 3])
def test_every_turn_advances(make_bench: MakeBench, monkeypatch: pytest.MonkeyPatch, sizes: int) -> None:
    """Each turn serves at least one message, and does not examine all waiting ones."""
    looked_at = 0

    def counting(keys_of: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def count(frames: Any) -> Any:
            nonlocal looked_at
            looked_at += len(frames)
            return keys_of(frames)

        return count

    monkeypatch.setattr(stream, "_PIECE", 16)
    monkeypatch.setattr(stream, "keys_of", counting(stream.keys_of))
    monkeypatch.setattr(stream, "keys_of_run", counting(stream.keys_of_run))
    bench = make_bench(match="regex", peer_steps_max=1, turn_steps_max=1)
    attach_hostile(bench)
    flood = [("flood", Publish(f"{n:03}" + "a" * (100 + n % sizes), b"").encode()) for n in range(200)]
    bench.turn(*in_runs(flood))
    for stored in range(1, 200):
        assert bench.broker.session("a").stream.end == stored
        assert bench.broker.waiting
        bench.turn()
    assert not bench.broker.waiting
    assert looked_at <= 200 * 2 * 16


def test_new_streams_are_few_a_turn_and_limited_per_second(make_bench: MakeBench) -> None:
    bench = make_bench(new_streams_max=100)
    batch = [(f"p{n}", m) for n in range(60) for m in (Attach(f"new{n}"), Publish("k", b""))]
    bench.turn(*batch)
    stored = sum(bench.store.open(f"new{n}").last_sequence for n in range(60))
    assert stored == 20, "a new stream counts as a hundred steps"
    bench.finish()
    assert sum(bench.store.open(f"new{n}").last_sequence for n in range(60)) == 60
    bench.take("p0")
    bench.say("greedy", *[m for n in range(20) for m in (Attach(f"more{n}"), Publish("k", b""))])
    refused = [m for m in bench.take("greedy") if isinstance(m, Invalid)]
    assert {parse(m.reason)[0] for m in refused} == {EndingCode.STREAM_UNAVAILABLE, EndingCode.NO_SESSION}
    attached = sum(bench.store.open(f"more{n}").last_sequence for n in range(20))
    assert attached == 10, "one connection may begin a tenth of them"
    bench.now += 1.0
    bench.say("greedy", Attach("later"))
    assert bench.take("greedy") == [AttachOk()]


def test_streams_are_limited_in_total(make_bench: MakeBench) -> None:
    bench = make_bench(streams_max=2)
    for name in ("a", "b"):
        bench.say(name, Attach(name), Publish("k", b""))
    bench.say("c", Attach("c"))
    (refusal,) = bench.take("c")
    assert refusal.reason.startswith("stream-unavailable the broker has 2 streams")
    bench.say("d", Attach("a"))
    assert bench.take("d") == [AttachOk()], "streams that exist can be attached to"


def test_an_allowance_fills_again() -> None:
    allowance = Allowance(10)
    assert [allowance.take("a", 0.0) for _ in range(11)] == [True] * 10 + [False]
    assert allowance.take("b", 0.0), "each owner has a bucket of its own"
    assert [allowance.take("a", 0.1) for _ in range(2)] == [True, False]
    assert [allowance.take("a", 99.0) for _ in range(11)] == [True] * 10 + [False], (
        "unused tokens do not accumulate"
    )


def test_an_allowance_remembers_a_bounded_number_of_owners() -> None:
    allowance = Allowance(1)
    for owner in range(30_000):
        allowance.take(owner, 0.0)
    assert len(allowance) == 10_000
