"""Decides where to resume after a loss, so that the application gets every message once.

Theory. A broker keeps one cursor per session. It delivers each message that a covering subscription matches, in
ascending sequence. A subscription that is added with a point before the cursor is a *fill*: its additional messages are
delivered completely before the cursor moves on, also in ascending order, and several fills are delivered in the order
in which they were requested (ZEPS-SUBSCRIBE-7, -12, -16; ZEPS-DELIVER-1). A client sees neither the cursor, nor which
subscription caused a delivery, nor (since the matching style belongs to the stream) which patterns match a key. Two
records are enough for it:

*The delivered messages*: a set of sequences (:class:`~zeps_client.sequences.SequenceSet`). A message that arrives again
is dropped, so that too large a request costs traffic but never repeats a message.

*The point of each pattern*: all messages of the pattern up to its point were certainly delivered. After a loss all
patterns are requested again from their points, the lowest first and before any credit is granted. The broker then goes
through the stream once, each pattern joins at its own point, and no fill is needed. A request from too low a point
loses nothing.

So points may lag, but never lead. Subscriptions that were requested together are one *leg*; each subscription that is
added to a running session is a leg of its own, possibly a fill. Legs are delivered in order, and inside a leg sequences
ascend. A message out of order therefore shows that a later leg has begun, and that all legs before it are complete. The
first leg that is not known to be complete is the *front*. Every message puts all legs up to the front at its sequence:
either the front brought it, or the front is complete and the cursor has passed it. Legs behind the front stay where
they are. The next loss corrects them, at the cost of repeated messages that are dropped.

A broker announces messages that it cannot deliver any more: a notice advances over its sequences as a message with the
last of them would (ZEPS-GAP-1). A point before the retained messages is refused (ZEPS-RETAIN-2), and the subscription
is made again after the lost messages. A point beyond the stream's end is refused too (ZEPS-SUBSCRIBE-5), and the
subscription is made again at the end. In that case the stream was replaced or has lost its tail, and the sequences
delivered beyond the end are forgotten, since other messages will get them. A point of 0, or a lagging point, is not
refused in these cases. So a session also requests the messages after 1, and the messages after the highest delivered
sequence: not for the messages, which are requested anyway, but for the refusal (:attr:`Resumption.learns`).

Limits of knowledge: a subscription to new messages only begins where the stream ended at that time, and the protocol
does not report that place. If the session is lost before the first message arrives, the subscription begins anew, and
messages published in between are missed; :attr:`Plan.gaps` lists such patterns. And if the first message that arrives
belongs to another pattern's past, a loss soon after may deliver messages of the new pattern that are slightly older
than its subscription: too many rather than too few.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from zeps_client.errors import SubscribeRefused
from zeps_client.results import SubscribeResult
from zeps_client.sequences import SequenceSet
from zeps_wire.zeps import LATEST_NEW

__all__ = ["BEYOND_END", "Plan", "Resumption"]

BEYOND_END: Final = LATEST_NEW - 1
"""A `latest` that is beyond the end of every stream (ZEPS-SUBSCRIBE-5)."""

PROBATION: Final = 1024
"""Number of messages of a session after which its first leg certainly was read in one pass."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The requests of a new session, in this order, and the patterns that may have missed messages."""

    subscriptions: tuple[tuple[str, int], ...]
    gaps: tuple[str, ...]


@dataclass(slots=True, eq=False)
class _Leg:
    reached: int = 0


class _Subscription:
    __slots__ = ("asked", "base", "granted", "leg", "pattern")

    def __init__(self, pattern: str, latest: int, leg: _Leg) -> None:
        self.pattern = pattern
        self.asked = latest
        """The lowest point that the application has requested, except refused ones."""
        self.base: int | None = None if latest == LATEST_NEW else latest
        """Everything up to this point was certainly delivered; None: it begins at an end that is not known."""
        self.leg = leg
        self.granted: int | None = None
        """The lowest `asked` that the broker has confirmed, in any session; None: it has not confirmed any."""

    @property
    def point(self) -> int | None:
        return None if self.base is None else max(self.base, self.leg.reached)


@dataclass(slots=True, eq=False)
class _Request:
    """An unanswered SUBSCRIBE, for everything that the application requested down to `latest`."""

    subscription: _Subscription
    point: int
    """The point in SUBSCRIBE."""
    leg: _Leg | None
    """The leg that begins with the answer, if the subscription is a leg of its own."""
    results: list[SubscribeResult]
    """The calls that wait for the answer."""
    before: tuple[int, int | None, _Leg] | None = None
    """`asked`, `base` and `leg` of the subscription that this one extends; None for a new subscription."""
    to_learn: bool = False
    """True if the request is made only for its refusal; nothing else depends on it."""
    latest: int = field(init=False)

    def __post_init__(self) -> None:
        self.latest = self.subscription.asked


