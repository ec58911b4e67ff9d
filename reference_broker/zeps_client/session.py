"""The session of one client, without sockets, clocks or threads. A host owns the connection. It opens a new connection
when :attr:`ClientSession.connect_at` is due and reports it (`connected`), passes received frames (`receive`), calls
`tick` after that and at `deadline`, and sends the frames in `outbox`. When `generation` changes, the host closes the
connection, after `final_frames`. Every session has a connection of its own, because a PUBLISH of the old one that
arrives before the new ATTACH gets an INVALID that would end the new session. Times are seconds of any monotonic clock.

The generated :class:`~zeps_wire.zeps_client.ClientMachine` defines which messages are legal and when a broker is lost.
This module is its host, and does the rest: where to resume (:mod:`~zeps_client.resume`), unconfirmed publishes
(:mod:`~zeps_client.publish_buffer`), the window (:mod:`~zeps_client.credit`), and what to do after a loss.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence

from zeps_client.credit import Window
from zeps_client.errors import AttachRefused, BrokerLost, ClientError, SubscribeRefused
from zeps_client.events import (
    Attached,
    Confirmed,
    Detached,
    EndFound,
    Event,
    Failed,
    Lost,
    Message,
    Missing,
    Refused,
    StreamReset,
    Subscribed,
)
from zeps_client.publish_buffer import REFUSALS, PublishBuffer
from zeps_client.reasons import GAPS, REFUSES_SUBSCRIBE, TEMPORARY, Reason
from zeps_client.results import SubscribeResult
from zeps_client.resume import BEYOND_END, Resumption
from zeps_client.settings import Settings
from zeps_wire import zeps
from zeps_wire.errors import DecodeError, ProtocolError
from zeps_wire.zeps_client import ClientMachine, State
from zeps_wire.zeps_client import Event as MachineEvent

__all__ = ["ClientSession"]

_LAST_WORD = 0.2
"""Minimum time for DETACH, in seconds."""


class ClientSession:
    """A client of `stream`; `chance` varies its pauses. Raises EncodeError or ValueError for an invalid name."""

    def __init__(
        self, stream: str, settings: Settings, now: float, chance: random.Random | None = None
    ) -> None:
        zeps.Attach(stream=stream).encode()
        if not stream:
            raise ValueError("the stream name is empty")
        self.stream = stream
        self.settings = settings
        self.outbox: deque[bytes] = deque()
        """Frames to send. The host takes them from the left."""
        self.final_frames: list[bytes] = []
        """Frames for the connection that just became stale; the host sends them if it can, and clears them."""
        self.generation = 0
        """Changes when the connection must be replaced."""
        self.connect_at: float | None = now
        """When the host should open a connection; None if it has one or needs none."""
        self.closing = False
        """True after `close` was called or the session was closed."""
        self.closed = False
        """True at the final end; `error` gives the reason; it stays None after `close`."""
        self.error: ClientError | None = None
        self.last_error = ""
        """Why no session exists; empty while a session exists, and if nothing has failed since the last one."""
        self.resumption = Resumption(settings.history_octets)
        self.outgoing = PublishBuffer(settings)
        self.window = Window(settings)
        self.sessions = 0
        """Number of sessions so far."""
        self.received = 0
        """Messages that were new to the application."""
        self._chance = chance if chance is not None else random.Random()
        self._machine = ClientMachine(self)
        self._now = now
        self._blame = ""  # the cause to report if the machine finds the broker lost
        self._events: list[Event] = []
        self._messages: list[Message] = []
        self._sizes: list[int] = []
        # the connection
        self._linked = False
        self._begin = False  # ATTACH-OK was just handled
        self._follow: tuple[str, int] | None = None  # the request that replaces the refused one
        self._gap: Event | None = None  # the last gap that was reported in this session
        self._leave_by: float | None = None
        self._leaving = False  # DETACH was sent
        self._deadline = 0.0  # for the answer to ATTACH or DETACH
        self._down_since: float | None = now
        self._attempts = 0
        self._announced = False
        self._sent = self._heard = self._pinged = now
        # possible refusals
        self._strikes: dict[str, int] = {}
        self._reason = ""  # of the last INVALID
        self._refusals = 0
        # credit
        self._granted = False  # in this session
        self._credit_at = now
        self._quiet_since = now

    # --- the application

    @property
    def open(self) -> bool:
        """True if a session exists."""
        return self._machine.state is State.OPEN

    @property
    def credit(self) -> int:
        """Bytes of DELIVER frames that the broker may still send."""
        return self._machine.credit

    def subscribe(self, now: float, pattern: str, latest: int) -> SubscribeResult:
        """Asks for the messages that match `pattern` after `latest`, now and after every loss. Raises EncodeError. The
        result is done when the broker has answered, possibly in a later session; at once if it granted as much.
        """
        zeps.Subscribe(pattern=pattern, latest=latest).encode()
        self._now = now
        result = SubscribeResult()
        if self.resumption.subscribe(pattern, latest, result, together=self.open and not self._granted):
            self._credit_at = now + self.settings.credit_delay
            if self.open:
                self._machine.follow(pattern, latest)
        elif result.done:
            self._events.append(Subscribed(pattern, again=True))
        return result

    def ask_end(self, now: float) -> SubscribeResult:
        """Asks for the stream's last sequence by a subscription beyond it; see :func:`~zeps_client.results.end_of`."""
        self._now = now
        result = SubscribeResult()
        self.resumption.ask_end(result)
        if self.open:
            self._machine.follow("", BEYOND_END)
        return result

    def publish(self, frames: Sequence[bytes]) -> int:
        """Takes encoded PUBLISH frames; returns the number of the last one. `tick` sends them."""
        return self.outgoing.add(frames)

    def confirm(self, upto: int) -> None:
        """Records that a caller waits until all up to number `upto` is confirmed; `tick` then asks for it at once."""
        self.outgoing.barrier(upto)

    def acknowledge(self, now: float, byte_count: int) -> None:
        """Records that the application has consumed messages of this many bytes (as in `take_messages`)."""
        self.window.buffered -= byte_count
        self._quiet_since = now

    def close(self, now: float, timeout: float) -> None:
        """Makes `tick` detach once all publishes are confirmed, or after `timeout` seconds. No request may follow; a
        second call does nothing.
        """
        if not self.closing:
            self.closing = True
            self._leave_by = now + timeout
            self.outgoing.barrier(self.outgoing.accepted)

    def fail(self, error: ClientError) -> None:
        """Ends the client for good, without DETACH: later calls that wait raise `error`, and `Failed` reports it."""
        self._disconnect()
        self.closed = self.closing = True
        self.error = error
        self._events.append(Failed(error))

    def take_messages(self) -> tuple[list[Message], list[int]]:
        """Returns the messages that arrived since the last call, in order of arrival, and the bytes of each."""
        taken = self._messages, self._sizes
        if self._messages:
            self._messages, self._sizes = [], []
        return taken

    def take_events(self) -> list[Event]:
        """Returns the events since the last call, oldest first."""
        taken = self._events
        if taken:
            self._events = []
        return taken

    # --- the connection

    def connected(self, now: float) -> None:
        """Attaches on a new connection, or one in the making: frames in `outbox` wait for it."""
        self._now = self._heard = self._sent = now
        self.connect_at = None
        self._linked = True
        self._deadline = now + self.settings.attach_timeout
        self._machine.open(self.stream)

    def disconnected(self, now: float, reason: str) -> None:
        """Handles a broken connection."""
        if not self._linked:
            return
        self._now = now
        if self._leaving:
            self._end()
        else:
            self._on_session_lost(reason)
        self._reset_machine()

    def receive(self, now: float, frames: Sequence[bytes]) -> None:
        """Handles frames that arrived on the present connection, in this order; drops those after its end."""
        self._now = self._heard = now
        generation = self.generation
        at, count = 0, len(frames)
        while at < count and self.generation == generation:
            if self._machine.state is State.OPEN:
                at = self._deliveries(frames, at)
                if at == count:
                    break
            self._handle(frames[at])
            at += 1

    def refuse(self, now: float, reason: str) -> None:
        """Gives up the session after input that is not a frame, such as a message of several parts (ZEPS-FRAME-3)."""
        self._now = self._heard = now
        self._blame = reason
        self._machine.malformed()
        self._reset_machine()

    def _handle(self, frame: bytes) -> None:
        try:
            message = zeps.decode(frame)
        except DecodeError as error:
            self._blame = f"the broker sent a frame that cannot be decoded ({error})"
            self._machine.malformed()
            return
        if self._machine.state is State.OPEN and isinstance(message, zeps.Deliver):
            self._blame = "the broker sent more than its credit"
        else:
            self._blame = f"the broker sent {message.NAME}, which is not allowed in this state"
        try:
            self._machine.receive(message)
        except ProtocolError:
            self._machine.malformed()
        if self._begin:
            self._begin = False
            self._resume()
        if self._follow is not None:
            self._machine.follow(*self._follow)
            self._follow = None
        self._reset_machine()

    def _reset_machine(self) -> None:
        """Replaces the machine if the connection is lost, before it attaches again, and drops the unsent frames."""
        if not self._linked:
            self._machine = ClientMachine(self)
            self.outbox.clear()

    def _deliveries(self, frames: Sequence[bytes], at: int) -> int:
        """Takes DELIVERs from index `at` on as the machine would: checks and subtracts credit, takes the messages.
        Returns the index of the first frame that is not a DELIVER within the credit, which is left to the machine.
        """
        machine, resumption, window = self._machine, self.resumption, self.window
        head, decode, take = zeps.DELIVER_HEAD, zeps.decode, resumption.take
        messages, sizes = self._messages, self._sizes
        credit, resets, first, start = machine.credit, resumption.resets, at, len(messages)
        buffered = 0
        count = len(frames)
        while at < count:
            frame = frames[at]
            size = len(frame)
            if size > credit or not frame.startswith(head):
                break
            try:
                message = decode(frame)
            except DecodeError:
                break
            credit -= size
            if take(message.sequence):  # type: ignore[union-attr]  # it has the head of a DELIVER
                messages.append(message)  # type: ignore[arg-type]
                sizes.append(size)
                buffered += size
            at += 1
        if at > first:
            machine.credit = credit
            window.buffered += buffered
            window.largest = max(window.largest, max(map(len, frames[first:at])))
            self.received += len(messages) - start
            self._quiet_since = self._now
            self._attempts = 0  # the next loss is not another failed attempt
            if resumption.resets != resets:
                self._report_gap(StreamReset(*resumption.last_reset))
        return at

    # --- time

    def tick(self, now: float) -> None:
        """Performs the work that is due: time-outs, heartbeats, publishes, credit."""
        self._now = now
        if self.closed:
            return
        settings, machine = self.settings, self._machine
        if (
            settings.give_up is not None
            and self._down_since is not None
            and now >= self._down_since + settings.give_up
        ):
            self.fail(BrokerLost(f"no session for {settings.give_up:g} s: {self.last_error or 'no answer'}"))
            return
        if (
            self._leave_by is not None
            and not self._leaving
            and (not len(self.outgoing) or now >= self._leave_by)
        ):
            self._leave(self._leave_by)
        elif machine.state is State.OPEN:
            self._publish()
            self._open_window()
            if now >= self._heartbeat_at():
                if machine.unanswered >= machine.unanswered_max and now < self._patient_until():
                    machine.probe()  # a sign of life for the broker
                else:
                    self._blame = f"no answer to {machine.unanswered} PINGs"
                    machine.heartbeat()
                    self._reset_machine()
        elif self._linked and now >= self._deadline:
            self._blame = f"no answer to {'DETACH' if machine.state is State.DETACHING else 'ATTACH'}"
            machine.expired()
            self._reset_machine()

    def deadline(self) -> float | None:
        """Latest time at which `tick` is due; None if only input or a call can make it due."""
        if self.closed:
            return None
        times = [] if self._leave_by is None or self._leaving else [self._leave_by]
        if self.connect_at is not None:
            times.append(self.connect_at)
        if self._down_since is not None and self.settings.give_up is not None:
            times.append(self._down_since + self.settings.give_up)
        if self._machine.state is State.OPEN:
            times.append(self._heartbeat_at())
            if (probe_at := self.outgoing.deadline()) is not None:
                times.append(probe_at)
            if len(self.resumption):
                if not self._granted and self.window.due(0):
                    if self.resumption.is_answered:
                        times.append(self._credit_at)
                elif self._granted and self.window.due_when_quiet(self.credit):
                    times.append(self._quiet_since + self.settings.quiet)
        elif self._linked:
            times.append(self._deadline)
        return min(times, default=None)

    def _heartbeat_at(self) -> float:
        """Time of the next PING: after a pause in sending (ZEPS-PING-4) or, while one is unanswered, in receiving."""
        since = max(self._pinged, self._heard) if self._machine.unanswered else self._sent
        return since + self.settings.heartbeat

    def _patient_until(self) -> float:
        """Time at which a silent broker is lost, although long messages may be under way (ZEPS-PING-11)."""
        settings, under_way = self.settings, self.credit + self.outgoing.byte_count
        return self._heard + self._machine.unanswered_max * settings.heartbeat + under_way / settings.rate_min

    # --- publishing

    def _publish(self) -> None:
        frames = self.outgoing.take_due(self._now)
        if frames:
            # Short form of `post` for many frames: in this state the machine's row only sends PUBLISH.
            self.outbox.extend(frames)
            self._sent = self._now
        if self.outgoing.probe_due(self._now):
            self._machine.probe()

    # --- credit

    def _open_window(self) -> None:
        if not len(self.resumption):
            return
        if not self._granted and (self._now < self._credit_at or not self.resumption.is_answered):
            # A subscription refused for its point is requested again first, so that one pass reads all of them.
            return
        due = self.window.due(self.credit)
        if not due and self._granted and self._now >= self._quiet_since + self.settings.quiet:
            due = self.window.due_when_quiet(self.credit)
        if due:
            self._granted = True
            self._quiet_since = self._now
            self._machine.grant(due)

    # --- loss and resumption

    def _resume(self) -> None:
        """Handles ATTACH-OK: subscribes again, then publishes again."""
        plan = self.resumption.plan()
        self.sessions += 1
        self._down_since = None
        self.last_error = ""
        self._announced = False
        self._gap = None
        self._refusals = 0
        self._events.append(Attached(self.sessions > 1, plan.gaps))
        for pattern, latest in plan.subscriptions:
            self._machine.follow(pattern, latest)
        self._credit_at = self._now + (self.settings.credit_delay if self.sessions == 1 else 0.0)
        self._publish()

    def _on_session_lost(self, reason: str) -> None:
        """Handles the loss of the session, or a failed attempt: schedules the next, or fails if `reattach` is off."""
        self.last_error = reason
        unsent = sum(frame.startswith(zeps.PUBLISH_HEAD) for frame in self.outbox)
        if (given_up := self.outgoing.lost(unsent, reason)) is not None:
            self._events.append(given_up)
        if not self.settings.reattach:
            self.fail(BrokerLost(reason))
            return
        self._disconnect()
        attempt, self._attempts = self._attempts, min(self._attempts + 1, 32)
        settings = self.settings
        if attempt:
            pause = min(settings.backoff_max, settings.backoff_min * 2.0 ** (attempt - 1))
            pause *= self._chance.uniform(0.5, 1.0)
        else:
            pause = self._chance.uniform(0.0, settings.backoff_min)
        self.connect_at = self._now + pause
        if self._down_since is None:
            self._down_since = self._now
        if not self._announced:
            self._announced = True
            self._events.append(Lost(reason, pause, len(self.outgoing)))

    def _disconnect(self) -> None:
        self._linked = False
        self.generation += 1
        self.connect_at = None
        self._granted = False
        self._begin = False

    def _leave(self, by: float) -> None:
        """Sends DETACH; `tick` ends the client at time `by` without an answer, or 0.2 s from now if that is later, or
        if no session exists. Without a connection the client ends at once.
        """
        self._leaving = True
        if not self._linked:
            self._end()
            return
        self._deadline = max(by if self.open else self._now, self._now + _LAST_WORD)
        self._machine.close()

    def _end(self) -> None:
        self._disconnect()
        self.closed = self.closing = True
        self._events.append(Detached())

    # --- actions of the machine

    def send(self, message: zeps.Message) -> None:
        if isinstance(message, zeps.Ping):
            self.outgoing.pinged()
            self._pinged = self._now
        self._sent = self._now
        self.outbox.append(message.encode())

    def attached(self, message: zeps.AttachOk) -> None:
        self._begin = True

    def attach_refused(self, message: zeps.Invalid) -> None:
        reason = f"the broker refuses the stream: {message.reason}"
        if Reason.parse(message.reason).code in TEMPORARY:
            if reason != self.last_error:
                self._events.append(Refused(message.reason))
            self._on_session_lost(reason)
            return
        self._refusals += 1
        if self.sessions == 0 or self._refusals >= REFUSALS:
            self.fail(AttachRefused(message.reason))
            return
        self._events.append(Refused(message.reason))
        self._on_session_lost(reason)

    def subscribed(self, message: zeps.SubscribeOk) -> None:
        ends, again = self.resumption.asks_end, self.resumption.was_confirmed(self.resumption.waiting)
        pattern = self.resumption.confirmed()
        self._attempts = 0
        if pattern is not None:
            self._strikes.pop(pattern, None)
            self._events.append(Subscribed(pattern, again))
        elif ends:
            self._events.append(EndFound())

    def take_message(self, message: zeps.Deliver) -> None:
        raise AssertionError("_deliveries takes every DELIVER within the credit before the machine sees it")

    def answered(self, message: zeps.PingOk) -> None:
        self._attempts = 0
        if self.outgoing.answered(self._now):
            self._events.append(Confirmed(self.outgoing.settled))

    def read_notice(self, message: zeps.Invalid) -> None:
        """Handles INVALID in a session: its code tells whether the session has ended, or which request was refused."""
        self._reason = message.reason
        reason = Reason.parse(message.reason)
        if reason.ends_session:
            self._machine.fail(MachineEvent.ON_ENDED)
        elif reason.code in REFUSES_SUBSCRIBE:
            self._machine.fail(MachineEvent.ON_SUBSCRIBE_REFUSED)
        elif reason.code in GAPS and reason.sequences is not None:
            first, last = reason.sequences
            self.resumption.pass_over(last)
            self._report_gap(Missing(first, last, reason.code))

    def refused(self, message: None) -> None:
        """Handles the refusal of the first unanswered SUBSCRIBE; the session continues (ZEPS-SUBSCRIBE-13)."""
        resumption, reason = self.resumption, Reason.parse(self._reason)
        first, last = reason.sequences or (0, 0)
        if resumption.asks_end:
            resumption.refused(self._reason)
            self._events.append(EndFound())
        elif resumption.learns:
            if reason.code == zeps.OpenCode.NOT_RETAINED and resumption.point == 1:
                self._report_missing(max(first, resumption.given.lowest), last, reason.code)
            elif reason.code == zeps.OpenCode.BEYOND_END and 0 < first <= resumption.point:
                self._reset(first - 1, last)
            resumption.refused(self._reason)
        elif reason.code == zeps.OpenCode.NOT_RETAINED and resumption.point < last:
            self._report_missing(first, last, reason.code)
            self._begin_after(last)
        elif reason.code == zeps.OpenCode.BEYOND_END and 0 < first <= resumption.point:
            self._reset(first - 1, last)
            self._begin_after(first - 1)
        else:
            pattern = resumption.refused(self._reason)
            self._events.append(Refused(self._reason, pattern))

    def _begin_after(self, latest: int) -> None:
        self._follow = self.resumption.begin_after(latest, together=not self._granted)

    def _reset(self, end: int, known: int) -> None:
        self.resumption.reset(end)
        self._report_gap(StreamReset(known, end))

    def _report_missing(self, first: int, last: int, reason: str) -> None:
        """Reports a gap. Points may lag, so sequences that were delivered are left out of the start of the range."""
        first = self.resumption.given.next_absent(first)
        if first <= last:
            self._report_gap(Missing(first, last, reason))

    def _report_gap(self, gap: Missing | StreamReset) -> None:
        """Reports a gap once, although several subscriptions in turn may report it."""
        if gap != self._gap:
            self._gap = gap
            self._events.append(gap)

    def session_lost(self, message: None) -> None:
        """Handles the end of the session by the broker. A broker may refuse a SUBSCRIBE by ending the session with a
        code that this version does not know: a pattern that gets this `REFUSALS` times is refused.
        """
        reason, pattern = Reason.parse(self._reason), self.resumption.waiting
        if not reason.is_known and pattern is not None:
            self._strikes[pattern] = self._strikes.get(pattern, 0) + 1
            if self._strikes[pattern] >= REFUSALS:
                del self._strikes[pattern]
                self.resumption.forget(SubscribeRefused(pattern, self._reason))
                self._events.append(Refused(self._reason, pattern))
        elif reason.code != zeps.EndingCode.NO_SESSION:
            given_up = self.outgoing.objected(f"the broker refuses it: {self._reason}")
            if given_up is not None:
                self._events.append(given_up)
        self._on_session_lost(f"the broker sent INVALID: {self._reason}")

    def broker_lost(self, message: zeps.Message | None) -> None:
        self._on_session_lost(self._blame)

    def detached(self, message: zeps.Detach | zeps.DetachOk | zeps.Invalid | None) -> None:
        if isinstance(message, zeps.Detach):
            self.final_frames.append(self.outbox.pop())  # DETACH-OK, which the machine has just sent
        if self._leaving:
            if message is None:
                self.last_error = self._blame
            self._end()
        else:
            self._on_session_lost("the broker sent DETACH")
