"""Load of each policy on a publisher: a tree of `zeps forward` processes in four layers, with 200 subscribers.

The subscribers connect, change their subscriptions 2,000 times, disconnect and reconnect; a process in the middle is
killed and restarted; then all leave. Publisher and relays in the links count the traffic. Between the phases the idle
tree is checked: every subscriber gets exactly the messages that it subscribed to, and a link carries a message once if
a subscriber below needs it, and not otherwise (except above a node that exceeds the cap of its policy). Exit codes: 0
all checks passed, 1 a check failed, 2 usage error.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict

from report import RESULTS, machine, parser_of, say
from trees.campaign import CAP, FULL, SMALL, Size, Traffic, run
from trees.net import TreeError

POLICIES = (("every",), ("count",), ("cover",), (f"cap {CAP}",), ("count", "every", "cover", f"cap {CAP}"))
NOTES = """\
Subscriptions and cancellations that reached the publisher: in total, their bytes, and in each phase (the subscribers
arrive, churn, lose a process in the middle, leave). On the links: those on the links below the root, and the messages
of the check rounds, one per topic. The last column counts messages that no subscriber below needs; the policy cap
allows them above a node that exceeds its cap and therefore subscribes to all messages."""


def table(results: Sequence[Traffic], size: Size) -> str:
    phases = [phase.name.replace("_", " ") for phase in results[0].phases]
    heads = ["policy", "total", "bytes", *phases, "on the links", "messages", "unwanted"]
    lines = [
        "### Subscriptions that reach the publisher of a tree",
        "",
        "| " + " | ".join(heads) + " |",
        "|---" + "|---:" * (len(heads) - 1) + "|",
    ]
    for traffic in results:
        below = sum(phase.wishes_below for phase in traffic.phases)
        wishes = (phase.wishes for phase in traffic.phases)
        figures = [traffic.wishes, traffic.byte_count, *wishes, below, traffic.crossings, traffic.unwanted]
        lines.append(
            f"| {', '.join(traffic.policies)} | " + " | ".join(f"{figure:,}" for figure in figures) + " |"
        )
    layers = ", ".join(map(str, size.widths))
    note = (
        f"Layers of {layers} processes, {size.subscribers} subscribers, {size.steps:,} changes. "
        "In the last row, the processes have these policies in turn."
    )
    return "\n".join(
        [*lines, "", NOTES, "", note, "", f"{machine()}, {time.strftime('%Y-%m-%d', time.gmtime())}"]
    )


def main() -> int:
    parser = parser_of(__doc__)
    parser.add_argument(
        "--small", action="store_true", help="five processes, 40 subscribers; do not write results"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the random changes (default: 1)")
    options = parser.parse_args()
    size = SMALL if options.small else FULL
    results = []
    for policies in POLICIES:
        try:
            results.append(run(policies, size, options.seed))
        except TreeError as error:
            say(f"{', '.join(policies)}: {error}")
            return 1
        say(
            f"{', '.join(policies)}: {results[-1].wishes} subscriptions and cancellations reached the publisher"
        )
    text = table(results, size)
    print(text)
    if not options.small:
        (RESULTS / "forwarder_tree.md").write_text(text + "\n")
        document = {
            "machine": machine(),
            "size": asdict(size),
            "policies": [asdict(traffic) for traffic in results],
        }
        (RESULTS / "forwarder_tree.json").write_text(json.dumps(document, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
