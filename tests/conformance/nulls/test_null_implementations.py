"""Null implementations pass no negative case."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from zeps_conformance.common.case import Case
from zeps_conformance.common.processes import resident
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.nulls.adapter import KINDS, Null
from zeps_conformance.nulls.implementations import NULL_IMPLEMENTATIONS
from zeps_conformance.runs.columns import columns_of
from zeps_conformance.sockets.adapter import Adapter
from zeps_conformance.sockets.context import Settings
from zeps_conformance.sockets.pubsub.attempt import run_case

SETTINGS = Settings(timeout=0.2, grace=0.02)
JOBS = 32  # mostly waiting


class NullAdapter(Adapter):
    """A null adapter in this process, because processes take longer to start than a case to fail."""

    def __init__(self, kind: str) -> None:
        self.retired = False
        self.announced = {}
        self.beyond = {}
        self._null = Null(KINDS[kind])

    @property
    def alive(self) -> bool:
        return True

    def ask(self, op: str, /, patience: float = 2.0, **fields: Any) -> Mapping[str, Any]:
        return self._null.answer({"op": op, **fields})

    @property
    def log(self) -> str:
        return ""

    def memory(self) -> int:
        return resident(os.getpid())

    def ends(self, within: float) -> bool:
        return False

    def stop(self) -> None:
        self._null.stop()


@pytest.mark.parametrize("role", ["PUB", "SUB", "PROXY"])
@pytest.mark.parametrize("name", NULL_IMPLEMENTATIONS)
def test_no_case_passes(name: str, role: str) -> None:
    (column,) = columns_of(NULL_IMPLEMENTATIONS[name], [role])

    def judge(case: Case) -> CaseResult:
        with NullAdapter(name) as adapter:
            return run_case(case, role, adapter, column.protocol, SETTINGS)

    with ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(judge, sorted(column.cases, key=lambda case: -case.limit)))
    assert len(results) == len(column.cases) > 0
    assert {case.verdict for case in results} <= {Verdict.FAIL, Verdict.WARN}
