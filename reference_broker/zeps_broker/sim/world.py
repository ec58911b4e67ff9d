"""One run: the whole system on one clock, from one seed.

The world is a queue of events. Clients act at random times; the broker takes a turn (receive, handle, send, tick, send)
whenever input arrives or its own timer is due. Turns take time, more with a slow disk. The broker may crash at several
places of a turn, including between the append and the send and in the middle of a send. After the last action all
faults end and all clients grant credit: then no client may miss a message that was not announced as lost. Finally all
clients disappear, and the broker must remove their state.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from heapq import heappop, heappush
from random import Random

from zeps_broker.core.broker import Broker
from zeps_broker.ports import Output
from zeps_broker.sim import invariants
from zeps_broker.sim.actions import Actions
from zeps_broker.sim.client import Habits, SimClient
from zeps_broker.sim.disk import Platter, SimStore
from zeps_broker.sim.faults import BrokerCrashed, Violation
from zeps_broker.sim.ledger import Ledger
from zeps_broker.sim.network import Link, Network
from zeps_broker.sim.scenario import Scenario
from zeps_wire.zeps_client import State

__all__ = ["World"]

_TURN_SECONDS = 0.0005
_HEAL_SECONDS = 60.0
_REST_SECONDS = 8.0
"""Longer than any stall of a link: then no frame is under way."""
_RESTART_SECONDS = 0.3
_EPOCH_US = 1_700_000_000_000_000


class World:
    """A run of one seed, with `steps` random actions; `trace` gets (virtual seconds, who, what) of each event."""

    def __init__(
        self, seed: int, steps: int = 200, trace: Callable[[float, str, object], None] | None = None
    ) -> None:
        self.now = 1000.0
        self.rng = Random(seed)
        self.scenario = Scenario.drawn(self.rng, steps)
        self.style_of = self.scenario.settings.style_of
        self.patterns_max = self.scenario.settings.patterns_max
        self.platter = Platter()
        self.ledger = Ledger(self.platter, lambda: self.now)
        self.network = Network(self, self.ledger.sent, lambda: self._schedule(self.now))
        self.network.reports_all = self.scenario.reports_all
        self.network.tells_gone = self.scenario.tells_gone
        self.network.tells_room = self.scenario.tells_room
        self.network.tells_closed = self.scenario.tells_closed
        self.faults = True
        self.counts = dict.fromkeys(("turns", "crashes", "power", "stops", "full", "expired", "invalid"), 0)
        self._trace = trace
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._order = 0
        self._turn_at: float | None = None
        self._stop_at: float | None = None
        self.broker: Broker | None = None
        self.clients = [self._client(number) for number in range(self.scenario.clients)]
        self._start()

    # clock

    def at(self, time: float, call: Callable[[], None]) -> None:
        self._order += 1
        heappush(self._events, (max(time, self.now), self._order, call))

    def say(self, who: str, what: object) -> None:
        if self._trace is not None:
            self._trace(self.now, who, what)

    def run_until(self, time: float) -> None:
        while self._events and self._events[0][0] <= time:
            due, _, call = heappop(self._events)
            self.now = max(self.now, due)
            call()
        self.now = max(self.now, time)

    def may_have_forgotten(self) -> bool:
        """Returns whether the broker may have ended any session silently since its start; True while none runs."""
        if self.broker is None:
            return True
        stats = self.broker.stats()
        return any(stats[what] for what in ("expired", "dropped", "gone"))

    # run

    def run(self) -> dict[str, int]:
        """Runs the scenario; returns counters. Raises Violation. Call it once."""
        actions = Actions(self, self.rng)
        for _ in range(self.scenario.steps):
            pause = self.rng.expovariate(1 / 0.02) if self.rng.random() < 0.97 else self.rng.uniform(0.5, 6.0)
            self.run_until(self.now + pause)
            actions.perform_random()
        self.faults = False
        self._heal()
        names = {client.name for client in self.clients}
        self.ledger.check_journals(lambda body: body.partition(b":")[0].decode() in names)
        self._vanish()
        return {
            **self.counts,
            **self.network.counts,
            "deliveries": self.ledger.deliveries,
            "gaps": self.ledger.gaps,
            **self.ledger.refusals,
            "stored": sum(track.last for track in self.platter.tracks.values()),
        }

    def _heal(self) -> None:
        """Ends the faults of disk and clients, grants credit, and waits until all clients have what they were promised.
        Raises Violation if a client lacks something after 60 virtual seconds, or if the credit is wrong.
        """
        self.platter.full = False
        for client in self.clients:
            client.starving = False
            client.habits.notices = True
            client.habits.window = 1_000_000
            client.link.bound = 1000
            client.link.service = 0.0
        until = self.now + _HEAL_SECONDS
        while True:
            self.run_until(self.now + 1.0)
            for client in self.clients:
                client.grant(1_000_000)
            lacking = [(client.name, what) for client in self.clients if (what := self._lacks(client))]
            if not lacking:
                break
            if self.now >= until:
                raise Violation(f"ZEPS-GEAR-1: {'; '.join(f'{name} lacks {what}' for name, what in lacking)}")
        self.run_until(self.now + _REST_SECONDS)
        self._check_credit()

    def _lacks(self, client: SimClient) -> str:
        """Describes what a client still waits for: a session, a SUBSCRIBE-OK, or messages; empty if nothing."""
        if client.machine.state != State.OPEN or client.record is None:
            return "a session"
        if client.record.confirmed < len(client.record.subscriptions):
            return "a SUBSCRIBE-OK"
        pairs = [(want.pattern, want.start) for want in client.wants if want.start is not None]
        lost = self.ledger.missing(client.stream, self.style_of(client.stream), pairs, client.accounted)
        return f"{len(lost)} messages of {client.stream}: {lost[:10]}" if lost else ""

    def _check_credit(self) -> None:
        """Raises Violation if, while no frame is under way, the ends count different credit (ZEPS-CREDIT-2)."""
        assert self.broker is not None
        for client in self.clients:
            session = self.broker.session(client.link.peer)
            if session is not None and client.machine.state == State.OPEN:
                theirs, ours = client.machine.credit, session.machine.credit
                if theirs != ours:
                    raise Violation(f"ZEPS-CREDIT-2: {client.name} counts {theirs} credit, the broker {ours}")

    def _vanish(self) -> None:
        """Makes all clients disappear silently; raises Violation if the broker keeps their state, except the cache."""
        for client in self.clients:
            client.gone = True
            self.network.cut(client.link)
        timeout = self.scenario.settings.client_timeout_seconds
        self.run_until(self.now + (timeout / 4 if self.network.tells_closed else 3 * timeout))
        assert self.broker is not None
        stats = self.broker.stats()
        for what in ("sessions", "streams", "groups", "blocked", "ready", "timers"):
            if stats[what]:
                raise Violation(f"ZEPS-PING-6: the broker keeps {stats[what]} {what} without a client")
        if stats["cache_blocks"] > 1 and stats["cache_bytes"] > self.scenario.settings.cache_bytes_max:
            raise Violation(f"cache_bytes: {stats['cache_bytes']} in {stats['cache_blocks']} blocks")

    # life of the broker

    def _start(self) -> None:
        if self.broker is not None:
            return
        store = SimStore(
            self.platter, self.scenario.sync, self._before_append, self._maybe_die, self._before_read
        )
        self.broker = Broker(store, self.scenario.settings)
        invariants.watch_deliveries(self.broker)
        self.say("broker", "starts")
        self._stop_at = None
        for client in self.clients:
            self.at(self.now + self.rng.uniform(0.0, 0.1), partial(self._connect, client.link))
        self._schedule(self.now)

    def crash(self, power: bool = False) -> None:
        """Crashes the broker, or with `power` its machine, which loses unsynced data; it restarts within 0.3 s."""
        self.say("broker", "power fails" if power else "crashes")
        self.counts["power" if power else "crashes"] += 1
        if self.broker is not None:
            self._tally(self.broker)
        self.broker = None
        if power:
            self.platter.power_loss()
        self.network.crash()
        if power:
            for name in self.platter.tracks:
                self.ledger.forget_after(name)
            for client in self.clients:
                client.power_failed()
        self.at(self.now + self.rng.uniform(0.0, _RESTART_SECONDS), self._start)

    def stop(self) -> None:
        """Requests a clean stop of the broker."""
        if self.broker is not None and self._stop_at is None and self.broker.failure is None:
            self.say("broker", "is asked to stop")
            self.counts["stops"] += 1
            self._stop_at = self.now + self.scenario.settings.stop_seconds_max
            self._schedule(self.now)

    def _stopped(self) -> None:
        """Handles the broker's own end: checks DETACH after a clean stop (ZEPS-DETACH-5); restarts within 0.3 s."""
        broker = self.broker
        assert broker is not None
        if broker.failure is None and self._stop_at is not None and self.now < self._stop_at:
            for client in self.clients:
                if client.promise is not None:
                    self.ledger.stored(*client.promise, "ZEPS-DETACH-5: the broker stopped in good order")
        self._tally(broker)
        self.say("broker", f"stops: {broker.failure or 'in good order'}")
        self.broker = None
        self.network.crash()
        self.at(self.now + self.rng.uniform(0.0, _RESTART_SECONDS), self._start)

    def _tally(self, broker: Broker) -> None:
        stats = broker.stats()
        self.counts["expired"] += stats["expired"]
        self.counts["invalid"] += stats["invalid"]

    def _schedule(self, time: float) -> None:
        """Schedules the broker's next turn, no later than `time`."""
        if self.broker is not None and (self._turn_at is None or time < self._turn_at):
            self._turn_at = time
            self.at(time, self._turn)

    def _turn(self) -> None:
        if self._turn_at is None or self.now < self._turn_at or self.broker is None:
            return
        self._turn_at = None
        self.counts["turns"] += 1
        broker = self.broker
        started = self.now
        try:
            self._serve(broker)
        except BrokerCrashed:
            self.crash(power=self.rng.random() < 0.3)
            return
        if broker.done:
            self._stopped()
            return
        arrival, writable = self.network.next_arrival(), self.network.next_writable()
        waits = [due for due in (self.now + broker.timeout(self.now), arrival, writable) if due is not None]
        self._schedule(max(min(waits), started + _TURN_SECONDS, self.now))

    def _serve(self, broker: Broker) -> None:
        if self._stop_at is not None:
            broker.shutdown(self.now)
            self._send(broker)
        batch = self.network.receive(0.0, broker.holds, self.scenario.batch)
        if batch or broker.waiting:
            broker.handle(self.now, self._now_us(), batch)
            if self.rng.random() < 0.7:
                self._send(broker)
        broker.tick(self.now, self._now_us())
        if self.rng.random() < 0.5:
            self._send(broker)
        broker.writable(self.network.writable())
        self._send(broker)
        for peer in broker.poll_closing():
            self.network.hang_up(peer)
        if broker.failure is None:
            invariants.check(broker)

    def _send(self, broker: Broker) -> None:
        while outputs := broker.poll_output():
            self._maybe_die()
            if self.faults and self.rng.random() < self.scenario.crash_rate:
                self.network.send(outputs[: self.rng.randint(0, len(outputs))])
                raise BrokerCrashed
            self._say_outputs(outputs)
            broker.undelivered(self.network.send(outputs))

    def _say_outputs(self, outputs: list[Output]) -> None:
        if self._trace is not None:
            for output in outputs:
                sequences = "" if output.sequences is None else list(output.sequences)
                peers = ", ".join(map(str, output.peers))
                self.say("broker", f"{len(output.frames)} frames {sequences} to {peers}")

    def _now_us(self) -> int:
        return _EPOCH_US + int(self.now * 1_000_000)

    # faults

    def _maybe_die(self) -> None:
        if self.faults and self.rng.random() < self.scenario.crash_rate:
            raise BrokerCrashed

    def _before_append(self) -> None:
        self._maybe_die()  # a torn tail: recovery cuts it off, and no message of the block remains
        if self.faults and self.rng.random() < self.scenario.full_disk_rate:
            self.counts["full"] += 1
            self.platter.full = True
            self.at(self.now + 0.5, self._make_room)
        if self.faults and self.rng.random() < self.scenario.slow_disk_rate:
            self.now += self.rng.choice((0.01, 0.5, 6.0))

    def _before_read(self) -> None:
        if self.faults and self.rng.random() < self.scenario.slow_disk_rate:
            self.now += 0.02

    def _make_room(self) -> None:
        self.platter.full = False

    # life of the clients

    def _client(self, number: int) -> SimClient:
        rng, scenario = self.rng, self.scenario
        habits = Habits(
            window=rng.choice((100, 600, 3000, 100_000)),
            think=rng.choice((0.0, 0.01, 0.3)),
            notices=rng.random() < 0.5,
        )
        client = SimClient(self, f"c{number}", rng.choice(scenario.streams), habits)
        sticky = rng.random() < 0.3
        habits.notices = habits.notices or sticky
        service = rng.choice((0.0, 0.0002, 0.02))
        client.link = Link(client, sticky, scenario.latency, service, scenario.bound)
        self.at(self.now + rng.uniform(0.0, 0.2), lambda: self._client_tick(client))
        return client

    def _client_tick(self, client: SimClient) -> None:
        if client.gone:
            return
        client.tick()
        if client.link.peer is None:
            self._connect(client.link)
        busy = client.machine.state != State.OPEN
        self.at(self.now + (0.1 if busy else self.rng.uniform(0.8, 1.1)), lambda: self._client_tick(client))

    def _connect(self, link: Link) -> None:
        client = link.client
        if self.broker is not None and not (isinstance(client, SimClient) and client.gone):
            self.network.connect(link)
