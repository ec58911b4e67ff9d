"""``zeps forward``."""

from __future__ import annotations

import argparse
from typing import Any

from zeps_cli.device_options import add_endpoint_options, add_subscription_options, print_ready, size_bytes
from zeps_cli.log_options import add_log_options
from zeps_command import USAGE, report_error

__all__ = ["add_commands"]

_DESCRIPTION = """\
Forward between publishers and subscribers of ZeroMQ: PUB or XPUB upstream, SUB or XSUB downstream. Messages go down,
once to each downstream connection whose subscriptions match; subscriptions go up, aggregated, so that only messages
that a subscriber needs are transferred. Runs until SIGTERM or SIGINT.

When it listens, it prints one line for each downstream endpoint: ready tcp://127.0.0.1:5557
(without downstream endpoints: ready), and then one for each bound upstream endpoint: upstream tcp://127.0.0.1:5556
"""

_POLICIES = """\
policies (requests to the upstreams):
  every        every subscription and every cancellation, as it comes
  count        the first subscription to a topic, and the last cancellation (default)
  cover        as count, but no topic that a shorter topic covers; when that one is cancelled, the covered topics are
               requested first
  cap N        as count, but a subscriber with more than N topics gets everything, until a quarter fewer than N are
               left; with more than 65 times N, until it disconnects
  one-hop      everything, as long as any subscription exists: topics end here
  everything   everything, from the start: subscriptions do not go up

Exit codes: 0 after a stop (SIGTERM, Ctrl-C), 1 if it cannot listen, 2 usage error, such as an invalid
endpoint.
"""


def add_commands(commands: Any) -> None:
    """Adds the command to argparse's subparsers."""
    parser = commands.add_parser(
        "forward",
        help="forward between PUB and SUB sockets",
        description=_DESCRIPTION,
        epilog=_POLICIES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_endpoint_options(
        parser,
        upstream="publisher, or forwarder nearer to a publisher: tcp://HOST:PORT, ipc://PATH, or a group to receive "
        "from: norm://INTERFACE;GROUP:PORT, epgm://INTERFACE;GROUP:PORT; may be repeated",
        upstream_bind="endpoint for publishers that connect: tcp://*:5556; may be repeated, and combined with "
        "--upstream",
        downstream="endpoint for subscribers: tcp://*:5557, tcp://127.0.0.1:* for a free port; or a group to send "
        "everything to: norm://eth0;239.192.1.1:5557; may be repeated",
        downstream_connect="listening subscriber, or a forwarder's --upstream-bind; may be repeated, and combined "
        "with --downstream",
    )
    add_subscription_options(parser, "see below")
    add = parser.add_argument
    add(
        "--queue", type=size_bytes, default=4 << 20, metavar="BYTES",
        help="bytes (a plain number) that may wait for one peer; further messages to it are dropped "
        "(default: %(default)s)",
    )  # fmt: skip
    add(
        "--rate", type=size_bytes, default=100_000, metavar="KBIT",
        help="maximum rate of epgm and pgm in kbit/s; norm adapts its rate (default: %(default)s)",
    )  # fmt: skip
    add_log_options(parser)
    parser.set_defaults(run=lambda options: _forward(parser, options))


def _forward(parser: argparse.ArgumentParser, options: argparse.Namespace) -> int:
    for side, suffix in (("upstream", "bind"), ("downstream", "connect")):
        if not vars(options)[side] and not vars(options)[f"{side}_{suffix}"]:
            parser.error(f"no {side} endpoint: give --{side} or --{side}-{suffix}")
    from zeps_broker.devices.forwarder.server import Forwarder, ForwarderOptions
    from zeps_broker.service.logs import EventLog
    from zeps_broker.transport.errors import InvalidSettingError, TransportError
    from zeps_multicast import MulticastOptions

    try:
        forwarder = Forwarder(
            options.upstream,
            options.downstream,
            options.policy,
            ForwarderOptions(
                queue=options.queue,
                counted=options.counted,
                stats_seconds=options.stats_seconds,
                multicast=MulticastOptions(rate=options.rate),
            ),
            EventLog(options.log_level, options.log_format),
            upstream_binds=options.upstream_bind,
            downstream_connects=options.downstream_connect,
        )

        return forwarder.run(
            lambda endpoints: print_ready(endpoints, forwarder.upstream_endpoints), signals=True
        )
    except InvalidSettingError as error:
        return report_error(error, USAGE, "zeps forward")
    except TransportError as error:
        return report_error(error, command="zeps forward")
