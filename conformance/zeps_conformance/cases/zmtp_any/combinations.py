"""Combinations of valid greetings and READYs: every two values of two properties occur together in one peer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from allpairspy import AllPairs

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import in_slices, version_of
from zeps_conformance.sockets.trial import SocketTrial


class Opening(NamedTuple):
    """A peer's greeting and READY; each field is a property that the rules leave to the peer."""

    version: tuple[int, int] | None  # None: that of the implementation
    padding: bytes
    as_server: int
    cut: int  # the offset at which the greeting is cut, 0: sent at once
    together: bool  # READY in the write of the greeting's end
    long: bool  # READY in a long frame
    name: bytes  # of the property Socket-Type
    first: bool  # Socket-Type before other properties
    extra: bytes | None  # value of an unknown property
    identity: bool  # an empty Identity


#: The values of each property.
VALUES: dict[str, tuple[object, ...]] = {
    "version": (None, (3, 255), (4, 0)),
    "padding": (bytes(8), b"\xff" * 8, b"\x00\x01" * 4),
    "as_server": (0, 1),
    "cut": (0, 10, 11, 12, 63),
    "together": (False, True),
    "long": (False, True),
    "name": (b"Socket-Type", b"SOCKET-TYPE", b"socket-type"),
    "first": (True, False),
    "extra": (None, b"", bytes(range(256))),
    "identity": (False, True),
}


def openings() -> Iterator[Opening]:
    """Yields openings such that every two values of two properties occur together in one."""
    for values in AllPairs([VALUES[name] for name in Opening._fields]):
        yield Opening(*values)


@case(
    "Every pair of values of two properties of a greeting and READY is accepted",
    "ZMTP-G-6",
    "ZMTP-G-5",
    "ZMTP-G-23",
    "ZMTP-G-12",
    "ZMTP-N-6",
    "ZMTP-N-12",
    "ZMTP-F-6",
    limit=60,
)
def pairs(t: SocketTrial) -> None:
    t.step("Peers connect whose greetings and READYs combine all pairs of property values: each is served.")
    count = 0
    for opening in openings():
        count += 1
        _serve(t, f"A{count}", opening)
    t.observe("all are served", f"{count} peers")


def _serve(t: SocketTrial, name: str, opening: Opening) -> None:
    wire = t.wire
    greeting = wire.greeting(
        opening.version or version_of(t), as_server=opening.as_server, padding=opening.padding
    )
    properties = [(b"X-Extra", opening.extra)] if opening.extra is not None else []
    properties += [(b"Identity", b"")] if opening.identity else []
    properties.insert(0 if opening.first else len(properties), (opening.name, t.peer_type.encode()))
    ready = wire.command("READY", long=opening.long or None, properties=properties)
    a = t.dial(name)
    if opening.together:
        in_slices(a, greeting + ready, (opening.cut,) if opening.cut else (), "its greeting is not complete")
    else:
        in_slices(a, greeting, (opening.cut,) if opening.cut else (), "its greeting is not complete")
        a.read_greeting()
        a.send_raw(ready, f"READY of {opening}")
    a.read_greeting()
    a.finish_handshake()
    t.serve(t.adopt(a), name.encode(), "ZMTP-G-6")
