"""The broker's core: sessions, streams, gears and time, without a socket, a disk or a clock.

Call it in this order, repeatedly: :meth:`Broker.handle` with the received input (or none), :meth:`Broker.tick`,
:meth:`Broker.poll_output`, send the outputs, :meth:`Broker.undelivered` with the outputs that were not taken,
:meth:`Broker.writable`, and last close the connections that :meth:`Broker.poll_closing` returns. A batch must not be
handled while outputs wait to be polled. `now` is in seconds of any monotonic clock; `now_us` is microseconds since the
epoch.

A batch is sorted by peer, since only the order of each peer's own input matters. All messages published to a stream in
a turn become one journal block (several beyond a block's limits, or if a publisher also subscribes), and each block one
delivery for each group of equal subscribers. Valid PUBLISHes of a session bypass the generated machine; all other
commands go through it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import cast

from zeps_broker.core.allowance import Allowance
from zeps_broker.core.inbox import Inbox, Item
from zeps_broker.core.low_gear import LowGear
from zeps_broker.core.matching import STYLES
from zeps_broker.core.output_queue import OutputQueue, Refusal
from zeps_broker.core.reasons import compose, of_decode_error
from zeps_broker.core.session import DELIVER_MIN, RefusedError, Session
from zeps_broker.core.settings import Settings
from zeps_broker.core.stream import Stream
from zeps_broker.core.timers import Timers
from zeps_broker.frame_batch import FrameBatch
from zeps_broker.memory import Budget, Shares
from zeps_broker.ports import (
    Gone,
    JournalError,
    Malformed,
    Output,
    Peer,
    Progress,
    Received,
    Store,
    Undelivered,
)
from zeps_wire.errors import DecodeError
from zeps_wire.zeps import PUBLISH_HEAD, EndingCode, decode
from zeps_wire.zeps_server import Event, ServerMachine, State, settled

__all__ = ["Broker"]

_STORES = frozenset(state for state in State if settled(state, Event.PUBLISH) == "store_message")
"""States in which PUBLISH is only stored: runs of PUBLISH need no machine."""

_CREDIT_MAX = 2**64 - 1
_STEP_PUBLISHES = 16
"""Number of PUBLISHes of a run that count as one step; the run itself counts as another."""
_STREAM_STEPS = 20
"""Additional steps for the first message of a turn to a stream: the stream needs a block."""
_NEW_STREAM_STEPS = 100
"""The same for the first message of a new stream, which needs a folder and a first segment."""
_OFFENDERS_MAX = 10_000
"""Number of connections whose malformed messages are counted."""
_TURN_MIN = 8 << 10
_AHEAD = 16
"""Number of items tried first as a run of PUBLISHes, after another command; doubled if all of them are."""
_IDLE_SECONDS = 1.0


class Broker:
    """One broker. `store` holds the journals of its streams; `source_of` returns the address of a peer, by default the
    peer itself. `progress` reports incomplete frames; without it, only input is a sign of life. Only :meth:`stats` is
    thread-safe.
    """

    def __init__(
        self,
        store: Store,
        settings: Settings | None = None,
        progress: Progress | None = None,
        source_of: Callable[[Peer], Hashable] = lambda peer: peer,
    ) -> None:
        self.settings = settings = settings or Settings()
        self._progress = progress
        self._silence_max = settings.client_timeout_seconds
        """Seconds without a sign of life after which a session ends."""
        if progress is not None:
            self._silence_max += progress.unseen_bytes / settings.rate_min
        shares = Shares.of(settings.memory_bytes_max)
        self.memory = Budget(shares.sessions)
        self._routes_memory = Budget(shares.routes)
        self.outgoing = OutputQueue(settings.outbox_messages_max, settings.outbox_bytes_max, self.memory)
        self.refusals = 0
        self.failure: str | None = None
        """Why the broker had to stop; None in normal operation."""
        self._store = store
        self._styles = {name: style(settings) for name, style in STYLES.items()}
        self._low_gear = LowGear(self.outgoing, settings)
        self._inbox = Inbox()
        self._steps = 0
        """Steps left for the peer that is being served."""
        self._closing: dict[Peer, None] = {}
        self._malformed: dict[Peer, int] = {}
        """Number of malformed messages per connection, for the `_OFFENDERS_MAX` connections that sent one last."""
        self._source_of = source_of
        new = settings.new_streams_max
        self._new_streams = Allowance(new)
        self._new_streams_of_source = Allowance(max(new // 2, 1))
        self._new_streams_of_peer = Allowance(max(new // 10, 1))
        self._timers: Timers[Session] = Timers()
        self._sessions: dict[Peer, Session] = {}
        self._streams: dict[str, Stream] = {}
        self._dirty: dict[Stream, int] = {}
        """Streams that this batch publishes to, and the bytes that were published to each before it."""
        self._unplaced: dict[Session, None] = {}
        self._left: dict[Stream, None] = {}
        self._published_by_peer: set[Stream] = set()
        self._highest = {"turn_messages_highest": 0, "turn_bytes_highest": 0, "turn_steps_highest": 0}
        """The maxima that one turn received and served."""
        self._ended: set[Peer] = set()
        self._now = 0.0
        self._now_us = 0
        self._live: dict[Stream, int] = {}
        """Bytes published to each stream since the last tick."""
        self._patience_from = 0.0
        self._stop_at: float | None = None
        self._counts = {
            "published": 0,
            "published_octets": 0,
            "invalid": 0,
            "expired": 0,
            "gone": 0,
            "dropped": 0,
            "gear_falls": 0,
            "gear_climbs": 0,
        }

    # interface for the loop

    def handle(self, now: float, now_us: int, batch: Sequence[Received]) -> None:
        """Serves received input, as far as a turn's steps allow; call it again while :attr:`waiting`. A journal failure
        is not raised, but sets `failure`; nothing is served afterwards. Raises RuntimeError if outputs wait.
        """
        if self.outgoing:
            raise RuntimeError("outputs are waiting: call poll_output before handle")
        self._advance(now, now_us)
        self._ended.clear()
        if self.failure is not None:
            return
        before = self._inbox.bytes
        for peer, item in batch:
            self._inbox.add(peer, item)
        messages = sum(len(item) if isinstance(item, FrameBatch) else 1 for _, item in batch)
        self._note("turn_messages_highest", messages)
        self._note("turn_bytes_highest", self._inbox.bytes - before)
        try:
            self._serve_inbox()
            for session in self._unplaced:
                if session.group is None:
                    session.place()
            for stream in self._dirty:
                stream.commit(now_us)
            for stream, bytes_before in self._dirty.items():
                stream.serve()
                self._live[stream] = self._live.get(stream, 0) + stream.published_bytes - bytes_before
                self._counts["published_octets"] += stream.published_bytes - bytes_before
        except JournalError as error:
            self._fail(str(error))
        self._dirty.clear()
        self._unplaced.clear()
        self._tidy()

    def tick(self, now: float, now_us: int) -> None:
        """Runs timers, the store's own work, and a bounded amount of low-gear reading; nothing after a failure. Ends
        all sessions once a stop has lasted `stop_seconds_max`, and drops answers that have waited for a peer without a
        session for more than `client_timeout_seconds`. A journal failure is recorded as in :meth:`handle`.
        """
        self._advance(now, now_us)
        if self.failure is not None:
            return
        for session in self._timers.due(now):
            self._look_after(session)
        if self._stop_at is not None and now >= self._stop_at:
            for session in list(self._sessions.values()):
                self._end(session)
        for peer, box in list(self.outgoing.boxes.items()):
            if peer not in self._sessions and now - box.since > self.settings.client_timeout_seconds:
                self.outgoing.forget(peer)
        try:
            self._store.tick(now_us)
            self._low_gear.run(self._live)
        except JournalError as error:
            self._fail(str(error))
        self._live.clear()
        self._tidy()

    def poll_output(self) -> list[Output]:
        """Returns the outputs to send now, in order and each once. :meth:`undelivered` takes those of the last call."""
        return self.outgoing.poll()

    def undelivered(self, items: Iterable[Undelivered]) -> None:
        """Handles outputs of the last poll that were not taken: restores the credit, moves the sessions to low gear,
        keeps refused answers until :meth:`writable` (but drops those for a peer that had no session in this batch), and
        ends the sessions of peers that are gone. Must follow each poll that returned outputs, also without items.
        """
        for refusal in self.outgoing.refused(items):
            session = self._sessions.get(refusal.peer)
            if refusal.gone:
                self._gone(refusal.peer)
            elif session is not None:
                self.outgoing.block(refusal, self._now)
                self._fall(session, refusal)
            elif refusal.peer in self._ended and refusal.control:
                self.outgoing.block(refusal, self._now)
        self._ended.clear()
        self._tidy()

    def writable(self, peers: Iterable[Peer]) -> None:
        """Resumes answers and reading for peers whose pipes may take more. Other peers are ignored."""
        for peer in peers:
            if self.outgoing.unblock(peer):
                session = self._sessions.get(peer)
                if session is not None and session.group is None:
                    session.credit_needed = DELIVER_MIN
                    session.place()

    def poll_closing(self) -> list[Peer]:
        """Returns, each once, peers whose connections are to be closed once the polled outputs are sent."""
        closing, self._closing = [*self._closing], {}
        return closing

    @property
    def waiting(self) -> bool:
        """True if received input waits to be served."""
        return bool(self._inbox)

    def holds(self, peer: Peer) -> bool:
        """True if no more should be received from `peer`: any input of it waits, or more than `inbox_bytes_max` bytes
        of all peers. With None only the latter counts.
        """
        return peer in self._inbox or self._inbox.bytes > self.settings.inbox_bytes_max

    def timeout(self, now: float) -> float:
        """Returns the seconds until the next tick is due, at most 1; 0 if work or output is pending."""
        if self.outgoing or self._inbox or len(self._low_gear):
            return 0.0
        due = self._timers.next()
        waits = [_IDLE_SECONDS]
        if due is not None:
            waits.append(due - now)
        if self._stop_at is not None:
            waits.append(self._stop_at - now)
        return max(0.0, min(waits))

    def shutdown(self, now: float) -> None:
        """Starts a clean stop: sends DETACH to all open sessions (ZEPS-DETACH-4) and refuses new ones; messages
        already published are still stored (ZEPS-DETACH-5). Goes on until :attr:`done`; a second call does nothing.
        """
        if self._stop_at is None:
            self._stop_at = now + self.settings.stop_seconds_max
            self._detach_all()

    @property
    def done(self) -> bool:
        """True if a stop, requested or after a failure, is complete and all output has been polled."""
        if self.outgoing:
            return False
        return self.failure is not None or (self._stop_at is not None and not self._sessions)

    def session(self, peer: Peer) -> Session | None:
        """Returns the peer's session, or None."""
        return self._sessions.get(peer)

    def stats(self) -> dict[str, int]:
        """Returns counters since the start and current numbers, for a log line. Thread-safe."""
        sessions = [*self._sessions.values()]
        streams = [*self._streams.values()]
        return {
            **self._counts,
            **self._highest,
            "turn_low_gear_bytes_highest": self._low_gear.turn_bytes_highest,
            "gear_falls": self._counts["gear_falls"] + sum(stream.falls for stream in streams),
            "gear_climbs": self._counts["gear_climbs"] + sum(stream.climbs for stream in streams),
            "sessions": len(self._sessions),
            "high_gear": sum(session.group is not None for session in sessions),
            "low_gear": sum(session.group is None and session.reads for session in sessions),
            "ready": len(self._low_gear),
            "blocked": len(self.outgoing.boxes),
            "gaps": self.outgoing.notices,
            "refused": self.refusals,
            "streams": len(self._streams),
            "groups": sum(stream.groups for stream in streams),
            "cache_blocks": len(self._low_gear.cache),
            "cache_bytes": self._low_gear.cache.memory_bytes,
            "sessions_bytes": self.memory.used,
            "routes_bytes": self._routes_memory.used,
            "timers": len(self._timers),
        }

    # interface for sessions (SessionHost)

    def enter(self, stream: str, peer: Peer) -> Stream:
        if self._stop_at is not None:
            raise RefusedError(EndingCode.STOPPING, "the broker is stopping")
        if peer not in self._sessions and len(self._sessions) >= self.settings.sessions_max:
            text = f"the broker has {len(self._sessions)} sessions and takes no more"
            raise RefusedError(EndingCode.TOO_MANY_SESSIONS, text)
        known = self._streams.get(stream)
        if known is None:
            try:
                log = self._store.open(stream)
            except JournalError:
                raise RefusedError(EndingCode.STREAM_UNAVAILABLE, "the stream cannot be opened") from None
            if not log.last_sequence:
                try:
                    self._check_new_stream(peer)
                except RefusedError:
                    self._store.leave(stream)
                    raise
            style = self._styles[self.settings.style_of(stream)]
            known = Stream(log, style, self.outgoing, self.settings, self._routes_memory)
            self._streams[stream] = known
        return known

    def _check_new_stream(self, peer: Peer) -> None:
        """Raises RefusedError if there are `streams_max` streams, or too many new names per second from the connection,
        its address or all clients; also if the streams cannot be counted. A name counts again at each attempt.
        """
        now, source = self._now, self._source_of(peer)
        try:
            count = self._store.count()
        except JournalError:
            raise RefusedError(EndingCode.STREAM_UNAVAILABLE, "the streams cannot be counted") from None
        if count >= self.settings.streams_max:
            text = f"the broker has {count} streams and takes no more"
            raise RefusedError(EndingCode.STREAM_UNAVAILABLE, text)
        allowed = (
            self._new_streams_of_peer.take(peer, now)
            and self._new_streams_of_source.take(source, now)
            and self._new_streams.take(None, now)
        )
        if not allowed:
            text = "too many new streams per second; try again in a second"
            raise RefusedError(EndingCode.STREAM_UNAVAILABLE, text)

    def left(self, stream: Stream) -> None:
        if not stream.sessions:
            self._left[stream] = None

    def commit(self, stream: Stream) -> None:
        if stream in self._published_by_peer:
            stream.commit(self._now_us)

    def charge(self, steps: int) -> None:
        self._steps -= steps

    def place_later(self, session: Session) -> None:
        self._unplaced[session] = None

    def wake(self, session: Session) -> None:
        self._low_gear.wake(session)

    def publish(self, session: Session, run: Sequence[bytes]) -> int:
        stream = session.stream
        matched = stream.steps
        taken = stream.publish(run, self._steps)
        if taken:
            self._steps -= 1 + taken // _STEP_PUBLISHES + stream.steps - matched
            if stream not in self._dirty:
                self._dirty[stream] = stream.published_bytes
                self._steps -= _STREAM_STEPS if stream.log.last_sequence else _NEW_STREAM_STEPS
            self._published_by_peer.add(stream)
            self._counts["published"] += taken
        return taken

    # batches

    def _advance(self, now: float, now_us: int) -> None:
        if now - self._now > self.settings.client_timeout_seconds / 2:
            # The broker itself was away: each session gets a chance to be heard before it is forgotten.
            self._patience_from = now
        self._now, self._now_us = now, now_us

    def _serve_inbox(self) -> None:
        """Serves the waiting peers in turn, until the turn's steps are used up. Raises JournalError."""
        left = self.settings.turn_steps_max
        for peer, items in self._inbox.take_all():
            self._steps = steps = min(self.settings.peer_steps_max, left)
            rest = self._serve_peer(peer, items)
            left -= steps - self._steps
            if rest:
                self._inbox.put_back(peer, rest)
            if left <= 0:
                break
        self._note("turn_steps_highest", self.settings.turn_steps_max - left)

    def _note(self, figure: str, value: int) -> None:
        self._highest[figure] = max(self._highest[figure], value)

    def _serve_peer(self, peer: Peer, items: list[Item]) -> list[Item]:
        """Serves a peer's commands in order while it has steps; the last may take more. Consecutive PUBLISHes are taken
        together. Returns the remaining items (only Gone, if the connection is to be closed), in time proportional to
        the number of frames.
        """
        session = self._sessions.get(peer)
        self._published_by_peer.clear()
        if session is not None:
            session.heard = self._now
        place, ahead = 0, len(items)
        while place < len(items):
            if peer in self._closing:
                return [item for item in items[place:] if isinstance(item, Gone)]
            if self._steps <= 0:
                return items[place:]
            item = items[place]
            if isinstance(item, Gone):
                self._gone(peer)
                session = None
                place += 1
                continue
            stores = session is not None and session.machine.state in _STORES
            if isinstance(item, FrameBatch):
                taken = self.publish(session, item) if session is not None and stores else 0
                few = taken + max(self._steps, 0)  # frames that are not PUBLISH are served as commands
                rest = [item[few:]] if few < len(item) else []
                items, place, ahead = [*item[taken:few], *rest, *items[place + 1 :]], 0, _AHEAD
                continue
            if session is not None and stores and _is_publish(item):
                run = cast("Sequence[bytes]", items[place : place + ahead] if place else items)
                taken = self.publish(session, run)  # stops at a frame that is not PUBLISH, or without steps
                if taken:
                    place += taken
                    ahead = 2 * ahead if taken == len(run) else _AHEAD
                    continue
            session = self._command(peer, session, item)
            place += 1
        return []

    def _command(self, peer: Peer, session: Session | None, data: bytes | Malformed) -> Session | None:
        """Serves one command that is not a PUBLISH of a run. Returns the peer's session afterwards, or None."""
        self._steps -= 1
        known = session is not None
        if session is None:
            session = Session(self, peer)
        machine = session.machine
        if isinstance(data, Malformed):
            self._offended(peer, machine, compose(data.code, data.text))
        else:
            try:
                machine.receive(decode(data))
            except DecodeError as error:
                self._offended(peer, machine, of_decode_error(error))
        if machine.state == State.START:
            if known:
                self._forget(session)
            else:
                session.close()
            return None
        if not known:
            self._sessions[peer] = session
            session.heard = session.pinged = self._now
            self._timers.set(self._now + self.settings.heartbeat_seconds, session)
        return session

    def _offended(self, peer: Peer, machine: ServerMachine, reason: str) -> None:
        """Answers a malformed message with INVALID and counts it; closes a connection beyond `malformed_max`."""
        self._counts["invalid"] += 1
        machine.reason = reason
        machine.malformed()
        count = self._malformed.pop(peer, 0) + 1
        self._malformed[peer] = count
        if len(self._malformed) > _OFFENDERS_MAX:
            del self._malformed[next(iter(self._malformed))]
        if count > self.settings.malformed_max:
            self._closing[peer] = None

    # sessions

    def _fall(self, session: Session, refusal: Refusal) -> None:
        """Handles a full pipe: restores credit, quarters `turn_bytes` (not below 8 KiB), and moves the session to low
        gear, or its reader back.
        """
        machine = session.machine
        machine.credit = min(machine.credit + refusal.byte_count, _CREDIT_MAX)
        session.turn_bytes = max(session.turn_bytes // 4, _TURN_MIN)
        session.credit_needed = DELIVER_MIN
        if session.group is not None:
            session.stream.falls += 1
            session.stream.leave(session, session.stream.end)
        if refusal.undo is not None:
            refusal.undo(refusal.accepted)
        elif refusal.sequence is not None:
            session.reading.rewind((refusal.sequence - 1, (), 0))

    def _look_after(self, session: Session) -> None:
        """Handles a session's timer: ends a session that was silent for `_silence_max`, sends a due PING (not into a
        full pipe), places a session that retention has overtaken, and sets the timer again.
        """
        now, settings = self._now, self.settings
        if session.peer in self._inbox:
            session.heard = now
        # Each byte buys its time at the minimum rate; unused time is not saved up.
        if self._progress is not None:
            moved = self._progress.advanced(session.peer)
            session.heard = min(session.heard + moved / settings.rate_min, now)
        heard = max(session.heard, self._patience_from)
        if now - heard >= self._silence_max:
            self._counts["expired"] += 1
            self._end(session)
            self._closing[session.peer] = None
            return
        session.place_after_retention()
        quiet_since = max(heard, session.pinged)
        if now - quiet_since >= settings.heartbeat_seconds and session.machine.state == State.OPEN:
            if not self.outgoing.blocked(session.peer):
                session.machine.heartbeat()
            quiet_since = session.pinged = now
        due = min(quiet_since + settings.heartbeat_seconds, heard + self._silence_max)
        self._timers.set(max(due, now + 0.001), session)

    def _gone(self, peer: Peer) -> None:
        """Handles the closing of a peer's connection: ends its session, if any, and forgets the peer."""
        self.outgoing.forget(peer)
        self._malformed.pop(peer, None)
        self._new_streams_of_peer.forget(peer)
        session = self._sessions.get(peer)
        if session is not None:
            self._counts["gone"] += 1
            self._end(session)

    def _end(self, session: Session) -> None:
        """Removes a session and the answers that wait for its client, without a notice to the client."""
        session.machine.expired()
        self._forget(session)
        self.outgoing.forget(session.peer)

    def _forget(self, session: Session) -> None:
        if self._sessions.get(session.peer) is session:
            del self._sessions[session.peer]
            self._timers.cancel(session)
            self._ended.add(session.peer)
            session.close()

    def _detach_all(self) -> None:
        for session in list(self._sessions.values()):
            if session.machine.state == State.OPEN:
                session.park()
                session.machine.shutdown()

    def _tidy(self) -> None:
        """Removes sessions whose outbox overflowed, and closes their connections; removes streams without sessions."""
        while self.outgoing.overflowed:
            peer = self.outgoing.overflowed.pop()
            session = self._sessions.get(peer)
            if session is not None:
                self._counts["dropped"] += 1
                self._end(session)
                self._closing[peer] = None
            self.outgoing.forget(peer)
        for stream in self._left:
            name = stream.log.name
            if not stream.sessions and self._streams.get(name) is stream:
                del self._streams[name]
                stream.close()
                self._counts["gear_falls"] += stream.falls
                self._counts["gear_climbs"] += stream.climbs
                self._leave(name)
        self._left.clear()

    def _leave(self, stream: str) -> None:
        """Notifies the store that the stream has no sessions any more; handles a failure of the journal."""
        try:
            self._store.leave(stream)
        except JournalError as error:
            if self.failure is None:
                self._fail(str(error))

    def _fail(self, reason: str) -> None:
        """Sets `failure`, discards waiting input and output, and sends DETACH to all open sessions."""
        self.failure = reason
        self._inbox.clear()
        self.outgoing.discard()
        self._detach_all()


def _is_publish(data: bytes | Malformed) -> bool:
    return isinstance(data, bytes) and data.startswith(PUBLISH_HEAD)
