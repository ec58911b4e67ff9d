"""The mutation score, all cases that need nothing or time against every mutant: ``mutation_score.py [NAME…]``.

Exit status: 0 if each mutant is killed, and one with ``alone`` only by the cases that it names; 2 if the broker
without a defect fails a case; 1 otherwise. Takes minutes. The sections machine and guards are left out.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from toy_broker import STREAMS, ToyBroker
from toy_mutants import MUTANTS

from zeps_conformance.broker.options import Options
from zeps_conformance.common.case import Case, Needs
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.runs.profiles import PROFILES
from zeps_conformance.runs.runner import Plan, fresh_nonce, run
from zeps_conformance.wire.endpoint import parse_endpoint

CLIENT_TIMEOUT = 3.0
MODEL, PROFILE = load_model(), PROFILES["zeps1"]
CODEC = Interpreter(MODEL)


def killers(kind: type[ToyBroker], cases: Sequence[Case], volume: float, jobs: int = 8) -> list[str]:
    """Returns the ids of the cases that fail or warn."""
    with kind(CODEC, CLIENT_TIMEOUT) as broker:
        options = Options(
            parse_endpoint(broker.endpoint),
            timeout=2.0,
            client_timeout=CLIENT_TIMEOUT,
            streams=STREAMS,
            volume=volume,
            nonce=fresh_nonce(),
        )
        result = run(PROFILE, MODEL, options, cases, Plan(jobs=jobs, retries=0))
    return [case.id for case in result.cases if case.verdict in (Verdict.FAIL, Verdict.WARN)]


def main() -> int:
    # The complete test suite and the guards detect what other cases are for, too, which those must detect alone.
    cases = [
        case
        for case in PROFILE.cases()
        if case.needs in (Needs.NOTHING, Needs.TIME) and case.section not in ("machine", "guards")
    ]
    if failing := killers(ToyBroker, cases, 0.02):
        print(f"the broker without a defect fails {', '.join(failing)}: this machine is too busy to measure")
        return 2
    survivors, shared, single = [], [], 0
    names = sys.argv[1:] or list(MUTANTS)
    for name in names:
        kind = MUTANTS[name]
        ids = killers(kind, cases, kind.volume)
        print(f"{name:<32} {len(ids):>3}  {', '.join(ids[:3])}{' …' if len(ids) > 3 else ''}", flush=True)
        survivors += [] if ids else [name]
        single += len(ids) == 1
        named = {f"zeps1.{case}" for case in kind.killed_by}
        others = [case for case in cases if case.id in ids and case.id not in named]
        if kind.alone and others:  # repeated with one job: a busy machine makes cases fail
            shared += [f"{name} by {case}" for case in killers(kind, others, 0.02, jobs=1)]
    killed = len(names) - len(survivors)
    print(f"{killed} of {len(names)} mutants killed; {single} killed by one case only")
    print(f"survivors: {', '.join(survivors) or 'none'}")
    print(f"killed by cases that they do not name: {'; '.join(shared) or 'none'}")
    return 1 if survivors or shared else 0


if __name__ == "__main__":
    sys.exit(main())
