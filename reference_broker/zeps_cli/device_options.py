"""Options of forwarder and bridge, and the lines that they print when they are ready."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from zeps_broker.devices.forwarder.policies import POLICIES, Policy, parse_policy
from zeps_command import whole

__all__ = ["add_endpoint_options", "add_subscription_options", "print_ready", "size_bytes"]

size_bytes = whole(1, (1 << 40) - 1)
"""The type of an option whose value is a number of bytes."""


def add_endpoint_options(parser: argparse._ActionsContainer, **helps: str) -> None:
    """Adds a repeatable option for endpoints for each item of `helps`, from its name (`upstream_bind` for
    `--upstream-bind`) to its help text; the option's value is a list, empty if it is not given.
    """
    for name, text in helps.items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, action="append", default=[], metavar="ENDPOINT", help=text)


def add_subscription_options(parser: argparse.ArgumentParser, details: str) -> None:
    """Adds `--policy` (a Policy) and `--set` (`counted`, False if given); `details` names the policies' description."""
    parser.add_argument(
        "--policy", type=_policy, default="count", metavar="POLICY",
        help=f"{'; '.join(POLICIES)} ({details}; default: count)",
    )  # fmt: skip
    parser.add_argument(
        "--set",
        dest="counted",
        action="store_false",
        help="one cancel ends all subscriptions of a subscriber to a topic, as with libzmq's publishers "
        "(default: as many cancels as subscriptions)",
    )


def print_ready(endpoints: Sequence[str], upstream_endpoints: Sequence[str]) -> None:
    """Prints `ready` with each of `endpoints`, or `ready` alone, then `upstream` with each of `upstream_endpoints`."""
    lines = [f"ready {endpoint}" for endpoint in endpoints] or ["ready"]
    lines += [f"upstream {endpoint}" for endpoint in upstream_endpoints]
    print("\n".join(lines), flush=True)


def _policy(text: str) -> Policy:
    try:
        return parse_policy(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
