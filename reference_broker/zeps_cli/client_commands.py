"""`zeps pub`, `zeps sub` and `zeps multicast`."""

from __future__ import annotations

import argparse
import base64
import contextlib
import errno
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, BinaryIO

import zmq

from zeps_client.client import ALL, NEW, Client
from zeps_client.curve import Curve
from zeps_client.errors import ClientError, Closed, SubscribeRefused, Timeout
from zeps_client.events import Attached, Lost, Message, Missing, Refused, StreamReset
from zeps_client.multicast import MulticastClient, Multicaster
from zeps_command import USAGE, number, report_error, whole
from zeps_multicast import InvalidEndpointError, MulticastError
from zeps_wire.errors import EncodeError

__all__ = ["add_commands"]

_ENDPOINT = "tcp://127.0.0.1:5670"
_EXHAUSTED = frozenset((errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOBUFS))
_BATCH = 512
_PUB = """\
Publish one message, or one for each line of standard input, and wait until the broker has stored all of them.

examples:
  zeps pub stocks stock.AAPL 191.24
  seq 1000 | zeps pub numbers count -               one message per line
"""
_SUB = """\
Print a stream's messages, one per line: sequence, key, body. Runs until --count, --timeout or Ctrl-C.

Messages that can no longer be delivered are reported on standard error, and output continues after them:

  zeps: missing: sequences FIRST to LAST (retention, damage, not-retained; with --multicast also unannounced)
  zeps: missing: possibly messages published while the session was lost, before the first message arrived
  zeps: reset: the stream ends at END, before the known sequence KNOWN; continuing after END

examples:
  zeps sub stocks                                   new messages
  zeps sub stocks stock. --from all --count 10      the first ten messages whose keys begin with stock.
  zeps sub stocks --from 1200 --json                messages after sequence 1200, as JSON lines
  zeps sub stocks --multicast 'norm://eth0;239.192.1.1:5671'
                                                    real-time messages by multicast, missing ones from the broker
"""
_MULTICAST = """\
Send new messages of a stream to all receivers: once, by multicast. Receivers run `zeps sub --multicast`, which asks the
broker for missing messages. Runs until SIGTERM or Ctrl-C; when it sends, it prints: ready MULTICAST

  zeps multicast stocks 'norm://eth0;239.192.1.1:5671'

Each stream needs a group and port of its own. NORM and PGM need Debian's libzmq: `make multicast`.
"""
_EXITS = "\nexit codes: 0 success, 1 failure (see standard error), 2 usage error, 130 interrupted"


def add_commands(commands: Any) -> None:
    """Adds `pub`, `sub` and `multicast` to argparse's subparsers; each sets `run`, from options to exit code."""
    pub = _add(commands, "pub", "publish messages", _PUB, _publish)
    pub.add_argument("key", metavar="KEY", help="the key, which patterns are compared with: up to 255 bytes")
    pub.add_argument(
        "body", metavar="BODY", nargs="?", default="",
        help="the body (default: empty); -: one message per line of standard input, without the line's end",
    )  # fmt: skip
    pub.add_argument(
        "-v", "--verbose", action="store_true", help="print the number of stored messages to standard error"
    )
    _connection(pub)
    sub = _add(commands, "sub", "print messages", _SUB, _subscribe)
    sub.add_argument(
        "pattern", metavar="PATTERN", nargs="?", default="",
        help="the beginning of the keys; on a stream that the broker's configuration gives match = regex, a regular "
        "expression (default: all keys)",
    )  # fmt: skip
    sub.add_argument(
        "--from", dest="latest", type=_latest, default=NEW, metavar="N|new|all",
        help="start after sequence N, with new messages (the default), or with all retained messages",
    )  # fmt: skip
    sub.add_argument(
        "--count", type=whole(1), metavar="N", help="exit with 0 after N messages (default: no limit)"
    )
    sub.add_argument(
        "--json",
        action="store_true",
        help="print one JSON object per line; a body that is not UTF-8 is body_base64 in place of body",
    )
    sub.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="report on standard error when the broker is lost, and when it is back",
    )
    sub.add_argument(
        "--timeout",
        type=number(0, 1e9),
        metavar="S",
        help="exit with 1 if no message arrived for S seconds (default: wait without limit)",
    )
    sub.add_argument(
        "--multicast",
        metavar="E",
        help="receive real-time messages from this multicast endpoint (see zeps multicast); PATTERN is a key prefix "
        "(default: receive all messages from the broker)",
    )
    _connection(sub)
    multicast = _add(commands, "multicast", "send a stream by multicast", _MULTICAST, _send)
    multicast.add_argument(
        "multicast",
        metavar="MULTICAST",
        help="multicast endpoint to send to: norm|epgm|pgm://INTERFACE;GROUP:PORT",
    )
    multicast.add_argument(
        "--rate", type=whole(0, (1 << 30) - 1), default=16_000, metavar="KBIT",
        help="maximum rate in kbit/s; 0: NORM adapts its rate, PGM is limited to 100000 (default: %(default)s)",
    )  # fmt: skip
    multicast.add_argument(
        "--repeat", type=number(0, 1e9), default=1.0, metavar="S",
        help="seconds without a new message after which the last one is sent again, and again until one arrives; not "
        "if its body exceeds 1 MiB (default: 1)",
    )  # fmt: skip
    multicast.add_argument(
        "--lag", type=number(0.001, 1e9), default=2.0, metavar="S",
        help="maximum lag in seconds, at least 0.001; beyond it, sending continues at the stream's end (default: 2)",
    )  # fmt: skip
    _connection(multicast)


