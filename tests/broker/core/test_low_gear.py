"""Turns of low gear: bounded, fair, shared, and fast enough to catch up."""

from __future__ import annotations

from core_bench import ALL, PLENTY, Bench, MakeBench, names, size

from zeps_broker.core.settings import Settings
from zeps_broker.ports import Block
from zeps_wire import zeps
from zeps_wire.zeps import Credit, Publish, Subscribe

FRAME = size("k", bytes(100))


def history(bench: Bench, blocks: int, messages: int = 10, size: int = 100) -> None:
    """Publishes blocks of messages with bodies of `size` bytes to the stream `s`."""
    for _ in range(blocks):
        bench.publish("p", *["k"] * messages, body=bytes(size))
    bench.tick()


def count_reads(bench: Bench) -> list[int]:
    reads: list[int] = []
    bench.store.before_read = lambda: reads.append(1)
    return reads


def test_a_tick_does_a_bounded_amount(make_bench: MakeBench) -> None:
    bench = make_bench(low_gear_bytes=10 * FRAME, low_gear_turn_bytes=2 * FRAME)
    history(bench, 20)
    for peer in "abc":
        bench.attach(peer, Subscribe("", ALL), PLENTY)
    bench.tick()
    sent = {peer: len(bench.sequences(peer)) for peer in "abc"}
    assert 5 <= sum(sent.values()) <= 15
    assert max(sent.values()) - min(sent.values()) <= 4
    bench.settle()
    assert all(bench.sequences(peer)[-1] == 200 for peer in "abc")


def test_looking_in_vain_is_work_too(make_bench: MakeBench) -> None:
    bench = make_bench(low_gear_bytes=1000, low_gear_turn_bytes=500, cache_bytes_max=1)
    history(bench, 50)
    bench.attach("a", Subscribe("nothing", ALL), PLENTY)
    reads = count_reads(bench)
    bench.tick()
    assert 0 < len(reads) < 25
    bench.settle()
    assert bench.broker.stats()["high_gear"] == 1


def test_reading_for_a_little_credit_is_work_too(make_bench: MakeBench) -> None:
    """ZEPS-FAIR-1: a tick reads a bounded number of blocks, though each reader has credit for a different message."""
    bench = make_bench(low_gear_bytes=20_000, cache_bytes_max=1)
    history(bench, 50, 100)
    for number in range(50):
        bench.attach(number, Subscribe("", 100 * number) if number else Subscribe("", ALL), Credit(FRAME))
    reads = count_reads(bench)
    bench.tick()
    assert 0 < len(reads) < 25
    bench.settle()
    assert [bench.sequences(number) for number in range(50)] == [[100 * number + 1] for number in range(50)]


def test_huge_messages_hold_nobody_up(make_bench: MakeBench) -> None:
    """ZEPS-FAIR-1: a turn ends after one such message, and a tick after a turn that was as long as a tick."""
    bench = make_bench(low_gear_bytes=1000, low_gear_turn_bytes=500, cache_bytes_max=1)
    history(bench, 20, 1, size=100_000)
    history(bench, 1, 20)
    bench.attach("a", Subscribe("", ALL), PLENTY)
    bench.attach("b", Subscribe("", 20), PLENTY)
    for _ in range(12):
        bench.tick()
    assert bench.sequences("b") == list(range(21, 41))
    assert 0 < len(bench.sequences("a")) <= 12
    bench.say("p", Publish("k", b""))
    assert bench.sequences("b") == [41]


def test_a_message_larger_than_a_turn_goes_out(make_bench: MakeBench) -> None:
    bench = make_bench(low_gear_bytes=1, low_gear_turn_bytes=1)
    history(bench, 1, 3)
    bench.attach("a", Subscribe("", ALL), PLENTY, settle=True)
    assert bench.sequences("a") == [1, 2, 3]


def test_readers_of_the_same_place_share_blocks_and_frames(bench: Bench) -> None:
    history(bench, 5)
    reads = count_reads(bench)
    bench.outputs.clear()
    messages = (zeps.Attach("s"), Subscribe("", ALL), PLENTY)
    bench.handle(*[(peer, message) for peer in "abcd" for message in messages])
    bench.settle()
    assert len(reads) == 5
    outputs = [output for output in bench.outputs if output.sequences is not None]
    assert len(outputs) == 20
    assert len({id(output.frames) for output in outputs}) == 5


def test_the_cache_is_bounded(make_bench: MakeBench) -> None:
    bench = make_bench(cache_bytes_max=20 * FRAME * 10)
    history(bench, 100)
    bench.attach("a", Subscribe("", ALL), PLENTY, settle=True)
    assert bench.broker.stats()["cache_bytes"] <= 20 * FRAME * 10


def test_who_lags_gains_on_live_traffic(make_bench: MakeBench) -> None:
    """A tick's base allowance is far less than the volume published between two ticks."""
    bench = make_bench(low_gear_bytes=1, low_gear_turn_bytes=1)
    history(bench, 20)
    bench.attach("a", Subscribe("", ALL), PLENTY)
    bench.attach("b", Subscribe("", ALL), PLENTY)
    for _ in range(60):
        bench.say("p", *[Publish("k", bytes(100))] * 20)
        bench.tick()
    assert bench.broker.stats()["high_gear"] == 2


