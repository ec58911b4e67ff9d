"""Commands after the handshake: how their names are delimited and compared."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received, subscribed
from zeps_conformance.sockets.pubsub import NEGATIVE, V3_1, PubSubTrial


@case("A command's name is compared byte by byte", "ZMTP-F-15", dialects=(V3_1,), polarity=NEGATIVE)
def exact_names(t: PubSubTrial) -> None:
    subscribe = t.wire.body("SUBSCRIBE", topic=b"x")
    name = subscribe[1:-1]
    others = (name.lower(), name.title(), name[:-1] + b"\xc5", name[:-1])
    for number, other in enumerate(others):
        t.step(f"A peer sends the command {other!r} with topic 'x': it does not subscribe to 'x'.")
        a = t.subscriber(f"A{number}")
        a.send_frame(bytes((len(other),)) + other + b"x", command=True)
        if a.probe() == "closed":
            t.observed("the connection is closed")
            continue
        t.compare(f"{a.name} receives", [], received(t, a, b"x", b"Ex"))


@case(
    "A command's name is preceded by its length, and has no terminating zero", "ZMTP-F-14", dialects=(V3_1,)
)
def name_without_length(t: PubSubTrial) -> None:
    t.step("A subscribes to a topic that begins with a zero byte, directly after the command's name.")
    a = subscribed(t, "A", b"\x00x")
    t.compare("A receives", [(b"\x00x",)], received(t, a, b"x", b"\x00x", b"\x00"))
