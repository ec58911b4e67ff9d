"""Older peers: versions 2.0 and 1.0, which a ROUTER may serve or disconnect."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import greeting_2_0, is_version_three
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.model.interpreter import MalformedFrameError
from zeps_conformance.sockets.router import NEGATIVE, V3_0, Connection, RouterTrial

SHORT = 0.3  # seconds of silence after which no more input is expected
FAR_OFF = ("PAIR", "PUB", "SUB", "PULL", "PUSH")


def _left(t: RouterTrial, a: Connection, rule: str) -> None:
    """Checks under `rule` that the implementation ends the connection of `a`, with which it has no common version."""
    t.step("A receives no greeting in its own version, so it must be disconnected.")
    t.check(a.ends(t.options.leaving), "the connection is closed", "it stays open", rule)
    t.observed("the version is not spoken")


def _revision(t: RouterTrial, revision: int, rule: str) -> None:
    t.step("A sends a greeting as a DEALER of version 2.0.")
    a = t.dial("A")
    a.send_raw(greeting_2_0(t, "DEALER", revision), f"greeting of version 2.0, revision {revision}")
    expected = greeting_2_0(t, "ROUTER", revision)
    seen = a.read_available(SHORT, len(expected))
    if a.lost or len(seen) < len(expected) or is_version_three(t, seen):
        _left(t, a, rule)
        return
    t.step("A receives socket type ROUTER and an empty identity, in the form of version 2.0, and is served.")
    at = t.wire.major_at + 1
    t.compare("type and identity:", expected[at:], seen[at:], "ZMTP-F-12")
    t.serve(t.adopt(a, V3_0), rule="ZMTP-G-21")


case(
    "A DEALER of version 2.0 is served in that version, or disconnected",
    "ZMTP-G-8",
    "ZMTP-G-21",
    "ZMTP-F-12",
    "ZMTP-F-16",
    subject="two-zero",
)(_revision, 1, "ZMTP-G-8")
case("Revision 2 is version 2.0 too", "ZMTP-G-24", "ZMTP-F-12", "ZMTP-F-16", subject="two-zero-revision-2")(
    _revision, 2, "ZMTP-G-24"
)


def _two_zero_type(t: RouterTrial, name: str) -> None:
    t.step(
        "A sends a greeting as a peer of version 2.0 of an incompatible type: it is disconnected "
        "without a message."
    )
    a = t.dial("A")
    a.send_raw(greeting_2_0(t, name), f"greeting of version 2.0, socket type {name}")
    t.check(a.ends(t.options.leaving), "the connection is closed", "it stays open")


for _name in FAR_OFF:
    case(
        f"A peer of version 2.0 and type {_name} is disconnected",
        "ZMTP-S-19",
        subject=f"two-zero-{_name.lower()}",
        polarity=NEGATIVE,
    )(_two_zero_type, _name)


@case(
    "A DEALER of version 1.0 is served in that version, or disconnected", "ZMTP-G-8", "ZMTP-G-17", "ZMTP-F-13"
)
def one_zero(t: RouterTrial) -> None:
    t.step("A opens as a peer of version 1.0 with an identity of 80 bytes, and sends a request.")
    a = t.dial("A")
    old = t.wire.old("zmtp_1")
    a.send_raw(old.encode("FRAME", content=b"\x00" + b"A" * 80), "identity of version 1.0, 80 bytes")
    asked = t.service.prove(t.token())
    frames = b"".join(
        old.encode("FRAME", content=bytes((number < len(parts) - 1,)) + part)
        for parts in asked.said
        for number, part in enumerate(parts)
    )
    a.send_raw(frames, "a request in frames of 1.0", may_fail=True)
    seen = a.read_available(SHORT)
    if a.lost or len(seen) <= t.wire.major_at or is_version_three(t, seen):
        _left(t, a, "ZMTP-G-8")
        return
    t.step("A receives an identity, and the answer in frames of version 1.0.")
    parts: list[bytes] = []
    at = t.wire.major_at
    while at < len(seen):
        try:
            frame = old.take(seen[at:], "FRAME")
        except MalformedFrameError as error:
            raise FailureError(
                "frames of version 1.0", f"{seen[at:].hex(' ')}: {error}", "ZMTP-F-13"
            ) from error
        flags = frame["content"][:1]
        t.check(flags in (b"\0", b"\1"), "flags of version 1.0", flags.hex() or "no flags", "ZMTP-F-13")
        parts.append(frame["content"][1:])
        at += frame.size
    answered = asked.answers(tuple(parts)) or any(asked.answers((part,)) for part in parts)
    t.check(answered, "the answer", f"{len(parts)} other frames", "ZMTP-F-13")
