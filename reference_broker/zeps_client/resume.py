"""Where to go on after a loss, so that the application is given every message once.

The theory. A broker keeps one cursor per session. It brings what any subscription that covers the place
matches, in ascending sequence; a subscription that is added with an older point than the cursor's is a
*fill*: what it adds is brought completely before the cursor goes on, also ascending, and several fills are
brought in the order in which they were asked for (ZEPS-SUBSCRIBE-12, -7; ZEPS-DELIVER-1). A client does not see
the cursor, nor which subscription brought a message, nor (since the style of matching belongs to the stream)
which patterns match a key. It keeps two things that are enough:

*What it was given*: the set of sequences (:class:`~zeps_client.sequences.SequenceSet`). Whatever comes again
is dropped, so that asking for too much costs traffic and never repeats a message.

*How far each pattern certainly is*: everything up to there that the pattern wanted was given. After a loss
all patterns are asked for again from there, the lowest first and before any credit is granted: the broker
then goes through the stream once, each pattern joining at its own point, and no fill is needed. Asking from
too low a point loses nothing.

So points may lag, and never lead. Subscriptions that were asked for together are one *leg*; each one that is
added to a running session is a leg of its own, possibly a fill. Legs are brought in order, and inside a leg
sequences ascend. A message that comes out of order therefore shows that a later leg has begun, and all legs
before it are complete. The first leg that is not known to be complete is the *front*. Any message puts all
legs up to the front at its sequence: either the front brought it, or the front is complete and the cursor has
passed. Legs behind the front stay where they are, and are put right by the next loss, at the price of being
sent again what is then dropped.

A broker announces what it cannot deliver any more: a notice passes over its sequences as a message with the last of
them would (ZEPS-GAP-1). A point that is no longer retained is refused (ZEPS-RETAIN-2), and the subscription is made
again after what is lost. So is a point beyond the stream's end (ZEPS-SUBSCRIBE-5), at the end: then the stream is
another one or has lost its tail, and what was given beyond the end is forgotten, since other messages will have those
sequences. A point of 0, or one that lags, is not refused for that. So a session is also asked for what follows 1, and
what follows the highest sequence that was given: not for the messages, which are asked for anyway, but for the refusal
(:attr:`Resumption.learns`).

What cannot be known: a subscription to new messages only begins where the stream then ended, and the protocol
does not say where that was. Until the first message arrives, a loss makes it begin anew, and what was
published in between is missed; :attr:`Plan.gaps` names such patterns. And if the first message that arrives
belongs to another pattern's past, a loss soon after may bring messages of the new pattern that are a little older
than its subscription: too much rather than too little.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

from zeps_client.errors import SubscribeRefused
from zeps_client.results import SubscribeResult
from zeps_client.sequences import SequenceSet
from zeps_wire.zeps import LATEST_NEW

__all__ = ["BEYOND_END", "Plan", "Resumption"]

BEYOND_END: Final = LATEST_NEW - 1
"""A `latest` that no stream reaches (ZEPS-SUBSCRIBE-5)."""

PROBATION: Final = 1024
"""Messages of a session after which its first leg certainly was read in one pass."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to ask for in a new session, in this order; and the patterns that may have missed something."""

    subscriptions: tuple[tuple[str, int], ...]
    gaps: tuple[str, ...]


class _Leg:
    __slots__ = ("reached",)

    def __init__(self) -> None:
        self.reached = 0


class _Subscription:
    __slots__ = ("asked", "base", "granted", "leg", "pattern")

    def __init__(self, pattern: str, latest: int, leg: _Leg) -> None:
        self.pattern = pattern
        self.asked = latest
        """The lowest point that the application ever asked for."""
        self.base: int | None = None if latest == LATEST_NEW else latest
        """Everything up to here was given, at least; None: begins at an end that is not known."""
        self.leg = leg
        self.granted: int | None = None
        """The lowest point that the broker confirmed, in any session; None: it never did."""

    @property
    def point(self) -> int | None:
        return None if self.base is None else max(self.base, self.leg.reached)


