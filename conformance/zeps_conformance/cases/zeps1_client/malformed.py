"""Frames of a broker that do not decode, in each state of a client."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1_client.targets import Target
from zeps_conformance.clients.connection import BrokerConnection
from zeps_conformance.clients.tested import TestedClient
from zeps_conformance.clients.trial import ClientTrial
from zeps_conformance.common.case import Polarity
from zeps_conformance.model import malform
from zeps_conformance.model.interpreter import Value
from zeps_conformance.model.malform import Malformed

LIMIT = 150.0
VALUES: dict[str, dict[str, Value]] = {
    "ATTACH-OK": {},
    "SUBSCRIBE-OK": {},
    "DELIVER": {"sequence": 1000, "key": "hostile", "body": b"a hostile body"},
    "PING": {},
    "PING-OK": {},
    "DETACH": {},
    "DETACH-OK": {},
    "INVALID": {"reason": "retention 1000 1001 not a valid frame"},
}
REASONS = (
    *("", " ", "Retention 1 2 x", "retention", "retention x y z", "retention 9 3 backwards", "damage 1 2"),
    *("retention 1 99999999999999999999 too large", "not-retained 1 2 unasked", "\u00e9 1 2 x", "9" * 255),
)
TEXTS = {"DELIVER": "key", "INVALID": "reason"}


def _forms(t: ClientTrial, name: str) -> Iterator[Malformed]:
    """Yields one malformed frame of each kind, chosen at random from those made of a valid message."""
    frame = t.codec.encode(name, **VALUES[name])
    for make in (malform.truncated, malform.extended, malform.raised_lengths, malform.wrong_signatures):
        if made := list(make(t.codec, frame)):
            yield t.rng.choice(made)
    if name in TEXTS:
        label, text = t.rng.choice(malform.BAD_UTF8)
        yield malform.bad_text(t.codec, frame, TEXTS[name], text, label)
        control = t.rng.choice(malform.BAD_CONTROLS)
        yield malform.bad_text(
            t.codec, frame, TEXTS[name], chr(control).encode(), f"the control character {control}"
        )


def _in_session(t: ClientTrial, *names: str) -> None:
    """Sends malformed messages of the given names in one session after another."""
    target = Target(t)
    for name in names:
        for form in _forms(t, name):
            t.step(f"The broker sends a malformed {name}: {form.label}.")
            target.attack(f"a malformed {name}", form.frame)
    target.serve()


def _in_state(
    t: ClientTrial,
    names: tuple[str, ...],
    begin: Callable[[TestedClient], BrokerConnection],
    judge: Callable[[TestedClient, BrokerConnection, str], object] = TestedClient.survive,
) -> None:
    """Sends each malformed message of the given names to a new client, in the state to which `begin` brings it, and
    calls `judge` with its description.
    """
    for name in names:
        for form in _forms(t, name):
            client = t.client()
            connection = begin(client)
            t.step(f"The broker sends a malformed {name}: {form.label}.")
            connection.send_frames(form.frame)
            judge(client, connection, f"a malformed {name}")
            client.close()


@case(
    "Malformed messages in a session",
    "ZEPS-SESSION-2",
    "ZEPS-PING-14",
    polarity=Polarity.NEGATIVE,
    limit=LIMIT,
)
def deliver_in_session(t: ClientTrial) -> None:
    t.step("In an open session, the broker sends DELIVERs and INVALIDs that do not decode.")
    _in_session(t, "DELIVER", "INVALID")


@case(
    "Malformed answers in a session",
    "ZEPS-SESSION-2",
    "ZEPS-PING-14",
    polarity=Polarity.NEGATIVE,
    limit=LIMIT,
)
def answers_in_session(t: ClientTrial) -> None:
    t.step("In an open session, the broker sends answers and heartbeats that do not decode.")
    _in_session(t, "ATTACH-OK", "SUBSCRIBE-OK", "PING", "PING-OK")


@case(
    "Malformed DETACH in a session", "ZEPS-SESSION-2", "ZEPS-PING-14", polarity=Polarity.NEGATIVE, limit=LIMIT
)
def detach_in_session(t: ClientTrial) -> None:
    t.step("In an open session, the broker sends DETACH and DETACH-OK that do not decode.")
    _in_session(t, "DETACH", "DETACH-OK")


@case(
    "Malformed frames before ATTACH-OK",
    "ZEPS-SESSION-2",
    "ZEPS-ATTACH-7",
    polarity=Polarity.NEGATIVE,
    limit=LIMIT,
)
def while_attaching(t: ClientTrial) -> None:
    t.step("Before it answers ATTACH, the broker sends frames that do not decode.")
    _in_state(t, ("ATTACH-OK", "DELIVER", "INVALID"), TestedClient.await_attach)


@case(
    "Malformed frames before SUBSCRIBE-OK",
    "ZEPS-SESSION-2",
    "ZEPS-PING-14",
    polarity=Polarity.NEGATIVE,
    limit=LIMIT,
)
def while_subscribing(t: ClientTrial) -> None:
    t.step("Before it answers SUBSCRIBE, the broker sends frames that do not decode.")

    def subscribing(client: TestedClient) -> BrokerConnection:
        connection = client.attach()
        client.expect(connection, "SUBSCRIBE", "ZEPS-PING-14")
        return connection

    _in_state(t, ("SUBSCRIBE-OK", "DELIVER", "INVALID"), subscribing)


@case("Malformed frames after DETACH", "ZEPS-ATTACH-7", polarity=Polarity.NEGATIVE, limit=LIMIT)
def while_leaving(t: ClientTrial) -> None:
    t.needs("close", "closing on request")
    t.step("In place of DETACH-OK, the broker sends frames that do not decode; the client ends all the same.")

    def leaving(client: TestedClient) -> BrokerConnection:
        connection = client.session()
        client.app.ask("close", timeout=300)
        client.expect(connection, "DETACH", "ZEPS-ATTACH-7", t.patience)
        return connection

    def ends(client: TestedClient, _: BrokerConnection, label: str) -> None:
        t.wait(lambda: client.app.ended, f"the client ends after {label}", timeout=t.patience)
        client.check_untouched()

    _in_state(t, ("DETACH-OK", "DELIVER", "INVALID"), leaving, ends)


@case("Unknown commands", "ZEPS-SESSION-2", "ZEPS-PING-14", polarity=Polarity.NEGATIVE, limit=LIMIT)
def unknown_commands(t: ClientTrial) -> None:
    target = Target(t)
    t.step("The broker sends commands with numbers that are not defined, and an empty frame.")
    head = t.codec.encode("PING")[:-1]
    for label, frame in (
        ("number 0", head + b"\x00"),
        ("number 13", head + b"\x0d"),
        ("number 255 with content", head + b"\xff" + bytes(50)),
        ("no byte", b""),
    ):
        target.attack(f"a frame with {label}", frame)


@case("A message of several parts", "ZEPS-SESSION-2", "ZEPS-PING-14", polarity=Polarity.NEGATIVE, limit=LIMIT)
def several_parts(t: ClientTrial) -> None:
    target = Target(t)
    t.step("The broker sends messages of two and three parts.")
    ping, invalid = t.codec.encode("PING"), t.codec.encode("INVALID", reason="unexpected it was ignored")
    for parts in ((ping, ping), (b"", ping), (invalid, b"", b"end")):
        target.attack(f"a message of {len(parts)} parts", *parts)


@case(
    "INVALID with a malformed or unexpected reason",
    "ZEPS-INVALID-6",
    "ZEPS-SESSION-2",
    polarity=Polarity.NEGATIVE,
    limit=LIMIT,
)
def reasons(t: ClientTrial) -> None:
    target = Target(t, lenient=True)
    for reason in REASONS:
        t.step(
            f"The broker sends INVALID with the reason {reason[:40]!a}: the client attaches again or goes on."
        )
        target.attack(f"the reason {reason[:20]!a}", t.codec.encode("INVALID", reason=reason))
