"""Commands of a publisher of any kind: none of them reaches the application."""

from __future__ import annotations

from collections.abc import Callable

from zeps_conformance.cases.registration import case
from zeps_conformance.sockets.pubsub import BOTH, NEGATIVE, PubSubTrial


def _command(name: bytes, data: bytes = b"") -> Callable[[PubSubTrial], bytes]:
    return lambda t: t.wire.frame(bytes((len(name),)) + name + data, command=True)


COMMANDS: tuple[tuple[str, str, Callable[[PubSubTrial], bytes]], ...] = (
    ("unknown", "An unknown command", _command(b"HELLO", b"\x00topic")),
    ("join", "JOIN, which other socket types use,", _command(b"JOIN", b"group")),
    ("subscribe", "SUBSCRIBE, which only subscribers send,", _command(b"SUBSCRIBE", b"topic")),
    ("cancel", "CANCEL, which only subscribers send,", _command(b"CANCEL", b"topic")),
    ("pong", "PONG without a PING", _command(b"PONG", b"topic")),
    ("longest-name", "A command with the longest name", _command(b"N" * 255, b"topic")),
    ("long", "A command of 70,000 bytes", _command(b"HELLO", bytes(70_000))),
    ("odd-name", "A command whose name is not text", _command(b"\x00\xff", b"topic")),
)


def _sent(t: PubSubTrial, make: Callable[[PubSubTrial], bytes]) -> None:
    t.app.subscribe(b"", b"topic")
    p = t.publisher("P")
    t.step("P sends a message, the command, and another message.")
    p.send_raw(
        t.wire.message(b"topic", b"before") + make(t) + t.wire.message(b"topic", b"after"), "a command"
    )
    t.step("The application receives the messages and nothing of the command; or P is disconnected.")
    before, after = (b"topic", b"before"), (b"topic", b"after")
    seen = t.app.take(3, 0.1)
    t.check(seen in ([before, after], [before], []), f"{[before, after]!r}, or the end", repr(seen))
    t.observed("keeps the connection" if p.lost is None and after in seen else "closes the connection")


for _subject, _title, _make in COMMANDS:
    case(
        f"{_title} does not reach the application",
        "ZMTP-U-11",
        subject=_subject,
        polarity=NEGATIVE,
        dialects=BOTH,
    )(_sent, _make)


@case(
    "A thousand unknown commands do not reach the application", "ZMTP-U-11", polarity=NEGATIVE, dialects=BOTH
)
def many(t: PubSubTrial) -> None:
    t.app.subscribe(b"")
    p = t.publisher("P")
    t.step("P sends 1,000 unknown commands, and a message.")
    p.send_raw(_command(b"HELLO", b"world")(t) * 1000 + t.wire.message(b"after"), "1,000 commands")
    seen = t.app.take(2, 0.2)
    t.check(seen in ([(b"after",)], []), "the message, or the end", repr(seen))
    t.observed("keeps the connection" if seen else "closes the connection")
