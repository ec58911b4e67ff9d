"""`zeps journal ls|dump|verify|repair` and `zeps streams`. Each handler takes the open journal and the parsed
arguments, and returns the exit code: 0; 1 for damage or a journal that cannot be read or written; 2 for a folder or
stream that does not exist, or a target that exists or overlaps the source. Its docstring is the command's description.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeAlias

from zeps_broker.journal.inspection import Message, StreamSummary, Verdict, messages, summary, verify
from zeps_broker.journal.lock import holder
from zeps_broker.journal.repair import RepairedStream, new_journal, repair_stream
from zeps_broker.journal.store import JournalStore
from zeps_broker.ports import JournalError
from zeps_command import USAGE, report_error, whole

__all__ = ["add_commands"]

SubParsers: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"
Handler = Callable[[JournalStore, argparse.Namespace], int]

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_PROGRESS_SECONDS = 2.0


def add_commands(subparsers: SubParsers) -> None:
    """Adds `streams`, and `journal` with its commands; the parsed arguments have the handler in `run`."""
    streams = _add(subparsers, "streams", "list a broker's streams", _ls)
    streams.add_argument(
        "--data", type=Path, dest="folder", default=Path("zeps-data"), metavar="DIR",
        help="the data folder of the broker whose journal is read (default: zeps-data in the current folder)",
    )  # fmt: skip
    description = (
        "Inspect or repair a journal on disk. The journal is not changed; a broker may be writing to it."
    )
    parser = subparsers.add_parser("journal", help="inspect or repair a journal", description=description)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    _add(commands, "ls", "list the streams", _ls, "DIR")

    dump = _add(commands, "dump", "print a stream's messages", _dump, "DIR")
    dump.add_argument("stream", metavar="STREAM", help="the stream's name")
    dump.add_argument(
        "--from", dest="start", type=int, default=1, metavar="N", help="begin with sequence N (default: 1)"
    )
    dump.add_argument("--count", type=whole(0), metavar="N", help="print at most N messages (default: all)")

    check = _add(commands, "verify", "verify a journal", _verify, "DIR")
    check.add_argument(
        "streams", nargs="*", metavar="STREAM", help="verify only these streams (default: all)"
    )

    repair = _add(commands, "repair", "save the readable messages of a damaged journal", _repair, "SOURCE")
    repair.add_argument(
        "target", type=Path, metavar="TARGET", help="the new folder; it must not exist or must be empty"
    )


def _add(
    subparsers: SubParsers, name: str, text: str, handler: Handler, folder: str = ""
) -> argparse.ArgumentParser:
    """Adds a command with the docstring of `handler` as description; `folder` is the metavariable of the journal."""
    parser = subparsers.add_parser(name, help=text, description=handler.__doc__)
    if folder:
        parser.add_argument("folder", type=Path, metavar=folder, help="the broker's data folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object per line")
    parser.set_defaults(run=partial(_run, handler))
    return parser


def _run(handler: Handler, arguments: argparse.Namespace) -> int:
    """Calls `handler` with the open journal. Returns its exit code; 2 for a missing folder, 1 for a JournalError."""
    try:
        if not arguments.folder.is_dir():
            return report_error(f"{arguments.folder}: the folder does not exist", USAGE)
        store = JournalStore(arguments.folder, read_only=True, log=_quiet())
        try:
            return handler(store, arguments)
        finally:
            store.close()
    except JournalError as error:
        return report_error(error)


def _quiet() -> logging.Logger:
    """Returns a silent logger: the commands print damage themselves."""
    logger = logging.Logger("zeps.journal")
    logger.addHandler(logging.NullHandler())
    return logger


def _ls(store: JournalStore, arguments: argparse.Namespace) -> int:
    """List the streams: first and last sequence, messages, bytes, segments, and times of the oldest and newest message.

    Exit code 1 if a stream cannot be read; the others are listed.
    """
    summaries, failed = [], 0
    for stream in store.streams():
        try:
            summaries.append(summary(store.open(stream)))
        except JournalError as error:
            failed = report_error(error)
    if arguments.json:
        for stream_summary in summaries:
            print(json.dumps(asdict(stream_summary)))
        return failed
    rows: list[tuple[str, ...]] = [
        ("STREAM", "FIRST", "LAST", "MESSAGES", "BYTES", "SEGMENTS", "OLDEST", "NEWEST")
    ]
    rows += [_row(stream_summary) for stream_summary in summaries]
    _print_table(rows)
    return failed


def _row(stream_summary: StreamSummary) -> tuple[str, ...]:
    numbers = (
        stream_summary.first_sequence,
        stream_summary.last_sequence,
        stream_summary.messages,
        stream_summary.octets,
        stream_summary.segments,
    )
    return (
        _name(stream_summary.stream),
        *map(str, numbers),
        _time(stream_summary.oldest_us),
        _time(stream_summary.newest_us),
    )


def _print_table(rows: list[tuple[str, ...]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]
        print("  ".join(cells).rstrip())


def _dump(store: JournalStore, arguments: argparse.Namespace) -> int:
    """Print a stream's messages, one per line: sequence, time, key, and body as text, or in hexadecimal after 0x.

    Damaged messages are skipped. Damage found on the way, even outside the range, is reported on standard error, with
    exit code 1.
    """
    if arguments.stream not in store.streams():
        return _no_stream(store, arguments.stream)
    log = store.open(arguments.stream)
    for message in messages(log, arguments.start, arguments.count):
        print(_json(message) if arguments.json else _line(message))
    for damage in log.damages:
        print(f"zeps: not shown: {damage}", file=sys.stderr)
    return 1 if log.damages else 0


def _no_stream(store: JournalStore, stream: str) -> int:
    known = ", ".join(map(_name, store.streams()[:10])) or "none"
    return report_error(f"{store.path}: no stream {stream!r}; there are: {known}", USAGE)


def _line(message: Message) -> str:
    text = _text(message.body)
    body = f"0x{message.body.hex()}" if text is None else text
    return f"{message.sequence}\t{_time(message.time_us)}\t{message.key}\t{body}"


def _json(message: Message) -> str:
    text = _text(message.body)
    body = {"body_hex": message.body.hex()} if text is None else {"body": text}
    record = {"sequence": message.sequence, "time": _time(message.time_us), "time_us": message.time_us}
    return json.dumps({**record, "key": message.key, **body}, ensure_ascii=False)


def _text(body: bytes) -> str | None:
    """Returns `body` as text; None if it is not UTF-8 or has characters that a terminal cannot print."""
    try:
        text = body.decode()
    except UnicodeDecodeError:
        return None
    return text if text.isprintable() else None


def _verify(store: JournalStore, arguments: argparse.Namespace) -> int:
    """Verify everything: headers, checksums, sequences, frames.

    Exit code 1 if anything is damaged or cannot be read; an incomplete block at a stream's end is not damage.
    """
    known = store.streams()
    for stream in arguments.streams:
        if stream not in known:
            return _no_stream(store, stream)
    damaged = 0
    for stream in arguments.streams or known:
        try:
            verdict = verify(store.open(stream), _progress(stream))
        except JournalError as error:
            damaged += report_error(error)
            continue
        damaged += bool(verdict.damages)
        print(json.dumps(_verdict_fields(verdict)) if arguments.json else _verdict_text(store, verdict))
    if not arguments.streams:
        damaged += _report_nameless(store)
    return 1 if damaged else 0


def _repair(store: JournalStore, arguments: argparse.Namespace) -> int:
    """Write the readable messages of the journal SOURCE to the new folder TARGET.

    Sequences do not change, and a broker on TARGET reports the same lost messages. Exit code 1 if messages are lost, a
    stream cannot be opened or has no name (it is left out), or a file cannot be read (nothing is written).
    """
    source, target = arguments.folder.resolve(), arguments.target.resolve()
    if target.is_relative_to(source) or source.is_relative_to(target):
        return report_error(f"{target}: TARGET and SOURCE must not contain each other", USAGE)
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        return report_error(f"{target}: already exists; name a new folder", USAGE)
    pid = holder(store.path)
    if pid is not None:
        who = f"process {pid}" if pid else "another process"
        print(
            f"zeps: {source}: {who} is writing to it; messages stored from now on are not saved",
            file=sys.stderr,
        )
    failed = 0
    repaired: list[RepairedStream] = []
    try:
        with new_journal(target) as folder:
            for stream in store.streams():
                try:
                    journal = store.open(stream)
                except JournalError as error:
                    failed += report_error(error)
                else:
                    repaired.append(repair_stream(journal, folder, _progress(stream)))
    except OSError as error:
        return report_error(f"{target}: cannot write: {error.strerror or error}")
    for result in repaired:
        failed += result.lost > 0
        print(json.dumps(_repaired_fields(result)) if arguments.json else _repaired_text(result))
    failed += _report_nameless(store)
    return 1 if failed else 0


def _repaired_fields(result: RepairedStream) -> dict[str, object]:
    return {
        "stream": result.stream,
        "saved": result.saved,
        "lost": result.lost,
        "damages": [damage.fields() for damage in result.damages],
        "torn": result.torn.fields() if result.torn else None,
    }


def _repaired_text(result: RepairedStream) -> str:
    lines = [f"{_name(result.stream)}: {result.saved} messages saved, {result.lost} lost"]
    lines += [f"  {damage}" for damage in result.damages]
    if result.torn is not None:
        lines.append(f"  {result.torn}; left out")
    return "\n".join(lines)


def _report_nameless(store: JournalStore) -> int:
    """Reports each folder in which no segment names its stream, on standard error; returns their number."""
    nameless = store.nameless()
    for folder in nameless:
        report_error(f"{folder}: no segment's header names the stream")
    return len(nameless)


def _progress(stream: str) -> Callable[[int, int], None]:
    """Returns a function of the bytes done and in total that prints them to standard error every two seconds."""
    last = time.monotonic()

    def show(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last >= _PROGRESS_SECONDS:
            last = time.monotonic()
            print(f"{_name(stream)}: {done >> 20} of {total >> 20} MiB", file=sys.stderr, flush=True)

    return show


def _verdict_fields(verdict: Verdict) -> dict[str, object]:
    return {
        "stream": verdict.stream,
        "first_sequence": verdict.first_sequence,
        "last_sequence": verdict.last_sequence,
        "messages": verdict.messages,
        "octets": verdict.byte_count,
        "damages": [damage.fields() for damage in verdict.damages],
        "salvaged": [asdict(block) for block in verdict.salvaged],
        "torn": verdict.torn.fields() if verdict.torn else None,
    }


def _verdict_text(store: JournalStore, verdict: Verdict) -> str:
    span = f"{verdict.first_sequence} to {verdict.last_sequence}" if verdict.messages else "none"
    state = "DAMAGED" if verdict.damages else "ok"
    counts = f"{verdict.messages} messages, sequences {span}, {verdict.byte_count} bytes"
    lines = [f"{_name(verdict.stream)}: {state}; {counts}"]
    lines += [f"  {damage}" for damage in verdict.damages]
    lines += [f"  {block}" for block in verdict.salvaged]
    if verdict.torn is not None:
        pid = holder(store.path)
        writer = "a broker is writing" if pid is not None else "the next broker to start cuts it off"
        lines.append(f"  {verdict.torn}; {writer}")
    return "\n".join(lines)


def _name(stream: str) -> str:
    """Returns the name, as a JSON string if it could be confused with the text around it."""
    plain = stream.isprintable() and not any(letter in stream for letter in " \t,:'\"")
    return stream if plain else json.dumps(stream, ensure_ascii=False)


def _time(time_us: int | None) -> str:
    """Returns a time in microseconds since 1970 in RFC 3339, in UTC; "-" for None, and the number if it has no date."""
    if time_us is None:
        return "-"
    try:
        return (_EPOCH + timedelta(microseconds=time_us)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    except OverflowError:
        return f"{time_us}us"
