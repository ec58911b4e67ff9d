"""Null implementations pass no negative case."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from zeps_conformance.common.case import Case
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.nulls.implementations import NULL_IMPLEMENTATIONS
from zeps_conformance.runs.columns import Column, columns_of
from zeps_conformance.sockets.adapter import Adapter
from zeps_conformance.sockets.context import Settings
from zeps_conformance.sockets.pubsub.attempt import run_case

SETTINGS = Settings(timeout=0.2, grace=0.02)
JOBS = 32  # mostly waiting


@pytest.mark.parametrize("role", ["PUB", "SUB", "PROXY"])
@pytest.mark.parametrize("name", NULL_IMPLEMENTATIONS)
def test_no_case_passes(name: str, role: str) -> None:
    (column,) = columns_of(NULL_IMPLEMENTATIONS[name], [role])
    results = judge(column)
    assert len(results) == len(column.cases) > 0
    assert {case.verdict for case in results} <= {Verdict.FAIL, Verdict.WARN}


def judge(column: Column) -> list[CaseResult]:
    """Runs every case once, in processes that are reused after a finding: they have no state that it could corrupt."""
    cases = sorted(column.cases, key=lambda one: -one.limit)
    with ThreadPoolExecutor(JOBS) as pool:
        shares = [pool.submit(judge_share, column, cases[first::JOBS]) for first in range(JOBS)]
    return [result for share in shares for result in share.result()]


def judge_share(column: Column, cases: Sequence[Case]) -> list[CaseResult]:
    results = []
    with Adapter(column.implementation) as adapter:
        for one in cases:
            results.append(run_case(one, column.type, adapter, column.protocol, SETTINGS))
            assert adapter.alive, f"{column.name} exited during {one.id}"
    return results
