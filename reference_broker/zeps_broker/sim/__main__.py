"""`python -m zeps_broker.sim --seeds 0:100`: runs seeds, prints results, exits with 1 at the first that fails."""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections import Counter, deque
from collections.abc import Sequence

from zeps_broker.sim.faults import Violation
from zeps_broker.sim.world import World
from zeps_command import Parser
from zeps_wire.zeps import Credit, Ping, PingOk

__all__ = ["main", "replay"]

_TAIL = 200
_DULL = (Ping, PingOk, Credit)


def _seeds(text: str) -> range:
    first, colon, last = text.partition(":")
    try:
        seeds = range(int(first), int(last) if colon else int(first) + 1)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not N or FROM:TO") from None
    if not seeds:
        raise argparse.ArgumentTypeError(f"{text!r} is an empty range")
    return seeds


def replay(seed: int, steps: int, tail: int | None) -> list[str]:
    """Returns the trace of a run, line by line; the last is its result, even a failure. With `tail`, only that many
    last lines, without heartbeats and credit.
    """
    lines: deque[str] = deque(maxlen=tail)

    def tell(now: float, who: str, what: object) -> None:
        if tail is None or not isinstance(what, _DULL):
            lines.append(f"{now:12.6f}  {who:8} {what}")

    world = World(seed, steps, tell)
    lines.append(str(world.scenario))
    try:
        lines.append(f"holds: {world.run()}")
    except Exception as error:
        lines.append(f"{world.now:12.6f}  {describe(error)}")
    return list(lines)


def describe(error: Exception) -> str:
    """Returns a description of an error: the text of a violation, or the traceback of any other exception."""
    if isinstance(error, Violation):
        return f"VIOLATION {error}"
    return "".join(traceback.format_exception(error))


def main(arguments: Sequence[str] | None = None) -> int:
    parser = Parser(prog="python -m zeps_broker.sim", description=__doc__)
    parser.add_argument(
        "--seeds",
        type=_seeds,
        default=range(100),
        metavar="FROM:TO",
        help="seeds from FROM to before TO, or one seed (default: 0:100)",
    )
    parser.add_argument(
        "--steps", type=int, default=200, metavar="N", help="random actions in each run (default: 200)"
    )
    parser.add_argument(
        "--verbose",
        action="store_true",
        help="print the trace of every run (default: the last 200 lines of a failing run)",
    )
    options = parser.parse_args(arguments)
    totals: Counter[str] = Counter()
    began = time.monotonic()
    for done, seed in enumerate(options.seeds):
        if options.verbose:
            print("\n".join(replay(seed, options.steps, None)))
        try:
            totals.update(World(seed, options.steps).run())
        except Exception as error:
            if not options.verbose:
                print("\n".join(replay(seed, options.steps, _TAIL)))
            print(f"\nseed {seed} fails: {describe(error)}", file=sys.stderr)
            again = f"python -m zeps_broker.sim --seeds {seed} --steps {options.steps} --verbose"
            print(f"replay it with: {again}", file=sys.stderr)
            return 1
        if (done + 1) % 10 == 0 or done + 1 == len(options.seeds):
            print(f"{done + 1:6} seeds, {time.monotonic() - began:7.1f} s: {dict(totals)}", flush=True)
    print(f"{len(options.seeds)} seeds, no promise broken")
    return 0


if __name__ == "__main__":
    sys.exit(main())
