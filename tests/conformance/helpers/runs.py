"""Runs of cases against brokers in this process."""

from __future__ import annotations

from collections.abc import Sequence

from toy_broker import STREAMS

from zeps_conformance.broker.options import Options
from zeps_conformance.common.case import Case
from zeps_conformance.common.results import RunResult
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
) -> RunResult:
    """Runs `cases` against a broker that is not started yet."""
    with broker:
        options = Options(
            parse_endpoint(broker.endpoint),
            timeout=timeout,
            client_timeout=client_timeout,
            nonce=fresh_nonce(),
            streams=STREAMS,
        )
        return run(ZEPS1, MODEL, options, cases, Plan(jobs=jobs, retries=retries, name="toy"))
