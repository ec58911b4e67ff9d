"""Trees of real `zeps forward` processes, whose links are counted on the wire; `make soak` runs them at full size."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

from campaigns import SOAK, seeds

from trees.campaign import CAP, FULL, SMALL, Traffic, run

SIZE = FULL if SOAK else SMALL
SEEDS = [seed + 1 for seed in seeds(1, 10)]
CAPPED = f"cap {CAP}"


def told(found: Traffic) -> None:
    """Prints the result, for runs with -s."""
    phases = ", ".join(f"{phase.name} {phase.wishes}" for phase in found.phases)
    print(f"\n{', '.join(found.policies)}: {found.wishes} wishes reached the publisher ({phases})")


def test_each_policy_brings_what_is_wanted_and_what_it_asks_for_is_counted() -> None:
    """Only needed messages are forwarded, except a cap's full feed; `count` and `cover` request less than `every`."""
    for seed in SEEDS:
        found = {policy: run([policy], SIZE, seed) for policy in ("every", "count", "cover", CAPPED)}
        for each in found.values():
            told(each)
        assert found["cover"].wishes < found["every"].wishes
        assert found["count"].wishes < found["every"].wishes
        assert [found[policy].unwanted for policy in ("every", "count", "cover")] == [0, 0, 0]
        assert found[CAPPED].unwanted > 0  # the cap had been reached


def test_a_tree_of_all_policies() -> None:
    for seed in SEEDS:
        told(run(["count", "every", "cover", CAPPED], SIZE, seed))
