"""Socket types: which types may subscribe, and how other types are refused."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import expect_end, greeted
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, PubSubTrial

WRONG_TYPES = (
    *("REQ", "REP", "DEALER", "ROUTER", "PUB", "XPUB", "PUSH", "PULL", "PAIR"),
    *("CLIENT", "SERVER", "RADIO", "DISH", "SCATTER", "GATHER", "PEER", "CHANNEL"),
)
NO_TYPES = {"unknown": b"NONSENSE", "empty": b"", "small": b"sub", "longer": b"SUBS", "binary": b"SUB\x00"}


@case("SUB and XSUB are served alike", "ZMTP-N-8", dialects=BOTH)
def sub_and_xsub(t: PubSubTrial) -> None:
    for socket_type in ("SUB", "XSUB"):
        t.step(f"A peer of type {socket_type} is served.")
        t.serve(t.subscriber(socket_type, socket_type=socket_type), socket_type.encode())


def _left(t: PubSubTrial, socket_type: bytes) -> None:
    t.step("A completes the handshake as an incompatible type: it is disconnected.")
    a = greeted(t, "A")
    a.send_command("READY", properties=[(b"Socket-Type", socket_type)])
    expect_end(t, a)


for _type in WRONG_TYPES:
    case(
        f"A peer of type {_type} is disconnected",
        "ZMTP-N-8",
        subject=f"refuses-{_type.lower()}",
        polarity=NEGATIVE,
    )(_left, _type.encode())
for _name, _value in NO_TYPES.items():
    case(
        f"A peer of an undefined type is disconnected: {_name}",
        "ZMTP-N-8",
        "ZMTP-N-7",
        subject=f"refuses-{_name}-type",
        polarity=NEGATIVE,
    )(_left, _value)


@case("A peer of an incompatible type receives ERROR", "ZMTP-N-9", polarity=NEGATIVE)
def error_first(t: PubSubTrial) -> None:
    t.step("A completes the handshake as REQ: it receives ERROR, and then the end of the connection.")
    a = greeted(t, "A")
    a.send_ready("REQ")
    names = [frame.name for frame in a.expect_closed(t.options.leaving)]
    t.check("ERROR" in names, "ERROR before the end", ", ".join(names) or "nothing")
