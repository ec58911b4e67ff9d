"""A client under test: its endpoint, its connections, and what it has received."""

from __future__ import annotations

import socket
from collections.abc import Collection

from zeps_conformance.clients.application import Application, Arrival, digest
from zeps_conformance.clients.connection import BrokerConnection
from zeps_conformance.clients.context import ClientContext
from zeps_conformance.clients.referee import Phase
from zeps_conformance.common import loopback
from zeps_conformance.common.verdicts import FailureError, RobustnessError
from zeps_conformance.model.interpreter import Decoded

__all__ = ["NEW", "Outcome", "TestedClient"]

NEW = (1 << 64) - 1
PROBE_MAX = 100  # bytes, more than a message without a body of its own
PEERS = (b"DEALER", b"REQ", b"ROUTER")

#: How a client went on after hostile input: the connection with its session, new or continued; None if it gave up.
Outcome = BrokerConnection | None


class TestedClient:
    """`connections`: all of this client, oldest first. `sent`: the last sequence that was delivered or announced as
    lost; `certain`: the last that the client has confirmed to have received. `expected`: the messages that its
    application must report, in order. `greets`: whether the suite greets new connections, `trickles`: whether it sends
    single bytes on them. `tainted`: hostile messages may have reached the application, which is not compared then.
    `lenient`: after a false announcement it may resume earlier than necessary.
    """

    def __init__(
        self, trial: ClientContext, name: str, stream: str, pattern: str | None, latest: int
    ) -> None:
        self.trial = trial
        self.name = name
        self.stream = stream
        self.pattern = pattern
        self.latest = latest
        self.app = Application(trial.adapter, trial.log, name)
        self.connections: list[BrokerConnection] = []
        self.expected: list[Arrival] = []
        self.bodies: dict[int, bytes] = {}
        self.sent = 0
        self.certain = 0
        self._held = loopback.reserve()
        self.endpoint = "tcp://{}:{}".format(*self._held.getsockname())
        self._server: socket.socket | None = None
        self._accepted = 0
        self.greets = True
        self.trickles = False
        self.tainted = False
        self.lenient = False

    @property
    def accepted(self) -> int:
        """Number of connections that the case has taken or skipped."""
        return self._accepted

    def skip_lost(self) -> None:
        """Skips ended connections before the next open one."""
        while self._accepted < len(self.connections) and self.connections[self._accepted].lost is not None:
            self._accepted += 1

    # Endpoint -----------------------------------------------------------------------------------------------

    def listen(self) -> None:
        """Accepts connections from now on."""
        self._server = loopback.listen(self._held)
        self._server.setblocking(False)

    @property
    def number(self) -> int | None:
        """The descriptor of the listening socket; None while connections are refused."""
        return None if self._server is None else self._server.fileno()

    def take_connection(self) -> None:
        """Accepts a waiting connection, and greets it if `greets` is true."""
        assert self._server is not None
        try:
            link, _ = self._server.accept()
        except OSError:
            return
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        trial = self.trial
        name = f"{self.name}.{len(self.connections) + 1}"
        trial.log.accepted(name, link, "accepted")
        made = BrokerConnection(link, name, trial.log, trial.wire, trial.codec, self.stream)
        if any(connection.subscriptions for connection in self.connections):
            made.referee.reconnected()
        self.connections.append(made)
        made.trickles = self.trickles
        if self.greets:
            made.greet()

    def poll(self) -> None:
        """Takes the application's events. Raises the first violation that a referee of a connection has found."""
        for connection in self.connections:
            if connection.violation is not None:
                violation, connection.violation = connection.violation, None
                raise violation
        self.app.poll()

    def close(self) -> None:
        """Closes the endpoint and every connection."""
        if self._server is not None:
            loopback.stop(self._server)
            self._server = None
        self._held.close()
        for connection in self.connections:
            connection.close()

    # Sessions -----------------------------------------------------------------------------------------------

    def connect(self, rule: str | None = None, timeout: float | None = None) -> BrokerConnection:
        """Returns the next new connection, after its arrival."""
        self.trial.wait(
            lambda: len(self.connections) > self._accepted,
            "the client connects",
            rule,
            timeout=self.trial.patience if timeout is None else timeout,
        )
        self._accepted += 1
        return self.connections[self._accepted - 1]

    def connect_or_end(self) -> BrokerConnection | None:
        """Returns the next new connection; None if the client gives up with an error instead, which is observed."""
        trial = self.trial
        if trial.holds(lambda: len(self.connections) > self._accepted or self.app.ended, 2 * trial.patience):
            if len(self.connections) > self._accepted:
                return self.connect()
            trial.check(bool(self.app.failed), "an error", "the client ended without an error")
            trial.observations.append(f"the client gives up: {self.app.failed[-160:]}")
            return None
        raise RobustnessError("the client connects again or gives up", f"nothing: {self._shown()}")

    def serve_late(self, after: str) -> None:
        """Serves the next connection, or observes that the client has given up."""
        self.trial.observe("hostile input before", after)
        if self.connect_or_end() is not None:
            self._accepted -= 1
            connection = self.session("ZEPS-SESSION-2")
            self.deliver(connection)
            self.confirm(connection)

    def accept(self, rule: str | None = None) -> BrokerConnection:
        """Returns the next new connection, after its handshake. Connections that end during the handshake are ignored,
        because a client may limit the time of it.
        """

        def completed() -> bool:
            self.skip_lost()
            return len(self.connections) > self._accepted and self.connections[self._accepted].ready

        self.trial.wait(
            completed,
            "the client completes the ZMTP handshake",
            rule,
            timeout=self.trial.patience,
            seen=self._shown,
        )
        connection = self.connect(rule)
        assert connection.properties is not None
        kind = connection.properties.get("socket-type", b"")
        self.trial.check(kind in PEERS, "a socket type that fits ROUTER", repr(kind), "ZEPS-FRAME-3")
        identity = connection.properties.get("identity", b"")
        self.trial.check(not identity, "no routing id of its own", repr(identity), "ZEPS-SESSION-5")
        return connection

    def expect(
        self, connection: BrokerConnection, name: str, rule: str, timeout: float | None = None
    ) -> Decoded:
        """Removes and returns the next message of `inbox`, which must be `name`."""
        self.trial.wait(
            lambda: bool(connection.inbox),
            f"the client sends {name}",
            rule,
            connection=connection,
            timeout=timeout,
        )
        message = connection.inbox.popleft()
        self.trial.check(message.name == name, f"the client sends {name}", message.name, rule)
        return message

    def attach(
        self, connection: BrokerConnection | None = None, rule: str = "ZEPS-ATTACH-7"
    ) -> BrokerConnection:
        """Expects ATTACH, on `connection` or a new one, and answers ATTACH-OK."""
        connection = self.await_attach(connection, rule)
        connection.send("ATTACH-OK")
        return connection

    def await_attach(
        self, connection: BrokerConnection | None = None, rule: str = "ZEPS-ATTACH-7"
    ) -> BrokerConnection:
        """Expects ATTACH, on `connection` or a new one, and does not answer it."""
        connection = connection or self.accept(rule)
        self.expect(connection, "ATTACH", rule, self.trial.patience)
        return connection

    def subscribe(self, connection: BrokerConnection, answer: str = "") -> int:
        """Expects SUBSCRIBE, at the right sequence, and confirms it, or refuses it with the reason `answer`. Returns
        its `latest`.
        """
        message = self.expect(connection, "SUBSCRIBE", "ZEPS-PING-14", self.trial.patience)
        pattern, latest = str(message["pattern"]), int(message["latest"])
        self.trial.check(
            pattern == self.pattern, f"the pattern {self.pattern!a}", f"{pattern!a}", "ZEPS-TEXT-1"
        )
        first, last = self.bounds()
        expected = f"latest {first}" if first == last else f"latest {first} to {last}"
        rule = "ZEPS-PING-14" if self.sent else "ZEPS-FRAME-2"
        self.trial.check(first <= latest <= last, expected, f"latest {latest}", rule)
        if answer:
            connection.send("INVALID", reason=answer)
        else:
            connection.send("SUBSCRIBE-OK")
        return latest

    def bounds(self) -> tuple[int, int]:
        """Returns the lowest and the highest `latest` with which the client may resume."""
        if not self.sent:
            return self.latest, self.latest
        if self.lenient:
            return min(self.latest, self.sent), self.sent
        return (self.certain or min(self.latest, self.sent)), self.sent

    def session(self, rule: str = "ZEPS-ATTACH-7") -> BrokerConnection:
        """Returns a new connection with an open session, a confirmed subscription and credit."""
        connection = self.attach(None, rule)
        self.subscribe(connection)
        self.await_credit(connection, 1)
        return connection

    def next_attach(self, connection: BrokerConnection, rule: str = "ZEPS-SESSION-2") -> BrokerConnection:
        """Waits for ATTACH on `connection` or a new one, whose connection it returns; ATTACH remains in `inbox`."""
        self.trial.wait(
            lambda: self.attaches(connection),
            "the client attaches again",
            rule,
            timeout=self.trial.patience,
            seen=self._shown,
        )
        found = self._attaching(connection)
        assert found is not None
        self._accepted = max(self._accepted, self.connections.index(found) + 1)
        return found

    def reattach(self, connection: BrokerConnection, rule: str = "ZEPS-SESSION-2") -> BrokerConnection:
        """Expects that the client attaches again and resumes, after the loss of its session on `connection`."""
        again = self.attach(self.next_attach(connection, rule), rule)
        again.inbox.clear()
        again.referee.credit = 0
        self.subscribe(again)
        self.trial.wait(
            lambda: self._answer_subscriptions(again) and again.referee.credit > 0,
            "credit in the new session",
            "ZEPS-FRAME-2",
            connection=again,
            timeout=self.trial.patience,
        )
        return again

    def attaches(self, connection: BrokerConnection) -> bool:
        """Whether ATTACH has arrived on `connection` or a new one."""
        return self._attaching(connection) is not None

    def _attaching(self, connection: BrokerConnection) -> BrokerConnection | None:
        """Returns `connection` or a later one if its next message is ATTACH; other messages before it are dropped."""
        for candidate in self.connections[self.connections.index(connection) :]:
            while candidate.inbox and candidate.inbox[0].name != "ATTACH":
                candidate.inbox.popleft()
            if candidate.lost is None and candidate.inbox:
                return candidate
        return None

    def _shown(self) -> str:
        return f"{len(self.connections)} connections, and the last problem {(self.app.problems or ['none'])[-1]!a}"

    # Messages -----------------------------------------------------------------------------------------------

    def await_credit(self, connection: BrokerConnection, size: int) -> None:
        """Waits until the client has granted credit for `size` bytes."""
        self.trial.wait(
            lambda: connection.referee.credit >= size,
            f"credit for {size} bytes",
            "ZEPS-FRAME-2",
            connection=connection,
            timeout=self.trial.patience,
            seen=lambda: f"{connection.referee.credit} bytes",
        )

    def deliver(
        self,
        connection: BrokerConnection,
        count: int = 1,
        *,
        key: str = "key",
        body: bytes | None = None,
        start: int = 0,
    ) -> None:
        """Delivers the next `count` messages, within the credit, from sequence `start` or after the last on."""
        for number in range(count):
            sequence = start + number if start else self.sent + 1
            content = self.trial.random_bytes(20) if body is None else body
            size = self.trial.codec.size("DELIVER", sequence=sequence, key=key, body=content)
            if connection.referee.credit < size:
                self.await_credit(connection, size)
            connection.send("DELIVER", sequence=sequence, key=key, body=content)
            self.sent = sequence
            self.bodies[sequence] = content
            self.expected.append(digest(sequence, key, content))

    def repeat_after(self, connection: BrokerConnection, latest: int) -> None:
        """Delivers again the messages after `latest` that the client did not take before the loss."""
        for arrival in [arrival for arrival in self.expected if arrival.sequence > latest]:
            body = self.bodies[arrival.sequence]
            connection.send("DELIVER", sequence=arrival.sequence, key=arrival.key, body=body)

    def serve_subscriptions(self, connection: BrokerConnection, patterns: Collection[str]) -> None:
        """Answers SUBSCRIBEs until credit arrives, then delivers the past and one new message, as a broker does. Checks
        that the SUBSCRIBEs are to `patterns`, and that none begins after the last message.
        """
        trial = self.trial
        trial.wait(
            lambda: self._answer_subscriptions(connection) and connection.referee.credit > 0,
            "SUBSCRIBEs and credit",
            "ZEPS-PING-14",
            connection=connection,
            timeout=trial.patience,
        )
        begins: dict[str, int] = {}
        for subscription in connection.subscriptions:
            begins[subscription.pattern] = min(subscription.latest, begins.get(subscription.pattern, NEW))
        trial.check(set(begins) == set(patterns), f"SUBSCRIBEs to {patterns}", f"{begins}", "ZEPS-PING-14")
        late = {pattern: latest for pattern, latest in begins.items() if latest > self.sent}
        trial.check(not late, f"none that begins after {self.sent}", f"{late}", "ZEPS-PING-14")
        for arrival in self.expected:
            starts = [begins[pattern] for pattern in begins if arrival.key.startswith(pattern)]
            if any(arrival.sequence > start for start in starts):
                body = self.bodies[arrival.sequence]
                connection.send("DELIVER", sequence=arrival.sequence, key=arrival.key, body=body)
        self.deliver(connection, key=next(iter(begins)))

    @staticmethod
    def _answer_subscriptions(connection: BrokerConnection) -> bool:
        while connection.inbox:
            if connection.inbox.popleft().name == "SUBSCRIBE":
                connection.send("SUBSCRIBE-OK")
        return True

    def announce(self, connection: BrokerConnection, first: int, last: int, code: str = "retention") -> None:
        """Announces a gap."""
        connection.send("INVALID", reason=f"{code} {first} {last} these messages are lost")
        self.sent = last

    def barrier(self, connection: BrokerConnection, rule: str = "ZEPS-PING-2") -> None:
        """Sends PING and expects PING-OK."""
        before = connection.answered
        connection.send("PING")
        self.trial.wait(
            lambda: connection.answered > before,
            "the client answers PING by PING-OK",
            rule,
            connection=connection,
            timeout=self.trial.patience,
        )

    def confirm(self, connection: BrokerConnection) -> None:
        """Checks by PING and :meth:`check_arrivals` that everything delivered so far has arrived."""
        self.barrier(connection)
        self.certain = self.sent
        self.check_arrivals()

    def check_arrivals(self) -> None:
        """Checks that the application reports just the expected messages, if it can report any and is not `tainted`."""
        if "deliveries" not in self.trial.features:
            return
        app, trial = self.app, self.trial
        if self.tainted:
            return
        trial.holds(lambda: len(app.arrivals) >= len(self.expected), trial.options.timeout)
        trial.serve(0.0)
        expected = f"the application receives {_shown(self.expected)}"
        trial.check(app.arrivals == self.expected, expected, _shown(app.arrivals), "ZEPS-PING-14")

    def expect_gap(self, first: int, last: int, code: str = "") -> None:
        """Checks that the application has learned that `first` to `last` are lost, if the client reports gaps."""
        if "gaps" not in self.trial.features:
            return

        def reported() -> bool:
            return any(
                (gap.first, gap.last) == (first, last) and code in ("", gap.code) for gap in self.app.gaps
            )

        self.trial.wait(
            reported,
            f"a report that {first} to {last} are lost",
            "ZEPS-PING-14",
            timeout=self.trial.patience,
            seen=lambda: f"{self.app.gaps}",
        )

    def finish(self, connection: BrokerConnection) -> None:
        """Lets the client end by itself, and checks that it detaches without an error."""
        if "close" in self.trial.features:
            self.app.ask("close", timeout=5000)
        else:
            self.return_publications(connection)
        self.trial.wait(
            lambda: any(message.name == "DETACH" for message in connection.inbox),
            "the client sends DETACH",
            "ZEPS-ATTACH-7",
            connection=connection,
            timeout=self.trial.patience,
            seen=lambda: f"its application: {self.app.problems[-1:]}",
        )
        connection.send("DETACH-OK")
        self.trial.wait(
            lambda: self.app.ended, "the client ends", "ZEPS-ATTACH-7", timeout=self.trial.patience
        )
        self.trial.check(self.app.closed, "it ends without an error", self.app.failed, "ZEPS-ATTACH-7")

    def return_publications(self, connection: BrokerConnection) -> None:
        """Waits until the client publishes, and delivers its publications to it."""
        trial = self.trial
        trial.wait(
            lambda: bool(connection.publications),
            "the client publishes",
            "ZEPS-PUBLISH-9",
            timeout=trial.patience,
        )
        for publication in connection.publications:
            self.deliver(connection, key=publication.key, body=publication.body)

    # After hostile input ------------------------------------------------------------------------------------

    def survive(self, connection: BrokerConnection, label: str) -> Outcome:
        """Checks that the client goes on after hostile input, by PING and a message: it attaches again, goes on in its
        session, or gives up with an error. Returns the connection with its open session; None if it gave up. Raises
        RobustnessError if it does nothing, and FailureError if the input has reached the application.
        """
        outcome = self._outcome(connection, label)
        self.check_untouched()
        return outcome

    def _outcome(self, connection: BrokerConnection, label: str) -> Outcome:
        trial = self.trial
        self._ping(connection)
        if self._decide(connection, label) and connection.referee.phase is Phase.ATTACHING:
            connection.send("ATTACH-OK")
            connection.inbox.clear()
            self.subscribe(connection)
            self.await_credit(connection, 1)
        if self._goes_on(connection) and connection.referee.credit > PROBE_MAX:
            self.deliver(connection)
            self._ping(connection)
            self._decide(connection, label)
        if self.attaches(connection):
            again = self.reattach(connection)
            self.confirm(again)
            return again
        if self.app.ended:
            trial.check(bool(self.app.failed), f"an error after {label}", "the client ended without an error")
            trial.observations.append(f"after {label} the client gives up: {self.app.failed[-160:]}")
            return None
        trial.observations.append(f"after {label} the client goes on in its session")
        return connection

    def _decide(self, connection: BrokerConnection, label: str) -> bool:
        """Waits until the client attaches again, answers every PING, or ends; returns whether it goes on."""

        def decided() -> bool:
            return self.attaches(connection) or self._goes_on(connection) or self.app.ended

        if not self.trial.holds(decided, 2 * self.trial.patience):
            raise RobustnessError(
                f"the client attaches again, goes on or gives up after {label}", f"nothing: {self._shown()}"
            )
        return self._goes_on(connection)

    def _goes_on(self, connection: BrokerConnection) -> bool:
        return connection.lost is None and not connection.referee.pings and not self.attaches(connection)

    @staticmethod
    def _ping(connection: BrokerConnection) -> None:
        if connection.lost is None:
            connection.send("PING")

    def check_untouched(self) -> None:
        """Checks that hostile input has not reached the application, unless it is `tainted`. Raises FailureError."""
        if self.tainted:
            return
        known = set(self.expected)
        stray = [arrival for arrival in self.app.arrivals if arrival not in known]
        self.trial.check(not stray, "no message from invalid input", _shown(stray), "ZEPS-PING-14")
        if len(self.app.arrivals) != len(set(self.app.arrivals)):
            raise FailureError("each message once", _shown(self.app.arrivals), "ZEPS-PING-14")


def _shown(arrivals: list[Arrival]) -> str:
    numbers = [arrival.sequence for arrival in arrivals]
    if len(numbers) > 12:
        return f"{len(numbers)} messages, sequences {numbers[0]} to {numbers[-1]}"
    return f"{len(numbers)} messages, sequences {numbers}"
