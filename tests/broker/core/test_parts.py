"""Small parts of the core: timers and the output queue."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.core.output_queue import OutputQueue
from zeps_broker.core.timers import Timers
from zeps_broker.memory import Budget
from zeps_broker.ports import Undelivered


class Owner:
    def __init__(self, name: int) -> None:
        self.name = name
        self.timer_id = 0


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.sampled_from(("set", "cancel", "due")), st.integers(0, 20)),
        max_size=200,
    )
)
def test_timers_are_a_dictionary_of_times(steps: list[tuple[int, str, int]]) -> None:
    timers: Timers[Owner] = Timers()
    owners = [Owner(name) for name in range(6)]
    plain: dict[int, float] = {}
    for name, what, time in steps:
        if what == "set":
            timers.set(time, owners[name])
            plain[name] = time
        elif what == "cancel":
            timers.cancel(owners[name])
            plain.pop(name, None)
        else:
            due = [owner.name for owner in timers.due(time)]
            assert sorted(due) == sorted(name for name, at in plain.items() if at <= time)
            assert [plain[name] for name in due] == sorted(plain[name] for name in due)
            plain = {name: at for name, at in plain.items() if at > time}
        assert timers.next() == min(plain.values(), default=None)


def test_cancelled_timers_do_not_pile_up() -> None:
    timers: Timers[Owner] = Timers()
    for number in range(10_000):
        owner = Owner(number)
        timers.set(1e9, owner)
        timers.cancel(owner)
    assert len(timers) < 200
    owner = Owner(0)
    for number in range(10_000):
        timers.set(number, owner)
    assert len(timers) < 200
    assert timers.due(10_000) == [owner]


def test_answers_to_one_peer_in_a_row_are_one_output() -> None:
    outgoing = OutputQueue(10, 100, Budget(10_000))
    for peer, frame in (("a", b"1"), ("a", b"2"), ("b", b"3"), ("a", b"4")):
        outgoing.control(peer, frame)
    outgoing.deliver(("a",), [b"5"], [1])
    outgoing.control("a", b"6")
    outputs = [(*output.peers, *output.frames) for output in outgoing.poll()]
    assert outputs == [("a", b"1", b"2"), ("b", b"3"), ("a", b"4"), ("a", b"5"), ("a", b"6")]
    assert not outgoing


def test_a_refusal_takes_all_that_follows_with_it() -> None:
    outgoing = OutputQueue(10, 100, Budget(10_000))
    undone: list[int | None] = []
    outgoing.control("a", b"ok")
    outgoing.deliver(("a", "b"), [b"111", b"22", b"3"], [5, 6, 9])
    outgoing.control("a", b"pong")
    outgoing.deliver(("a",), [b"4444"], [10], undone.append)
    flight = outgoing.poll()
    (refusal,) = outgoing.refused([Undelivered("a", flight[1], 1)])
    assert (refusal.byte_count, refusal.sequence, refusal.accepted) == (7, 6, 5)
    assert refusal.control == [b"pong"]
    assert refusal.undo is None
    everything = [Undelivered("a", output, 0) for output in flight]
    (refusal,) = outgoing.refused(everything)
    assert (refusal.byte_count, refusal.sequence, refusal.accepted) == (10, 5, None)
    assert refusal.control == [b"ok", b"pong"]
    (refusal,) = outgoing.refused([Undelivered("a", flight[3], 0)])
    assert refusal.undo is not None
    refusal.undo(refusal.accepted)
    assert undone == [None]


def test_a_refused_notice_is_undone_and_not_kept() -> None:
    outgoing = OutputQueue(10, 100, Budget(10_000))
    undone: list[str] = []
    outgoing.control("a", b"ok")
    outgoing.notice("a", b"gap", lambda accepted: undone.append(f"notice {accepted}"))
    outgoing.control("a", b"pong")
    outgoing.deliver(("a",), [b"4444"], [10], lambda accepted: undone.append(f"delivery {accepted}"))
    flight = outgoing.poll()
    assert [list(output.frames) for output in flight] == [[b"ok"], [b"gap"], [b"pong"], [b"4444"]]
    assert outgoing.notices == 1
    (refusal,) = outgoing.refused([Undelivered("a", flight[2], 0)])
    assert (refusal.byte_count, refusal.sequence, refusal.control) == (4, 10, [b"pong"])
    assert outgoing.notices == 1
    (refusal,) = outgoing.refused([Undelivered("a", flight[1], 0)])
    assert (refusal.byte_count, refusal.sequence, refusal.accepted) == (4, None, None)
    assert refusal.control == [b"pong"]
    assert refusal.undo is not None
    refusal.undo(refusal.accepted)
    assert undone == ["notice None"]
    assert outgoing.notices == 0


def blocked(frames_max: int, bytes_max: int) -> OutputQueue:
    """Returns a queue in which the answer `1` waits for the blocked peer `a`."""
    outgoing = OutputQueue(frames_max, bytes_max, Budget(10_000))
    outgoing.control("a", b"1")
    (output,) = outgoing.poll()
    (refusal,) = outgoing.refused([Undelivered("a", output, 0)])
    outgoing.block(refusal, 0.0)
    return outgoing


def test_a_blocked_peers_answers_wait_in_order() -> None:
    outgoing = blocked(4, 100)
    outgoing.control("a", b"2")
    assert not outgoing
    assert outgoing.unblock("a")
    outgoing.control("a", b"3")
    assert [list(output.frames) for output in outgoing.poll()] == [[b"1", b"2", b"3"]]
    assert not outgoing.unblock("a")


def test_an_outbox_is_bounded() -> None:
    for outgoing in (blocked(2, 100), blocked(100, 2)):
        outgoing.control("a", b"2")
        assert outgoing.overflowed == []
        outgoing.control("a", b"3")
        assert outgoing.overflowed == ["a"]
