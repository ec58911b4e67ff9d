"""Identities, which a ROUTER may use as it likes."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.dialled_peers import fate
from zeps_conformance.common.verdicts import UnservedError
from zeps_conformance.sockets.router import NEGATIVE, RouterTrial


def _fate(t: RouterTrial, name: str, identity: bytes) -> str:
    try:
        peer = t.dealer(name, properties=[(b"Identity", identity)])
    except UnservedError as error:
        return f"the handshake is refused: {error.seen}"
    return fate(peer)


@case("An identity does not affect other connections", "ZMTP-N-12", "ZMTP-N-11", polarity=NEGATIVE)
def identity(t: RouterTrial) -> None:
    identities = {"of one byte": b"i", "of 255 bytes": b"i" * 255, "that begins with zero": b"\x00zero"}
    for what, value in identities.items():
        t.step(f"A peer has an identity {what}; the ROUTER may accept it or refuse it.")
        t.observed(f"{what}: {_fate(t, what, value)}")


@case("Two peers with the same identity do not affect other connections", "ZMTP-N-12", polarity=NEGATIVE)
def identity_twice(t: RouterTrial) -> None:
    t.step("A and B have the same identity, and each sends a request.")
    value = t.token()
    fates = [_fate(t, name, value) for name in ("A", "B")]
    t.observed(f"the first: {fates[0]}; the second: {fates[1]}")
