"""The reference broker passes the cases that stop, kill and measure it; in `make soak` all, at full size.

In `make test` it passes the others behind a slow link (slow/test_slow_brokers.py).
"""

from __future__ import annotations

from pathlib import Path

from campaigns import SOAK
from runs import MODEL, ZEPS1, others_than_passes

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.process import BrokerProcess, load_broker
from zeps_conformance.common.case import Needs
from zeps_conformance.runs.runner import Plan, fresh_nonce, run
from zeps_conformance.wire.endpoint import parse_endpoint

BROKER = Path(__file__).parents[3] / "conformance" / "implementations" / "zeps.toml"
VOLUME = 1.0 if SOAK else 0.1  # of the messages in cases of scale


def test_it_passes() -> None:
    cases = [case for case in ZEPS1.cases() if SOAK or case.needs is not Needs.NOTHING]
    description = load_broker(BROKER)
    with BrokerProcess(description) as process:
        options = Options(
            parse_endpoint(process.endpoint),
            timeout=20.0,
            client_timeout=description.client_timeout,
            nonce=fresh_nonce(),
            streams=description.streams,
            control=process,
            volume=VOLUME,
        )
        result = run(ZEPS1, MODEL, options, cases, Plan(retries=1, name="zeps broker"))
    others = {case: (verdict, *rest) for case, verdict, *rest in others_than_passes(result)}
    if SOAK:
        assert others.pop("zeps1.opening.closed-stream")[0] == "unsupported"  # no settings close a stream
    assert not others, "\n".join(map(str, others.items()))
