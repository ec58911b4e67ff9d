"""What each policy asks of a publisher: a tree of `zeps forward` processes, four layers of them, and 200 subscribers.

    python benchmarks/forwarder_tree.py [--small] [--seed N]

The subscribers come, change their subscriptions 2,000 times, leave and come back, see a process in the middle killed
and started again, and leave. All is counted on the wire, by the publisher and by relays in the links, and between the
phases the tree is looked at while it rests: every subscriber gets exactly what it wants, every link carries a
message once if somebody below wants it, and not at all if nobody does. It exits with 1 if that does not hold.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict

from report import RESULTS, machine, say
from trees.campaign import CAP, FULL, SMALL, Size, Traffic, run
from trees.net import TreeError

POLICIES = (("every",), ("count",), ("cover",), (f"cap {CAP}",), ("count", "every", "cover", f"cap {CAP}"))
NOTES = """\
Subscriptions and cancellations that reached the publisher, in all, their octets, and in each phase: the subscribers
arrive, churn, lose a process in the middle, leave. On the links: those below the root, and the messages of the rounds
at rest, one of each topic; the last column is those that nobody below wanted, which a cap allows above the node that it
lets ask for everything."""


def table(found: Sequence[Traffic], size: Size) -> str:
    phases = [phase.name.replace("_", " ") for phase in found[0].phases]
    heads = ["policy", "in all", "octets", *phases, "on the links", "messages", "unwanted"]
    lines = [
        "### What reaches the publisher of a tree",
        "",
        "| " + " | ".join(heads) + " |",
        "|---" + "|---:" * (len(heads) - 1) + "|",
    ]
    for each in found:
        below = sum(phase.wishes_below for phase in each.phases)
        figures = [
            each.wishes,
            each.octets,
            *(phase.wishes for phase in each.phases),
            below,
            each.crossings,
            each.unwanted,
        ]
        lines.append(
            f"| {', '.join(each.policies)} | " + " | ".join(f"{figure:,}" for figure in figures) + " |"
        )
    layers = ", ".join(map(str, size.widths))
    note = (
        f"Layers of {layers} processes, {size.subscribers} subscribers, {size.steps:,} changes. "
        "The policies of the last row take turns."
    )
    return "\n".join(
        [*lines, "", NOTES, "", note, "", f"{machine()}, {time.strftime('%Y-%m-%d', time.gmtime())}"]
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--small", action="store_true", help="five processes, 40 subscribers; nothing is written"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    size = SMALL if options.small else FULL
    found = []
    for policies in POLICIES:
        try:
            found.append(run(policies, size, options.seed))
        except TreeError as error:
            say(f"{', '.join(policies)}: {error}")
            return 1
        say(
            f"{', '.join(policies)}: {found[-1].wishes} subscriptions and cancellations reached the publisher"
        )
    text = table(found, size)
    print(text)
    if not options.small:
        (RESULTS / "forwarder_tree.md").write_text(text + "\n")
        document = {"machine": machine(), "size": asdict(size), "policies": [asdict(each) for each in found]}
        (RESULTS / "forwarder_tree.json").write_text(json.dumps(document, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
