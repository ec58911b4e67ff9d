"""Player of a conversation: acts as several clients over real connections, and compares with the oracle."""

from __future__ import annotations

import time
from collections.abc import Sequence

from zeps_conformance.broker.reason import NOTICES, Reason
from zeps_conformance.broker.session import NEW, Item, Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.common.verdicts import FailureError, LostError
from zeps_conformance.fuzz.oracle import OracleSession, OracleStream, starts
from zeps_conformance.fuzz.steps import CLIENTS, KINDS, STREAMS, Action, Step, format_step
from zeps_conformance.model.interpreter import Decoded, Value, render
from zeps_conformance.model.malform import extended, raised_lengths, truncated, wrong_signatures

__all__ = ["GOALS", "STATES", "Player"]

IDLE_SECONDS = 2.0
"""Time after which a client without a session gets a new connection: a broker may close the old one."""
STATES = ("no session", "open", "subscribed", "waits for credit")
SITUATIONS = (
    "the credit is used up exactly",
    "one byte of credit is missing",
    "a message of several subscriptions is delivered once",
    "a refused subscription",
    "past messages wait while new messages arrive",
    "two sessions of one stream at different positions",
)
#: What a campaign should reach: each action in each state, and situations.
GOALS = frozenset({f"{kind}: {state}" for kind in KINDS for state in STATES} | set(SITUATIONS))

COMMANDS: tuple[tuple[str, dict[str, Value]], ...] = (
    ("ATTACH", {"stream": "malformed"}),
    ("SUBSCRIBE", {"pattern": "a", "latest": 0}),
    ("CREDIT", {"credit": 1000}),
    ("PUBLISH", {"key": "malformed", "body": b"malformed"}),
    ("PING", {}),
    ("PING-OK", {}),
    ("DETACH", {}),
)
BROKER_COMMANDS: tuple[tuple[str, dict[str, Value]], ...] = (
    ("ATTACH-OK", {}),
    ("SUBSCRIBE-OK", {}),
    ("DELIVER", {"sequence": 1, "key": "a", "body": b""}),
    ("INVALID", {"reason": "unexpected a reason"}),
)
#: The rule that requires each answer: a name, and the code of INVALID, empty for any.
ANSWER_RULES = {
    ("ATTACH-OK", ""): "ZEPS-ATTACH-1",
    ("SUBSCRIBE-OK", ""): "ZEPS-SUBSCRIBE-1",
    ("PING-OK", ""): "ZEPS-PING-1",
    ("DETACH-OK", ""): "ZEPS-DETACH-1",
    ("INVALID", ""): "ZEPS-INVALID-1",
    ("INVALID", "unexpected"): "ZEPS-INVALID-7",
    ("INVALID", "beyond-end"): "ZEPS-SUBSCRIBE-5",
}
SUBSCRIBE_RULES = (ANSWER_RULES["SUBSCRIBE-OK", ""], ANSWER_RULES["INVALID", "beyond-end"])


