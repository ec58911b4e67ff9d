"""The referee: accepted and refused input, without a connection."""

from __future__ import annotations

import pytest

from zeps_conformance.broker.reason import Reasons
from zeps_conformance.broker.referee import CREDIT_MAX, Ledger, Referee
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.model.interpreter import Decoded, Interpreter, Value


class Talk:
    """Passes messages in their decoded form to a referee, as sent by the client or as received."""

    def __init__(
        self,
        codec: Interpreter,
        ledger: Ledger | None = None,
        own_id: bool = False,
        regex: str | None = None,
    ) -> None:
        self.codec = codec
        self.referee = Referee(ledger or Ledger(), Reasons(codec.model), own_id, regex)

    def message(self, name: str, values: dict[str, Value]) -> Decoded:
        return self.codec.decode(self.codec.encode(name, **values))

    def sent(self, name: str, **values: Value) -> Talk:
        self.referee.sent(self.message(name, values))
        return self

    def got(self, name: str, **values: Value) -> Talk:
        self.referee.received(self.message(name, values))
        return self

    def bad(self, *codes: str) -> Talk:
        self.referee.sent_bad(codes or ("malformed",))
        return self

    def invalid(self, reason: str) -> Talk:
        return self.got("INVALID", reason=reason)

    def delivered(self, sequence: int, key: str = "k", body: bytes = b"") -> Talk:
        return self.got("DELIVER", sequence=sequence, key=key, body=body)

    def attached(self, stream: str = "s") -> Talk:
        return self.sent("ATTACH", stream=stream).got("ATTACH-OK")

    def reading(self, pattern: str = "", credit: int = 1000, latest: int = 0) -> Talk:
        return (
            self.attached()
            .sent("SUBSCRIBE", pattern=pattern, latest=latest)
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
    with refused("ZEPS-SUBSCRIBE-15"):
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


def test_after_the_end(codec: Interpreter) -> None:
    with refused("ZEPS-DETACH-6"):
        Talk(codec).reading().sent("DETACH").got("DETACH-OK").delivered(1)
    with refused("ZEPS-INVALID-2"):
        Talk(codec).reading().bad().invalid("malformed no frame").delivered(1)


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
    talk.attached().bad().sent("PING").sent("ATTACH", stream="t")
    assert not talk.referee.settled
    talk.invalid("malformed bad").invalid("no-session none is open").got("ATTACH-OK")
    assert talk.referee.settled


def test_answers_come_in_the_order_of_the_commands(codec: Interpreter) -> None:
    def asked() -> Talk:
        return Talk(codec).attached().sent("SUBSCRIBE", pattern="", latest=0).sent("PING").sent("DETACH-OK")

    asked().got("SUBSCRIBE-OK").got("PING-OK").invalid("unexpected no DETACH was sent")
    asked().invalid("too-many-subscriptions 3 at most").got("PING-OK").invalid(
        "unexpected no DETACH was sent"
    )
    with refused(None):
        asked().got("PING-OK")
    with refused("ZEPS-INVALID-1"):
        asked().invalid("unexpected no DETACH was sent")


def test_after_detach_only_detach_is_answered(talk: Talk) -> None:
    talk.attached().sent("PING").got("DETACH").sent("PUBLISH", key="k", body=b"").sent("DETACH")
    talk.got("DETACH-OK").sent("PING").invalid("no-session none is open")


@pytest.mark.parametrize(
    ("reason", "rule"),
    [
        ("malformed it decodes", "ZEPS-INVALID-9"),
        ("stopping soon", "ZEPS-INVALID-9"),
        ("routing-id yours", "ZEPS-SESSION-5"),
        ("unexpected it is not", "ZEPS-INVALID-1"),
        ("beyond-end 4 9 the end is 3", "ZEPS-SUBSCRIBE-5"),
        ("not-retained 4 9 gone", "ZEPS-RETAIN-2"),
        ("retention 1 2 gone", "ZEPS-GAP-2"),
        ("no form", "ZEPS-INVALID-8"),
        ("", "ZEPS-INVALID-8"),
        ("bad-pattern", "ZEPS-INVALID-8"),
        ("beyond-end the end is 3", "ZEPS-INVALID-8"),
        ("beyond-end 9 4 turned round", "ZEPS-INVALID-8"),
        ("beyond-end 9 18446744073709551616 too large", "ZEPS-INVALID-8"),
    ],
)
def test_a_refusal_of_a_subscription_that_does_not_fit(talk: Talk, reason: str, rule: str) -> None:
    talk.attached().sent("SUBSCRIBE", pattern="", latest=5)
    with refused(rule):
        talk.invalid(reason)


def test_the_codes_that_fit_what_was_sent(codec: Interpreter) -> None:
    Talk(codec).sent("ATTACH", stream="").invalid("stream-name it is empty")
    Talk(codec).sent("ATTACH", stream="s").invalid("too-many-sessions 5 are open")
    Talk(codec).bad("unknown-command").invalid("unknown-command 99")
    for talk, reason in (
        (Talk(codec).sent("ATTACH", stream=""), "stopping soon"),
        (Talk(codec).sent("ATTACH", stream="s"), "stream-name it is empty"),
        (Talk(codec).bad(), "unknown-command 99"),
        (Talk(codec).sent("PING"), "malformed no frame"),
    ):
        with pytest.raises(FailureError):
            talk.invalid(reason)
    with refused("ZEPS-INVALID-1"):
        Talk(codec).invalid("malformed nothing was sent")


def test_a_connection_with_a_routing_id_of_its_own(codec: Interpreter) -> None:
    talk = Talk(codec, own_id=True).sent("PUBLISH", key="k", body=b"").bad().sent("ATTACH", stream="s")
    talk.invalid("routing-id yours").invalid("routing-id yours").invalid("routing-id yours")
    with refused("ZEPS-SESSION-5"):
        Talk(codec, own_id=True).sent("PING").invalid("no-session none is open")
    with refused(None):
        Talk(codec, own_id=True).sent("ATTACH", stream="s").got("ATTACH-OK")


def test_gaps_that_are_announced(talk: Talk) -> None:
    talk.reading(latest=1).invalid("retention 2 4 gone").delivered(5).invalid(
        "damage 6 6 unreadable"
    ).delivered(7)


@pytest.mark.parametrize(
    ("latest", "before", "reason", "after", "rule"),
    [
        (1, 2, "", 4, None),  # a gap without announcement
        (1, 0, "", 3, None),
        (1, 2, "retention 4 5 gone", 6, "ZEPS-GAP-2"),  # 3 is missing
        (1, 2, "retention 3 5 gone", 7, None),  # 6 is missing
        (1, 2, "retention 2 5 gone", 6, "ZEPS-GAP-4"),  # 2 was delivered
        (1, 2, "retention 3 5 gone", 5, "ZEPS-GAP-4"),  # 5 is delivered
        (4, 0, "damage 3 5 unreadable", 6, "ZEPS-GAP-2"),  # 3 and 4 were not subscribed to
        (0, 5, "damage 3 4 unreadable", 6, "ZEPS-DAMAGE-1"),  # too late
    ],
)
def test_gaps_that_are_not(
    talk: Talk, latest: int, before: int, reason: str, after: int, rule: str | None
) -> None:
    talk.reading(latest=latest)
    if before:
        talk.delivered(before)
    with refused(rule):
        (talk.invalid(reason) if reason else talk).delivered(after)


def test_what_a_subscription_did_not_ask_for(codec: Interpreter) -> None:
    with refused("ZEPS-SUBSCRIBE-3"):
        Talk(codec).reading(latest=7).delivered(7)
    ledger = Ledger()
    Talk(codec, ledger).reading().delivered(1).delivered(2)
    with refused("ZEPS-SUBSCRIBE-3"):
        Talk(codec, ledger).reading(latest=CREDIT_MAX).delivered(2)


def test_patterns_of_another_style_are_not_judged(codec: Interpreter) -> None:
    Talk(codec, regex="s").reading("^.b$").delivered(1, "ab")


def test_a_session_that_was_forgotten(talk: Talk) -> None:
    talk.reading()
    talk.referee.forgotten()
    with refused("ZEPS-PING-6"):
        talk.delivered(1)
