"""Commands after the handshake: names that resemble PING, and ERROR."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import expect_end
from zeps_conformance.sockets.router import NEGATIVE, V3_1, RouterTrial


@case("A command's name is compared byte by byte", "ZMTP-F-15", dialects=(V3_1,), polarity=NEGATIVE)
def exact_names(t: RouterTrial) -> None:
    ping = t.wire.body("PING", ttl=0, context=b"context")
    size = ping[0]
    name, rest = ping[1 : size + 1], ping[size + 1 :]
    for number, other in enumerate((name.lower(), name.title(), name[:-1] + b"\xc7", name + b"S", name[:-1])):
        t.step(f"A peer sends the command {other!r} with the content of PING: it receives no PONG.")
        a = t.dealer(f"A{number}")
        a.send_frame(bytes((len(other),)) + other + rest, command=True)
        if a.probe() == "closed":
            t.observed("the connection is closed")
            continue
        t.check(a.next_pong(0.0) is None, "no PONG", "PONG")


@case("ERROR after the handshake", "ZMTP-N-21", polarity=NEGATIVE)
def error_ends(t: RouterTrial) -> None:
    t.step("A is served, and sends ERROR: the receiver closes the connection.")
    a = t.dealer("A")
    a.barrier()
    a.send_command("ERROR", reason="late")
    expect_end(t, a, "ignores ERROR after the handshake")