class _Client:
    """A client: its connection, and its session if it has one. `answers`: names of required answers, in order."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.open: OracleSession | None = None
        self.answers: list[tuple[str, str]] = []
        self.frames: list[bytes] = []
        self.used = time.monotonic()

    def renew(self) -> None:
        """Replaces the connection, which the broker may have closed, of a client that had no session for long."""
        if self.open is None and time.monotonic() - self.used > IDLE_SECONDS:
            self.session.reconnect()
        self.used = time.monotonic()


class Player:
    """Plays steps in `trial`, on new streams, with three clients. `reached` collects goals."""

    def __init__(self, trial: BrokerTrial, reached: set[str]) -> None:
        self._trial = trial
        self._reached = reached
        self._names = [trial.new_stream("fuzz") for _ in range(STREAMS)]
        self._streams = [OracleStream() for _ in range(STREAMS)]
        self._clients = [_Client(trial.connect(f"client {number}")) for number in range(CLIENTS)]
        self._published = 0

    def play(self, steps: Sequence[Step]) -> None:
        """Plays `steps`. Raises FailureError at the first violation."""
        for step in steps:
            self._trial.step(format_step(step))
            client = self._clients[step.client]
            client.renew()
            changed = self._send(client, step.actions)
            self._read_answers(client)
            for other in self._clients:
                if other is client or (other.open is not None and other.open.stream is changed):
                    self._settle(other)
            self._note_positions()

    # Sending ------------------------------------------------------------------------------------------------

    def _send(self, client: _Client, actions: Sequence[Action]) -> OracleStream | None:
        """Sends the actions' frames in one write, which a drop divides, up to the first that ends the session without a
        DETACH. Returns the client's stream.
        """
        stream = client.open.stream if client.open is not None else None
        client.frames, client.answers = [], []
        for action in actions:
            self._reached.add(f"{action.kind}: {self._state(client)}")
            if action.kind == "drop":
                self._flush(client)
                self._read_answers(client)
                self._drop(client, *action.arguments)
                continue
            ends = self._add(client, action)
            stream = client.open.stream if client.open is not None else stream
            if ends:
                break
        self._flush(client)
        return stream

    def _flush(self, client: _Client) -> None:
        frames, client.frames = client.frames, []
        if frames:
            client.session.send_together(frames)

    def _add(self, client: _Client, action: Action) -> bool:
        """Adds the frames of `action` and its answers. Returns whether it ends the session by INVALID."""
        kind, arguments = action.kind, action.arguments
        if kind == "malformed":
            frame = self._malformed(*arguments)
            return self._refused(client, frame)
        if kind == "attach":
            self._add_frame(client, "ATTACH", stream=self._names[arguments[0]])
            client.answers.append(("ATTACH-OK", ""))
            client.open = OracleSession(self._streams[arguments[0]])
            return False
        if client.open is None:
            return self._refused(client, self._frame_without_session(action))
        if kind == "unexpected":
            name, values = BROKER_COMMANDS[arguments[0] % len(BROKER_COMMANDS)]
            self._add_frame(client, name, **values)
            client.answers.append(("INVALID", "unexpected"))
        elif kind == "subscribe":
            self._subscribe(client, client.open, *arguments)
        elif kind == "publish":
            self._publish(client, client.open, *arguments)
        elif kind in ("credit", "cover"):
            credit = arguments[0] if kind == "credit" else self._cover(client.open, *arguments)
            self._add_frame(client, "CREDIT", credit=credit)
            client.open.grant(credit)
        elif kind == "ping":
            self._add_frame(client, "PING")
            client.answers.append(("PING-OK", ""))
        elif kind == "ping-ok":
            self._add_frame(client, "PING-OK")
        else:
            self._add_frame(client, "DETACH")
            client.answers.append(("DETACH-OK", ""))
            client.open = None
        return False

    def _add_frame(self, client: _Client, name: str, **values: Value) -> None:
        client.frames.append(self._trial.codec.encode(name, **values))

    def _refused(self, client: _Client, frame: bytes) -> bool:
        client.frames.append(frame)
        client.answers.append(("INVALID", ""))
        client.open = None
        return True

    def _frame_without_session(self, action: Action) -> bytes:
        names = {
            "subscribe": "SUBSCRIBE",
            "credit": "CREDIT",
            "cover": "CREDIT",
            "publish": "PUBLISH",
            "ping": "PING",
            "ping-ok": "PING-OK",
            "detach": "DETACH",
        }
        if action.kind == "unexpected":
            name, values = BROKER_COMMANDS[action.arguments[0] % len(BROKER_COMMANDS)]
        else:
            name, values = next(command for command in COMMANDS if command[0] == names[action.kind])
        return self._trial.codec.encode(name, **values)

    def _malformed(self, command: int, way: int) -> bytes:
        codec = self._trial.codec
        name, values = COMMANDS[command % len(COMMANDS)]
        frame = codec.encode(name, **values)
        malformed = [
            bad
            for bads in (truncated, extended, raised_lengths, wrong_signatures)
            for bad in bads(codec, frame)
        ]
        return malformed[way % len(malformed)].frame

    def _subscribe(
        self, client: _Client, session: OracleSession, pattern: str, kind: str, distance: int
    ) -> None:
        latest = starts(kind, distance, session.stream.end)
        self._add_frame(client, "SUBSCRIBE", pattern=pattern, latest=latest)
        if session.stream.end < latest != NEW:
            client.answers.append(("INVALID", "beyond-end"))
            self._reached.add("a refused subscription")
            return
        client.answers.append(("SUBSCRIBE-OK", ""))
        session.subscriptions.append((pattern, min(latest, session.stream.end)))
        if len(session.subscriptions) > 1 and session.due():
            self._reached.add("past messages wait while new messages arrive")

    def _publish(self, client: _Client, session: OracleSession, key: str, size: int, count: int) -> None:
        """Publishes up to `count` messages: no more than the broker retains, because it need not announce the loss of
        others to a later subscription.
        """
        retained, items = self._trial.options.retained, session.stream.items
        for _ in range(count):
            self._published += 1
            body = (b"%d:" % self._published).ljust(size, b".")
            item = Item(session.stream.end + 1, key, body)
            if retained is not None and sum(map(self._cost, [*items, item])) > retained:
                break
            items.append(item)
            self._add_frame(client, "PUBLISH", key=key, body=body)

    def _cover(self, session: OracleSession, count: int, more: int) -> int:
        """Returns the credit that covers `count` due messages, `more` bytes more than exactly; at least 0."""
        needed = sum(self._cost(item) for item in session.due()[:count])
        return max(needed - session.credit + more, 0)

    def _drop(self, client: _Client, reset: bool) -> None:
        if reset:
            client.session.peer.reset()
        client.session.reconnect()
        client.open = None

    # Receiving ----------------------------------------------------------------------------------------------

    def _read_answers(self, client: _Client) -> None:
        """Reads up to the last required answer. After one that ends the session, the connection may be closed."""
        answers, client.answers = client.answers, []
        for position, (name, code) in enumerate(answers):
            # Messages before the last ATTACH-OK or DETACH-OK belong to an earlier session.
            current = not any(later in ("ATTACH-OK", "DETACH-OK") for later, _ in answers[position:])
            self._read_answer(client, name, code, client.open if current else None)
        if answers and answers[-1] == ("INVALID", ""):
            self._check_ended(client)

    def _read_answer(self, client: _Client, name: str, code: str, session: OracleSession | None) -> None:
        """Reads up to the answer `name`, an INVALID with `code` if that is not empty. A SUBSCRIBE may also be refused
        because of the broker's limit.
        """
        answer, rule = f"{name} {code}".rstrip(), ANSWER_RULES[name, code]
        while True:
            message, reason = client.session.receive(answer, rule)
            if message.name == "DELIVER" or (reason is not None and reason.code in NOTICES):
                self._record(client, session, message, reason)
                continue
            if reason is not None and reason.code == "too-many-subscriptions" and rule in SUBSCRIBE_RULES:
                if session is not None and name == "SUBSCRIBE-OK":
                    session.subscriptions.pop()
                return
            right = message.name == name and (reason is None or code in ("", reason.code))
            self._trial.check(right, f"{client.session.name} receives {answer}", render(message), rule)
            return

    def _record(
        self, client: _Client, session: OracleSession | None, message: Decoded, reason: Reason | None
    ) -> None:
        """Records a message of `session`, or the announcement of a gap; None is an earlier session of the client."""
        if session is None:
            return
        if reason is not None:
            session.handled.update(range(reason.first, reason.last + 1))
            return
        item = Item(message["sequence"], message["key"], message["body"])
        known = session.stream.items[item.sequence - 1 : item.sequence]
        seen = f"sequence {item.sequence}, key {item.key!a}, {len(item.body)} bytes"
        self._trial.check(
            known == [item], f"{client.session.name} receives the published message", seen, "ZEPS-PUBLISH-4"
        )
        session.handled.add(item.sequence)
        session.credit -= self._cost(item)
        matching = sum(item.key.startswith(pattern) for pattern, _ in session.subscriptions)
        if matching > 1:
            self._reached.add("a message of several subscriptions is delivered once")

    def _check_ended(self, client: _Client) -> None:
        """Checks that the session has ended, and opens a new connection if the broker closed this one."""
        session = client.session
        try:
            session.send("PING")
            session.expect_invalid("ZEPS-INVALID-2", "PING, because the session has ended", "no-session")
        except LostError:
            if not session.may_close:
                raise
            session.reconnect()

    def _settle(self, client: _Client) -> None:
        """Waits for two PING-OKs, and checks that no due message is missing that the credit covers."""
        session = client.open
        if session is None:
            return
        for _ in range(2):
            client.session.send("PING")
            self._read_answer(client, "PING-OK", "", session)
        item = session.missing(self._cost)
        if item is not None:
            expected = f"{client.session.name} receives sequence {item.sequence}"
            seen = f"two PING-OK, with {session.credit} bytes of credit left and {self._cost(item)} needed"
            raise FailureError(expected, seen, "ZEPS-CREDIT-6" if session.handled else "ZEPS-SUBSCRIBE-3")
        waiting = session.next_of_each()
        if session.handled and session.credit == 0:
            self._reached.add("the credit is used up exactly")
        if any(self._cost(item) == session.credit + 1 for item in waiting):
            self._reached.add("one byte of credit is missing")

    def _note_positions(self) -> None:
        positions: dict[int, set[int]] = {}
        for client in self._clients:
            if client.open is not None and client.open.subscriptions:
                positions.setdefault(id(client.open.stream), set()).add(len(client.open.handled))
        if any(len(counts) > 1 for counts in positions.values()):
            self._reached.add("two sessions of one stream at different positions")

    def _state(self, client: _Client) -> str:
        if client.open is None:
            return "no session"
        if not client.open.subscriptions:
            return "open"
        return "waits for credit" if client.open.due() else "subscribed"

    def _cost(self, item: Item) -> int:
        return self._trial.cost(item.key, item.body, item.sequence)
