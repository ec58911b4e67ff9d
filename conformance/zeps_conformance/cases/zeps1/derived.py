"""Cases derived from the model: malformed forms of every message, in three situations of a session.

A message that is added to the model gets its cases without an edit here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from zeps_conformance.broker.session import ALL, PLENTY, Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import NEGATIVE, SAMPLES
from zeps_conformance.common.verdicts import LostError
from zeps_conformance.model.definitions import Field, load_model
from zeps_conformance.model.interpreter import Interpreter, Value
from zeps_conformance.model.malform import Malformed, extended, raised_lengths, truncated, wrong_signatures

#: Values of fields by type, for messages without a sample.
VALUES: dict[str, Value] = {"number": 1, "string": "sample", "chunk": b"sample", "rest": b"sample"}


def _values(name: str, fields: tuple[Field, ...]) -> dict[str, Value]:
    """Returns values for the fields of a message that are not constant or reserved."""
    sample = SAMPLES.get(name, {})
    return {
        field.name: sample.get(field.name, VALUES[field.type])
        for field in fields
        if field.value is None and not field.reserved
    }


def _forms(codec: Interpreter, name: str) -> Iterator[Malformed]:
    """Yields the malformed forms of the message `name`."""
    frame = codec.encode(name, **_values(name, codec.model.message(name).fields))
    for way in (truncated, extended, raised_lengths, wrong_signatures):
        yield from way(codec, frame)


def _behind_attach(a: Session, frame: bytes) -> None:
    """ATTACH and the frame in one write: the session is open when the frame is read."""
    a.send_together([a.trial.codec.encode("ATTACH", stream=a.stream), frame])
    a.expect("ATTACH-OK", "ZEPS-ATTACH-1")


def _while_messages_wait(a: Session, frame: bytes) -> None:
    """The frame in a session that waits for credit, and the missing credit behind it, in one write."""
    a.attach()
    a.subscribe("", ALL)
    a.send_together([frame, a.trial.codec.encode("CREDIT", credit=PLENTY)])


def _behind_detach(a: Session, frame: bytes) -> None:
    """DETACH and the frame in one write: the session has ended when the frame is read."""
    a.attach()
    a.send_together([a.trial.codec.encode("DETACH"), frame])
    a.expect("DETACH-OK", "ZEPS-DETACH-1")


STATES: dict[str, tuple[str, Callable[[Session, bytes], None]]] = {
    "behind-attach": ("directly behind ATTACH", _behind_attach),
    "while-messages-wait": ("while messages wait for credit", _while_messages_wait),
    "behind-detach": ("directly behind DETACH", _behind_detach),
}


def _expect_refused_credit(a: Session) -> None:
    """Checks that the CREDIT behind the frame is refused, unless the connection is closed."""
    try:
        a.expect_invalid("ZEPS-SESSION-1", "CREDIT, because the session has ended", "no-session")
    except LostError:
        if not a.may_close:
            raise


def _refused(t: BrokerTrial, name: str, state: str) -> None:
    title, put = STATES[state]
    t.step("The stream contains two messages.")
    t.fill(t.messages(2))
    a = t.connect("A")
    t.step(f"A sends malformed forms of {name} {title}: each gets INVALID, and no message follows.")
    count = 0
    for malformed in _forms(t.codec, name):
        count += 1
        a.unless_closed(lambda frame=malformed.frame: put(a, frame))  # type: ignore[misc]
        a.expect_invalid("ZEPS-INVALID-1", malformed.label)
        if state == "while-messages-wait":
            _expect_refused_credit(a)
        a.expect_no_session()
    t.observe("every form is refused", f"{count} frames")


for _message in load_model().messages:
    for _state, (_title, _) in STATES.items():
        case(
            f"Malformed {_message.name} {_title} is refused",
            "ZEPS-INVALID-1",
            "ZEPS-INVALID-2",
            subject=f"{_message.name.lower()}-{_state}",
            polarity=NEGATIVE,
        )(_refused, _message.name, _state)
