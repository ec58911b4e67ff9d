"""Properties in READY: valid ones that must be accepted, and malformed ones."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import expect_end, fate, greeted
from zeps_conformance.sockets.pubsub import NEGATIVE, V3_1
from zeps_conformance.sockets.trial import SocketTrial

__all__ = ["SOCKET_TYPE", "served_with"]

Properties = list[tuple[bytes, bytes]]
SOCKET_TYPE = b"Socket-Type"
LETTERS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.+"


def served_with(t: SocketTrial, properties: Properties, rule: str, name: str = "A") -> None:
    """Connects a peer whose READY has exactly `properties`, and checks that it receives READY and is served."""
    a = greeted(t, name)
    a.send_command("READY", properties=properties)
    a.expect_command("READY", rule)
    t.serve(t.adopt(a), b"to " + name.encode(), rule)


@case("Property names are compared without regard to case", "ZMTP-N-6")
def name_case(t: SocketTrial) -> None:
    for number, name in enumerate((b"SOCKET-TYPE", b"socket-type", b"sOcKeT-tYpE")):
        t.step(f"A peer names the property {name.decode()}, and is served.")
        served_with(t, [(name, t.peer_type.encode())], "ZMTP-N-6", f"A{number}")


@case(
    "An incompatible socket type is detected in a property with a lower-case name too",
    "ZMTP-N-6",
    polarity=NEGATIVE,
)
def name_case_of_a_wrong_type(t: SocketTrial) -> None:
    t.step("A sends an incompatible type under the name Socket-Type.")
    a = greeted(t, "A")
    a.send_command("READY", properties=[(SOCKET_TYPE, t.misfit.encode())])
    if not a.ends(t.options.leaving):
        t.unsupported("does not refuse an incompatible type")
    t.step("The connection is closed, and so is a connection that uses the name socket-type.")
    b = greeted(t, "B")
    b.send_command("READY", properties=[(SOCKET_TYPE.lower(), t.misfit.encode())])
    expect_end(t, b, "compares property names case-sensitively")


@case("Unknown properties are ignored", "ZMTP-N-12")
def unknown(t: SocketTrial) -> None:
    t.step("A sends unknown properties before and after Socket-Type, and is served.")
    served_with(
        t,
        [
            (b"X-Colour", b"blue"),
            (b"Implementation", b"suite"),
            (SOCKET_TYPE, t.peer_type.encode()),
            (b"x-", t.random_bytes(300)),
            (b"Zeps.Test+1_2-3", b"\x00\xff"),
        ],
        "ZMTP-N-12",
    )


@case("READY may have many properties and be long", "ZMTP-N-12", "ZMTP-F-2")
def many(t: SocketTrial) -> None:
    t.step("A sends 200 properties, which need a long frame, and is served.")
    extra = [(b"X-Number-%d" % number, b"%d" % number) for number in range(200)]
    served_with(t, [*extra, (SOCKET_TYPE, t.peer_type.encode())], "ZMTP-N-12")


@case("A small READY may arrive in a long frame", "ZMTP-F-6")
def long_frame(t: SocketTrial) -> None:
    t.step("A sends READY with an eight-byte size, and is served.")
    a = greeted(t, "A")
    a.send_raw(
        t.wire.command("READY", long=True, properties=[(SOCKET_TYPE, t.peer_type.encode())]), "READY, long"
    )
    a.expect_command("READY")
    t.serve(t.adopt(a))


@case("A property's value may be empty", "ZMTP-N-5")
def empty_value(t: SocketTrial) -> None:
    t.step("A sends empty values, the last one at the end of the frame, and is served.")
    served_with(t, [(b"X-Empty", b""), (SOCKET_TYPE, t.peer_type.encode()), (b"Identity", b"")], "ZMTP-N-5")


@case("A property's value may contain any bytes", "ZMTP-N-5")
def any_value(t: SocketTrial) -> None:
    t.step("A sends a value with all 256 bytes and a value of 66000 bytes, and is served.")
    values = [(b"X-All", bytes(range(256))), (b"X-Large", t.random_bytes(66_000))]
    served_with(t, [*values, (SOCKET_TYPE, t.peer_type.encode())], "ZMTP-N-5")


@case("Property names have 1 to 255 characters", "ZMTP-N-4")
def any_name(t: SocketTrial) -> None:
    t.step("A sends names of 1 and 255 characters, with every legal character, and is served.")
    names = [(b"Q", b"1"), (LETTERS, b"2"), ((LETTERS * 4)[:255], b"3")]
    served_with(t, [*names, (SOCKET_TYPE, t.peer_type.encode())], "ZMTP-N-4")


@case("Any resource name is accepted", "ZMTP-N-13", dialects=(V3_1,))
def resource(t: SocketTrial) -> None:
    t.step("A requests a resource that the implementation does not offer, and is served.")
    served_with(
        t, [(SOCKET_TYPE, t.peer_type.encode()), (b"Resource", b"system/name-service/$test@1")], "ZMTP-N-13"
    )


@case("A READY without Socket-Type", "ZMTP-N-7")
def no_socket_type(t: SocketTrial) -> None:
    t.step("A sends a READY without properties, which the rules do not forbid.")
    a = greeted(t, "A")
    a.send_command("READY", properties=[])
    t.observed("refused" if a.ends(0.2) else fate(t.adopt(a)))


def _malformed(t: SocketTrial) -> dict[str, bytes]:
    """Bodies of READY that do not decode, by their descriptions."""
    good = t.wire.body("READY", properties=[(SOCKET_TYPE, t.peer_type.encode())])
    more = t.wire.body("READY", properties=[(b"X-More", b"value")])
    tail = more[len(t.wire.body("READY", properties=[])) :]
    size_at = 1 + len(b"X-More")
    beyond = tail[:size_at] + (6).to_bytes(4, "big") + tail[size_at + 4 :]
    return {
        "name-without-characters": good + b"\x00" + tail[size_at:],
        "name-beyond-the-frame": good + b"\xff" + tail[1:],
        "name-alone": good + tail[:size_at],
        "size-cut": good + tail[: size_at + 3],
        "value-beyond-the-frame": good + beyond,
        "value-cut": good + tail[:-1],
        "value-of-2-gib": good + tail[:size_at] + b"\x80\x00\x00\x00",
        "value-of-4-gib": good + tail[:size_at] + b"\xff\xff\xff\xff" + b"value",
        "octet-too-many": good + b"\x01",
    }


def _refused(t: SocketTrial, what: str) -> None:
    t.step("A sends a READY with a malformed property: the connection may be closed.")
    a = greeted(t, "A")
    a.send_frame(_malformed(t)[what], command=True)
    expect_end(t, a)


for _what in (
    "name-without-characters",
    "name-beyond-the-frame",
    "name-alone",
    "size-cut",
    "value-beyond-the-frame",
    "value-cut",
    "value-of-2-gib",
    "value-of-4-gib",
    "octet-too-many",
):
    case(
        f"A READY with a malformed property: {_what.replace('-', ' ').replace('octet', 'byte')}",
        "ZMTP-N-17",
        subject=f"malformed-{_what}",
        polarity=NEGATIVE,
    )(_refused, _what)
