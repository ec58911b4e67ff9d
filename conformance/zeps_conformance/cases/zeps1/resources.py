"""Memory, descriptors and CPU time of the broker's process, after many repetitions of the same.

These cases run alone. More use than before counts for no rule: it is a failure of robustness.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from zeps_conformance.broker.series import Series
from zeps_conformance.broker.session import NEW, PLENTY, Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import NEGATIVE
from zeps_conformance.common.case import Needs
from zeps_conformance.common.usage import Usage, usage
from zeps_conformance.common.verdicts import LostError, RobustnessError

TIMES = 1000
BATCH = 50  # repetitions on one connection
BODY = 4096  # bytes of content in a repetition: a leak of it becomes visible
ROUNDS = 3  # failures in a row that are a finding
MEMORY_MAX = 16 << 20  # bytes that the process may grow by, beyond what it used after the first repetitions
DESCRIPTORS_MAX = 16
BUSY_MAX = 0.5  # share of the time for which an idle broker may be busy
SETTLE = 3.0  # seconds within which it returns to this
IDLE = 0.5  # seconds for which CPU time is measured

#: Sends repetitions on a connection, and returns how many of them the broker has answered.
Repeat = Callable[[Session, int], int]


@case(
    "Invalid input leaves no memory, descriptors or work behind",
    "ZEPS-INVALID-1",
    polarity=NEGATIVE,
    needs=Needs.ALONE,
    limit=150.0,
)
def invalid_input(t: BrokerTrial) -> None:
    encode = t.codec.encode
    publish = encode("PUBLISH", key="k", body=bytes(BODY))
    attach = encode("ATTACH", stream=t.stream)
    kinds = {
        "a truncated frame": publish[:-1],
        "a frame with trailing bytes": publish + b"x",
        "another signature": b"\x00" + publish[1:],
        "an unknown command": publish[:2] + b"\xff" + publish[3:],
        "text with a control character": encode("SUBSCRIBE", pattern="\x01" * 255, latest=NEW),
        "a stream name that is not UTF-8": attach[:-1] + b"\xff",
    }
    for name, frame in kinds.items():
        t.step(
            f"Connections attach and send {name}, {TIMES:,} times: the broker's process then uses what it did before."
        )
        _judge(t, name, _equal([attach, frame], "ATTACH-OK", "INVALID"))
    t.step(f"Connections publish without a session, {TIMES:,} times.")
    _judge(t, "PUBLISH without a session", _equal([publish], "INVALID"))


@case(
    "Sessions and subscriptions leave no memory, descriptors or work behind",
    "ZEPS-DETACH-2",
    needs=Needs.ALONE,
    limit=150.0,
)
def sessions(t: BrokerTrial) -> None:
    encode = t.codec.encode
    attach, detach = encode("ATTACH", stream=t.stream), encode("DETACH")
    credit = encode("CREDIT", credit=PLENTY)
    number = 0

    def subscribed(session: Session, count: int) -> int:
        nonlocal number
        frames = []
        for _ in range(count):
            number += 1
            patterns = [f"{number}:{index}".ljust(255, "p") for index in range(4)]
            subscribes = [encode("SUBSCRIBE", pattern=pattern, latest=NEW) for pattern in patterns]
            frames += [attach, *subscribes, credit, detach]
        session.send_together(frames)
        return _answered(session, count, ("ATTACH-OK", *["SUBSCRIBE-OK"] * 4, "DETACH-OK"))

    t.step(f"Sessions subscribe to four patterns of their own and detach, {TIMES:,} times.")
    _judge(t, "sessions that detach", subscribed)
    t.step(f"Connections attach in open sessions, {TIMES:,} times, and are closed without DETACH.")
    _judge(t, "sessions that attach again", _equal([attach, credit], "ATTACH-OK"))


@case(
    "Connections leave no memory, descriptors or work behind",
    "ZEPS-SESSION-4",
    needs=Needs.ALONE,
    limit=150.0,
)
def connections(t: BrokerTrial) -> None:
    def opened(session: Session, count: int) -> int:
        for number in range(count):
            session.peer.reset() if number % 2 else session.peer.close()
            session.reconnect()
            if number % 3 == 0:
                session.send("ATTACH", stream=t.stream)
        return count

    t.step(f"{TIMES:,} connections are opened, some attach, and they are closed, every second by a reset.")
    _judge(t, "connections that are closed", opened)


@case(
    "Messages leave no memory, descriptors or work behind",
    "ZEPS-PUBLISH-8",
    needs=Needs.ALONE,
    limit=150.0,
    retains=2 << 20,
)
def messages(t: BrokerTrial) -> None:
    series = t.series("used", bytes(64))
    t.step("A reads 3,000 messages that B publishes; both detach.")
    _deliver(t, series, 1, 3000)
    end = 3000

    def more() -> None:
        nonlocal end
        t.step("The same with 12,000 more: the process does not keep several copies of them.")
        _deliver(t, series, end + 1, end + 12_000)
        end += 12_000

    _compare(t, "12,000 messages", more, MEMORY_MAX + 8 * 12_000 * series.cost)


def _deliver(t: BrokerTrial, series: Series, first: int, last: int) -> None:
    a, b = t.reader("A", "", NEW), t.session("B")
    b.publish_series(series, first, last)
    a.expect_series(series, first, last)
    for session in (a, b):
        session.detach()
        session.leave()


def _judge(t: BrokerTrial, what: str, repeat: Repeat) -> None:
    """Repeats a tenth, and then all, and compares what the process uses. Raises RobustnessError if it uses more."""
    times = t.volume(TIMES, 100)
    _repeat(t, times // 10, repeat)
    _compare(t, f"{times:,} times {what}", lambda: _repeat(t, times, repeat), MEMORY_MAX)


def _compare(t: BrokerTrial, what: str, act: Callable[[], None], growth: int) -> None:
    """Calls `act`, and compares what the process uses with before, where memory may grow by `growth` bytes. Raises
    RobustnessError if it uses more each time of three: a process that only keeps free memory does not.
    """
    pid = _process(t)
    for _ in range(ROUNDS):
        before = usage(pid)
        act()
        t.step(f"After {what}, the process is measured until it is idle, and uses what it did before.")
        fits, seen = _settled(t, pid, before, growth)
        if fits:
            t.observe(f"after {what} the process uses what it did before", seen)
            return
    most = (
        f"+{growth / (1 << 20):.1f} MiB, +{DESCRIPTORS_MAX} descriptors, busy for {BUSY_MAX:.0%} of the time"
    )
    expected = f"after {what} the process uses what it did before: at most {most}"
    raise RobustnessError(expected, f"{seen}, and more each time of {ROUNDS}")


def _repeat(t: BrokerTrial, times: int, repeat: Repeat) -> None:
    session = t.connect("many")
    done = 0
    while done < times:
        answered = repeat(session, min(BATCH, times - done))
        t.check(answered > 0, "the input is answered", "the connection ends without an answer")
        done += answered
        t.keep_alive()
        session.reconnect()
        session.offended = False
    session.leave()


def _equal(frames: list[bytes], *answers: str) -> Repeat:
    """Returns a function that sends `frames` in each repetition, and reads `answers`."""

    def repeat(session: Session, count: int) -> int:
        session.send_together(frames * count)
        return _answered(session, count, answers)

    return repeat


def _answered(session: Session, count: int, names: tuple[str, ...]) -> int:
    """Reads the answers of `count` repetitions. Returns the number of complete ones before the connection ended."""
    done = 0
    try:
        while done < count:
            for name in names:
                session.expect(name)
            done += 1
    except LostError:
        if not session.may_close:
            raise
    return done


def _settled(t: BrokerTrial, pid: int, before: Usage, growth: int) -> tuple[bool, str]:
    """Waits until the process uses no more than `before` and a margin. Returns whether it does, and what it uses."""
    deadline = time.monotonic() + t.within(SETTLE)
    while True:
        busy_before = usage(pid).busy
        began = time.monotonic()
        time.sleep(IDLE)
        elapsed = time.monotonic() - began  # without the reading itself, which takes long on a busy machine
        now = usage(pid)
        busy = (now.busy - busy_before) / elapsed
        grown, more = now.memory - before.memory, now.descriptors - before.descriptors
        seen = f"{grown / (1 << 20):+.1f} MiB, {more:+d} descriptors, busy for {busy:.0%} of the time"
        fits = grown <= growth and more <= DESCRIPTORS_MAX and busy <= BUSY_MAX
        if fits or time.monotonic() > deadline:
            return fits, seen


def _process(t: BrokerTrial) -> int:
    pid = t.options.process
    if pid is None:
        t.unsupported("needs the broker's process: use --start or --pid")
    return pid
