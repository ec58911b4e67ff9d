"""Commands after the handshake: their names, and those that nobody knows."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.cases.zmtp_pub.common import GOES_ON, fate
from zeps_conformance.pubsub import NEGATIVE, V3_1, Trial, case


@case(
    "zmtp-pub.commands.exact-names",
    "The name of a command is compared octet by octet",
    "ZMTP-F-14",
    dialects=(V3_1,),
    polarity=NEGATIVE,
)
def exact_names(t: Trial) -> None:
    subscribe = t.wire.body("SUBSCRIBE", topic=b"x")
    name = subscribe[1:-1]
    others = (name.lower(), name.title(), name[:-1] + b"\xc5", name[:-1])
    for number, other in enumerate(others):
        t.step(f"A peer sends the command {other!r} with topic 'x': that is no subscription.")
        a = t.subscriber(f"A{number}")
        a.send_frame(bytes((len(other),)) + other + b"x", command=True)
        if a.probe() == "closed":
            t.observed("the connection is closed")
            continue
        t.app.send(b"x")
        t.app.send(b"Ex")
        t.compare(f"{a.name} receives", [], a.collect())


@case(
    "zmtp-pub.commands.name-without-length",
    "The name of a command has its length before it, and no zero behind it",
    "ZMTP-F-14",
    dialects=(V3_1,),
)
def name_without_length(t: Trial) -> None:
    t.step("A subscribes to a topic that begins with a zero octet, which follows the name as it is.")
    a = t.subscriber("A")
    a.subscribe(b"\x00x")
    a.barrier()
    for topic in (b"x", b"\x00x", b"\x00"):
        t.app.send(topic)
    t.compare("A receives", [(b"\x00x",)], a.collect())


def _unknown(body: bytes, long: bool | None) -> Callable[[Trial], None]:
    def run(t: Trial) -> None:
        t.step("A subscribes to 'x', and sends a command that no publisher knows.")
        a = t.subscriber("A")
        a.subscribe(b"x")
        a.barrier()
        a.send_frame(body, command=True, long=long)
        t.step("It harms nobody; if the connection goes on, A has its subscription as before.")
        outcome = fate(a)
        t.observed(outcome)
        if outcome == GOES_ON:
            t.app.send(b"y")
            t.app.send(b"x")
            t.compare("A receives", [(b"x",)], a.collect())

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
    case(
        f"zmtp-pub.commands.{_name}",
        f"A command of no use harms nobody: {_name.replace('-', ' ')}",
        "ZMTP-F-14",
        polarity=NEGATIVE,
    )(_unknown(_body, _long))


def _malformed(body: bytes) -> Callable[[Trial], None]:
    def run(t: Trial) -> None:
        t.step("A is served, and sends a command whose name is not whole: the connection is closed.")
        a = t.subscriber("A")
        a.subscribe(b"x")
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
    case(
        f"zmtp-pub.commands.malformed-{_name}",
        f"A command without a whole name ends the connection: {_name.replace('-', ' ')}",
        "ZMTP-N-15",
        "ZMTP-F-14",
        polarity=NEGATIVE,
    )(_malformed(_body))
