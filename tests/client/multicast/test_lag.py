"""Lag of a multicast sender, in virtual time (ZEPS-MULTICAST-2)."""

from __future__ import annotations

from collections.abc import Callable

from zeps_client.multicast.lag import Lag


def test_a_sender_at_the_end_asks_four_times_within_its_bound() -> None:
    lag = Lag(2.0, 0.0)
    asked = []
    for tenth in range(100):
        now = tenth / 10
        if lag.asks(now):
            lag.asked(now, tenth)
            asked.append(now)
        assert not lag.exceeded(now, tenth)
    assert asked[:4] == [0.5, 1.0, 1.5, 2.0]
    assert len(asked) == 19


def behind_at(sent_at: Callable[[float], int], end_at: Callable[[float], int]) -> float | None:
    """Returns when a sender with a bound of two seconds is found to be behind; None: not within a minute."""
    lag = Lag(2.0, 0.0)
    for hundredth in range(6000):
        now = hundredth / 100
        if lag.asks(now):
            lag.asked(now, end_at(now))
        if lag.exceeded(now, sent_at(now)):
            return now
    return None


def test_a_sender_that_keeps_a_distance_within_the_bound_is_on_time() -> None:
    """100 messages a second, each of which is sent 1.4 seconds after it was stored."""
    assert behind_at(lambda now: int(100 * max(0.0, now - 1.4)), lambda now: int(100 * now)) is None


def test_a_sender_that_is_too_slow_is_behind_when_its_distance_passes_the_bound() -> None:
    """Of 200 messages a second it sends 100: after four seconds it sends messages stored two seconds before."""
    moment = behind_at(lambda now: int(100 * now), lambda now: int(200 * now))
    assert moment is not None
    assert 3.0 <= moment <= 4.0


def test_a_sender_that_was_suspended_is_not_on_time_before_it_has_asked() -> None:
    lag = Lag(2.0, 0.0)
    lag.asked(1.0, 10)
    assert not lag.exceeded(1.1, 10)
    assert lag.asks(3600.0)
    assert lag.exceeded(3600.0, 10)
    lag.asked(3600.0, 5000)
    assert lag.exceeded(3600.0, 10)
    assert not lag.exceeded(3600.0, 5000)


def test_a_sender_that_was_suspended_amid_messages_is_behind() -> None:
    lag = Lag(2.0, 0.0)
    lag.asked(1.0, 10)
    assert not lag.exceeded(1.1, 5)
    assert lag.exceeded(3600.0, 6)
    lag.asked(3600.0, 10)
    assert lag.exceeded(3600.0, 6)
    assert not lag.exceeded(3600.0, 10)


def test_a_burst_after_a_quiet_hour_is_real_time() -> None:
    """The end is also requested while the stream is quiet, so that the start of a burst is known."""

    def end_at(now: float) -> int:
        return 10 if now < 30 else 1000

    assert behind_at(lambda now: 10 if now < 30.8 else 1000, end_at) is None


def test_without_an_answer_the_sender_goes_on_for_as_long_as_the_bound() -> None:
    lag = Lag(2.0, 0.0)
    for now in (1.0, 1.5, 2.0):
        assert lag.asks(now)
        lag.asked(now, None)
        assert not lag.exceeded(now, 0)
    assert lag.exceeded(2.1, 0)
