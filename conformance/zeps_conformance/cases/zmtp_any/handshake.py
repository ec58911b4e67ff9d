"""The NULL handshake: READY, its order, other input during the handshake, and ERROR."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import (
    expect_end,
    fate,
    greeted,
    require_dialect,
    version_of,
)
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, V3_0, V3_1
from zeps_conformance.sockets.trial import SocketTrial
from zeps_conformance.wire.zmtp_side import PROPERTY, SHORT_MAX, SOCKET_TYPES


@case(
    "READY is a command with properties that include Socket-Type",
    "ZMTP-N-3",
    "ZMTP-N-4",
    "ZMTP-N-7",
    "ZMTP-N-20",
    "ZMTP-F-5",
    dialects=BOTH,
)
def ready_form(t: SocketTrial) -> None:
    t.step("A completes the handshake and checks the READY that it received.")
    a = greeted(t, "A")
    a.send_ready(t.peer_type)
    ready, properties = a.finish_handshake(), a.properties
    t.step("Property names have legal characters, and Socket-Type names the socket's type.")
    names = [name for name in properties if not PROPERTY.fullmatch(name.encode())]
    t.check(not names, "names of letters, digits, '-', '_', '.', '+'", f"{names!r}", "ZMTP-N-4")
    announced_type = properties.get("socket-type", b"")
    rule = "ZMTP-N-20" if "socket-type" in properties else "ZMTP-N-7"
    t.check(announced_type in SOCKET_TYPES, "a type that the protocol lists", repr(announced_type), rule)
    t.compare("Socket-Type", t.type.encode(), announced_type, "ZMTP-N-7")
    fits = len(ready.body) <= SHORT_MAX
    t.check(not ready.long or not fits, "a short frame if the size fits", "a long frame", "ZMTP-F-5")


@case("READY is sent without waiting for the peer's READY", "ZMTP-N-18", dialects=(V3_0,))
def waits_for_nobody(t: SocketTrial) -> None:
    t.step(
        "A sends a greeting of version 3.0 and waits: it receives READY, because neither side waits for "
        "the other."
    )
    a = greeted(t, "A")
    a.expect_command("READY")
    a.close()


@case("READY is answered by READY", "ZMTP-N-1", dialects=BOTH)
def ready_answered(t: SocketTrial) -> None:
    t.step("A sends a greeting and READY at once, as clients do: it receives READY and is served.")
    require_dialect(t)
    a = t.dial("A")
    a.send_greeting(version_of(t))
    a.send_ready(t.peer_type)
    a.finish_handshake()
    a.dialect = t.dialect
    t.serve(t.adopt(a))


def _first(t: SocketTrial, body: str) -> None:
    t.step("A's first frame after the greeting is not the command READY.")
    a = greeted(t, "A")
    frames = {
        "subscribe": t.wire.subscribe(b"x", V3_1),
        "subscription": t.wire.subscribe(b"x", V3_0),
        "ping": t.wire.command("PING", ttl=0, context=b""),
        "unknown": t.wire.frame(b"\x05HELLO", command=True),
        "message": t.wire.message(b"data"),
        "empty-command": t.wire.frame(b"", command=True),
        "ready-as-message": t.wire.frame(
            t.wire.body("READY", properties=[(b"Socket-Type", t.peer_type.encode())])
        ),
    }
    a.send_raw(frames[body], body)
    if body != "ready-as-message":
        a.send_raw(t.wire.ready(t.peer_type.encode()), "READY", may_fail=True)
    t.step("The handshake is invalid: the connection is closed.")
    taken = "accepts a message for READY if it has the form of READY"
    expect_end(t, a, taken if body == "ready-as-message" else None)


for _name, _title in {
    "subscribe": "The command SUBSCRIBE before READY closes the connection",
    "subscription": "A subscription of version 3.0 before READY closes the connection",
    "ping": "PING before READY closes the connection",
    "unknown": "An unknown command before READY closes the connection",
    "message": "A message before READY closes the connection",
    "empty-command": "A command without a name before READY closes the connection",
    "ready-as-message": "READY in a message frame closes the connection",
}.items():
    case(
        _title,
        "ZMTP-N-15",
        *(("ZMTP-H-1",) if _name == "ping" else ()),
        subject=f"first-{_name}",
        polarity=NEGATIVE,
    )(_first, _name)


@case(
    "ERROR instead of READY closes the connection, whatever its reason is",
    "ZMTP-N-21",
    "ZMTP-N-16",
    polarity=NEGATIVE,
)
def error(t: SocketTrial) -> None:
    for reason in ("no", "", "READY", "r" * 255):
        t.step(f"A peer sends ERROR with a reason of {len(reason)} characters: the connection is closed.")
        a = greeted(t, f"A {len(reason)}")
        a.send_command("ERROR", reason=reason)
        rule = "ZMTP-N-21" if reason == "no" else "ZMTP-N-16"
        t.check(a.ends(t.options.leaving), "the connection is closed", "it stays open", rule)


@case("A malformed ERROR closes the connection", "ZMTP-N-21", "ZMTP-N-14", polarity=NEGATIVE)
def error_malformed(t: SocketTrial) -> None:
    whole = t.wire.body("ERROR", reason="no")
    bodies = {
        "without a reason": whole[:-3],
        "with a truncated reason": whole[:-1],
        "with bytes after the reason": whole + b"!",
    }
    for what, body in bodies.items():
        t.step(f"A peer sends ERROR {what}: the connection is closed.")
        a = greeted(t, f"A {what}")
        a.send_frame(body, command=True)
        t.check(a.ends(t.options.leaving), "the connection is closed", "it stays open")


@case("A second READY does not affect other connections", "ZMTP-N-15", polarity=NEGATIVE)
def ready_twice(t: SocketTrial) -> None:
    t.step("A is served, and sends READY again, with another socket type.")
    a = t.peer("A")
    a.barrier()
    a.send_ready(t.misfit)
    t.observed(fate(a))
