"""Timers, derived from the model's machine: how long a session stays open after each command that keeps it open.

A session is observed by messages that are published for it at short intervals. Its end lies between the last message
that it received and the first that it did not. It must not lie before the timeout, nor after the timeout and a
tolerance that grows with the broker's answer time.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from zeps_conformance.broker.session import Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.silence import mute, patience_for_silence, say, too_patient
from zeps_conformance.common.case import OMITTED, Needs
from zeps_conformance.common.verdicts import LostError
from zeps_conformance.model.definitions import load_model, load_models

MACHINE = "zeps_server"
EARLY = 0.02  # part of the timeout by which clocks may differ
EARLY_SECONDS = 0.05
LATE_SECONDS = 1.0  # for a broker that answers as fast as usual; multiplied by the pace
LATE = 0.1  # part of the timeout that a broker may check its timers late
INTERVALS = 40  # messages in the time of a timeout
LAG = 6  # part of the timeout in which a message arrives at an open session
UNKNOWN_PAUSE = 2.0  # seconds of silence before the command if the timeout is not known


@dataclass(slots=True)
class _Silence:
    """A session that is silent since a command, sent from `sent_from` to `sent_until`. `alive`: when the last message
    that it received was published; `ended`: when the first that it did not receive was stored, or None. `pending`: the
    messages that it has not received, each with the times of both.
    """

    session: Session
    sent_from: float
    sent_until: float
    alive: float = 0.0
    ended: float | None = None
    pending: deque[tuple[float, float]] = field(default_factory=deque)

    def look(self, lag: float) -> None:
        """Reads what has arrived, unless the session has ended: after `lag` seconds a message is missing."""
        if self.ended is not None:
            return
        try:
            while (message := self.session.next(0.0)) is not None and message.name == "DELIVER":
                if self.pending:
                    self.alive, _ = self.pending.popleft()
        except LostError:
            self.session.leave()
        missing = bool(self.pending) and time.monotonic() - self.pending[0][1] > lag
        if self.session.left or message is not None or missing:
            self.ended = self.pending[0][1] if self.pending else time.monotonic()
            if not self.session.left:
                self.session.forgotten()


def _rows() -> Iterator[Mapping[str, Any]]:
    (machine,) = (raw for raw in load_models(None)[1] if raw["name"] == MACHINE)
    yield from machine["transitions"]


def signs_of_life() -> list[str]:
    """Returns the messages of clients that the model's machine accepts in an open session, and that leave it open."""
    kept = [
        row["event"]
        for row in _rows()
        if row["state"] == "open" and row["next"] is None and not row["covered_by_star"]
    ]
    known = {message.name for message in load_model().messages}
    return [name for name in dict.fromkeys(kept) if name in known]


def _restarts(t: BrokerTrial, name: str) -> None:
    limit = patience_for_silence(t)
    known = t.options.client_timeout
    t.allow(limit)
    t.step(
        "A and B subscribe to new messages and send nothing, not even PING-OK; messages are published for both."
    )
    publisher = t.session("publisher")
    sessions = []
    for label in ("A", "B"):
        began = time.monotonic()
        session = mute(t, label, "tick")
        sessions.append(_Silence(session, began, time.monotonic()))
    silent, talker = sessions
    t.step(f"After half of the timeout B sends {name}, and nothing more.")
    pause = UNKNOWN_PAUSE if known is None else known / 2
    spoken = _observe(t, publisher, silent, talker, name, pause, limit)
    if not spoken and known is None:
        t.unsupported(f"the broker's timeout is less than {UNKNOWN_PAUSE:g} s: set --client-timeout")
    t.check(spoken, f"B is open when it sends {name}", "it is not", "ZEPS-PING-6")
    t.step("A's session ends when the timeout has passed since it became silent, B's since its command.")
    assert silent.ended is not None
    timeout = silent.ended - silent.sent_until if known is None else known
    if known is not None:
        _judge(t, silent, timeout, "ZEPS-PING-6")
    _judge(t, talker, timeout, "ZEPS-PING-7")


def _observe(
    t: BrokerTrial,
    publisher: Session,
    silent: _Silence,
    talker: _Silence,
    name: str,
    pause: float,
    limit: float,
) -> bool:
    """Publishes until both sessions have ended; `talker` sends the command `name` after `pause` seconds. Returns
    whether it was open then. Raises FailureError if a session is open after the timeout and the tolerance, and
    OutOfTimeError after `limit` seconds if the timeout is not known.
    """
    interval, lag = min(0.25, limit / INTERVALS), min(1.0, limit / LAG) * t.options.pace
    spoken = False
    while silent.ended is None or talker.ended is None:
        due = not spoken and time.monotonic() - talker.sent_until >= pause
        if due and talker.ended is not None:
            return False
        if due and not talker.pending:
            spoken, talker.sent_from = True, time.monotonic()
            say(t, name, talker.session)
            talker.sent_until = time.monotonic()
        if not due or spoken:  # else the answer to the command would follow messages
            at = time.monotonic()
            publisher.store([("tick", b"")])
            for watched in (silent, talker):
                if watched.ended is None:
                    watched.pending.append((at, time.monotonic()))
        time.sleep(interval)
        for watched in (silent, talker):
            watched.look(lag)
            _check_patience(t, watched, limit)
    return spoken


def _check_patience(t: BrokerTrial, watched: _Silence, limit: float) -> None:
    waited, known = watched.alive - watched.sent_until, t.options.client_timeout
    if known is not None:
        _check_late(t, watched, known)
    elif waited > limit * t.options.pace:
        raise too_patient(waited)


def _check_late(t: BrokerTrial, watched: _Silence, timeout: float) -> None:
    late = timeout * LATE + LATE_SECONDS * t.options.pace
    alive = watched.alive - watched.sent_until
    if alive > timeout + late:
        expected = f"{watched.session.name} ends within {timeout:.1f} s of silence and {late:.2f} s"
        t.check(False, expected, f"it is open after {alive:.2f} s", "ZEPS-PING-6")


def _judge(t: BrokerTrial, watched: _Silence, timeout: float, early_rule: str) -> None:
    """Checks both sides of the timeout. A broker that answers slowly ends sessions late, but not early."""
    assert watched.ended is not None
    _check_late(t, watched, timeout)
    early = timeout * EARLY + EARLY_SECONDS
    dead, alive = watched.ended - watched.sent_from, watched.alive - watched.sent_until
    t.check(
        dead >= timeout - early,
        f"{watched.session.name} stays open for {timeout:.1f} s of silence, less at most {early:.2f} s",
        f"it was open after {alive:.2f} s, and had ended after {dead:.2f} s",
        early_rule,
    )


for _name in signs_of_life():
    if _name == "ATTACH":
        OMITTED["zeps1.timers.restarts-attach"] = (
            "the new session needs further commands before its end is observable; sessions of the other cases begin so"
        )
        continue
    case(
        f"The timeout begins anew with {_name}, and ends a session neither before it nor long after it",
        "ZEPS-PING-6",
        "ZEPS-PING-7",
        subject=f"restarts-{_name.lower()}",
        needs=Needs.TIME,
    )(_restarts, _name)

for _row in _rows():
    if _row["event"] == "expired" and _row["state"] != "open":
        OMITTED[f"zeps1.timers.expired-{_row['state']}"] = (
            f"state {_row['state']} exists only while the broker stops; no rule limits how long it waits there"
        )
    if _row["event"] == "heartbeat":
        OMITTED[f"zeps1.timers.heartbeat-{_row['state']}"] = (
            "the interval is the broker's choice; heartbeat.asks-the-silent checks that PING precedes the end"
        )
