"""Strings: UTF-8, 0 to 255 bytes, no control characters."""

from __future__ import annotations

from collections.abc import Mapping

from zeps_conformance.broker.session import ALL, NEW, PLENTY, Item
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import NEGATIVE, refuse_each, refuse_without_session, sample
from zeps_conformance.model.malform import BAD_CONTROLS, BAD_UTF8, Malformed, bad_text

PLACES = (
    *(("ATTACH", "stream"), ("SUBSCRIBE", "pattern"), ("PUBLISH", "key")),
    *(("DELIVER", "key"), ("INVALID", "reason")),
)
FAR = (31, 63, 64, 127, 128, 252)
"""Numbers of valid bytes before the invalid ones in strings of 255 bytes."""


def _far(t: BrokerTrial, message: str, field: str, bad: Mapping[str, bytes]) -> list[Malformed]:
    """Returns frames whose string has 255 bytes, of which those of `bad`, by their description, are invalid."""
    return [
        bad_text(
            t.codec,
            sample(t, message),
            field,
            (b"n" * count + sequence).ljust(255, b"n"),
            f"{what} behind {count} bytes",
        )
        for what, sequence in bad.items()
        for count in FAR
    ]


def _not_utf8(t: BrokerTrial, message: str, field: str) -> None:
    a = t.connect("A")
    t.step("In an open session, A sends the command with every kind of byte sequence that is not UTF-8.")
    bad = [
        bad_text(t.codec, sample(t, message), field, around % sequence, f"{what}{where}")
        for what, sequence in BAD_UTF8
        for around, where in ((b"%b", ""), (b"ab%b", " at the end"), (b"%bcd", " at the start"))
    ]
    refuse_each(a, bad, "ZEPS-TEXT-3")
    t.step("The same with long strings, of which only one character, near the end or not, is not UTF-8.")
    refuse_each(a, _far(t, message, field, {"a byte that UTF-8 never uses": b"\xff"}), "ZEPS-TEXT-3")
    if message == "ATTACH":
        t.step("A sends four of these frames without a session.")
        refuse_without_session(a, bad[:4], "ZEPS-TEXT-3")


def _controls(t: BrokerTrial, message: str, field: str) -> None:
    a = t.connect("A")
    t.step("In an open session, A sends the command with control characters in its string.")
    bad = [
        bad_text(t.codec, sample(t, message), field, text.encode(), f"U+{point:04X}{where}")
        for point in BAD_CONTROLS
        for text, where in ((chr(point), " alone"), (f"ab{chr(point)}cd", " within"))
    ]
    refuse_each(a, bad, "ZEPS-TEXT-4")
    t.step("The same with long strings that have one control character, near the end or not.")
    far = _far(t, message, field, {"U+0001": b"\x01", "U+0085": "\x85".encode()})
    refuse_each(a, far, "ZEPS-TEXT-4")


for _message, _field in PLACES:
    _owner = f" of {_message}" if _message == "DELIVER" else ""
    case(
        f"A {_field}{_owner} that is not UTF-8 is refused",
        "ZEPS-TEXT-3",
        subject=f"not-utf8-{_message.lower()}",
        polarity=NEGATIVE,
    )(_not_utf8, _message, _field)
    case(
        f"A {_field}{_owner} with a control character is refused",
        "ZEPS-TEXT-4",
        subject=f"control-{_message.lower()}",
        polarity=NEGATIVE,
    )(_controls, _message, _field)


@case("The characters next to the control characters are valid text", "ZEPS-TEXT-4", "ZEPS-TEXT-1")
def neighbours(t: BrokerTrial) -> None:
    t.step(
        "A subscribes to keys made of U+0020, U+007E, U+00A0, U+00AD, U+2028, U+FEFF, U+FFFD and U+10FFFF, "
        "and publishes them."
    )
    a = t.session("A")
    a.grant(PLENTY)
    for sequence, text in enumerate(
        (" ", "~", "\u00a0", "\u00ad", "\u2028", "\ufeff", "\ufffd", "\U0010ffff"), 1
    ):
        a.subscribe(text, NEW)
        a.publish(text, b"")
        a.expect_items([Item(sequence, text, b"")], "ZEPS-TEXT-4")


@case("Strings of 0, 1, 254 and 255 bytes are valid text", "ZEPS-TEXT-1", "ZEPS-PUBLISH-4")
def lengths(t: BrokerTrial) -> None:
    keys = ("", "x", "é", "漢", "𝄞", "x" * 254, "x" * 255, "é" * 127, "é" * 127 + "x", "𝄞" * 63 + "漢")
    t.step(
        "A publishes with keys of several lengths and widths, and B, which subscribes to everything, receives "
        "them unchanged."
    )
    b = t.reader("B")
    messages = [(key, b"%d" % len(key.encode())) for key in keys]
    items = t.fill(messages)
    b.expect_items(items, "ZEPS-TEXT-1")
    t.step("C subscribes with each key as its pattern: the longest patterns match, to the last byte.")
    c = t.connect("C")
    for key in keys[1:]:
        c.read(key, ALL)
        c.expect_items([item for item in items if item.key.encode().startswith(key.encode())], "ZEPS-TEXT-1")
