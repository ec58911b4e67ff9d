"""Valid frames and refusals, for the cases of several sections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from zeps_conformance.broker.session import Session
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.common.case import Polarity
from zeps_conformance.model.interpreter import Value
from zeps_conformance.model.malform import Malformed

__all__ = [
    "BROKER_ONLY",
    "CLIENT_COMMANDS",
    "NEGATIVE",
    "OWN_CAUSES",
    "SAMPLES",
    "refuse_beyond_end",
    "refuse_each",
    "refuse_without_session",
    "sample",
]

NEGATIVE = Polarity.NEGATIVE

SAMPLES: Mapping[str, Mapping[str, Value]] = {
    "ATTACH": {"stream": "sample"},
    "ATTACH-OK": {},
    "SUBSCRIBE": {"pattern": "sample.", "latest": 0x0102030405060708},
    "SUBSCRIBE-OK": {},
    "CREDIT": {"credit": 1000},
    "PUBLISH": {"key": "sample.key", "body": b"a sample body"},
    "DELIVER": {"sequence": 1, "key": "sample.key", "body": b"a sample body"},
    "PING": {},
    "PING-OK": {},
    "DETACH": {},
    "DETACH-OK": {},
    "INVALID": {"reason": "unexpected a sample reason"},
}
"""Values for one valid frame of each message."""

CLIENT_COMMANDS = ("ATTACH", "SUBSCRIBE", "CREDIT", "PUBLISH", "PING", "PING-OK", "DETACH")
"""The commands that a client sends in an open session."""

BROKER_ONLY = ("ATTACH-OK", "SUBSCRIBE-OK", "DELIVER", "INVALID")
"""The commands that only a broker sends, by the grammar's roles."""

OWN_CAUSES = ("stopping", "stream-unavailable", "too-many-sessions")
"""The codes that refuse an ATTACH for a cause of the broker."""


def sample(t: BrokerTrial, name: str) -> bytes:
    """Returns a valid frame of message `name` with the values of :data:`SAMPLES`; an ATTACH names a new stream."""
    values = dict(SAMPLES[name])
    if name == "ATTACH":
        values["stream"] = t.new_stream("sample")
    return t.codec.encode(name, **values)


def refuse_each(offender: Session, bad: Iterable[Malformed], rule: str | None = None) -> int:
    """Sends each frame in a session of its own, which must get INVALID under `rule` and end; returns their number."""
    count = 0
    for malformed in bad:
        count += 1
        if not offender.attached:
            offender.attach()
        offender.send_frame(malformed.frame)
        offender.expect_invalid(rule, malformed.label)
        offender.expect_no_session()
    return count


def refuse_without_session(offender: Session, bad: Iterable[Malformed], rule: str | None = None) -> int:
    """Sends each frame without a session; it must get INVALID under `rule`, and open none. Returns their number."""
    count = 0
    for malformed in bad:
        count += 1
        offender.refused(malformed.frame, rule, malformed.label)
        offender.expect_no_session("ZEPS-SESSION-1")
    return count


def refuse_beyond_end(session: Session, latest: int, end: int) -> None:
    """Sends SUBSCRIBE; on a stream that ends at `end` it must be refused with the missing sequences."""
    session.send("SUBSCRIBE", pattern="", latest=latest)
    reason = session.expect_invalid("ZEPS-SUBSCRIBE-5", f"a latest of {latest}", "beyond-end")
    session.trial.check(
        (reason.first, reason.last) == (end + 1, latest),
        f"the sequences {end + 1} to {latest}",
        f"{reason.first} to {reason.last}",
        "ZEPS-SUBSCRIBE-5",
    )
