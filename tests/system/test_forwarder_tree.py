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


def print_traffic(traffic: Traffic) -> None:
    """Prints the result, for runs with -s."""
    phases = ", ".join(f"{phase.name} {phase.wishes}" for phase in traffic.phases)
    print(f"\n{', '.join(traffic.policies)}: {traffic.wishes} wishes reached the publisher ({phases})")


def test_each_policy_brings_what_is_wanted_and_what_it_asks_for_is_counted() -> None:
    """Only needed messages are forwarded, except a cap's full feed; `count` and `cover` request less than `every`."""
    for seed in SEEDS:
        traffic_by_policy = {
            policy: run([policy], SIZE, seed) for policy in ("every", "count", "cover", CAPPED)
        }
        for traffic in traffic_by_policy.values():
            print_traffic(traffic)
        assert traffic_by_policy["cover"].wishes < traffic_by_policy["every"].wishes
        assert traffic_by_policy["count"].wishes < traffic_by_policy["every"].wishes
        assert [traffic_by_policy[policy].unwanted for policy in ("every", "count", "cover")] == [0, 0, 0]
        assert traffic_by_policy[CAPPED].unwanted > 0  # the cap had been reached


def test_a_tree_of_all_policies() -> None:
    for seed in SEEDS:
        print_traffic(run(["count", "every", "cover", CAPPED], SIZE, seed))
