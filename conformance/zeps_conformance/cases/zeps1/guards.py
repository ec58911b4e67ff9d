"""Guards, derived from the model's machine: both sides of conditions, with the answers that the machine gives."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from zeps_conformance.broker.session import PLENTY, Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import NEGATIVE
from zeps_conformance.codec.driver_protocol import Arrive, Put
from zeps_conformance.codec.machines import EventPayload, Running
from zeps_conformance.codec.oracle import Oracle
from zeps_conformance.common.case import OMITTED, Polarity
from zeps_conformance.model.definitions import load_models

PROTOCOL, MACHINE = "zeps", "zeps_server"
#: Rules of the guarded rows, by state and event; the first for the row itself, the second for what follows otherwise.
RULES = {
    ("start", "ATTACH"): ("ZEPS-ATTACH-5", "ZEPS-ATTACH-1"),
    ("open", "ATTACH"): ("ZEPS-ATTACH-5", "ZEPS-ATTACH-4"),
    ("open", "deliver"): ("ZEPS-CREDIT-6", "ZEPS-CREDIT-5"),
}
SIDES = {True: "true", False: "false"}


@cache
def _oracle() -> Oracle:
    return Oracle(*load_models(None), [PROTOCOL])


def guarded_rows() -> list[Mapping[str, Any]]:
    """Returns the rows of the machine that have a guard."""
    return [row for row in _oracle().tables[MACHINE].raw["transitions"] if row["guard"] is not None]


def _started(t: BrokerTrial, state: str, session: Session) -> Running:
    """Brings the machine and `session` into `state`. Returns the machine."""
    oracle = _oracle()
    running = oracle.start(oracle.tables[MACHINE])
    if state == "open":
        session.attach()
        oracle.advance(running.table, running, Arrive((t.codec.encode("ATTACH", stream=session.stream),)))
    return running


def _answers(t: BrokerTrial, running: Running) -> list[str]:
    """Returns the messages that the machine sent in its last step, INVALID with its code."""
    names = []
    for action, sent in running.actions:
        if action == "send":
            message = t.codec.decode(sent)
            code = f" {str(message['reason']).partition(' ')[0]}" if message.name == "INVALID" else ""
            names.append(message.name + code)
    return names


def _message(t: BrokerTrial, row: Mapping[str, Any], side: bool) -> None:
    """A guard on a message of the client: sends each of several values for which it is true, or false."""
    state, name = str(row["state"]), str(row["event"])
    rule = RULES[state, name][not side]
    frames = [t.codec.encode(name, stream=value) for value in ("", t.new_stream("guard"), "x")]
    matching = [frame for frame in frames if _holds(t, row, frame) is side]
    for number, frame in enumerate(matching, 1):
        session = t.connect(f"A{number}")
        running = _started(t, state, session)
        _oracle().advance(running.table, running, Arrive((frame,)))
        expected = _answers(t, running)
        t.step(
            f"In state {state} a client sends a frame for which the guard is {SIDES[side]}: {t.codec.render(frame)}."
        )
        session.send_frame(frame)
        for answer in expected:
            kind, _, code = answer.partition(" ")
            if kind == "INVALID":
                session.offended = True
                session.expect_invalid(rule, t.codec.render(frame), code)
            else:
                session.expect(kind, rule)
        t.step(f"The session is then in state {running.state}.")
        if running.state == "start":
            session.expect_no_session(rule)
        else:
            session.quiet("the machine has no further answer", rule)


def _holds(t: BrokerTrial, row: Mapping[str, Any], frame: bytes) -> bool:
    oracle = _oracle()
    running = oracle.start(oracle.tables[MACHINE])
    message = t.codec.decode(frame)
    values = {
        name: value.encode() if isinstance(value, str) else value for name, value in message.values.items()
    }
    return running.holds(row["guard"], EventPayload(values, len(frame)))


def _deliver(t: BrokerTrial, row: Mapping[str, Any], side: bool) -> None:
    """The guard of DELIVER: with credit around the size of the frame, in the middle of its bytes and far from it."""
    rule = RULES["open", "deliver"][not side]
    (message,) = t.messages(1)
    (item,) = t.fill([message])
    cost = t.cost(*message)
    oracle = _oracle()
    running = oracle.start(oracle.tables[MACHINE])
    for credit in (1, cost // 2, cost - 1, cost, cost + 1, PLENTY):
        oracle.advance(running.table, running, Put("credit", ("u", credit)))
        if running.holds(row["guard"], EventPayload({}, cost)) is not side:
            continue
        t.step(f"A message of {cost} bytes waits; a client grants {credit}: the guard is {SIDES[side]}.")
        a = t.reader(f"credit-{credit}", credit=credit)
        if side:
            a.expect_items([item], rule)
        a.quiet("the machine sends nothing more", rule)
        if not side:
            t.step("With the missing credit the guard is true, and the message arrives.")
            a.grant(cost - credit)
            a.expect_items([item], RULES["open", "deliver"][0])


for _row in guarded_rows():
    for _side, _label in SIDES.items():
        _state, _event = _row["state"], _row["event"]
        _subject = f"{_state}-{_event}-{_label}".lower()
        _driver = _deliver if _event == "deliver" else _message if _event == "ATTACH" else None
        if _driver is None or (_state, _event) not in RULES:
            OMITTED[f"zeps1.guards.{_subject}"] = f"the suite cannot bring about {_event} in state {_state}"
            continue
        _first, _second = RULES[_state, _event]
        case(
            f"In state {_state}, {_event} is handled as the machine requires when its guard is {_label}",
            *((_first,) if _side else (_second, _first)),
            subject=_subject,
            polarity=NEGATIVE if _event == "ATTACH" and _side else Polarity.POSITIVE,
        )(_driver, _row, _side)
