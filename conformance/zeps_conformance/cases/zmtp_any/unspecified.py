"""Inputs that the specifications do not cover: other connections must not be affected; the result is reported."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import fate
from zeps_conformance.sockets.pubsub import NEGATIVE, V3_0, V3_1
from zeps_conformance.sockets.trial import SocketTrial


def _short_ping(t: SocketTrial, data: bytes) -> None:
    t.step("A sends a PING that is too short for its time to live: the connection is closed.")
    a = t.peer("A")
    whole = t.wire.body("PING", ttl=0, context=b"")
    a.send_frame(whole[:-2] + data, command=True)
    t.compare("A's fate", "the connection is closed", fate(a))


for _size in (0, 1):
    case(
        f"A PING with {_size} bytes after its name",
        "ZMTP-H-8",
        subject=f"ping-with-{_size}",
        dialects=(V3_1,),
        polarity=NEGATIVE,
    )(_short_ping, bytes(_size))


@case("PING on a connection of version 3.0", "ZMTP-H-9", dialects=(V3_0,), polarity=NEGATIVE)
def ping_in_3(t: SocketTrial) -> None:
    t.step("A, of version 3.0, sends PING: it receives PONG, as in 3.1.")
    a = t.peer("A")
    a.send_command("PING", ttl=0, context=b"ping")
    t.compare("the answer", "PONG", "PONG" if a.next_pong(0.2) else "nothing")
    t.observed(fate(a))