def _add(
    commands: Any, name: str, text: str, description: str, work: Callable[[argparse.Namespace], int]
) -> argparse.ArgumentParser:
    """Adds the command that `work` carries out, with the stream as its first argument."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=text,
        description=description + _EXITS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("stream", metavar="STREAM", help="the stream's name; its first message creates it")
    parser.set_defaults(run=partial(_guarded, work))
    return parser


def _connection(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--endpoint", default=os.environ.get("ZEPS_ENDPOINT", _ENDPOINT), metavar="E",
        help=f"the broker's endpoint (default: the environment's ZEPS_ENDPOINT, or {_ENDPOINT})",
    )  # fmt: skip
    parser.add_argument(
        "--connect-timeout", type=number(0, 1e9), default=5.0, metavar="S",
        help="exit with 1 if the first session takes longer than S seconds; for a session that is lost later it waits "
        "without limit (default: 5)",
    )  # fmt: skip
    parser.add_argument(
        "--server-key", default=os.environ.get("ZEPS_SERVER_KEY") or None, metavar="FILE",
        help="file with the public certificate of a broker with CURVE; see zeps keys (default: the environment's "
        "ZEPS_SERVER_KEY, or no CURVE)",
    )  # fmt: skip
    parser.add_argument(
        "--client-key", default=os.environ.get("ZEPS_CLIENT_KEY") or None, metavar="FILE",
        help="file with the client's secret certificate, only with --server-key (default: the environment's "
        "ZEPS_CLIENT_KEY, or a temporary key pair)",
    )  # fmt: skip


def _latest(text: str) -> int:
    if text in ("new", "all"):
        return NEW if text == "new" else ALL
    if not (text.isascii() and text.isdigit() and int(text) <= NEW):
        raise argparse.ArgumentTypeError(f"{text!r} is not a sequence, 'new' or 'all'")
    return int(text)


def _teller(options: argparse.Namespace) -> Callable[[object], None]:
    """Returns a function that prints gaps and, with --verbose, session events to standard error."""

    def tell(event: object) -> None:
        text = _gap(event)
        if text is None and options.verbose:
            if isinstance(event, Lost):
                text = f"lost {options.endpoint} ({event.reason}); trying again"
            elif isinstance(event, Attached) and event.resumed:
                text = f"back at {options.endpoint}"
        if text is not None:
            print(f"zeps: {text}", file=sys.stderr, flush=True)

    return tell


def _gap(event: object) -> str | None:
    """Returns one line about the gap that an event reports; None for other events."""
    match event:
        case Missing():
            return f"missing: sequences {event.first} to {event.last} ({event.reason})"
        case StreamReset():
            end, known = event.end, event.known
            return (
                f"reset: the stream ends at {end}, before the known sequence {known}; continuing after {end}"
            )
        case Attached() if event.gaps:
            return "missing: possibly messages published while the session was lost, before the first message arrived"
    return None


def _curve(options: argparse.Namespace) -> Curve | None:
    """Returns the keys of --server-key and --client-key, None without --server-key. Raises ValueError if only the
    client's is given, or a file cannot be read or has no valid keys.
    """
    if options.server_key is None:
        if options.client_key is not None:
            raise ValueError("--client-key needs --server-key, the broker's certificate")
        return None
    try:
        return Curve.load(options.server_key, options.client_key)
    except OSError as error:
        raise ValueError(str(error)) from error


@contextlib.contextmanager
def _client(options: argparse.Namespace, on_event: Callable[[object], None]) -> Iterator[Client]:
    """Yields an attached client, and closes it. Raises Timeout after --connect-timeout, and the errors of Client."""
    with Client(options.endpoint, options.stream, on_event=on_event, curve=_curve(options)) as client:
        with _explain_timeout(options, lambda: client.statistics().last_error):
            client.wait(options.connect_timeout)
        yield client


@contextlib.contextmanager
def _explain_timeout(options: argparse.Namespace, why: Callable[[], str]) -> Iterator[None]:
    """Replaces a Timeout of the block by one that says where no broker answers, the reason `why()`, and what to do."""
    try:
        yield
    except Timeout:
        reason = why()
        raise Timeout(
            f"no broker answers at {options.endpoint}{f' ({reason})' if reason else ''}; "
            "start one with `zeps broker`, or name another with --endpoint"
        ) from None


def _guarded(work: Callable[[argparse.Namespace], int], options: argparse.Namespace) -> int:
    """Runs `work`; returns its exit code, or after one line on standard error 2 for an invalid endpoint, 1 for another
    failure that a user can cause.
    """
    # The commands print events themselves; without a handler Python would also print the log's warnings.
    logging.getLogger("zeps.client").addHandler(logging.NullHandler())
    try:
        return work(options)
    except zmq.ZMQError as error:
        why = zmq.strerror(error.errno) if error.errno is not None else str(error)
        if error.errno in _EXHAUSTED:
            return report_error(f"cannot connect to {options.endpoint}: {why}")
        text = f"{options.endpoint!r} is not an endpoint ({why}); example: {_ENDPOINT}"
        return report_error(text, USAGE)
    except InvalidEndpointError as error:
        return report_error(error, USAGE)
    except (ClientError, MulticastError, EncodeError, ValueError) as error:
        return report_error(error)
    except OSError as error:
        if error.errno not in _EXHAUSTED:
            raise
        return report_error(error.strerror)


# --- pub


def _publish(options: argparse.Namespace) -> int:
    with _client(options, _teller(options)) as client:
        if options.body == "-":
            stored = _publish_lines(client, options.key, sys.stdin.buffer)
        else:
            client.publish(options.key, os.fsencode(options.body))
            stored = 1
        client.flush()
    if options.verbose:
        print(f"zeps: {stored} message{'' if stored == 1 else 's'} stored", file=sys.stderr)
    return 0


def _publish_lines(client: Client, key: str, lines: BinaryIO) -> int:
    count, reported_at, show = 0, time.monotonic(), sys.stderr.isatty()
    # Lines are published as they arrive: input from a slow pipe must not wait for a full batch.
    for line in lines:
        client.publish(key, line.removesuffix(b"\n"))
        count += 1
        if show and count % _BATCH == 0 and time.monotonic() - reported_at > 0.5:
            reported_at = time.monotonic()
            print(f"\rzeps: {count} published", end="", file=sys.stderr, flush=True)
    if show and count >= _BATCH:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    return count


# --- sub


def _subscribe(options: argparse.Namespace) -> int:
    with _source(options) as source:
        _print(source, options)
    return 0


@contextlib.contextmanager
def _source(options: argparse.Namespace) -> Iterator[Client | MulticastClient]:
    """Yields a client that has subscribed as the options say, and closes it. Raises the errors of `_client`, and
    SubscribeRefused, also from inside the block: a restarted broker may have another matching style.
    """
    tell = _teller(options)
    refusals: list[Refused] = []

    def watch(event: object) -> None:
        tell(event)
        if isinstance(event, Refused) and event.pattern is not None:
            refusals.append(event)
            client.close(0.0)  # otherwise it would wait for messages that never arrive

    if options.multicast is None:
        with _client(options, watch) as client:
            client.subscribe(options.pattern, options.latest)
            try:
                yield client
            except Closed:
                if refusals:
                    raise SubscribeRefused(options.pattern, refusals[0].reason) from None
                raise
        return
    with MulticastClient(
        options.endpoint,
        options.stream,
        options.multicast,
        latest=options.latest,
        prefix=options.pattern,
        on_event=tell,
        curve=_curve(options),
    ) as receiver:
        with _explain_timeout(options, lambda: receiver.last_error):
            receiver.wait(options.connect_timeout)
        yield receiver


def _print(source: Client | MulticastClient, options: argparse.Namespace) -> None:
    line, output = _json if options.json else _text, sys.stdout.buffer
    left = options.count
    while left is None or left > 0:
        try:
            messages = source.receive_many(_BATCH if left is None else min(_BATCH, left), options.timeout)
        except Timeout:
            raise Timeout(f"no message arrived for {options.timeout:g} s") from None
        output.write(b"".join(map(line, messages)))
        output.flush()
        if left is not None:
            left -= len(messages)


def _text(message: Message) -> bytes:
    """Returns one line of sequence, key and body; unprintable characters and backslashes of the body are escaped."""
    body = message.body.decode(errors="surrogateescape")
    if "\\" in body or not body.isprintable():
        body = "".join(map(_escape, body))
    return f"{message.sequence} {message.key} {body}\n".encode()


def _escape(character: str) -> str:
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    if character.isprintable() and character != "\\":
        return character
    return character.encode("unicode_escape").decode()


def _json(message: Message) -> bytes:
    row: dict[str, object] = {"sequence": message.sequence, "key": message.key}
    try:
        row["body"] = message.body.decode()
    except UnicodeDecodeError:
        row["body_base64"] = base64.b64encode(message.body).decode()
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


# --- multicast


def _send(options: argparse.Namespace) -> int:
    sender = Multicaster(
        options.endpoint,
        options.stream,
        options.multicast,
        rate=options.rate,
        repeat=options.repeat,
        lag_seconds_max=options.lag,
        curve=_curve(options),
    )
    with contextlib.closing(sender):
        for signal_number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(signal_number, lambda *_: sender.stop())
        with _explain_timeout(options, lambda: sender.client.statistics().last_error):
            sender.begin(options.connect_timeout)
        print(f"ready {options.multicast}", flush=True)
        sender.run()
    return 0
