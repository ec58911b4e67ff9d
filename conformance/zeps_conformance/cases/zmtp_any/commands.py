"""Commands after the handshake: well-formed and malformed names, and unknown commands."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import GOES_ON, expect_end, fate
from zeps_conformance.sockets.pubsub import NEGATIVE
from zeps_conformance.sockets.trial import SocketTrial


def _unknown(t: SocketTrial, body: bytes, long: bool | None) -> None:
    t.step("A is served, and sends an unknown or unneeded command.")
    a = t.peer("A")
    a.barrier()
    a.send_frame(body, command=True, long=long)
    t.step("No other connection is affected; if A's connection stays open, A is still served.")
    outcome = fate(a)
    t.observed(outcome)
    if outcome == GOES_ON:
        t.serve(a)


for _name, _body, _long in (
    ("unknown", b"\x05HELLO", None),
    ("unknown-with-data", b"\x05HELLO" + bytes(range(200)), None),
    ("unknown-large", b"\x05HELLO" + bytes(100_000), None),
    ("unknown-long-form", b"\x05HELLO", True),
    ("unknown-longest-name", b"\xff" + b"H" * 255, None),
    ("join", b"\x04JOINgroup", None),
    ("leave", b"\x05LEAVEgroup", None),
    ("error", b"\x05ERROR\x04late", None),
):
    case(
        f"An unknown or unneeded command does not affect other connections: {_name.replace('-', ' ')}",
        "ZMTP-F-14",
        subject=_name,
        polarity=NEGATIVE,
    )(_unknown, _body, _long)


def _malformed(t: SocketTrial, body: bytes) -> None:
    t.step("A is served, and sends a command with an empty or truncated name: the connection is closed.")
    a = t.peer("A")
    a.barrier()
    a.send_frame(body, command=True)
    expect_end(t, a, "ignores a command with a truncated name")


for _name, _body in {
    "empty": b"",
    "empty-name": b"\x00",
    "empty-name-and-data": b"\x00SUBSCRIBEx",
    "name-beyond-the-frame": b"\x09SUB",
    "length-alone": b"\x09",
}.items():
    case(
        f"A command with an empty or truncated name closes the connection: {_name.replace('-', ' ')}",
        "ZMTP-N-15",
        "ZMTP-F-14",
        subject=f"malformed-{_name}",
        polarity=NEGATIVE,
    )(_malformed, _body)
