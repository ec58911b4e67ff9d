"""``zeps bridge``."""

from __future__ import annotations

import argparse
import logging
import os
import socket
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from zeps_broker.devices.bridge.amqp_mapping import EXCHANGE_TYPES
from zeps_cli.device_options import add_endpoint_options, add_subscription_options, print_ready, size_bytes
from zeps_cli.log_options import add_log_options
from zeps_command import FAILURE, USAGE, number, report_error, whole

if TYPE_CHECKING:
    from zeps_broker.devices.bridge.amqp_broker import AmqpOptions
    from zeps_broker.service.logs import EventLog

__all__ = ["add_commands"]

_URL_VARIABLE = "ZEPS_AMQP_URL"
_HEARTBEAT = 10
_SIDES = ("downstream", "downstream_connect", "upstream", "upstream_bind")

_DESCRIPTION = """\
Connect ZeroMQ's publish-subscribe with an exchange of an AMQP 0-9-1 broker, such as RabbitMQ. Subscriptions of ZeroMQ
subscribers become bindings of a queue, and messages that the exchange routes there go to the subscribers whose
subscriptions match; messages of ZeroMQ publishers go to the exchange. Runs until SIGTERM or SIGINT.

  zeps bridge --amqp amqp://guest:guest@127.0.0.1 --exchange prices --downstream 'tcp://*:5557' --upstream-bind 'tcp://*:5556'

When the exchange is ready, it prints one line for each downstream endpoint: ready tcp://127.0.0.1:5557
(without downstream endpoints: ready), and then one for each bound upstream endpoint: upstream tcp://127.0.0.1:5556
"""

_END = f"""\
The URL may be set in the environment as {_URL_VARIABLE}, where other users cannot see its password.

The first frame of a message is its routing key, the second its body; docs/bridge.md describes the mapping of others.

Exit codes: 0 after a stop (SIGTERM, Ctrl-C); 1 if the bridge cannot listen, or cannot use the exchange when it starts;
2 usage error, such as an invalid endpoint. If RabbitMQ is lost later, the bridge keeps running, queues publishers'
messages, and reconnects.
"""


