"""One session from the client's view: its requests, its input, and whether the rules allow it.

The start of a subscription may be an interval: with a `latest` of 2^64-1 it is between the stream's end when SUBSCRIBE
left the client and its end when SUBSCRIBE-OK arrived, and with 0 it is between the limits of retention at these times.
Only properties that hold for the whole interval are demanded. Messages of several subscriptions belong to the first of
them, so each has its *share* of the stream. A message of a share may arrive only when all before it have arrived or are
announced as lost: this detects a silent gap, a late notice, and wrong order (ZEPS-SUBSCRIBE-12).
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from zeps_broker.ports import GapReason
from zeps_broker.sim.faults import Violation
from zeps_broker.sim.history import History
from zeps_wire.zeps import LATEST_ALL, LATEST_NEW, Deliver, OpenCode

__all__ = ["Record", "Subscription", "matches"]

_GAP_RULES: dict[GapReason, str] = {"retention": "ZEPS-RETAIN-1", "damage": "ZEPS-DAMAGE-1"}


def matches(style: str, pattern: str, key: str) -> bool:
    """Returns whether a pattern matches a key, independently of the core; expressions as common to Python and RE2."""
    if style == "prefix":
        return key.startswith(pattern)
    expression = _compiled(pattern)
    return expression is not None and expression.search(key) is not None


@lru_cache
def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern)
    except re.error:
        return None


@dataclass(slots=True)
class Subscription:
    """A subscription of one session. It certainly covers sequences after `highest`, and none up to `lowest`."""

    pattern: str
    latest: int
    lowest: int
    highest: int | None
    """None until SUBSCRIBE-OK arrived."""
    end_before: int
    floor_before: int
    """The stream's end, and the limit of retention, when SUBSCRIBE left the client."""
    end_after: int = 0
    """The stream's end when SUBSCRIBE-OK arrived."""
    had: int = 0
    """The highest sequence that the session had received when SUBSCRIBE-OK arrived."""
    newest: int = 0
    """The last sequence that only this subscription can have brought."""
    checked: int = 0
    """The share up to this sequence has arrived or is announced."""