class _Request:
    """A SUBSCRIBE without an answer, for everything that the application asked for down to `latest`."""

    __slots__ = ("before", "latest", "leg", "point", "results", "subscription", "to_learn")

    def __init__(
        self,
        subscription: _Subscription,
        point: int,
        leg: _Leg | None,
        results: list[SubscribeResult],
        before: tuple[int, int | None, _Leg] | None = None,
        *,
        to_learn: bool = False,
    ) -> None:
        self.subscription = subscription
        self.point = point
        """What SUBSCRIBE says."""
        self.latest = subscription.asked
        self.leg = leg
        """The leg that begins with the answer, if the subscription is a leg of its own."""
        self.results = results
        """The calls that wait for the answer."""
        self.before = before
        """`asked`, `base` and `leg` of the subscription that this one extends; None: there was none."""
        self.to_learn = to_learn
        """It is made for what its refusal says; nothing depends on it."""


class Resumption:
    """The subscriptions of one client, and what it was given. `history_octets` bounds the memory of the
    latter.

    Call :meth:`plan` for every new session and ask for what it says; :meth:`subscribe` when the application
    subscribes, :meth:`confirmed` at every SUBSCRIBE-OK, :meth:`refused`, :meth:`begin_after` or :meth:`reset` at every
    refusal, :meth:`take` for every DELIVER, :meth:`pass_over` for every notice of a gap.
    """

    def __init__(self, history_octets: int = 0) -> None:
        self.given = SequenceSet(history_octets)
        self.resets = 0
        """How often the stream began again with lower sequences than before, or ended before what was given."""
        self.last_reset = (0, 0)
        """The highest sequence that was given before the last of them, and the stream's end at that time."""
        self.repeats = 0
        """Messages dropped because they had been given before."""
        self._subscriptions: dict[str, _Subscription] = {}
        self._legs: list[_Leg] = [_Leg()]
        self._front = 0  # index of the first leg that is not known to be complete
        self._begun = True  # the front was seen to begin
        self._frozen = False  # the first leg did what it should not: its points stay
        self._last = 0  # the sequence that arrived last in this session
        self._together = 0  # points of the first leg that were asked for together
        self._arrived = 0  # messages that arrived in this session
        self._settled = 0  # how many of them the legs know of
        self._floor = 0  # whatever this session brings, is beyond it, unless the stream began again
        self._unplaced: list[tuple[_Subscription, int]] = []
        self._requests: deque[_Request] = deque()
        """SUBSCRIBEs without an answer, in the order in which they were or will be sent."""
        self._plain = False

    def __contains__(self, pattern: str) -> bool:
        return pattern in self._subscriptions

    def __len__(self) -> int:
        return len(self._subscriptions)

    @property
    def points(self) -> dict[str, int | None]:
        """For each pattern the sequence up to which it certainly is complete; None: not known yet."""
        self._settle()
        return {each.pattern: each.point for each in self._subscriptions.values()}

    def subscribe(
        self, pattern: str, latest: int, result: SubscribeResult | None = None, *, together: bool
    ) -> bool:
        """The application subscribes. True: ask the broker; False: it would bring nothing that is not coming.

        `result` is finished when the broker has answered; at once if it has granted as much before. `together`:
        the session was granted no credit yet, so its cursor has not moved.
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
            self._unplaced = [each for each in self._unplaced if each[0] is not known]
        self._requests.append(_Request(known, latest, fill, [result], before))
        self._floor = self._lowest()
        return True

    def _leg_of(self, latest: int, *, together: bool) -> _Leg | None:
        """A leg for a subscription that may be a fill; None if it is read in one pass with the first leg."""
        if latest == LATEST_NEW:
            return None
        if together and self._joins(latest):
            self._together += 1
            return None
        return _Leg()

    def _part(self, request: _Request) -> None:
        """What was asked for is refused: nothing begins at its point."""
        if request.leg is None and request.point != LATEST_NEW:
            self._together -= 1

    def ask_end(self, result: SubscribeResult) -> None:
        """A SUBSCRIBE for what follows BEYOND_END is sent, whose refusal says where the stream ends."""
        self._ask_end([result])

    def _ask_end(self, results: list[SubscribeResult]) -> None:
        beyond = _Subscription("", BEYOND_END, self._legs[0])
        self._requests.append(_Request(beyond, BEYOND_END, None, results, to_learn=True))

    def _joins(self, latest: int) -> bool:
        """No subscription of this session began beyond `latest`."""
        if len(self._legs) > 1 or self._last:
            return False
        return all(each.base is not None and each.base <= latest for each in self._subscriptions.values())

    def _lowest(self) -> int:
        """The lowest point asked for in this session, 0 if one of them is not known."""
        points = [0 if each.base is None else each.base for each in self._subscriptions.values()]
        return min(points, default=0)

    @property
    def asks_end(self) -> bool:
        """The first SUBSCRIBE without an answer is that of :meth:`ask_end`."""
        return bool(self._requests) and self._requests[0].to_learn and bool(self._requests[0].results)

    @property
    def learns(self) -> bool:
        """The first SUBSCRIBE without an answer asks what retention has taken (from point 1), or whether the stream has
        what was given; see :meth:`plan`.
        """
        return bool(self._requests) and self._requests[0].to_learn and not self._requests[0].results

    def refused(self, reason: str) -> str:
        """The broker refuses the first SUBSCRIBE without an answer; returns its pattern.

        What was subscribed to before stays so (ZEPS-SUBSCRIBE-13).
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
        """The broker refuses the first SUBSCRIBE without an answer for its point: it is to begin after `latest`.

        Returns the pattern and point to ask for now; None if a later request covers it.
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
        """The stream ends at `end`, whatever was given beyond: the sequences that follow name other messages."""
        self._settle()
        if self.given.highest > end:
            self.resets += 1
            self.last_reset = self.given.highest, end
            self.given.truncate(end)
        for leg in self._legs:
            leg.reached = min(leg.reached, end)
        self._last = min(self._last, end)

    def _later(self, subscription: _Subscription) -> _Request | None:
        """The first request for `subscription` that waits."""
        waiting = (each for each in self._requests if each.subscription is subscription and not each.to_learn)
        return next(waiting, None)

    def _drop(self, subscription: _Subscription) -> None:
        if self._subscriptions.get(subscription.pattern) is subscription:
            del self._subscriptions[subscription.pattern]
        self._unplaced = [each for each in self._unplaced if each[0] is not subscription]

    def forget(self, error: SubscribeRefused) -> None:
        """The broker refuses a pattern, and ended the session for it, again and again."""
        gone = self._subscriptions.get(error.pattern)
        if gone is not None:
            self._drop(gone)
        for request in self._requests:
            if request.subscription is gone:
                for result in request.results:
                    result.finish(SubscribeRefused(error.pattern, error.reason))
        self._requests = deque(request for request in self._requests if request.subscription is not gone)

    def confirmed(self) -> str | None:
        """SUBSCRIBE-OK arrived; returns for which pattern: the first one that waits. None: nobody waits for it.

        Only what comes after it says anything about what the subscription brings (ZEPS-SUBSCRIBE-1).
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
        """If it is not known where `subscription` begins, the next new message says it."""
        if subscription.base is None:
            self._unplaced.append((subscription, self.given.highest))
            self._plain = False

    @property
    def waiting(self) -> str | None:
        """The pattern of the first SUBSCRIBE without an answer."""
        return self._requests[0].subscription.pattern if self._requests else None

    @property
    def point(self) -> int:
        """What the first SUBSCRIBE without an answer says, of which there must be one."""
        return self._requests[0].point

    @property
    def is_answered(self) -> bool:
        """No SUBSCRIBE is without an answer."""
        return not self._requests

    def was_confirmed(self, pattern: str | None) -> bool:
        """The broker said SUBSCRIBE-OK to `pattern`, in any session."""
        known = None if pattern is None else self._subscriptions.get(pattern)
        return known is not None and known.granted is not None

    def plan(self) -> Plan:
        """What to ask for in a new session that begins now.

        If something was given, a pattern that is asked for from 0, as it was before, is asked for from 1 first: that is
        refused if retention has taken anything but the first message (ZEPS-RETAIN-2). And if all points lag behind the
        highest sequence that was given, one pattern is asked for from there, too: that is refused if the stream ends
        before (ZEPS-SUBSCRIBE-5).
        """
        self._settle()
        self._legs = [_Leg()]
        everything = list(self._subscriptions.values())
        for each in everything:
            each.base = each.point
            each.leg = self._legs[0]
        everything.sort(key=lambda each: LATEST_NEW if each.base is None else each.base)
        self._front, self._begun, self._frozen = 0, True, False
        self._last = self._arrived = self._settled = 0
        self._together = sum(each.base is not None for each in everything)
        self._unplaced = []
        ends: list[SubscribeResult] = []
        calls: dict[_Subscription, list[SubscribeResult]] = {each: [] for each in everything}
        for request in self._requests:
            (ends if request.to_learn else calls[request.subscription]).extend(request.results)
        self._requests = deque()
        for each in everything:
            if each.base == 0 and each.granted is not None and self.given.lowest:
                self._requests.append(_Request(each, 1, None, [], to_learn=True))
            point = LATEST_NEW if each.base is None else each.base
            self._requests.append(_Request(each, point, None, calls[each]))
        known = [each for each in everything if each.base is not None]
        if known and (known[-1].base or 0) < self.given.highest:
            self._requests.append(_Request(known[-1], self.given.highest, None, [], to_learn=True))
        if ends:
            self._ask_end(ends)
        self._plain = False
        self._floor = self._lowest()
        return Plan(
            tuple((request.subscription.pattern, request.point) for request in self._requests),
            tuple(each.pattern for each in everything if each.base is None and each.granted is not None),
        )

    def take(self, sequence: int) -> bool:
        """A DELIVER arrived. True: give it to the application; False: it had it."""
        if not (self._plain and sequence > self._last):
            self._turn(sequence)
        self._last = sequence
        self._arrived += 1
        if self.given.add(sequence):
            return True
        self.repeats += 1
        return False

    def pass_over(self, last: int) -> None:
        """A notice arrived: delivery goes on after `last`."""
        if last > self._floor:
            self._turn(last)
            self._last = last
            self._arrived += 1

    def _turn(self, sequence: int) -> None:
        """What `sequence` says about the session besides that its front goes on."""
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
            placed = [each for each in self._unplaced if sequence > each[1]]
            for subscription, _ in placed:
                subscription.base = sequence
                subscription.leg = self._legs[0]
            self._unplaced = [each for each in self._unplaced if sequence <= each[1]]
        self._plain = not self._unplaced and sequence > self._floor

    def _settle(self) -> None:
        """Write down what the messages up to the last one say about the legs."""
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
        """The broker brought less than was asked for: it took a point beyond the end for new messages only, against
        ZEPS-SUBSCRIBE-5. So everything was asked for from before `sequence`.
        """
        if sequence <= self.given.highest:
            self.resets += 1
            self.last_reset = self.given.highest, sequence - 1
            self.given.clear()
        self._legs = [_Leg()]
        self._front, self._begun = 0, True
        self._last = 0
        for each in self._subscriptions.values():
            each.leg = self._legs[0]
            each.base = sequence
        self._floor = 0
