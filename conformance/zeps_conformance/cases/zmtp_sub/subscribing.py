"""What a subscriber says of what its application asked for."""

from __future__ import annotations

from zeps_conformance.pubsub import BOTH, Trial, case


@case(
    "zmtp-sub.subscribing.form",
    "Subscriptions and cancellations have their version's form",
    "ZMTP-S-1",
    "ZMTP-S-2",
    "ZMTP-S-3",
    "ZMTP-S-4",
    dialects=BOTH,
)
def form(t: Trial) -> None:
    t.step("The application subscribes to 'ab' and to the empty topic.")
    p = t.publisher("P")
    t.app.subscribe(b"ab")
    t.app.subscribe(b"")
    as_messages = "XSUB sends messages whatever the version"
    p.expect_subscribe(b"ab", form=True, libzmq=as_messages)
    p.expect_subscribe(b"", form=True, libzmq=as_messages)
    t.step("It takes both back.")
    t.app.unsubscribe(b"ab")
    t.app.unsubscribe(b"")
    p.expect_cancel(b"ab", form=True)
    p.expect_cancel(b"", form=True)
    p.expect_nothing("all was taken back")


@case("zmtp-sub.subscribing.delivers", "What was subscribed to reaches the application", "ZMTP-U-6")
def delivers(t: Trial) -> None:
    t.step("The application subscribes to 'ab'; P sends messages of one and of three frames.")
    p = t.publisher("P")
    t.app.subscribe(b"ab")
    p.expect_subscribe(b"ab")
    p.send(b"ab")
    p.send(b"abc", b"", b"\x00\xff" * 200)
    t.app.expect(b"ab")
    t.app.expect(b"abc", b"", b"\x00\xff" * 200)
