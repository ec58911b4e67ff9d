"""Properties in READY: what has to be accepted, and what is malformed."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.cases.zmtp_any.dialled_peers import GOES_ON, fate, greeted, shared
from zeps_conformance.sockets.pubsub import NEGATIVE, V3_1
from zeps_conformance.sockets.trial import SocketTrial

__all__ = ["SOCKET_TYPE", "served_with"]

Properties = list[tuple[bytes, bytes]]
SOCKET_TYPE = b"Socket-Type"
LIBZMQ_TAKES = {
    "name-without-characters": "takes a property without a name",
    "name-alone": "takes a name at the frame's end for a property",
    "value-of-2-gib": "takes a size at the frame's end, whatever it is, for a property",
}
LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+"


def served_with(t: SocketTrial, properties: Properties, rule: str, name: str = "A") -> None:
    """A peer whose READY has `properties` gets READY, and is served."""
    a = greeted(t, name)
    a.send_command("READY", properties=properties)
    a.expect_command("READY", rule)
    t.serve(t.adopt(a), b"to " + name.encode(), rule)


@shared("metadata.name-case", "Names of properties have no case", "ZMTP-N-6")
def name_case(t: SocketTrial) -> None:
    for number, name in enumerate((b"SOCKET-TYPE", b"socket-type", b"sOcKeT-tYpE")):
        t.step(f"A peer calls the property {name.decode()}, and is served.")
        served_with(t, [(name, t.peer_type.encode())], "ZMTP-N-6", f"A{number}")


@shared(
    "metadata.name-case-of-a-wrong-type",
    "A type that does not fit is seen in a property with small letters too",
    "ZMTP-N-6",
    polarity=NEGATIVE,
)
def name_case_of_a_wrong_type(t: SocketTrial) -> None:
    t.step("A calls itself what does not fit, under Socket-Type.")
    a = greeted(t, "A")
    a.send_command("READY", properties=[(SOCKET_TYPE, t.misfit.encode())])
    if not a.ends(t.options.leaving):
        t.unsupported("a type that does not fit is not refused at all")
    t.step("That ends the connection, and so it does under socket-type.")
    b = greeted(t, "B")
    b.send_command("READY", properties=[(SOCKET_TYPE.lower(), t.misfit.encode())])
    if not b.ends(t.options.leaving):
        outcome = fate(t.adopt(b))
        cased = "compares the names of properties with their case" if outcome == GOES_ON else None
        t.check(False, "the connection is closed", outcome, libzmq=cased)


@shared("metadata.unknown", "Unknown properties are taken no notice of", "ZMTP-N-12")
def unknown(t: SocketTrial) -> None:
    t.step("A brings properties that nobody knows, before and after Socket-Type, and is served.")
    served_with(
        t,
        [
            (b"X-Colour", b"blue"),
            (b"Implementation", b"suite"),
            (SOCKET_TYPE, t.peer_type.encode()),
            (b"x-", t.octets(300)),
            (b"Zeps.Test+1_2-3", b"\x00\xff"),
        ],
        "ZMTP-N-12",
    )


@shared("metadata.many", "READY may have many properties and be long", "ZMTP-N-12", "ZMTP-F-2")
def many(t: SocketTrial) -> None:
    t.step("A brings 200 properties, which need a long frame, and is served.")
    extra = [(b"X-Number-%d" % number, b"%d" % number) for number in range(200)]
    served_with(t, [*extra, (SOCKET_TYPE, t.peer_type.encode())], "ZMTP-N-12")


@shared("metadata.long-frame", "A READY that is small may come in a long frame", "ZMTP-F-6")
def long_frame(t: SocketTrial) -> None:
    t.step("A sends READY with a size of eight octets, and is served.")
    a = greeted(t, "A")
    a.send_raw(
        t.wire.command("READY", long=True, properties=[(SOCKET_TYPE, t.peer_type.encode())]), "READY, long"
    )
    a.expect_command("READY")
    t.serve(t.adopt(a))


@shared("metadata.empty-value", "The value of a property may be empty", "ZMTP-N-5")
def empty_value(t: SocketTrial) -> None:
    t.step("A brings empty values, the last one at the frame's end, and is served.")
    served_with(t, [(b"X-Empty", b""), (SOCKET_TYPE, t.peer_type.encode()), (b"Identity", b"")], "ZMTP-N-5")


@shared("metadata.any-value", "The value of a property may hold any octets", "ZMTP-N-5")
def any_value(t: SocketTrial) -> None:
    t.step("A brings a value with all octets, and one of 66000 octets, and is served.")
    values = [(b"X-All", bytes(range(256))), (b"X-Large", t.octets(66_000))]
    served_with(t, [*values, (SOCKET_TYPE, t.peer_type.encode())], "ZMTP-N-5")


@shared("metadata.any-name", "Names of properties have 1 to 255 characters", "ZMTP-N-4")
def any_name(t: SocketTrial) -> None:
    t.step("A brings names of 1 and 255 characters, with every character there is, and is served.")
    names = [(b"Q", b"1"), (LETTERS, b"2"), ((LETTERS * 4)[:255], b"3")]
    served_with(t, [*names, (SOCKET_TYPE, t.peer_type.encode())], "ZMTP-N-4")


@shared("metadata.resource", "Any resource may be asked for", "ZMTP-N-13", dialects=(V3_1,))
def resource(t: SocketTrial) -> None:
    t.step("A asks for a resource that nobody has offered, and is served.")
    served_with(
        t, [(SOCKET_TYPE, t.peer_type.encode()), (b"Resource", b"system/name-service/$test@1")], "ZMTP-N-13"
    )


@shared("metadata.no-socket-type", "A peer that does not say its type", "ZMTP-N-7")
def no_socket_type(t: SocketTrial) -> None:
    t.step("A brings no property at all, which no rule forbids it.")
    a = greeted(t, "A")
    a.send_command("READY", properties=[])
    t.observed("refused" if a.ends(0.2) else fate(t.adopt(a)))


def _malformed(t: SocketTrial) -> dict[str, tuple[str, bytes]]:
    """Bodies of READY that do not decode: each with the rule that it breaks."""
    good = t.wire.body("READY", properties=[(SOCKET_TYPE, t.peer_type.encode())])
    more = t.wire.body("READY", properties=[(b"X-More", b"value")])
    tail = more[len(t.wire.body("READY", properties=[])) :]
    size_at = 1 + len(b"X-More")
    beyond = tail[:size_at] + (6).to_bytes(4, "big") + tail[size_at + 4 :]
    return {
        "name-without-characters": ("ZMTP-N-4", good + b"\x00" + tail[size_at:]),
        "name-beyond-the-frame": ("ZMTP-N-17", good + b"\xff" + tail[1:]),
        "name-alone": ("ZMTP-N-17", good + tail[:size_at]),
        "size-cut": ("ZMTP-N-17", good + tail[: size_at + 3]),
        "value-beyond-the-frame": ("ZMTP-N-17", good + beyond),
        "value-cut": ("ZMTP-N-17", good + tail[:-1]),
        "value-of-2-gib": ("ZMTP-N-5", good + tail[:size_at] + b"\x80\x00\x00\x00"),
        "value-of-4-gib": ("ZMTP-N-5", good + tail[:size_at] + b"\xff\xff\xff\xff" + b"value"),
        "octet-too-many": ("ZMTP-N-17", good + b"\x01"),
    }


def _refused(what: str) -> Callable[[SocketTrial], None]:
    def run(t: SocketTrial) -> None:
        rule, body = _malformed(t)[what]
        t.step("A sends a READY of this kind: the connection is closed.")
        a = greeted(t, "A")
        a.send_frame(body, command=True)
        if not a.ends(t.options.leaving):
            outcome = fate(t.adopt(a))
            known = LIBZMQ_TAKES.get(what) if outcome == GOES_ON else None
            t.check(False, "the connection is closed", outcome, rule, libzmq=known)

    return run


for _what, _rule in {
    "name-without-characters": "ZMTP-N-4",
    "name-beyond-the-frame": "ZMTP-N-17",
    "name-alone": "ZMTP-N-17",
    "size-cut": "ZMTP-N-17",
    "value-beyond-the-frame": "ZMTP-N-17",
    "value-cut": "ZMTP-N-17",
    "value-of-2-gib": "ZMTP-N-5",
    "value-of-4-gib": "ZMTP-N-5",
    "octet-too-many": "ZMTP-N-17",
}.items():
    shared(
        f"metadata.malformed-{_what}",
        f"A READY with a malformed property ends the connection: {_what.replace('-', ' ')}",
        _rule,
        *(("ZMTP-N-17",) if _rule != "ZMTP-N-17" else ()),
        polarity=NEGATIVE,
    )(_refused(_what))
