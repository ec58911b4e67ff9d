"""Measurement of the suite: an implementation of the specifications passes, and the same with one defect does not."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from toy_faults import KILLERS, REFEREED

from implementations import attempt
from zeps_conformance.common.case import Case
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.runs.profiles import PROFILES, Profile
from zeps_conformance.sockets.adapter import TYPES, Adapter, Implementation
from zeps_conformance.sockets.context import Settings, ZmtpProtocol
from zeps_conformance.wire.zmtp_codec import packaged_wire

HELPERS = Path(__file__).parents[2] / "helpers"
BROKEN = (Verdict.FAIL, Verdict.DEVIATION)


@pytest.fixture(scope="module")
def toy() -> Iterator[Adapter]:
    command = (sys.executable, str(HELPERS / "toy_faults.py"))
    with Adapter(Implementation(Path("toy.toml"), "toy", command, TYPES)) as adapter:
        yield adapter


def profile_and_case(case_id: str) -> tuple[Profile, Case]:
    profile = PROFILES[case_id.split(".")[0]]
    (case,) = profile.cases([case_id])
    return profile, case


def judge(toy: Adapter, fault: str, *case_ids: str, timeout: float = 10.0) -> list[CaseResult]:
    """Runs cases on new sockets with a defect; ``none`` means without one."""
    results = []
    for case_id in case_ids:
        toy.ask("become", fault=fault)
        toy.retired = False
        profile, case = profile_and_case(case_id)
        says = ZmtpProtocol(packaged_wire(), profile.rulebook())
        socket_type = (case.types or profile.types)[0]
        results.append(attempt(case, toy, socket_type, Settings(timeout=timeout), says))
    return results


#: Defects in the filter extension; of all cases of filters, only cases of one subject detect each.
ONE_CASE = [fault for fault, case_id in KILLERS.items() if ".filters." in case_id]


@pytest.mark.parametrize("fault", ONE_CASE)
def test_no_other_case_of_filters_notices(toy: Adapter, fault: str) -> None:
    profile, killer = profile_and_case(KILLERS[fault])
    others = [case.id for case in profile.cases(["filters.*"]) if case.base_id != killer.base_id]
    results = judge(toy, fault, *others)
    assert [result.id for result in results if result.verdict is not Verdict.PASS] == []


@pytest.mark.parametrize("fault", KILLERS)
def test_a_mistake_is_noticed(toy: Adapter, fault: str) -> None:
    (sound,) = judge(toy, "none", KILLERS[fault])
    assert sound.verdict is Verdict.PASS
    (broken,) = judge(toy, fault, KILLERS[fault], timeout=1.0)  # the awaited messages do not arrive
    profile, _ = profile_and_case(KILLERS[fault])
    level = profile.rulebook().rule(broken.rule or broken.rules[0]).level
    assert broken.verdict in (BROKEN if level == "MUST" else (Verdict.WARN,))


@pytest.mark.parametrize("fault", REFEREED)
def test_the_referee_sees_what_the_case_does_not_ask_for(toy: Adapter, fault: str) -> None:
    case_id, rule = REFEREED[fault]
    (sound,) = judge(toy, "none", case_id)
    assert sound.verdict is Verdict.PASS
    (broken,) = judge(toy, fault, case_id)
    assert (broken.rule, broken.checked) == (rule, Verdict.PASS)
    assert broken.verdict is Verdict.FAIL
    assert "byte" in broken.seen


@pytest.mark.parametrize(
    ("behaviour", "case_id"),
    [
        ("closes-for-an-older-peer", "zmtp-sub.greeting.lower-minor"),
        ("asks-for-more", "zmtp-proxy.upstream.cancelled-meanwhile-3-1"),
        ("pings-at-once", "zmtp-pub.match.never-subscribed-3-1"),
        ("detects-older-peers", "zmtp-pub.versions.two-zero"),
        ("detects-older-peers", "zmtp-pub.versions.two-zero-req"),
        ("late-greeting", "zmtp-pub.greeting.unasked"),
        ("later-greeting", "zmtp-pub.greeting.eleven-are-enough"),
        ("later-greeting", "zmtp-pub.greeting.answered-in-full"),
        ("later-greeting", "zmtp-sub.greeting.whole-for-whole"),
        ("closes-late", "zmtp-sub.framing.too-large-command-3-1"),
        ("closes-late", "zmtp-pub.commands.malformed-empty"),
        ("late-pong", "zmtp-pub.heartbeat.expires-3-1"),
        ("drops-interrupted", "zmtp-sub.framing.command-amid-message-3-1"),
        ("waits-for-work", "zmtp-sub.subscribe.beyond-the-queue-3-1"),
        ("small-queue", "zmtp-sub.hostile.unasked-flood"),
    ],
)
def test_what_the_rules_allow_passes(toy: Adapter, behaviour: str, case_id: str) -> None:
    (result,) = judge(toy, behaviour, case_id)
    assert result.verdict is Verdict.PASS, (result.expected, result.seen, result.reason)


UPSTREAM = "zmtp-proxy.upstream.returns-3-1", "zmtp-proxy.upstream.other-version"


@pytest.fixture
def older(toy: Adapter) -> Iterator[Adapter]:
    """The toy while what it announces is not known."""
    toy.announced.clear()
    yield toy
    toy.announced.clear()
    toy.beyond.clear()


@pytest.mark.parametrize("case_ids", [UPSTREAM, UPSTREAM[::-1]])
def test_a_version_that_is_not_announced_is_tried_in_every_order_of_cases(
    older: Adapter, case_ids: tuple[str, ...]
) -> None:
    results = judge(older, "announces-three-zero", *case_ids)
    assert {result.verdict for result in results} == {Verdict.UNSUPPORTED}
    assert older.beyond == {"PROXY to Publisher": "older"}


def test_a_subscriber_is_tried_by_a_publisher(older: Adapter) -> None:
    (result,) = judge(older, "announces-three-zero", "zmtp-sub.metadata.own-3-1")
    assert result.verdict is Verdict.UNSUPPORTED
    assert result.reason == (
        "the implementation announces ZMTP 3.0, and uses the forms of 3.0 with a peer that speaks 3.1"
    )
