"""Slow handshakes and many handshakes at once."""

from __future__ import annotations

import time

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.crowd import opening, sizes_of, stops_at
from zeps_conformance.sockets.router import NEGATIVE, Needs, RouterTrial


@case("A handshake has a time limit", "ZMTP-X-1", polarity=NEGATIVE, needs=Needs.TIME)
def handshake_limit(t: RouterTrial) -> None:
    t.allow(t.router.patience)
    t.step("Peers stop at all stages of the handshake, and wait: all of them are disconnected.")
    peers = {where: stops_at(t, f"A {where}", size) for where, size in sizes_of(t).items()}
    until = time.monotonic() + t.router.patience
    for where, a in peers.items():
        left = max(until - time.monotonic(), 0.1)
        t.check(a.ends(left), f"the connection that stopped at {where} is closed", "it stays open")


@case("Handshakes that arrive byte by byte do not delay other connections", "ZMTP-X-1", polarity=NEGATIVE)
def trickle(t: RouterTrial) -> None:
    said = opening(t)
    peers = [t.dial(f"A{number}") for number in range(10)]
    t.step("Ten peers send their openings byte by byte, while B is served again and again.")
    b = t.dealer("B")
    for at in range(len(said)):
        for a in peers:
            a.send_raw(said[at : at + 1], may_fail=True)
        if at % 20 == 0:
            t.serve(b)
    t.step("The ten peers are served too, unless they exceeded the handshake's time limit.")
    for a in peers:
        if a.ends(0.0):
            t.observed(f"{a.name} was disconnected before its last byte")
            continue
        a.finish_handshake()
        t.serve(t.adopt(a))


@case("Two hundred peers that connect at once are all served", "ZMTP-X-1")
def storm(t: RouterTrial) -> None:
    t.step("Two hundred peers connect before any of them sends; then each is served.")
    t.allow(20)
    peers = [t.dial(f"A{number}") for number in range(200)]
    said = opening(t)
    for a in peers:
        a.send_raw(said, "greeting and READY")
    for a in peers:
        a.finish_handshake()
        t.adopt(a).barrier()
