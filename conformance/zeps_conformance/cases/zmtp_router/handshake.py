"""READY as a ROUTER's, and what may come with a peer's."""

from __future__ import annotations

from zeps_conformance.cases.zmtp_any.dialled_peers import greeted, version_of
from zeps_conformance.sockets.router import V3_0, RouterTrial, case
from zeps_conformance.sockets.router.services import Asked
from zeps_conformance.wire.zmtp_engine import properties_of


@case("zmtp-router.handshake.own-identity", "An identity that is told does not begin with zero", "ZMTP-N-11")
def own_identity(t: RouterTrial) -> None:
    t.step("A completes the handshake and looks at READY: there is no identity, an empty one, or a good one.")
    a = greeted(t, "A")
    a.send_ready(t.peer_type)
    identity = properties_of(a.expect_command("READY")).get("identity", b"")
    t.check(not identity.startswith(b"\x00"), "an identity without a zero octet before it", identity.hex())


@case(
    "zmtp-router.handshake.asks-with-ready",
    "In version 3.0 messages that follow READY at once count",
    "ZMTP-N-19",
    "ZMTP-N-2",
    dialects=(V3_0,),
)
def asks_with_ready(t: RouterTrial) -> None:
    t.step("A sends READY and a request in one write, before it has READY: it is answered.")
    a = greeted(t, "A")
    asked = t.ask(b"early")
    a.send_raw(t.wire.ready(t.peer_type.encode()) + _octets(t, asked), "READY, a request")
    a.finish_handshake()
    answer = t.adopt(a, t.dialect).await_answer(asked, t.options.timeout)
    t.check(answer is not None, "the answer", "nothing of the kind")


@case(
    "zmtp-router.handshake.all-at-once",
    "In version 3.0 greeting, READY and messages may come in one packet",
    "ZMTP-N-19",
    "ZMTP-N-2",
    dialects=(V3_0,),
)
def all_at_once(t: RouterTrial) -> None:
    t.step("A sends greeting, READY and a request in one write, before it has read anything: it is answered.")
    a = t.dial("A")
    asked = t.ask(b"early")
    opening = t.wire.greeting(version_of(t)) + t.wire.ready(t.peer_type.encode())
    a.send_raw(opening + _octets(t, asked), "all in one write")
    seen = a.read_available(1.0, t.wire.greeting_size, keep=True)
    early = "leaves a peer whose messages come before its own READY has left"
    t.check(
        not a.lost,
        "the handshake is completed",
        f"the connection is closed after {len(seen)} octets",
        libzmq=early if len(seen) <= t.wire.major_at + 1 else None,
    )
    a.finish_handshake()
    answer = t.adopt(a, t.dialect).await_answer(asked, t.options.timeout)
    t.check(answer is not None, "the answer", "nothing of the kind")


def _octets(t: RouterTrial, asked: Asked) -> bytes:
    return b"".join(t.wire.message(*parts) for parts in asked.said)