def add_commands(commands: Any) -> None:
    """Adds the command to argparse's subparsers."""
    parser = commands.add_parser(
        "bridge",
        help="connect PUB and SUB sockets with an AMQP exchange",
        description=_DESCRIPTION,
        epilog=_END,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_sides(parser)
    _add_behaviour(parser)
    parser.set_defaults(run=_bridge)


def _add_sides(parser: argparse.ArgumentParser) -> None:
    amqp = parser.add_argument_group("the AMQP side").add_argument
    amqp(
        "--amqp",
        default=os.environ.get(_URL_VARIABLE),
        metavar="URL",
        help=f"amqp://USER:PASSWORD@HOST:PORT/VHOST, or amqps://… (default: ${_URL_VARIABLE})",
    )
    amqp("--exchange", required=True, metavar="NAME", help="name of the exchange, 1 to 255 bytes (required)")
    amqp(
        "--exchange-type",
        choices=tuple(EXCHANGE_TYPES),
        default="topic",
        help="type of the exchange; with another type than topic the bridge gets every message (default: topic)",
    )
    amqp(
        "--declare",
        action="store_true",
        help="create the exchange, durable, if it does not exist (default: it must exist)",
    )
    amqp(
        "--wait",
        action="store_true",
        help="keep trying if the first attempt to use the exchange fails (default: exit with 1)",
    )
    zeromq = parser.add_argument_group("ZeroMQ's side (at least one; each may be repeated)")
    add_endpoint_options(
        zeromq,
        downstream="endpoint for subscribers: tcp://*:5557, tcp://127.0.0.1:* for a free port",
        downstream_connect="a subscriber that listens: tcp://HOST:PORT, ipc://PATH",
        upstream="a publisher that listens: tcp://HOST:PORT, ipc://PATH",
        upstream_bind="endpoint for publishers: tcp://*:5556",
    )
    zeromq.add_argument(
        "--export", action="append", type=os.fsencode, metavar="PREFIX",
        help="send the exchange only messages whose first frame begins with PREFIX (default: all)",
    )  # fmt: skip


def _add_behaviour(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--echo",
        action="store_true",
        help="deliver messages of this bridge's publishers to its subscribers too (default: only those of others)",
    )
    add_subscription_options(parser, "see zeps forward --help")
    add(
        "--queue", type=size_bytes, default=16 << 20, metavar="BYTES",
        help="maximum bytes (a plain number), with overhead, of publishers' messages that RabbitMQ has not confirmed; "
        "further messages are dropped (default: %(default)s)",
    )  # fmt: skip
    add(
        "--peer-queue", type=size_bytes, default=4 << 20, metavar="BYTES",
        help="bytes (a plain number) that may wait for one subscriber; further messages to it are dropped "
        "(default: %(default)s)",
    )  # fmt: skip
    add(
        "--prefetch", type=whole(1, 65_535), default=1000, metavar="N",
        help="maximum number of messages that RabbitMQ sends before one is acknowledged (default: %(default)s)",
    )  # fmt: skip
    add(
        "--keep", type=number(0, 86_400), default=60.0, metavar="S",
        help="seconds for which RabbitMQ keeps the bridge's queue after a lost connection; a stop removes it "
        "(default: 60)",
    )  # fmt: skip
    add(
        "--linger", type=number(0, 86_400), default=5.0, metavar="S",
        help="maximum seconds that a stop waits for RabbitMQ to confirm publishers' messages (default: 5)",
    )  # fmt: skip
    add_log_options(parser)


def _bridge(options: argparse.Namespace) -> int:
    if not any(vars(options)[side] for side in _SIDES):
        return _report("no ZeroMQ endpoint: give --downstream, --upstream-bind or another", USAGE)
    if not options.amqp:
        return _report(f"no AMQP broker: give --amqp URL, or set {_URL_VARIABLE}", USAGE)
    if not 0 < len(options.exchange.encode()) <= 255:
        return _report("an exchange's name has 1 to 255 bytes", USAGE)
    try:
        amqp = _amqp_options(options)
    except ValueError as error:
        return _report(error, USAGE)
    from zeps_broker.service.logs import EventLog

    return _run(options, amqp, EventLog(options.log_level, options.log_format))


def _run(options: argparse.Namespace, amqp: AmqpOptions, log: EventLog) -> int:
    from zeps_broker.devices.bridge.amqp_broker import AmqpBroker
    from zeps_broker.devices.bridge.core import BridgeSettings
    from zeps_broker.devices.bridge.server import BridgeOptions, BridgeServer
    from zeps_broker.transport.errors import InvalidSettingError, TransportError

    pika_log = logging.getLogger("pika")  # the bridge logs errors itself
    pika_log.addHandler(logging.NullHandler())
    pika_log.propagate = False
    try:
        server = BridgeServer(
            lambda wake: AmqpBroker(amqp, wake),
            BridgeSettings(amqp.name, options.queue, options.prefetch, options.echo, options.counted),
            downstreams=options.downstream,
            downstream_connects=options.downstream_connect,
            upstreams=options.upstream,
            upstream_binds=options.upstream_bind,
            policy=options.policy,
            options=BridgeOptions(
                exports=tuple(options.export or [b""]),
                peer_queue=options.peer_queue,
                linger=options.linger,
                patient=options.wait,
                stats_seconds=options.stats_seconds,
            ),
            log=log,
        )
        failure = server.run(lambda: print_ready(server.endpoints, server.upstream_endpoints), signals=True)
    except InvalidSettingError as error:
        return _report(error, USAGE)
    except TransportError as error:
        return _report(error)
    return 0 if failure is None else _report(failure)


def _amqp_options(options: argparse.Namespace) -> AmqpOptions:
    """The AMQP options with a new unique name. Raises ValueError for a bad URL."""
    import pika

    from zeps_broker.devices.bridge.amqp_broker import AmqpOptions

    form = "amqp://USER:PASSWORD@HOST:PORT/VHOST"
    if not options.amqp.startswith(("amqp://", "amqps://")):
        raise ValueError(f"--amqp takes {form}")
    try:
        parameters = pika.URLParameters(options.amqp)
    except Exception as error:  # of many kinds, and some show the password
        raise ValueError(f"--amqp takes {form}; the URL cannot be parsed") from error
    name = f"{socket.gethostname()[:64]}.{uuid4().hex}"
    parameters.client_properties = {"connection_name": f"zeps bridge {name}"}
    if "heartbeat=" not in options.amqp:
        parameters.heartbeat = _HEARTBEAT
    return AmqpOptions(
        parameters,
        options.exchange,
        options.exchange_type,
        name,
        declare=options.declare,
        window=options.prefetch,
        keep=options.keep,
    )


def _report(error: object, code: int = FAILURE) -> int:
    return report_error(error, code, "zeps bridge")
