"""Testees that do nothing right earn nothing."""

from __future__ import annotations

import pytest

from zeps_conformance.nulls.testees import NULL_TESTEES
from zeps_conformance.pubsub.columns import Effort, columns_of, run_columns
from zeps_conformance.pubsub.trial import Settings
from zeps_conformance.verdicts import Verdict


@pytest.mark.parametrize("role", ["PUB", "SUB", "PROXY"])
@pytest.mark.parametrize("name", NULL_TESTEES)
def test_no_case_passes(name: str, role: str) -> None:
    columns = columns_of(NULL_TESTEES[name], [role])
    (run,) = run_columns(columns, Settings(timeout=0.2, grace=0.02), Effort(jobs=8, retries=0))
    assert run.cases
    assert {case.verdict for case in run.cases} <= {Verdict.FAIL, Verdict.WARN}
