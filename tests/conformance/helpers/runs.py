"""Running cases against brokers that live in this process."""

from __future__ import annotations

from collections.abc import Sequence

from toy_broker import STREAMS

from zeps_conformance.case import Case
from zeps_conformance.model import load_model
from zeps_conformance.options import Options
from zeps_conformance.profiles import PROFILES
from zeps_conformance.raw.endpoint import parse_endpoint
from zeps_conformance.raw.listener import Listener
from zeps_conformance.results import RunResult
from zeps_conformance.runner import Plan, fresh_nonce, run

ZEPS1 = PROFILES["zeps1"]
MODEL = load_model()


def judge(
    broker: Listener,
    cases: Sequence[Case],
    *,
    timeout: float = 10.0,
    client_timeout: float | None = 20.0,
    retries: int = 0,
    jobs: int = 8,
) -> RunResult:
    """Run `cases` against a broker that is not started yet."""
    with broker:
        options = Options(
            parse_endpoint(broker.endpoint),
            timeout=timeout,
            client_timeout=client_timeout,
            nonce=fresh_nonce(),
            streams=STREAMS,
        )
        return run(ZEPS1, MODEL, options, cases, Plan(jobs=jobs, retries=retries, target="toy"))
