"""One attempt at one case of a ROUTER behind an endpoint."""

from __future__ import annotations

from zeps_conformance.common.case import Case
from zeps_conformance.common.judging import judge
from zeps_conformance.common.results import CaseResult
from zeps_conformance.sockets.brackets import bracketed
from zeps_conformance.sockets.context import Settings, ZmtpProtocol
from zeps_conformance.sockets.router.context import RouterUnderTest
from zeps_conformance.sockets.router.trial import RouterTrial

__all__ = ["run_case"]


def run_case(case: Case, router: RouterUnderTest, protocol: ZmtpProtocol, settings: Settings) -> CaseResult:
    """Runs `case` on `router`."""
    trial = RouterTrial(case, router, protocol, settings)

    def act() -> None:
        try:
            bracketed(trial)
        finally:
            trial.close()

    return judge(case, protocol.rulebook, trial, act, lambda line: "")
