"""Runs of cases of profile zeps1-client against clients in this process."""

from __future__ import annotations

from collections.abc import Callable

from toy_client import ToyAdapter, ToyClient

from zeps_conformance.clients.attempt import run_client_case
from zeps_conformance.common.case import Case
from zeps_conformance.common.results import CaseResult
from zeps_conformance.runs.profiles import PROFILES
from zeps_conformance.sockets.context import Settings, ZmtpProtocol
from zeps_conformance.wire.zmtp_codec import packaged_wire

__all__ = ["CLIENT_PROFILE", "PROTOCOL", "judge_client"]

CLIENT_PROFILE = PROFILES["zeps1-client"]
PROTOCOL = ZmtpProtocol(packaged_wire(), CLIENT_PROFILE.rulebook())


def judge_client(
    case: Case,
    kind: type[ToyClient] = ToyClient,
    timeout: float = 2.0,
    adapter: Callable[[type[ToyClient]], ToyAdapter] = ToyAdapter,
    record: bool = False,
) -> CaseResult:
    """Runs `case` against toy clients of the given kind."""
    clients = adapter(kind)
    try:
        return run_client_case(case, clients, PROTOCOL, Settings(timeout=timeout, record=record))
    finally:
        clients.stop()
