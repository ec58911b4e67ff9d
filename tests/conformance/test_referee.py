"""The referee: what it lets pass and what it does not, without a wire."""

from __future__ import annotations

import pytest

from zeps_conformance.interpreter import Decoded, Interpreter, Value
from zeps_conformance.referee import CREDIT_MAX, Ledger, Referee
from zeps_conformance.verdicts import FailureError


class Talk:
    """Builds messages as the wire would bring them."""

    def __init__(self, codec: Interpreter, ledger: Ledger | None = None) -> None:
        self.codec = codec
        self.referee = Referee(ledger or Ledger())

    def message(self, name: str, values: dict[str, Value]) -> Decoded:
        return self.codec.decode(self.codec.encode(name, **values))

    def sent(self, name: str, **values: Value) -> Talk:
        self.referee.sent(self.message(name, values))
        return self

    def got(self, name: str, **values: Value) -> Talk:
        self.referee.received(self.message(name, values))
        return self

    def delivered(self, sequence: int, key: str = "k", body: bytes = b"") -> Talk:
        return self.got("DELIVER", sequence=sequence, key=key, body=body)

    def attached(self, stream: str = "s") -> Talk:
        return self.sent("ATTACH", stream=stream).got("ATTACH-OK")

    def reading(self, pattern: str = "", credit: int = 1000) -> Talk:
        return (
            self.attached()
            .sent("SUBSCRIBE", pattern=pattern, latest=0)
            .got("SUBSCRIBE-OK")
            .sent("CREDIT", credit=credit)
        )


@pytest.fixture
def talk(codec: Interpreter) -> Talk:
    return Talk(codec)


def refused(rule: str | None) -> pytest.RaisesContext[FailureError]:  # type: ignore[name-defined]
    return pytest.raises(FailureError, check=lambda error: error.rule == rule)


def test_a_session_in_order(talk: Talk) -> None:
    talk.reading().delivered(1).delivered(2).sent("PING").got("PING").got("PING-OK").sent("DETACH").got(
        "DETACH-OK"
    )
    assert not talk.referee.attached


def test_beyond_the_credit(talk: Talk) -> None:
    cost = talk.codec.size("DELIVER", sequence=1, key="k", body=b"")
    talk.reading(credit=2 * cost - 1).delivered(1)
    with refused("ZEPS-CREDIT-5"):
        talk.delivered(2)


def test_without_credit(talk: Talk) -> None:
    talk.attached().sent("SUBSCRIBE", pattern="", latest=0).got("SUBSCRIBE-OK")
    with refused("ZEPS-CREDIT-1"):
        talk.delivered(1)


def test_credit_saturates(talk: Talk) -> None:
    talk.reading(credit=CREDIT_MAX).sent("CREDIT", credit=CREDIT_MAX).delivered(1)


def test_before_the_answer_and_without_a_subscription(talk: Talk, codec: Interpreter) -> None:
    talk.attached().sent("CREDIT", credit=1000)
    with refused("ZEPS-SUBSCRIBE-10"):
        talk.delivered(1)
    talk.sent("SUBSCRIBE", pattern="", latest=0)
    with refused("ZEPS-SUBSCRIBE-1"):
        talk.delivered(1)


def test_a_key_that_no_pattern_begins(talk: Talk) -> None:
    talk.reading(pattern="ab").delivered(1, "abc")
    with refused("ZEPS-SUBSCRIBE-8"):
        talk.delivered(2, "a")


def test_twice_backwards_and_zero(codec: Interpreter) -> None:
    with refused("ZEPS-SUBSCRIBE-6"):
        Talk(codec).reading().delivered(1).delivered(1)
    with refused("ZEPS-DELIVER-1"):
        Talk(codec).reading().delivered(2).delivered(1)
    with refused("ZEPS-SEQUENCE-1"):
        Talk(codec).reading().delivered(0)


def test_an_older_subscription_may_go_back(talk: Talk) -> None:
    talk.reading("a").delivered(5, "a").sent("SUBSCRIBE", pattern="", latest=0).got("SUBSCRIBE-OK").delivered(
        2
    )


def test_one_sequence_is_one_message_for_everybody(codec: Interpreter) -> None:
    ledger = Ledger()
    Talk(codec, ledger).reading().delivered(1, "k", b"one")
    Talk(codec, ledger).reading().delivered(1, "k", b"one")
    with refused("ZEPS-DELIVER-2"):
        Talk(codec, ledger).reading().delivered(1, "k", b"two")


@pytest.mark.parametrize(
    ("end", "rule"),
    [(("DETACH", "DETACH-OK"), "ZEPS-DETACH-2"), (("DETACH-OK", "INVALID"), "ZEPS-INVALID-2")],
)
def test_after_the_end(talk: Talk, end: tuple[str, str], rule: str) -> None:
    talk.reading().sent(end[0])
    talk.got(end[1], **({"reason": "over"} if end[1] == "INVALID" else {}))
    with refused(rule):
        talk.delivered(1)


def test_what_was_under_way_at_a_new_attach_is_the_old_sessions(talk: Talk) -> None:
    talk.reading(credit=100).sent("ATTACH", stream="t").sent("CREDIT", credit=1000).delivered(1).got(
        "ATTACH-OK"
    )
    with refused("ZEPS-SUBSCRIBE-10"):
        talk.delivered(2)


@pytest.mark.parametrize("name", ["ATTACH-OK", "SUBSCRIBE-OK", "PING-OK"])
def test_answers_to_nothing(talk: Talk, name: str) -> None:
    talk.attached()
    with refused(None):
        talk.got(name)


def test_a_clients_command(talk: Talk) -> None:
    talk.attached()
    with pytest.raises(FailureError, match="only commands that a broker sends"):
        talk.got("CREDIT", credit=1)


def test_each_bad_frame_gets_its_invalid(talk: Talk) -> None:
    talk.attached()
    talk.referee.sent(None)
    talk.sent("PING").sent("ATTACH", stream="t")
    assert not talk.referee.settled
    talk.got("INVALID", reason="bad").got("INVALID", reason="no session").got("ATTACH-OK")
    assert talk.referee.settled


def test_a_session_that_was_forgotten(talk: Talk) -> None:
    talk.reading()
    talk.referee.forgotten()
    with refused("ZEPS-PING-6"):
        talk.delivered(1)
