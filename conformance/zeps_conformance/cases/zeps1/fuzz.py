"""Random conversations of several clients, judged by an oracle in memory."""

from __future__ import annotations

from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.fuzz.campaign import FuzzResult, run_campaign
from zeps_conformance.fuzz.player import Player

CONVERSATIONS = 100
CONVERSATION_LIMIT = 20.0  # seconds for one conversation


@case(
    "Random conversations of three clients get the answers and the messages that the rules require",
    "ZEPS-SUBSCRIBE-3",
    "ZEPS-CREDIT-6",
    "ZEPS-PUBLISH-4",
    "ZEPS-INVALID-2",
    limit=120,
)
def conversations(t: BrokerTrial) -> None:
    count = t.volume(CONVERSATIONS, 20)
    t.step(f"Three clients take random steps, in {count} conversations.")
    result = FuzzResult(t.options.seed)

    def is_done(now: FuzzResult) -> bool:
        t.renew(CONVERSATION_LIMIT)
        return now.conversations >= count

    run_campaign(t.codec, t.options, result, is_done)
    finding = result.finding
    if finding is not None:
        t.step("The shortest conversation with a violation is played again.")
        Player(t, set()).play(finding.steps)
        raise FailureError(finding.expected, f"{finding.seen}, but not when it was repeated", finding.rule)
    t.observe("no violation", f"{result.conversations} conversations")