def test_a_tick_reads_at_most_an_eighth_of_the_memory(make_bench: MakeBench) -> None:
    """Large messages published to a stream increase the allowance of its readers; all of it waits in memory."""
    bench = make_bench(memory_bytes_max=64 << 20)
    history(bench, 20, 1, size=1_000_000)
    for peer in "abcd":
        bench.attach(peer, Subscribe("", ALL), PLENTY)
    bench.say("p", *[Publish("k", bytes(1_000_000))] * 10)
    bench.settle()
    assert 6_000_000 < bench.broker.stats()["turn_low_gear_bytes_highest"] < (8 << 20) + 1_500_000
    assert all(bench.sequences(peer) == list(range(1, 31)) for peer in "abcd")


def test_what_other_streams_are_sent_makes_no_tick_larger(make_bench: MakeBench) -> None:
    """ZEPS-FAIR-1: only sessions that could fall behind increase the allowance."""
    bench = make_bench(low_gear_bytes=2 * FRAME, low_gear_turn_bytes=2 * FRAME)
    history(bench, 20)
    bench.attach("live", stream="other")
    bench.attach("a", Subscribe("", ALL), PLENTY)
    for tick in range(1, 20):
        bench.say("live", *[Publish("k", bytes(100))] * 20)
        bench.tick()
        assert len(bench.sequences("a")) <= 3 * tick


def test_a_slow_pipe_gets_small_turns_until_it_flows(bench: Bench) -> None:
    history(bench, 1, 2000)
    bench.room["a"] = 3
    bench.attach("a", Subscribe("", ALL), PLENTY, settle=True)
    session = bench.broker.session("a")
    usual = Settings().low_gear_turn_bytes
    assert session.turn_bytes < usual
    bench.flow("a")
    assert bench.sequences("a") == list(range(1, 2001))
    assert session.turn_bytes > usual // 8


def test_a_journal_that_ends_early_does_not_trap_a_reader(bench: Bench) -> None:
    history(bench, 5)
    del bench.platter.tracks["s"].blocks[3:]
    bench.attach("a", Subscribe("", ALL), PLENTY, settle=True)
    *messages, notice = bench.take("a")
    assert [message.sequence for message in messages] == list(range(1, 31))
    assert notice.reason.startswith("damage 31 50 ")
    bench.publish("p", "k")
    assert bench.sequences("a") == [51]


def test_a_journal_that_cannot_be_read_stops_the_broker(bench: Bench) -> None:
    from zeps_broker.ports import JournalError

    def fail() -> Block | None:
        raise JournalError("input/output error")

    history(bench, 1)
    bench.store.before_read = fail
    bench.attach("a", Subscribe("", ALL), PLENTY)
    bench.tick()
    assert bench.broker.failure == "input/output error"
    assert names(bench.take("a")) == ["DETACH"]


def test_a_detached_session_in_the_queue_costs_nothing(bench: Bench) -> None:
    history(bench, 5)
    bench.say("a", zeps.Attach("s"), Subscribe("", ALL), PLENTY, zeps.Detach(), settle=True)
    assert names(bench.take("a")) == ["ATTACH-OK", "SUBSCRIBE-OK", "DETACH-OK"]
    assert bench.broker.stats()["ready"] == 0


def test_fills_come_before_what_is_new(bench: Bench) -> None:
    bench.publish("p", "a", "b", "ab", "b")
    bench.attach("x", Subscribe("a", ALL), PLENTY, settle=True)
    assert bench.sequences("x") == [1, 3]
    bench.handle(("x", Subscribe("", ALL)), ("p", Publish("a", b"")), ("p", Publish("b", b"")))
    bench.settle()
    messages = bench.take("x")
    assert messages[0].NAME == "SUBSCRIBE-OK"
    assert [message.sequence for message in messages[1:]] == [2, 4, 5, 6]
    bench.publish("p", "c")
    assert bench.sequences("x") == [7]


def test_changes_of_gear_are_counted(bench: Bench) -> None:
    """Counts joining high gear, leaving it for lack of credit, and rejoining; also after the stream is left."""
    history(bench, 3)
    bench.attach("a", Subscribe("", ALL), Credit(31 * FRAME), settle=True)
    assert (bench.broker.stats()["gear_falls"], bench.broker.stats()["gear_climbs"]) == (0, 1)
    bench.say("p", *[Publish("k", bytes(100))] * 2, settle=True)
    assert (bench.broker.stats()["gear_falls"], bench.broker.stats()["gear_climbs"]) == (1, 1)
    bench.say("a", PLENTY, settle=True)
    assert bench.sequences("a") == list(range(1, 33))
    assert (bench.broker.stats()["gear_falls"], bench.broker.stats()["gear_climbs"]) == (1, 2)
    for peer in "ap":
        bench.say(peer, zeps.Detach())
    bench.settle()
    assert bench.broker.stats()["streams"] == 0
    assert (bench.broker.stats()["gear_falls"], bench.broker.stats()["gear_climbs"]) == (1, 2)
