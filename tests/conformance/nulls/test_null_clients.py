"""Null clients pass no case."""

from __future__ import annotations

import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from client_runs import CLIENT_PROFILE, PROTOCOL

from zeps_conformance.clients.attempt import run_client_case
from zeps_conformance.common.case import Case
from zeps_conformance.common.processes import resident
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.nulls.client_adapter import KINDS, NullClients
from zeps_conformance.nulls.implementations import NULL_CLIENTS
from zeps_conformance.sockets.adapter import Adapter
from zeps_conformance.sockets.context import Settings

SETTINGS = Settings(timeout=0.15)
JOBS = 32  # mostly waiting


class NullAdapter(Adapter):
    """A null adapter in this process, because processes take longer to start than a case to fail."""

    def __init__(self, kind: str) -> None:
        self.retired = False
        self._null = NullClients(kind)

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


@pytest.mark.slow
@pytest.mark.parametrize("name", NULL_CLIENTS)
def test_no_case_passes(name: str) -> None:
    assert name in KINDS

    def judge(case: Case) -> CaseResult:
        with NullAdapter(name) as adapter:
            return run_client_case(case, adapter, PROTOCOL, SETTINGS)

    with ThreadPoolExecutor(JOBS) as pool:
        results = list(pool.map(judge, CLIENT_PROFILE.cases()))
    others = {result.id: result.verdict for result in results if result.verdict is not Verdict.FAIL}
    assert set(others.values()) <= {Verdict.WARN}, others
