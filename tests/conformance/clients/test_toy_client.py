"""The toy client passes, and each of its defects is detected by the intended case."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from client_runs import CLIENT_PROFILE, judge_client
from toy_client_faults import FAULTS

from zeps_conformance.common.case import Case
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import Verdict

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("toy-client")]
JOBS = 12  # mostly waiting


def test_the_toy_client_passes_every_case() -> None:
    cases = CLIENT_PROFILE.cases()
    alone = [case for case in cases if ".hostile." in case.id]  # they measure the memory of this process
    with ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(_judge, [case for case in cases if case not in alone]))
    results += map(_judge, alone)
    assert len(results) > 60
    assert {
        result.id: (result.expected, result.seen) for result in results if result.verdict is not Verdict.PASS
    } == {}


def _judge(case: Case) -> CaseResult:
    return judge_client(case, timeout=5.0)


@pytest.fixture(scope="module")
def results() -> dict[str, CaseResult]:
    """The result of the intended case for each defect, by its name."""
    cases = {kind: CLIENT_PROFILE.cases([killer])[0] for kind, killer in FAULTS.items()}
    with ThreadPoolExecutor(JOBS) as pool:
        judged = pool.map(lambda kind: judge_client(cases[kind], kind, timeout=1.0), FAULTS)
        return dict(zip((kind.__name__ for kind in FAULTS), judged, strict=True))


@pytest.mark.parametrize("name", [kind.__name__ for kind in FAULTS])
def test_a_defect_is_detected_by_the_intended_case(name: str, results: dict[str, CaseResult]) -> None:
    result = results[name]
    assert result.verdict is Verdict.FAIL, (result.verdict, result.reason, result.seen)
    assert result.rule in ("", *result.rules), (result.rule, result.expected, result.seen)
