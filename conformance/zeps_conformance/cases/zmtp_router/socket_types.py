"""Socket types: which types a ROUTER serves, and how other types are refused."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import expect_end, greeted
from zeps_conformance.sockets.router import BOTH, NEGATIVE, RouterTrial

FITTING = ("DEALER", "REQ", "ROUTER")
PUBLISH_SUBSCRIBE = ("PUB", "XPUB", "SUB", "XSUB")
OTHERS = (
    *("REP", "PUSH", "PULL", "PAIR"),
    *("CLIENT", "SERVER", "RADIO", "DISH", "SCATTER", "GATHER", "PEER", "CHANNEL"),
)
NO_TYPES = {
    "unknown": b"NONSENSE",
    "empty": b"",
    "small": b"dealer",
    "longer": b"DEALERS",
    "binary": b"REQ\x00",
}


@case("DEALER, REQ and ROUTER are served", "ZMTP-N-9", "ZMTP-N-7", dialects=BOTH)
def fitting(t: RouterTrial) -> None:
    for socket_type in FITTING:
        t.step(f"A peer of type {socket_type} is served.")
        t.serve(t.dealer(socket_type, socket_type=socket_type))


def _left(t: RouterTrial, socket_type: bytes) -> None:
    t.step("A completes the handshake as an incompatible type: it is disconnected.")
    a = greeted(t, "A")
    a.send_command("READY", properties=[(b"Socket-Type", socket_type)])
    expect_end(t, a)


for _type in (*PUBLISH_SUBSCRIBE, *OTHERS):
    case(
        f"A peer of type {_type} is disconnected",
        "ZMTP-N-8" if _type in PUBLISH_SUBSCRIBE else "ZMTP-N-9",
        subject=f"refuses-{_type.lower()}",
        polarity=NEGATIVE,
    )(_left, _type.encode())
for _name, _value in NO_TYPES.items():
    case(
        f"A peer of an undefined type is disconnected: {_name}",
        "ZMTP-N-9",
        "ZMTP-N-7",
        subject=f"refuses-{_name}-type",
        polarity=NEGATIVE,
    )(_left, _value)


def _gets_error(t: RouterTrial, *properties: tuple[bytes, bytes]) -> None:
    t.step("A completes the handshake: it receives ERROR, and then the end of the connection.")
    a = greeted(t, "A")
    a.send_command("READY", properties=list(properties))
    names = [frame.name for frame in a.expect_closed(t.options.leaving)]
    t.check("ERROR" in names, "ERROR before the end", ", ".join(names) or "nothing")


case("A peer of an incompatible type receives ERROR", "ZMTP-N-9", subject="error-first", polarity=NEGATIVE)(
    _gets_error, (b"Socket-Type", b"SUB")
)
case(
    "A peer that does not send its type receives ERROR",
    "ZMTP-N-9",
    "ZMTP-N-7",
    subject="error-first-without-a-type",
    polarity=NEGATIVE,
)(_gets_error)
