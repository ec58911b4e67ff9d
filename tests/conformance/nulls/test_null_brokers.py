"""Null brokers pass no negative case."""

from __future__ import annotations

import pytest
from runs import ZEPS1, judge

from zeps_conformance.common.case import Needs, Polarity
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.nulls import NULLS

CASES = [case for case in ZEPS1.cases() if case.needs is Needs.NOTHING]
NEGATIVE = [case for case in CASES if case.polarity is Polarity.NEGATIVE]
POSITIVE = [case for case in CASES if case.polarity is Polarity.POSITIVE]
UNTRIED = {"zeps1.subscribe.too-many"}  # not applicable to a broker that grants every subscription
SPEAKS = {"accept-and-deliver": 20, "stale": 15, "deliver-to-everybody": 25, "ignore-credit": 45}


@pytest.mark.parametrize("name", NULLS)
def test_no_negative_case_passes(name: str, codec: Interpreter) -> None:
    result = judge(NULLS[name](codec), NEGATIVE, timeout=0.25, jobs=16, volume=0.02)
    failed = (Verdict.FAIL, Verdict.BLOCKED)
    others = {case.id: case.verdict for case in result.cases if case.verdict not in failed}
    assert set(others.values()) <= {Verdict.UNSUPPORTED}
    assert set(others) <= UNTRIED


@pytest.mark.parametrize("name", NULLS)
def test_hardly_a_positive_case_passes(name: str, codec: Interpreter) -> None:
    result = judge(NULLS[name](codec), POSITIVE, timeout=0.25, jobs=16, volume=0.02)
    passed = [case.id for case in result.cases if case.verdict is Verdict.PASS]
    assert len(passed) <= SPEAKS.get(name, 0), passed
