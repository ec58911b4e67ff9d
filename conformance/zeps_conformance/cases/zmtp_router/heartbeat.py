"""Heartbeats among messages."""

from __future__ import annotations

import time

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zmtp_any.heartbeat import ONLY_3_1
from zeps_conformance.sockets.router import RouterTrial


@case("PING is answered while messages are exchanged", "ZMTP-H-3", "ZMTP-F-8", dialects=ONLY_3_1)
def amid_messages(t: RouterTrial) -> None:
    t.step("A sends twenty requests with PINGs between them: each is answered.")
    a = t.dealer("A")
    requests = t.ask_all(*(b"%d" % number + bytes(20_000) for number in range(20)))
    for number, asked in enumerate(requests):
        a.send_all(asked)
        a.ping(context=b"%d" % number)
        a.expect_pong(b"%d" % number)
    for asked in requests:
        t.check(a.await_answer(asked, t.options.timeout) is not None, "the answer", "none", "ZMTP-F-8")


@case(
    "A peer that has been served and is silent is disconnected after its time to live",
    "ZMTP-H-6",
    dialects=ONLY_3_1,
)
def expires_amid_answers(t: RouterTrial) -> None:
    t.allow(3)
    t.step("A sends a request and gets its answer, sends PING with 0.4 s to live, and then nothing.")
    a = t.dealer("A")
    a.answers_pings = False
    a.barrier()
    began = time.monotonic()
    a.ping(ttl=4)
    a.expect_pong(b"", "ZMTP-H-3")
    t.step("A's connection is closed.")
    t.check(a.ends(2.5), "the connection is closed", f"it is open after {time.monotonic() - began:.1f} s")


@case(
    "A later PING's time to live replaces that of an earlier PING", "ZMTP-H-6", "ZMTP-H-10", dialects=ONLY_3_1
)
def last_time_to_live_counts(t: RouterTrial) -> None:
    t.allow(3)
    t.step(
        "A sends PING with 0.3 s to live, then PING with a time to live of zero, and nothing for 0.8 s: "
        "it is served, unless its connection is closed."
    )
    a = t.dealer("A")
    a.ping(ttl=3, context=b"1")
    a.ping(ttl=0, context=b"2")
    a.expect_pong(b"1", "ZMTP-H-3")
    a.expect_pong(b"2", "ZMTP-H-3")
    if a.ends(0.8):
        t.observed("a time to live of zero does not cancel an earlier one")
        return
    t.serve(a)