class Resumption:
    """The subscriptions of one client, and the sequences delivered to it, which may use `history_octets` bytes (0: no
    bound). Call :meth:`plan` for every new session and send its requests; :meth:`subscribe` when the application
    subscribes, :meth:`confirmed` at every SUBSCRIBE-OK, :meth:`refused`, :meth:`begin_after` or :meth:`reset` at every
    refusal, :meth:`take` for every DELIVER, :meth:`pass_over` for every notice of a gap.
    """

    def __init__(self, history_octets: int = 0) -> None:
        self.given = SequenceSet(history_octets)
        self.resets = 0
        """How often the stream restarted with lower sequences, or ended before a delivered sequence."""
        self.last_reset = (0, 0)
        """At the last reset: the highest sequence delivered before it, and the stream's end."""
        self.repeats = 0
        """Messages dropped because they had been delivered before."""
        self._subscriptions: dict[str, _Subscription] = {}
        self._legs: list[_Leg] = [_Leg()]
        self._front = 0  # index of the first leg that is not known to be complete
        self._begun = True  # the front is known to have begun
        self._frozen = False  # the first leg broke the expected order: its points stay
        self._last = 0  # the last sequence that arrived in this session
        self._together = 0  # points of the first leg that were requested together
        self._arrived = 0  # messages that arrived in this session
        self._settled = 0  # number of them that the legs account for
        self._floor = 0  # all messages of this session are beyond it, unless the stream was reset
        self._unplaced: list[tuple[_Subscription, int]] = []
        self._requests: deque[_Request] = deque()
        """Unanswered SUBSCRIBEs, in the order in which they were or will be sent."""
        self._plain = False

    def __contains__(self, pattern: str) -> bool:
        return pattern in self._subscriptions

    def __len__(self) -> int:
        return len(self._subscriptions)

    @property
    def points(self) -> dict[str, int | None]:
        """Returns for each pattern the sequence up to which it is certainly complete; None: not known yet."""
        self._settle()
        return {subscription.pattern: subscription.point for subscription in self._subscriptions.values()}

    def subscribe(
        self, pattern: str, latest: int, result: SubscribeResult | None = None, *, together: bool
    ) -> bool:
        """Adds a subscription. Returns True if the broker must be asked. `result` is finished when the broker has
        answered; immediately if it has granted as much before. `together`: the session has not been granted credit yet.
        """
        self._settle()
        self._plain = False
        result = result or SubscribeResult()
        known = self._subscriptions.get(pattern)
        if known is not None and latest >= known.asked:
            if known.granted is not None and latest >= known.granted:
                result.finish()
            else:
                next(
                    request
                    for request in self._requests
                    if request.subscription is known and request.latest <= latest
                ).results.append(result)
            return False
        fill = self._leg_of(latest, together=together)
        leg = fill or self._legs[0]
        before = None
        if known is None:
            known = self._subscriptions[pattern] = _Subscription(pattern, latest, leg)
        else:
            before = known.asked, known.base, known.leg
            known.asked = known.base = latest
            known.leg = leg
            self._unplaced = [entry for entry in self._unplaced if entry[0] is not known]
        self._requests.append(_Request(known, latest, fill, [result], before))
        self._floor = self._lowest()
        return True

    def _leg_of(self, latest: int, *, together: bool) -> _Leg | None:
        """Returns a leg for a subscription that may be a fill; None if it is read in one pass with the first leg."""
        if latest == LATEST_NEW:
            return None
        if together and self._joins(latest):
            self._together += 1
            return None
        return _Leg()

    def _part(self, request: _Request) -> None:
        """Handles a refused request: it is no longer counted among those that are read together."""
        if request.leg is None and request.point != LATEST_NEW:
            self._together -= 1

    def ask_end(self, *results: SubscribeResult) -> None:
        """Records a SUBSCRIBE for BEYOND_END, whose refusal reports where the stream ends and finishes `results`."""
        beyond = _Subscription("", BEYOND_END, self._legs[0])
        self._requests.append(_Request(beyond, BEYOND_END, None, list(results), to_learn=True))

    def _joins(self, latest: int) -> bool:
        """True if a subscription after `latest` is read together with the others, before the first message."""
        if len(self._legs) > 1 or self._last:
            return False
        return all(
            subscription.base is not None and subscription.base <= latest
            for subscription in self._subscriptions.values()
        )

    def _lowest(self) -> int:
        """The lowest point requested in this session, 0 if one of them is not known."""
        points = [
            0 if subscription.base is None else subscription.base
            for subscription in self._subscriptions.values()
        ]
        return min(points, default=0)

    @property
    def asks_end(self) -> bool:
        """True if the first unanswered SUBSCRIBE was made by :meth:`ask_end`."""
        return bool(self._requests) and self._requests[0].to_learn and bool(self._requests[0].results)

    @property
    def learns(self) -> bool:
        """True if the first unanswered SUBSCRIBE tests for removal by retention (from point 1), or whether the
        stream still has the delivered messages; see :meth:`plan`.
        """
        return bool(self._requests) and self._requests[0].to_learn and not self._requests[0].results

    def refused(self, reason: str) -> str:
        """Handles a refusal of the first unanswered SUBSCRIBE; returns its pattern. The calls that wait for the answer
        get SubscribeRefused with `reason`. Earlier subscriptions stay in force (ZEPS-SUBSCRIBE-13).
        """
        self._settle()
        request = self._requests.popleft()
        subscription = request.subscription
        if not request.to_learn:
            self._part(request)
            later = self._later(subscription)
            if later is not None:
                later.before = request.before
            elif request.before is None:
                self._drop(subscription)
            else:
                subscription.asked, subscription.base, subscription.leg = request.before
                self._place(subscription)
        for result in request.results:
            result.finish(SubscribeRefused(subscription.pattern, reason))
        return subscription.pattern

    def begin_after(self, latest: int, *, together: bool) -> tuple[str, int] | None:
        """Handles a refusal of the first unanswered SUBSCRIBE for its point: it must begin after `latest`. Returns the
        pattern and point to request now; None if a later request covers it.
        """
        self._settle()
        request = self._requests.popleft()
        subscription = request.subscription
        self._part(request)
        later = self._later(subscription)
        if later is not None:
            later.before = request.before
            later.results[:0] = request.results
            return None
        fill = self._leg_of(latest, together=together)
        subscription.base = latest
        subscription.leg = fill or self._legs[0]
        request.point, request.leg = latest, fill
        self._requests.append(request)
        self._floor = self._lowest()
        return subscription.pattern, latest

    def reset(self, end: int) -> None:
        """Handles a stream that ends at `end`: forgets later delivered sequences, which new messages get anew."""
        self._settle()
        if self.given.highest > end:
            self.resets += 1
            self.last_reset = self.given.highest, end
            self.given.truncate(end)
        for leg in self._legs:
            leg.reached = min(leg.reached, end)
        self._last = min(self._last, end)

    def _later(self, subscription: _Subscription) -> _Request | None:
        """Returns the first unanswered request for `subscription`, None if all are answered."""
        waiting = (
            request
            for request in self._requests
            if request.subscription is subscription and not request.to_learn
        )
        return next(waiting, None)

    def _drop(self, subscription: _Subscription) -> None:
        if self._subscriptions.get(subscription.pattern) is subscription:
            del self._subscriptions[subscription.pattern]
        self._unplaced = [entry for entry in self._unplaced if entry[0] is not subscription]

    def forget(self, error: SubscribeRefused) -> None:
        """Handles a pattern that the broker has refused repeatedly by ending the session, and fails the calls that wait
        for it. If the broker has confirmed the pattern from a later point, the next session requests it from that
        point, and repeated messages are dropped. Otherwise the subscription is removed.
        """
        gone = self._subscriptions.get(error.pattern)
        for request in self._requests:
            if request.subscription is gone:
                for result in request.results:
                    result.finish(SubscribeRefused(error.pattern, error.reason))
        self._requests = deque(request for request in self._requests if request.subscription is not gone)
        if gone is None:
            return
        if gone.granted is None or gone.asked == gone.granted:
            self._drop(gone)
        else:
            gone.asked = gone.granted
            gone.base = None if gone.granted == LATEST_NEW else gone.granted
            gone.leg = _Leg()

    def confirmed(self) -> str | None:
        """Handles SUBSCRIBE-OK for the first unanswered SUBSCRIBE, which must exist; finishes the calls that wait for
        it. Returns its pattern, or None if it was sent only for its refusal (:meth:`ask_end`, :meth:`plan`).
        """
        self._settle()
        request = self._requests.popleft()
        subscription = request.subscription
        if request.to_learn:
            for result in request.results:
                result.finish()
            return None
        if subscription.granted is None or request.latest < subscription.granted:
            subscription.granted = request.latest
        for result in request.results:
            result.finish()
        if request.leg is not None:
            self._legs.append(request.leg)
            if len(self._legs) == 2:
                self._front, self._begun = 1, False
        self._place(subscription)
        return subscription.pattern

    def _place(self, subscription: _Subscription) -> None:
        """If the start of `subscription` is not known, the next new message defines it."""
        if subscription.base is None:
            self._unplaced.append((subscription, self.given.highest))
            self._plain = False

    @property
    def waiting(self) -> str | None:
        """The pattern of the first unanswered SUBSCRIBE."""
        return self._requests[0].subscription.pattern if self._requests else None

    @property
    def point(self) -> int:
        """The point of the first unanswered SUBSCRIBE, which must exist."""
        return self._requests[0].point

    @property
    def is_answered(self) -> bool:
        """True if every SUBSCRIBE is answered."""
        return not self._requests

    def was_confirmed(self, pattern: str | None) -> bool:
        """True if the broker sent SUBSCRIBE-OK for `pattern` in any session."""
        known = None if pattern is None else self._subscriptions.get(pattern)
        return known is not None and known.granted is not None

    def plan(self) -> Plan:
        """Begins a new session; returns its requests, which replace all unanswered ones. If messages were delivered, a
        pattern requested from 0, now and before, is first requested from 1: that is refused if retention has removed
        more than the first message (ZEPS-RETAIN-2). If all points lag behind the highest delivered sequence, one
        pattern is also requested from there: that is refused if the stream ends before it (ZEPS-SUBSCRIBE-5).
        """
        self._settle()
        self._legs = [_Leg()]
        everything = list(self._subscriptions.values())
        for subscription in everything:
            subscription.base = subscription.point
            subscription.leg = self._legs[0]
        everything.sort(
            key=lambda subscription: LATEST_NEW if subscription.base is None else subscription.base
        )
        self._front, self._begun, self._frozen = 0, True, False
        self._last = self._arrived = self._settled = 0
        self._together = sum(subscription.base is not None for subscription in everything)
        self._unplaced = []
        ends: list[SubscribeResult] = []
        calls: dict[_Subscription, list[SubscribeResult]] = {subscription: [] for subscription in everything}
        for request in self._requests:
            (ends if request.to_learn else calls[request.subscription]).extend(request.results)
        self._requests = deque()
        for subscription in everything:
            if subscription.base == 0 and subscription.granted is not None and self.given.lowest:
                self._requests.append(_Request(subscription, 1, None, [], to_learn=True))
            point = LATEST_NEW if subscription.base is None else subscription.base
            self._requests.append(_Request(subscription, point, None, calls[subscription]))
        known = [subscription for subscription in everything if subscription.base is not None]
        if known and (known[-1].base or 0) < self.given.highest:
            self._requests.append(_Request(known[-1], self.given.highest, None, [], to_learn=True))
        if ends:
            self.ask_end(*ends)
        self._plain = False
        self._floor = self._lowest()
        return Plan(
            tuple((request.subscription.pattern, request.point) for request in self._requests),
            tuple(
                subscription.pattern
                for subscription in everything
                if subscription.base is None and subscription.granted is not None
            ),
        )

    def take(self, sequence: int) -> bool:
        """Handles a DELIVER. Returns True if the application should get it, False if it is a repetition."""
        if not (self._plain and sequence > self._last):
            self._turn(sequence)
        self._last = sequence
        self._arrived += 1
        if self.given.add(sequence):
            return True
        self.repeats += 1
        return False

    def pass_over(self, last: int) -> None:
        """Handles a notice: delivery continues after `last`."""
        if last > self._floor:
            self._turn(last)
            self._last = last
            self._arrived += 1

    def _turn(self, sequence: int) -> None:
        """Handles a sequence that may do more than advance the front: it may show that the next leg has begun, define
        where a subscription began, or show that the stream was reset.
        """
        self._settle()
        if sequence <= self._floor:
            self._reset(sequence)
        elif sequence <= self._last:
            if self._front == 0:
                self._frozen = True
                self._legs[0].reached = 0
            elif self._begun and self._front + 1 < len(self._legs):
                self._front += 1
            else:
                self._begun = True
        if self._unplaced:
            placed = [entry for entry in self._unplaced if sequence > entry[1]]
            for subscription, _ in placed:
                subscription.base = sequence
                subscription.leg = self._legs[0]
            self._unplaced = [entry for entry in self._unplaced if sequence <= entry[1]]
        self._plain = not self._unplaced and sequence > self._floor

    def _settle(self) -> None:
        """Advances the legs up to the front to the last sequence that arrived, once that is certain."""
        if self._arrived == self._settled:
            return
        self._settled = self._arrived
        if self._together > 1 and self._arrived < PROBATION:
            return
        for index in range(self._front + 1):
            leg = self._legs[index]
            if self._last > leg.reached and not (index == 0 and self._frozen):
                leg.reached = self._last

    def _reset(self, sequence: int) -> None:
        """Handles a message that is not beyond the lowest requested point, sent against ZEPS-SUBSCRIBE-5. All points
        become `sequence`, and if it does not follow all delivered sequences, those are forgotten.
        """
        if sequence <= self.given.highest:
            self.resets += 1
            self.last_reset = self.given.highest, sequence - 1
            self.given.clear()
        self._legs = [_Leg()]
        self._front, self._begun = 0, True
        self._last = 0
        for subscription in self._subscriptions.values():
            subscription.leg = self._legs[0]
            subscription.base = sequence
        self._floor = 0
