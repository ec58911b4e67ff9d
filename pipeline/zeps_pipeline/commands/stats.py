"""Print rates, keys and sizes of a journal's streams over time.

The time span of the journal is divided into bins of a second to several days. The table is printed to
standard output; --html also writes a page with plots. Damaged messages are skipped. For a journal without
segments it prints only `no messages` and does not write files.

Exit codes: 0 success, 1 the journal cannot be read, 2 usage error, 130 interrupted.
"""

from __future__ import annotations

import argparse

from zeps_pipeline.commands.common import Progress, add_job_arguments, now, segments_of, write
from zeps_pipeline.jobs.session import session
from zeps_pipeline.jobs.statistics import statistics
from zeps_pipeline.jobs.tracking import tracked
from zeps_pipeline.reports.statistics import statistics_json, statistics_page, statistics_text

__all__ = ["HELP", "add_arguments", "run"]

HELP = "rates, keys and sizes over time"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `zeps-pipeline stats`."""
    add_job_arguments(parser)
    parser.add_argument(
        "--top",
        type=int,
        default=5,
        metavar="N",
        help="list the N most frequent keys of each stream (default: 5)",
    )
    parser.add_argument("--json", metavar="FILE", help="also write the statistics to FILE, as JSON")
    parser.add_argument("--html", metavar="FILE", help="also write a page with plots to FILE")


def run(options: argparse.Namespace) -> int:
    """Run the command. Returns the exit code."""
    segments = segments_of(options.journal, options.stream)
    if not segments:
        print("no messages")
        return 0
    with session("zeps stats", options.master) as spark:
        progress = Progress("stats", "tasks", quiet=options.quiet)
        with tracked(spark, progress):
            journal_statistics = statistics(spark, options.journal, options.stream, options.top)
        progress.end()
    print(statistics_text(journal_statistics))
    if options.json:
        write(options.json, statistics_json(journal_statistics))
    if options.html:
        write(options.html, statistics_page(journal_statistics, now()))
        print(f"page: {options.html}")
    return 0
