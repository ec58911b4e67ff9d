"""Runs of cases against brokers in this process."""

from __future__ import annotations

from collections.abc import Sequence

from toy_broker import STREAMS

from zeps_conformance.broker.options import Options, Streams
from zeps_conformance.common.case import Case
from zeps_conformance.common.results import RunResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.definitions import load_model
from zeps_conformance.runs.profiles import PROFILES
from zeps_conformance.runs.runner import Plan, fresh_nonce, run
from zeps_conformance.wire.endpoint import parse_endpoint
from zeps_conformance.wire.router_server import RouterServer

ZEPS1 = PROFILES["zeps1"]
MODEL = load_model()


def judge(
    broker: RouterServer,
    cases: Sequence[Case],
    *,
    timeout: float = 10.0,
    client_timeout: float | None = 20.0,
    retries: int = 0,
    jobs: int = 8,
    volume: float = 1.0,
    streams: Streams = STREAMS,
) -> RunResult:
    """Runs `cases` against a broker that is not started yet."""
    with broker:
        options = Options(
            parse_endpoint(broker.endpoint),
            timeout=timeout,
            client_timeout=client_timeout,
            nonce=fresh_nonce(),
            streams=streams,
            volume=volume,
        )
        return run(ZEPS1, MODEL, options, cases, Plan(jobs=jobs, retries=retries, name="toy"))


def others_than_passes(result: RunResult) -> list[tuple[str, str, str, str, str]]:
    """Returns id, verdict, expected, seen and reason of each case that does not pass."""
    return [
        (case.id, case.verdict.value, case.expected, case.seen, case.reason)
        for case in result.cases
        if case.verdict is not Verdict.PASS
    ]
