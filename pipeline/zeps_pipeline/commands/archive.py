"""Audit a journal, and archive it as Parquet files by stream and day.

Reads the whole journal and verifies every checksum. Each readable sequence is written to OUT once; a later
run adds the messages stored since then. A failed run adds all of its messages or none. The report lists missing,
repeated, misplaced and damaged messages and their places. It is printed to standard output and written to
OUT/_report.json and OUT/_report.html, or to the files of --json and --html.

Exit codes: 0 the journal has no faults, 1 the audit has findings, a folder does not name its stream, or the
archive failed, 2 usage error, 130 interrupted. An incomplete block at the end of a journal is not a fault
while a broker is writing to it.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from zeps_command import FAILURE, SUCCESS, report_error
from zeps_pipeline.audit.job import audit
from zeps_pipeline.commands.common import Progress, add_job_arguments, being_written, now, segments_of, write
from zeps_pipeline.jobs.archive import archive
from zeps_pipeline.jobs.session import session
from zeps_pipeline.jobs.tracking import tracked
from zeps_pipeline.journal.folder import nameless_folders
from zeps_pipeline.reports.audit import audit_json, audit_page, audit_text

__all__ = ["HELP", "add_arguments", "run"]

HELP = "audit a journal, and archive it as Parquet files"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `zeps-pipeline archive`."""
    add_job_arguments(parser)
    parser.add_argument("out", metavar="OUT", help="folder of the archive; created if it does not exist")
    parser.add_argument("--json", metavar="FILE", help="file for the JSON report (default: OUT/_report.json)")
    parser.add_argument("--html", metavar="FILE", help="file for the HTML report (default: OUT/_report.html)")


def run(options: argparse.Namespace) -> int:
    """Run the command. Returns the exit code."""
    segments = segments_of(options.journal, options.stream)
    nameless = [] if options.stream else nameless_folders(options.journal)
    for folder in nameless:
        reason = "no segment header names the stream; its messages are not archived"
        report_error(f"{folder}: {reason}", command="zeps-pipeline")
    written = being_written(options.journal)
    if not options.quiet:
        byte_count = sum(segment.size for segment in segments)
        print(f"audit: {len(segments):,} segments, {byte_count / 1e6:,.0f} MB", file=sys.stderr, flush=True)
    with session("zeps archive", options.master) as spark:
        tasks = Progress("audit", "tasks", quiet=options.quiet)
        with tracked(spark, tasks):
            journal_audit = audit(spark, options.journal, segments)
        tasks.end()
        if written:  # the broker may still be writing the torn blocks
            for stream in journal_audit.streams:
                stream.merged.findings = [
                    finding for finding in stream.merged.findings if finding.kind != "torn"
                ]
        progress = Progress("archive", "messages", quiet=options.quiet)
        made = archive(spark, journal_audit, Path(options.out), progress)
        progress.end()
    print(audit_text(journal_audit, made.rows))
    print(f"{made.added:,} messages added to {options.out}; total {sum(made.rows.values()):,}")
    json_path = options.json or Path(options.out) / "_report.json"
    html_path = options.html or Path(options.out) / "_report.html"
    write(json_path, audit_json(journal_audit, made.rows, options.out))
    write(html_path, audit_page(journal_audit, now(), made.rows, options.out))
    print(f"report: {html_path}, {json_path}")
    return FAILURE if journal_audit.findings or nameless else SUCCESS
