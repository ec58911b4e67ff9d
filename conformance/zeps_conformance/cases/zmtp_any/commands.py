"""Commands after the handshake: their names, and those that nobody knows."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.cases.zmtp_any.dialled_peers import GOES_ON, fate, shared
from zeps_conformance.sockets.pubsub import NEGATIVE
from zeps_conformance.sockets.trial import SocketTrial


def _unknown(body: bytes, long: bool | None) -> Callable[[SocketTrial], None]:
    def run(t: SocketTrial) -> None:
        t.step("A is served, and sends a command that no peer knows.")
        a = t.peer("A")
        a.barrier()
        a.send_frame(body, command=True, long=long)
        t.step("It harms nobody; if the connection goes on, A is served as before.")
        outcome = fate(a)
        t.observed(outcome)
        if outcome == GOES_ON:
            t.serve(a)

    return run


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
    shared(
        f"commands.{_name}",
        f"A command of no use harms nobody: {_name.replace('-', ' ')}",
        "ZMTP-F-14",
        polarity=NEGATIVE,
    )(_unknown(_body, _long))


def _malformed(body: bytes) -> Callable[[SocketTrial], None]:
    def run(t: SocketTrial) -> None:
        t.step("A is served, and sends a command whose name is not whole: the connection is closed.")
        a = t.peer("A")
        a.barrier()
        a.send_frame(body, command=True)
        if not a.ends(0.5):
            outcome = fate(a)
            ignored = "takes no notice of a command without a whole name" if outcome == GOES_ON else None
            t.check(False, "the connection is closed", outcome, libzmq=ignored)

    return run


for _name, _body in {
    "empty": b"",
    "empty-name": b"\x00",
    "empty-name-and-data": b"\x00SUBSCRIBEx",
    "name-beyond-the-frame": b"\x09SUB",
    "length-alone": b"\x09",
}.items():
    shared(
        f"commands.malformed-{_name}",
        f"A command without a whole name ends the connection: {_name.replace('-', ' ')}",
        "ZMTP-N-15",
        "ZMTP-F-14",
        polarity=NEGATIVE,
    )(_malformed(_body))