class Record:
    """One session, from ATTACH-OK on; `connection` is the number of the link's connection. Raises Violation."""

    def __init__(self, history: History, stream: str, style: str, patterns_max: int, connection: int) -> None:
        self._history = history
        self.stream = stream
        self.style = style
        self.connection = connection
        self._patterns_max = patterns_max
        self.subscriptions: list[Subscription] = []
        self.confirmed = 0
        self.received: set[int] = set()
        self._highest = 0
        self._announced: Counter[int] = Counter()
        self._last_notice: tuple[GapReason, int, float] | None = None
        self.published: list[bytes] = []
        self.spoiled = False
        """True if the client sent a command that ends the session without its knowledge."""
        self.probes: list[int] = []
        """For each unanswered PING: the number of messages published before it."""

    # SUBSCRIBE and its answers

    def subscribes(self, pattern: str, latest: int) -> None:
        """Handles a SUBSCRIBE that leaves the client."""
        end, floor = self._history.end(self.stream), self._history.floor(self.stream)
        known = None if latest in (LATEST_ALL, LATEST_NEW) else latest
        lowest = {LATEST_ALL: floor, LATEST_NEW: end}.get(latest, latest)
        self.subscriptions.append(Subscription(pattern, latest, lowest, known, end, floor))

    def subscribed(self) -> int:
        """Handles SUBSCRIBE-OK. Returns the sequence after which the subscription certainly begins."""
        if self.confirmed >= len(self.subscriptions):
            raise Violation("ZEPS-SUBSCRIBE-1: SUBSCRIBE-OK without SUBSCRIBE")
        subscription = self.subscriptions[self.confirmed]
        self.confirmed += 1
        end, latest = self._history.end(self.stream), subscription.latest
        if not self._is_pattern(subscription.pattern):
            raise Violation(f"ZEPS-SUBSCRIBE-11: SUBSCRIBE-OK to {subscription.pattern!r}")
        if latest != LATEST_NEW and latest > end:
            raise Violation(f"ZEPS-SUBSCRIBE-5: SUBSCRIBE-OK to {latest}, and the stream ends at {end}")
        floor = subscription.floor_before
        if LATEST_ALL < latest < floor:
            raise Violation(f"ZEPS-RETAIN-2: SUBSCRIBE-OK to {latest}, and {floor} was not retained")
        subscription.end_after, subscription.had = end, self._highest
        patterns = {known.pattern for known in self.subscriptions[: self.confirmed]}
        if len(patterns) > self._patterns_max:
            raise Violation(f"ZEPS-SUBSCRIBE-14: SUBSCRIBE-OK to {len(patterns)} patterns")
        self._last_notice = None
        if subscription.highest is None:
            subscription.highest = self._history.floor(self.stream) if latest == LATEST_ALL else end
        start = subscription.highest
        if any(
            other.pattern == subscription.pattern
            and other.highest is not None
            and other.highest <= subscription.lowest
            for other in self.subscriptions[: self.confirmed - 1]
        ):
            subscription.lowest = subscription.highest = LATEST_NEW  # it adds nothing
        return start

    def refused(self, code: str, sequences: tuple[int, int] | None) -> None:
        """Handles an INVALID in place of SUBSCRIBE-OK."""
        subscription = self.subscriptions.pop(self.confirmed)
        end, floor = self._history.end(self.stream), self._history.floor(self.stream)
        first, last = sequences or (0, 0)
        latest = subscription.latest
        right = {
            OpenCode.BAD_PATTERN: not self._is_pattern(subscription.pattern),
            OpenCode.TOO_MANY_SUBSCRIPTIONS: self.confirmed >= self._patterns_max,
            OpenCode.BEYOND_END: last == latest != LATEST_NEW
            and subscription.end_before < first <= end + 1
            and first <= last,
            OpenCode.NOT_RETAINED: first == latest + 1 > 1
            and subscription.floor_before <= last <= floor
            and first <= last,
        }[OpenCode(code)]
        if not right:
            raise Violation(f"ZEPS-INVALID-1: {code} {first} {last} refuses {subscription}")

    def _is_pattern(self, pattern: str) -> bool:
        return self.style == "prefix" or _compiled(pattern) is not None

    # input

    def deliver(self, message: Deliver) -> None:
        """Handles a delivery."""
        sequence, key = message.sequence, message.key
        if sequence in self.received:
            raise Violation(f"ZEPS-GEAR-2: {sequence} is delivered twice in one session")
        subscription = self._brought_by(sequence, key)
        if sequence in self._announced and self._covering(sequence) < 2:
            raise Violation(f"ZEPS-GAP-4: {sequence} is delivered, and was announced as lost")
        self._check_order(subscription, sequence)
        self.received.add(sequence)
        self._highest = max(self._highest, sequence)
        self._last_notice = None

    def notice(self, reason: GapReason, first: int, last: int, left_at: float) -> None:
        """Handles an INVALID that announces a gap; it left the broker at `left_at`, in seconds."""
        what = f"{reason} {first} {last}"
        if not 1 <= first <= last <= self._history.end(self.stream):
            raise Violation(f"ZEPS-GAP-2: {what} names no messages of {self.stream}")
        for sequence in range(first, last + 1):
            covering = self._covering(sequence)
            if not covering:
                raise Violation(f"ZEPS-GAP-2: {what}, and {sequence} precedes every subscription")
            if not self._is_lost(sequence, reason):
                raise Violation(f"ZEPS-GAP-4: {what}, and {sequence} is not lost")
            if covering < 2 and sequence in self.received:
                raise Violation(f"ZEPS-GAP-4: {what}, and {sequence} was delivered")
            if self._announced[sequence] >= covering:
                raise Violation(f"{_GAP_RULES[reason]}: {what}, and {sequence} was announced before")
            self._announced[sequence] += 1
        # With several subscriptions, messages of one may have been read silently between two notices.
        if self._last_notice is not None and self._last_notice[:2] == (reason, first - 1) and covering < 2:
            lost_at = self._history.lost_at(self.stream, first, reason)
            was_there = self._history.copied(self.stream, first)
            if lost_at is not None and lost_at < self._last_notice[2] and not was_there:
                raise Violation(f"{_GAP_RULES[reason]}: {what} belongs to the notice before it")
        self._last_notice = reason, last, left_at

    def _is_lost(self, sequence: int, reason: GapReason) -> bool:
        """Returns whether a message is lost for `reason`, or was announced as damaged and then removed by retention."""
        reasons: tuple[GapReason, ...] = ("retention",) if reason == "retention" else ("damage", "retention")
        return any(self._history.lost_at(self.stream, sequence, possible) is not None for possible in reasons)

    def _covering(self, sequence: int) -> int:
        """Returns how many confirmed subscriptions may cover a sequence."""
        return sum(sequence > subscription.lowest for subscription in self.subscriptions[: self.confirmed])

    def _brought_by(self, sequence: int, key: str) -> Subscription | None:
        """Returns the subscription that brings a message, if certain; raises Violation if none can bring it."""
        candidates = [
            subscription
            for subscription in self.subscriptions
            if sequence > subscription.lowest and matches(self.style, subscription.pattern, key)
        ]
        if not candidates:
            raise Violation(
                f"ZEPS-SUBSCRIBE-3: {sequence} {key!r} is delivered, and no subscription covers it"
            )
        if all(self.subscriptions.index(candidate) >= self.confirmed for candidate in candidates):
            raise Violation(f"ZEPS-SUBSCRIBE-1: {sequence} comes before the SUBSCRIBE-OK of its subscription")
        first = candidates[0]
        if first.highest is None or sequence <= first.highest:
            return None
        if sequence <= first.newest:
            raise Violation(
                f"ZEPS-DELIVER-1: {sequence} comes after {first.newest} of pattern {first.pattern!r}"
            )
        return first

    def _check_order(self, brought_by: Subscription | None, sequence: int) -> None:
        """Checks the messages that must come before `sequence`; `brought_by` None: it may belong to several shares."""
        confirmed = self.subscriptions[: self.confirmed]
        if brought_by is not None:
            self._check_share(brought_by, sequence - 1, "ZEPS-GEAR-1", sequence)
            brought_by.newest = brought_by.checked = sequence
        place = len(confirmed) if brought_by is None else self.subscriptions.index(brought_by)
        for number, subscription in enumerate(confirmed):
            if subscription is brought_by:
                continue
            if sequence > subscription.end_after:
                # Published after the answer: not part of the older messages that the subscription added.
                self._check_share(subscription, sequence - 1, "ZEPS-GEAR-3", sequence)
            elif brought_by is not None and (number < place or place == 0):
                # Messages of the first subscription are never older than the session's position, and messages added by
                # a later subscription come after those added by an earlier one.
                self._check_share(subscription, subscription.had, "ZEPS-SUBSCRIBE-12", sequence)

    def _check_share(self, subscription: Subscription, upto: int, rule: str, sequence: int) -> None:
        """Checks that a share has arrived up to and including `upto`, or is announced as lost; `rule` is for errors."""
        assert subscription.highest is not None
        begin = max(subscription.checked, subscription.highest) + 1
        earlier = self.subscriptions[: self.subscriptions.index(subscription)]
        for missing in range(begin, upto + 1):
            if missing in self.received or missing in self._announced:
                continue
            key = self._history.key(self.stream, missing)
            if not matches(self.style, subscription.pattern, key) or any(
                missing > other.lowest and matches(self.style, other.pattern, key) for other in earlier
            ):
                continue
            for reason, rule_of_loss in _GAP_RULES.items():
                if self._history.lost_at(self.stream, missing, reason) is not None:
                    rule = rule_of_loss
            raise Violation(
                f"{rule}: {sequence} is delivered, and {missing} {key!r} neither is nor is announced"
            )
        subscription.checked = max(subscription.checked, upto)
