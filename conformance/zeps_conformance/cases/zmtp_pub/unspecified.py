"""Inputs that the specifications do not cover: other connections must not be affected; the result is reported."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.subscribers import received
from zeps_conformance.cases.zmtp_any.dialled_peers import GOES_ON, fate
from zeps_conformance.cases.zmtp_pub.topics import drain_notices
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, V3_0, V3_1, PubSubTrial


@case(
    "A cancellation without a subscription does not reduce later subscriptions",
    "ZMTP-S-14",
    dialects=BOTH,
    polarity=NEGATIVE,
)
def cancel_first(t: PubSubTrial) -> None:
    t.step(
        "A cancels 'x' and 'y', which it has not subscribed to, three times each, and then subscribes to 'x'."
    )
    a = t.subscriber("A")
    for _ in range(3):
        a.cancel(b"x", b"y")
    a.subscribe(b"x")
    a.barrier()
    t.step("The subscription takes effect.")
    t.compare("A receives", [(b"x1",)], received(t, a, b"x1"))


@case(
    "A cancellation without a subscription, as the application receives it",
    "ZMTP-S-14",
    dialects=BOTH,
    types=("XPUB",),
    polarity=NEGATIVE,
)
def cancel_unknown_notice(t: PubSubTrial) -> None:
    t.step("A cancels 'x', which it has not subscribed to: the application need not receive a notice.")
    a = t.subscriber("A")
    a.cancel(b"x")
    t.compare("the application receives", [], drain_notices(t, a))


@case("Subscriptions in the form of the other version", "ZMTP-S-15", dialects=BOTH, polarity=NEGATIVE)
def other_form(t: PubSubTrial) -> None:
    other = V3_0 if t.dialect is V3_1 else V3_1
    t.step(
        "A subscribes to 'x' in its own form, and to 'y' and 'z' in the other form; it cancels 'z' in the "
        "other form."
    )
    a = t.subscriber("A")
    a.subscribe(b"x")
    for frame in (
        t.wire.subscribe(b"y", other),
        t.wire.subscribe(b"z", other),
        t.wire.cancel(b"z", other),
    ):
        a.send_raw(frame)
    t.step("Both forms take effect.")
    outcome = fate(a)
    t.compare("A's fate", GOES_ON, outcome)
    if outcome != GOES_ON:
        return
    t.compare("A receives", [(b"x1",), (b"y1",)], received(t, a, b"x1", b"y1", b"z1"))


@case("A subscription in one form is cancelled in the other", "ZMTP-S-15", dialects=BOTH, polarity=NEGATIVE)
def mixed_forms(t: PubSubTrial) -> None:
    other = V3_0 if t.dialect is V3_1 else V3_1
    t.step("A subscribes to 'x' in its own form and cancels it in the other form: no message arrives.")
    a = t.subscriber("A")
    a.subscribe(b"x")
    a.send_raw(t.wire.cancel(b"x", other))
    outcome = fate(a)
    t.compare("A's fate", GOES_ON, outcome)
    if outcome == GOES_ON:
        t.compare("A receives", [], received(t, a, b"x1"))


def _part(t: PubSubTrial, what: str) -> bytes:
    """Encodes a message part: a subscription to the text after a plus, a cancellation after a minus, or data."""
    bodies = {"+": "SUBSCRIPTION", "-": "CANCELLATION"}
    name = bodies.get(what[0])
    return what.encode() if name is None else t.wire.body(name, topic=what[1:].encode())


def _in_parts(t: PubSubTrial, *parts: str) -> None:
    t.step(
        "A subscribes to 'x' and sends a message of several frames, some of which look like subscriptions."
    )
    a = t.subscriber("A", V3_0)
    a.subscribe(b"x")
    a.send_message(*(_part(t, part) for part in parts))
    t.step("The message adds no subscription, and removes none.")
    outcome = fate(a)
    t.compare("A's fate", GOES_ON, outcome)
    if outcome != GOES_ON:
        return
    t.compare("A receives", [(b"x1",)], received(t, a, b"x1", b"y1", b"z1"))


for _name, _parts in {
    "first-part": ("+y", "data"),
    "later-part": ("data", "+y"),
    "all-parts": ("+y", "+z"),
    "cancel-first-part": ("-x", "data"),
    "cancel-later-part": ("data", "-x"),
}.items():
    case(
        f"A subscription or cancellation in a message of several frames: {_name.replace('-', ' ')}",
        "ZMTP-S-16",
        subject=f"in-parts-{_name}",
        dialects=(V3_0,),
        polarity=NEGATIVE,
    )(_in_parts, *_parts)
