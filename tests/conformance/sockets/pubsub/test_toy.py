"""Measurement of the suite: an implementation of the specifications passes, and the same with one defect does
not.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from implementations import attempt
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.runs.columns import profile_of
from zeps_conformance.runs.profiles import PROFILES
from zeps_conformance.sockets.adapter import Adapter, Implementation
from zeps_conformance.sockets.context import Settings, ZmtpProtocol
from zeps_conformance.wire.zmtp_codec import packaged_wire

HELPERS = Path(__file__).parents[2] / "helpers"
BROKEN = (Verdict.FAIL, Verdict.DEVIATION)

#: For each defect, a socket type that has it, and a case that must detect it.
KILLERS = {
    "cancels-all": ("PUB", "zmtp-pub.subscriptions.twice-3-1"),
    "exact": ("PUB", "zmtp-pub.match.binary-3-1"),
    "any-frame": ("PUB", "zmtp-pub.match.first-frame-3-1"),
    "no-empty-topic": ("PUB", "zmtp-pub.match.empty-topic-3-1"),
    "up-to-nul": ("PUB", "zmtp-pub.match.zero-ends-nothing-3-1"),
    "to-all": ("PUB", "zmtp-pub.match.binary-3-1"),
    "per-subscription": ("PUB", "zmtp-pub.delivery.once-3-1"),
    "loses-frames": ("PUB", "zmtp-pub.delivery.whole-3-1"),
    "shortens-frames": ("PUB", "zmtp-pub.framing.sizes-3-1"),
    "swaps-messages": ("PUB", "zmtp-pub.delivery.order-3-1"),
    "only-messages": ("PUB", "zmtp-pub.subscriptions.twice-3-1"),
    "never-forgets": ("XPUB", "zmtp-pub.notices.peer-goes-close-3-1"),
    "tells-nothing": ("XPUB", "zmtp-pub.notices.peer-goes-close-3-1"),
    "hides-messages": ("XPUB", "zmtp-pub.messages.shown-3-1"),
    "overwhelmed": ("PUB", "zmtp-pub.subscriptions.greedy-neighbour-3-1"),
    "proxy-overwhelmed": ("PROXY", "zmtp-proxy.data.greedy-neighbour-3-1"),
    "lists-twice": ("PUB", "zmtp-pub.filters.announced"),
    "filters-as-topics": ("PUB", "zmtp-pub.filters.everything-3-1"),
    "keeps-filters": ("PUB", "zmtp-pub.filters.until-cancelled-3-0"),
    "set-of-filters": ("PUB", "zmtp-pub.filters.twice-3-1"),
    "topics-cancel-filters": ("PUB", "zmtp-pub.filters.beside-topics-3-1"),
    "any-filter-of-the-kind": ("PUB", "zmtp-pub.filters.others-cancelled-3-0"),
    "hangs-up": ("PUB", "zmtp-pub.filters.unknown-command-3-1"),
    "everything-instead": ("PROXY", "zmtp-proxy.filters.forwarded-3-0"),
    "any-is-a-kind": ("PROXY", "zmtp-proxy.filters.any-kind-3-1"),
    "to-every-publisher": ("PROXY", "zmtp-proxy.filters.not-known-3-1"),
    "one-reason": ("PROXY", "zmtp-proxy.filters.two-reasons-3-1"),
    "brings-nothing": ("PROXY", "zmtp-proxy.filters.everything-3-0"),
    "keeps-messages": ("PROXY", "zmtp-proxy.filters.messages-upstream-3-1"),
    "proxy-hangs-up": ("PROXY", "zmtp-proxy.filters.unknown-command-3-1"),
    "first-queue-first": ("SUB", "zmtp-sub.queues.in-turn-3-1"),
    "always-messages": ("SUB", "zmtp-sub.subscribe.as-command-3-1"),
    "always-commands": ("SUB", "zmtp-sub.subscribe.as-message-3-0"),
    "never-cancels": ("SUB", "zmtp-sub.subscribe.balance-3-1"),
    "cancels-early": ("SUB", "zmtp-sub.subscribe.one-of-two-3-1"),
    "forgets": ("SUB", "zmtp-sub.reconnect.closed-3-1"),
    "one-frame": ("SUB", "zmtp-sub.messages.multipart-3-1"),
    "shows-commands": ("SUB", "zmtp-sub.framing.command-names-3-1"),
    "any-mechanism": ("SUB", "zmtp-sub.greeting.mechanisms"),
    "no-pong": ("SUB", "zmtp-sub.heartbeat.answered-3-1"),
    "pong-without-context": ("SUB", "zmtp-sub.heartbeat.answered-3-1"),
}


def judge(fault: str, socket_type: str, *case_ids: str, timeout: float = 10.0) -> list[CaseResult]:
    command = (sys.executable, str(HELPERS / "toy_faults.py"), fault)
    profile = profile_of(socket_type)
    says = ZmtpProtocol(packaged_wire(), PROFILES[profile.name].rulebook())
    with Adapter(Implementation(Path("toy.toml"), "toy", command, (socket_type,))) as adapter:
        return [
            attempt(one, adapter, socket_type, Settings(timeout=timeout), says)
            for one in profile.cases(case_ids)
        ]


#: Defects in the filter extension; of all cases of filters, only cases of one subject detect each.
ONE_CASE = [fault for fault, (_, case_id) in KILLERS.items() if ".filters." in case_id]


@pytest.mark.parametrize("fault", ONE_CASE)
def test_no_other_case_of_filters_notices(fault: str) -> None:
    socket_type, case_id = KILLERS[fault]
    killer = base(case_id)
    others = [one.id for one in profile_of(socket_type).cases(["filters.*"]) if base(one.id) != killer]
    results = judge(fault, socket_type, *others)
    assert [one.id for one in results if one.verdict is not Verdict.PASS] == []


def base(case_id: str) -> str:
    return case_id.removesuffix("-3-0").removesuffix("-3-1")


@pytest.mark.parametrize("fault", KILLERS)
def test_a_mistake_is_noticed(fault: str) -> None:
    socket_type, case_id = KILLERS[fault]
    (sound,) = judge("none", socket_type, case_id)
    assert sound.verdict is Verdict.PASS
    (broken,) = judge(fault, socket_type, case_id, timeout=1.0)  # the awaited messages do not arrive
    if broken.level == "MUST":
        assert broken.verdict in BROKEN
    else:
        assert broken.verdict is Verdict.WARN
