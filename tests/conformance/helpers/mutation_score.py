"""The mutation score, all cases that need nothing or time against every mutant: ``mutation_score.py [NAME…]``.

Exit status: 0 if each mutant is killed, and one with ``alone`` only by the cases that it names; 2 if the broker
without a defect fails a case; 1 otherwise. Takes minutes. The sections machine and guards are left out.
"""

from __future__ import annotations

import functools
import sys
from dataclasses import replace

from toy_broker import STREAMS, ToyBroker
from toy_mutants import MUTANTS

from zeps_conformance.broker.options import Options
from zeps_conformance.common.case import Needs
from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.mutants import Score, measure
from zeps_conformance.runs.profiles import PROFILES
from zeps_conformance.wire.endpoint import parse_endpoint

CLIENT_TIMEOUT = 3.0


def main() -> int:
    model, profile = load_model(), PROFILES["zeps1"]
    codec = Interpreter(model)
    # The complete test suite and the guards detect what other cases are for, too, which those must detect alone.
    cases = [
        case
        for case in profile.cases()
        if case.needs in (Needs.NOTHING, Needs.TIME) and case.section not in ("machine", "guards")
    ]
    options = Options(
        parse_endpoint("tcp://127.0.0.1:1"),
        timeout=2.0,
        client_timeout=CLIENT_TIMEOUT,
        streams=STREAMS,
        volume=0.02,
    )
    sound = measure(
        {"sound": functools.partial(ToyBroker, codec, CLIENT_TIMEOUT)},
        profile,
        model,
        lambda name: cases,
        options,
    )
    if failing := sound.killers["sound"]:
        print(f"the broker without a defect fails {', '.join(failing)}: this machine is too busy to measure")
        return 2
    killers: dict[str, tuple[str, ...]] = {}
    for name in sys.argv[1:] or MUTANTS:
        mutant = {name: functools.partial(MUTANTS[name], codec, CLIENT_TIMEOUT)}
        at_size = replace(options, volume=MUTANTS[name].volume)
        killers |= measure(mutant, profile, model, lambda name: cases, at_size).killers
        case_ids = killers[name]
        print(
            f"{name:<32} {len(case_ids):>3}  {', '.join(case_ids[:3])}{' …' if len(case_ids) > 3 else ''}",
            flush=True,
        )
    score = Score(killers)
    shared = []
    for name, case_ids in score.killers.items():
        named = {f"zeps1.{case}" for case in MUTANTS[name].killed_by}
        others = [case for case in cases if case.id in case_ids and case.id not in named]
        if MUTANTS[name].alone and others:  # repeated with one job: a busy machine makes cases fail
            mutant = {name: functools.partial(MUTANTS[name], codec, CLIENT_TIMEOUT)}
            again = measure(mutant, profile, model, lambda name, others=others: others, options, jobs=1)
            shared += [f"{name} by {case}" for case in again.killers[name]]
    single = sum(len(killers) == 1 for killers in score.killers.values())
    print(f"{score}; {single} killed by one case only")
    print(f"killed by cases that they do not name: {'; '.join(shared) or 'none'}")
    return 1 if score.survivors or shared else 0


if __name__ == "__main__":
    sys.exit(main())
