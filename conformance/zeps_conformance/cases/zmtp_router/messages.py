"""Messages between a ROUTER and its peers: in order, once, and to the right peer."""

from __future__ import annotations

from zeps_conformance.cases.registration import case
from zeps_conformance.sockets.peer import parts_of
from zeps_conformance.sockets.router import BOTH, RouterTrial

MANY = 200


@case(
    "Many requests in one packet are answered in order, each once",
    "ZMTP-F-10",
    "ZMTP-F-9",
    "ZMTP-F-2",
    dialects=BOTH,
)
def order(t: RouterTrial) -> None:
    t.step(f"A sends {MANY} requests in one write: it receives the answers in that order, and each once.")
    a = t.dealer("A")
    requests = t.ask_all(*(b"%d" % number for number in range(MANY)))
    a.send_raw(
        b"".join(t.wire.message(*parts) for asked in requests for parts in asked.said), f"{MANY} requests"
    )
    for number, asked in enumerate(requests):
        answer = a.await_answer(asked, t.options.timeout)
        t.check(answer is not None, f"answer {number}", "another answer, or no answer")
    a.expect_open()
    again = [frames for frames in a.messages if any(asked.answers(parts_of(frames)) for asked in requests)]
    t.compare("repeated answers:", [], again, "ZMTP-F-9")


@case("Each peer receives only its own answers", "ZMTP-F-9", "ZMTP-F-10", dialects=BOTH)
def to_whom(t: RouterTrial) -> None:
    peers = [t.dealer(name) for name in "ABCDEFGH"]
    t.step("Eight peers send different requests at the same time, twenty times.")
    requests = [t.ask_all(*(t.random_bytes(12) for _ in range(20))) for _ in peers]
    for turn in range(20):
        for peer, mine in zip(peers, requests, strict=True):
            peer.send_all(mine[turn])
    t.step("Each receives its own answers in order, and no answer of another peer.")
    for number, (peer, mine) in enumerate(zip(peers, requests, strict=True)):
        strange = [asked for other in requests[:number] + requests[number + 1 :] for asked in other]
        for asked in mine:
            frames = peer.await_answer(asked, t.options.timeout, strange)
            t.check(frames is not None, f"{peer.name} is answered", "another peer's answer, or no answer")
