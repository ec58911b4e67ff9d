"""The core's answers, their recipients and their times, rule by rule."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from core_bench import ALL, NEW, PLENTY, Bench, MakeBench, codes, names, size

from zeps_broker.core.broker import Broker
from zeps_broker.core.reasons import parse
from zeps_broker.core.settings import Settings
from zeps_broker.core.stream import Stream
from zeps_broker.ports import Gone, JournalError, Malformed
from zeps_broker.sim.disk import Platter, SimStore
from zeps_wire import zeps
from zeps_wire.zeps import (
    Attach,
    AttachOk,
    Credit,
    Deliver,
    Detach,
    EndingCode,
    Invalid,
    OpenCode,
    Ping,
    PingOk,
    Publish,
    Subscribe,
)

# Sessions


def test_commands_without_a_session_are_invalid(bench: Bench) -> None:
    for message in (Ping(), Subscribe("", 0), Credit(1), Publish("a", b""), Detach(), PingOk()):
        bench.say("p", message)
        assert codes(bench.take("p")) == [EndingCode.NO_SESSION]
    assert bench.broker.stats()["sessions"] == 0


def test_malformed_input_ends_only_its_own_session(bench: Bench) -> None:
    bench.attach("a", Subscribe("", NEW), PLENTY)
    bench.attach("b", Subscribe("", NEW), PLENTY)
    bench.say("a", b"\xaa\xa5\x09junk")
    (invalid,) = bench.take("a")
    assert isinstance(invalid, Invalid)
    assert invalid.reason
    bench.publish("p", "k")
    assert bench.sequences("b") == [1]
    assert bench.take("a") == []


def test_what_is_no_frame_is_answered_with_its_reason(bench: Bench) -> None:
    bench.attach("a")
    bench.say("a", Publish("k", b"1"), Malformed("multi\npart" * 60), Ping())
    invalid, second = bench.take("a")
    assert invalid.reason.startswith("malformed multi?part")
    assert len(invalid.reason) == 255
    assert names([second]) == ["INVALID"]
    assert bench.platter.tracks["s"].last == 1


def test_an_error_in_a_run_keeps_what_came_before(bench: Bench) -> None:
    bench.attach("p")
    bad_text = b"\xaa\xa5\x06\x01\xff\x00\x00\x00\x00"
    bench.say("p", Publish("a", b"1"), Publish("b", b"2"), bad_text, Publish("c", b"3"))
    assert names(bench.take("p")) == ["INVALID", "INVALID"]
    assert bench.platter.tracks["s"].last == 2


def test_bad_text_is_found_again(bench: Bench) -> None:
    bad_text = b"\xaa\xa5\x06\x01\x07\x00\x00\x00\x00"
    for _ in range(2):
        bench.attach("p")
        bench.say("p", bad_text)
        assert "bad-text" in bench.take("p")[0].reason
    assert "s" not in bench.platter.tracks or bench.platter.tracks["s"].last == 0


def test_attach_in_an_open_session_begins_anew(bench: Bench) -> None:
    bench.attach("a", Subscribe("", NEW), PLENTY)
    bench.say("a", zeps.Attach("s"))
    assert names(bench.take("a")) == ["ATTACH-OK"]
    bench.publish("a", "k", settle=True)
    assert bench.take("a") == []


def test_an_empty_stream_name_is_invalid(bench: Bench) -> None:
    bench.say("a", zeps.Attach(""))
    assert codes(bench.take("a")) == [EndingCode.STREAM_NAME]


@pytest.mark.parametrize(
    "command", [Deliver(1, "k", b""), zeps.AttachOk(), zeps.SubscribeOk(), zeps.DetachOk(), zeps.Invalid("x")]
)
def test_a_command_that_only_the_broker_sends_is_refused(bench: Bench, command: zeps.Message) -> None:
    """ZEPS-INVALID-5, ZEPS-DETACH-OK-1: the session keeps its subscriptions and credit."""
    bench.attach("a", Subscribe("", NEW), PLENTY)
    bench.say("a", command)
    assert codes(bench.take("a")) == ["unexpected"]
    bench.publish("a", "k")
    assert bench.sequences("a") == [1]


def test_streams_are_isolated(bench: Bench) -> None:
    bench.attach("a", Subscribe("", ALL), PLENTY, stream="one")
    bench.attach("b", Subscribe("", ALL), PLENTY, stream="two")
    bench.attach("p", stream="two")
    bench.publish("p", "x", "y", settle=True)
    assert bench.sequences("a") == []
    assert bench.sequences("b") == [1, 2]


def test_a_stream_that_cannot_be_opened_is_refused(bench: Bench) -> None:
    bench.platter.full = True
    bench.say("a", zeps.Attach("new"))
    assert codes(bench.take("a")) == [EndingCode.STREAM_UNAVAILABLE]
    assert bench.broker.failure is None


def test_a_new_stream_is_refused_if_the_streams_cannot_be_counted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> int:
        raise JournalError("/data: cannot count the streams: Input/output error")

    monkeypatch.setattr(bench.store, "count", broken)
    bench.say("a", zeps.Attach("new"))
    assert codes(bench.take("a")) == [EndingCode.STREAM_UNAVAILABLE]
    assert bench.broker.failure is None


def test_sessions_are_bounded(make_bench: MakeBench) -> None:
    bench = make_bench(sessions_max=2)
    for peer in "abc":
        bench.say(peer, zeps.Attach("s"))
    assert codes(bench.take("c")) == [EndingCode.TOO_MANY_SESSIONS]
    assert bench.broker.stats()["refused"] == 1
    bench.say("a", zeps.Attach("s"))
    assert names(bench.take("a"))[-1] == "ATTACH-OK"


def test_patterns_are_bounded(make_bench: MakeBench) -> None:
    bench = make_bench(patterns_max=2)
    bench.attach("a", Subscribe("x", NEW), Subscribe("y", NEW), Subscribe("x", 0))
    bench.say("a", Subscribe("z", NEW))
    (invalid,) = bench.take("a")
    text = "a session has at most 2 subscriptions"
    assert parse(invalid.reason) == (OpenCode.TOO_MANY_SUBSCRIPTIONS, None, text)


def test_a_refused_subscribe_changes_nothing(make_bench: MakeBench) -> None:
    """ZEPS-SUBSCRIBE-13: session, subscriptions, credit, and messages published after it."""
    bench = make_bench(match="regex", patterns_max=1)
    bench.attach("a", Subscribe("^k", NEW), Credit(3 * size("k")))
    message = Publish("k", b"")
    bench.say("a", message, Subscribe("(", NEW), message, Subscribe("x", NEW), message, settle=True)
    messages = bench.take("a")
    assert codes(messages[:2]) == [OpenCode.BAD_PATTERN, OpenCode.TOO_MANY_SUBSCRIPTIONS]
    assert bench.broker.stats()["refused"] == 2
    assert [message.sequence for message in messages[2:]] == [1, 2, 3]
    bench.say("a", Ping())
    assert names(bench.take("a")) == ["PING-OK"]


# Order


def test_ping_ok_leaves_after_the_append(bench: Bench) -> None:
    stored: list[int] = []
    bench.store.after_append = lambda: stored.append(len(bench.got.get("p", [])))
    bench.attach("p")
    bench.say("p", Publish("a", b""), Ping(), Publish("b", b""), Ping())
    assert names(bench.take("p")) == ["PING-OK", "PING-OK"]
    assert stored == [0]


def test_a_batch_of_one_stream_is_one_block(bench: Bench) -> None:
    bench.attach("p")
    bench.attach("q")
    batch = [(peer, Publish("k", bytes(number))) for number in range(10) for peer in "pq"]
    bench.handle(*batch)
    (block,) = bench.platter.tracks["s"].blocks
    assert block.count == 20


def test_blocks_are_bounded(make_bench: MakeBench) -> None:
    bench = make_bench(block_messages_max=3, block_bytes_max=100)
    bench.attach("s", Subscribe("", NEW), PLENTY)
    bench.attach("p", *[Publish("k", bytes(number)) for number in (1, 1, 1, 1, 90, 90, 200, 1)])
    assert [block.count for block in bench.platter.tracks["s"].blocks] == [3, 1, 1, 1, 1, 1]
    bench.settle()
    assert bench.sequences("s") == list(range(1, 9))


@pytest.mark.parametrize("others", [0, 1, 3])
def test_a_batch_takes_work_in_proportion_to_its_frames(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, others: int
) -> None:
    """The order of PUBLISH and other commands does not matter."""
    looked_at: list[int] = []
    publish = Stream.publish

    def counted(self: Stream, frames: Sequence[bytes], steps_max: int) -> int:
        looked_at.append(len(frames))
        return publish(self, frames, steps_max)

    monkeypatch.setattr(Stream, "publish", counted)
    bench.attach("p")
    some = [Publish("k", bytes(number)) for number in range(1 + others // 2)]
    batch = [*some, *[Credit(1)] * others] * 3000
    bench.say("p", Ping(), *batch)
    assert sum(looked_at) <= 20 * len(batch)
    assert len(looked_at) <= len(batch) // 2
    assert bench.platter.tracks["s"].last == 3000 * len(some)


def test_subscribe_new_in_a_batch_starts_after_ones_own_messages(bench: Bench) -> None:
    bench.attach("p")
    bench.say("p", Publish("a", b""), Subscribe("", NEW), PLENTY, Publish("b", b""), settle=True)
    messages = bench.take("p")
    assert names(messages) == ["SUBSCRIBE-OK", "DELIVER"]
    assert messages[1].sequence == 2


def test_subscribing_again_in_the_middle_of_a_batch_loses_nothing(bench: Bench) -> None:
    bench.attach("p", Subscribe("a", NEW), PLENTY)
    bench.say("p", Publish("a", b""), Publish("b", b""), Subscribe("b", NEW), Publish("b", b""), settle=True)
    messages = bench.take("p")
    assert names(messages)[0] == "SUBSCRIBE-OK"
    assert [message.sequence for message in messages[1:]] == [1, 3]


def test_nothing_is_delivered_after_detach_ok(bench: Bench) -> None:
    bench.attach("a", Subscribe("", NEW), PLENTY)
    bench.say("a", Publish("k", b""), Detach(), settle=True)
    assert names(bench.take("a")) == ["DETACH-OK"]
    assert bench.platter.tracks["s"].last == 1


def test_handling_before_the_outputs_are_polled_is_an_error(bench: Bench) -> None:
    bench.broker.handle(0.0, 0, [("a", Ping().encode())])
    with pytest.raises(RuntimeError):
        bench.broker.handle(0.0, 0, [])


# Equal subscribers


def test_equal_subscribers_share_one_output(bench: Bench) -> None:
    for peer in "abcdefghij":
        bench.attach(peer, Subscribe("ab", NEW), Subscribe("a", NEW) if peer < "f" else Ping(), PLENTY)
    for peer in "fghij":
        bench.say(peer, Subscribe("a", NEW))
    bench.outputs.clear()
    bench.publish("p", *["abc"] * 20)
    (output,) = [output for output in bench.outputs if output.sequences is not None]
    assert sorted(output.peers) == list("abcdefghij")
    assert list(output.sequences) == list(range(1, 21))


def test_groups_get_only_their_part(bench: Bench) -> None:
    for peer, pattern in (("a", "a"), ("b", "b"), ("ab", "ab"), ("all", "")):
        bench.attach(peer, Subscribe(pattern, NEW), PLENTY)
    bench.publish("p", "a", "ab", "b", "c", "abc")
    assert bench.sequences("a") == [1, 2, 5]
    assert bench.sequences("ab") == [2, 5]
    assert bench.sequences("b") == [3]
    assert bench.sequences("all") == [1, 2, 3, 4, 5]


def test_a_new_group_gets_keys_that_are_already_known(bench: Bench) -> None:
    bench.publish("p", "a")
    bench.attach("a", Subscribe("a", NEW), PLENTY)
    bench.publish("p", "a")
    assert bench.sequences("a") == [2]


def test_idle_groups_do_not_pile_up(bench: Bench) -> None:
    bench.attach("a", PLENTY)
    for number in range(300):
        bench.attach("a", Subscribe(f"k{number}", NEW))
    assert bench.broker.stats()["groups"] < 100


# Credit


def test_credit_runs_out_in_the_middle_of_a_run(bench: Bench) -> None:
    bench.attach("a", Subscribe("", NEW), Credit(2 * size("k") + 1))
    bench.attach("b", Subscribe("", NEW), PLENTY)
    bench.publish("p", "k", "k", "k", "k")
    assert bench.sequences("a") == [1, 2]
    assert bench.sequences("b") == [1, 2, 3, 4]
    bench.say("a", Credit(size("k") - 2), settle=True)
    assert bench.sequences("a") == []
    bench.say("a", Credit(1), settle=True)
    assert bench.sequences("a") == [3]
    bench.say("a", PLENTY, settle=True)
    assert bench.sequences("a") == [4]
    assert bench.broker.stats()["high_gear"] == 2


def test_a_waiting_large_message_is_not_overtaken(bench: Bench) -> None:
    bench.attach("a", Subscribe("", NEW), Credit(100))
    bench.attach("p", Publish("k", bytes(500)), Publish("k", b""))
    bench.publish("p", "k", settle=True)
    assert bench.sequences("a") == []
    bench.say("a", Credit(1000), settle=True)
    assert bench.sequences("a") == [1, 2, 3]


def test_without_credit_the_journal_is_not_read(bench: Bench) -> None:
    bench.publish("p", "k")
    reads: list[int] = []
    bench.store.before_read = lambda: reads.append(1)
    bench.attach("a", Subscribe("", ALL), settle=True)
    assert reads == []


# Pipes


def test_a_full_pipe_is_tried_again_from_the_right_place(bench: Bench) -> None:
    for reports_all in (True, False):
        bench.reports_all = reports_all
        bench.attach("a", Subscribe("", NEW), Credit(4 * size("k")))
        bench.attach("p")
        bench.room["a"] = 2
        first = bench.platter.tracks["s"].last + 1
        bench.publish("p", "k", "k", "k", "k")
        bench.publish("p", "k", settle=True)
        assert bench.sequences("a") == [first, first + 1]
        bench.flow("a", 1)
        assert bench.sequences("a") == [first + 2]
        bench.flow("a", 10)
        assert bench.sequences("a") == [first + 3]
        bench.say("a", PLENTY, settle=True)
        assert bench.sequences("a") == [first + 4]
        del bench.room["a"]


def test_answers_wait_for_a_full_pipe_in_order(bench: Bench) -> None:
    bench.attach("a", PLENTY)
    bench.publish("p", "k")
    bench.room["a"] = 0
    bench.say("a", Ping(), Subscribe("", ALL))
    bench.say("a", Ping(), settle=True)
    assert bench.take("a") == []
    bench.flow("a")
    assert names(bench.take("a")) == ["PING-OK", "SUBSCRIBE-OK", "PING-OK", "DELIVER"]


def test_a_peer_that_never_reads_is_dropped(make_bench: MakeBench) -> None:
    bench = make_bench(outbox_messages_max=5)
    bench.attach("a", Subscribe("", NEW), PLENTY)
    bench.room["a"] = 0
    for _ in range(7):
        bench.say("a", Ping())
    assert bench.broker.stats()["sessions"] == 0
    assert bench.broker.stats()["blocked"] == 0


def test_the_last_word_waits_too_but_not_for_ever(bench: Bench) -> None:
    bench.attach("a")
    bench.room["a"] = 0
    bench.say("a", Detach())
    assert bench.broker.stats()["blocked"] == 1
    bench.room["a"] = 5
    bench.broker.writable(["a"])
    bench.send()
    assert names(bench.take("a")) == ["DETACH-OK"]
    bench.room["a"] = 0
    bench.attach("a")
    bench.wait(30)
    assert bench.broker.stats()["blocked"] == 0


def test_a_stranger_with_a_full_pipe_leaves_no_trace(bench: Bench) -> None:
    bench.room["x"] = 0
    bench.say("x", Ping())
    stats = bench.broker.stats()
    assert stats["blocked"] == stats["sessions"] == stats["timers"] == 0


def test_a_peer_that_is_gone_is_forgotten(bench: Bench) -> None:
    bench.attach("a", Subscribe("", NEW), PLENTY)
    bench.attach("p")
    bench.gone.add("a")
    bench.publish("p", "k")
    assert bench.broker.stats()["sessions"] == 1


def test_the_session_of_a_closed_connection_ends_after_what_came_from_it(bench: Bench) -> None:
    bench.attach("a", Subscribe("", NEW), PLENTY)
    bench.attach("p")
    bench.handle(("p", Publish("k", b"1")), ("p", Publish("k", b"2")), ("p", Ping()), ("p", Gone()))
    assert bench.sequences("a") == [1, 2]
    bench.handle(("a", Gone()), ("stranger", Gone()))
    stats = bench.broker.stats()
    assert (stats["sessions"], stats["gone"], stats["blocked"], stats["streams"]) == (0, 2, 0, 0)


def test_closed_connections_make_room_for_sessions(make_bench: MakeBench) -> None:
    """Also for a session that attaches in the same batch, before the broker learns of them."""
    bench = make_bench(sessions_max=3)
    for peer in ("a", "b", "c"):
        bench.attach(peer)
    bench.handle(("d", Attach("s")), ("a", Gone()), ("b", Gone()), ("c", Gone()))
    assert bench.take("d") == [AttachOk()]
    assert bench.broker.stats()["sessions"] == 1


def test_a_closed_connection_whose_pipe_was_full_leaves_no_trace(bench: Bench) -> None:
    bench.attach("a", Subscribe("", NEW), PLENTY)
    bench.room["a"] = 0
    bench.publish("p", "k")
    bench.say("a", Ping())
    assert bench.broker.stats()["blocked"] == 1
    bench.say("a", Gone(), settle=True)
    stats = bench.broker.stats()
    assert (stats["blocked"], stats["sessions"], stats["low_gear"]) == (0, 1, 0)


# Settings


def test_settings_contradict() -> None:
    for wrong in (
        {"heartbeat_seconds": 30.0},
        {"heartbeat_seconds": 0.0},
        {"rate_min": 0},
        {"rate_min": float("nan")},
        {"block_messages_max": 0},
        {"block_messages_max": 100_000},
        {"low_gear_turn_bytes": 0},
    ):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            Settings(**wrong)
    with pytest.raises(ValueError, match="glob"):
        Broker(SimStore(Platter()), Settings(matching=(("x", "glob"),)))


def test_matching_rules_take_the_first_that_fits() -> None:
    settings = Settings(matching=(("a.b", "prefix"), ("a.*", "regex"), ("*", "prefix")), match="regex")
    styles = {"a.b": "prefix", "a.c": "regex", "a": "prefix", "": "prefix"}
    assert {name: settings.style_of(name) for name in styles} == styles


def test_a_regex_stream(make_bench: MakeBench) -> None:
    bench = make_bench(matching=(("re", "regex"),))
    bench.attach("a", Subscribe("^a.*z$", NEW), PLENTY, stream="re")
    bench.attach("b", Subscribe("", NEW), PLENTY, stream="re")
    bench.attach("p", stream="re")
    bench.publish("p", "az", "abz", "ab", "xaz", "aéz")
    assert bench.sequences("a") == [1, 2, 5]
    assert bench.sequences("b") == [1, 2, 3, 4, 5]
    bench.say("a", Subscribe("(", NEW))
    assert "regular expression" in bench.take("a")[0].reason
    bench.attach("c", Subscribe("z$", ALL), PLENTY, stream="re", settle=True)
    assert bench.sequences("c") == [1, 2, 4, 5]
