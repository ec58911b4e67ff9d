"""READY of a ROUTER, and a peer's input around its READY."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import greeted, version_of
from zeps_conformance.sockets.router import V3_0, RouterTrial
from zeps_conformance.sockets.router.services import Asked


@case("An announced identity does not begin with zero", "ZMTP-N-11")
def own_identity(t: RouterTrial) -> None:
    t.step("A completes the handshake and checks READY: it has no identity, an empty one, or a valid one.")
    a = greeted(t, "A")
    a.send_ready(t.peer_type)
    a.finish_handshake()
    identity = a.properties.get("identity", b"")
    t.check(not identity.startswith(b"\x00"), "an identity that does not begin with zero", identity.hex())


@case(
    "In version 3.0, messages that follow READY at once are answered",
    "ZMTP-N-19",
    "ZMTP-N-2",
    dialects=(V3_0,),
)
def asks_with_ready(t: RouterTrial) -> None:
    t.step("A sends READY and a request in one write, before it has received READY: it is answered.")
    a = greeted(t, "A")
    asked = t.ask(b"early")
    a.send_raw(t.wire.ready(t.peer_type.encode()) + _encode_request(t, asked), "READY, a request")
    a.finish_handshake()
    answer = t.adopt(a, t.dialect).await_answer(asked, t.options.timeout)
    t.check(answer is not None, "the answer", "another message or nothing")


@case(
    "In version 3.0, greeting, READY and messages may arrive in one packet",
    "ZMTP-N-19",
    "ZMTP-N-2",
    dialects=(V3_0,),
)
def all_at_once(t: RouterTrial) -> None:
    t.step("A sends greeting, READY and a request in one write, before it has read anything: it is answered.")
    a = t.dial("A")
    asked = t.ask(b"early")
    opening = t.wire.greeting(version_of(t)) + t.wire.ready(t.peer_type.encode())
    a.send_raw(opening + _encode_request(t, asked), "all in one write")
    seen = a.read_available(1.0, t.wire.greeting_size, keep=True)
    early = "disconnects a peer whose messages arrive before it has sent its own READY"
    t.check(
        not a.lost,
        "the handshake is completed",
        f"the connection is closed after {len(seen)} bytes",
        libzmq=early if len(seen) <= t.wire.major_at + 1 else None,
    )
    a.finish_handshake()
    answer = t.adopt(a, t.dialect).await_answer(asked, t.options.timeout)
    t.check(answer is not None, "the answer", "another message or nothing")


def _encode_request(t: RouterTrial, asked: Asked) -> bytes:
    return b"".join(t.wire.message(*parts) for parts in asked.said)
