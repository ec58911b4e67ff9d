"""Audit a journal with Spark: every byte is read, every checksum and every frame's sequence is checked.

1 GB of messages (282 bytes as DELIVER, 16,384 per block, segments of 64 MiB), in a warm session. The peer reads rows
with the data source `zeps`, and counts with Spark what would show gaps and repeats: the smallest and largest sequence
and the number of rows of each stream. The bar: the audit takes at most two seconds.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from pipeline_read import make_journal, session
from report import Row, median, parser_of, publish, say

SECONDS_MAX = 2.0


def main() -> int:
    options = parser_of(__doc__, megabytes=1000, runs=5).parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    from pyspark.sql import DataFrame
    from pyspark.sql import functions as f

    from zeps_pipeline.audit.job import audit
    from zeps_pipeline.journal import list_segments, list_streams

    with tempfile.TemporaryDirectory(prefix="zeps-bench-") as scratch:
        journal = Path(scratch) / "journal"
        count = make_journal(journal, options.megabytes)
        say(f"{count:,} messages written")
        spark = session(2, scratch)

        def counted() -> DataFrame:
            """A new plan for each run: Spark keeps a plan's shuffled data, and would not read the journal again."""
            rows = spark.read.format("zeps").option("columns", "stream,offset").load(str(journal))
            return rows.groupBy("stream").agg(f.min("offset"), f.max("offset"), f.count("*"))

        ours, peer = [], []
        for run in range(options.runs + 1):
            begin = time.perf_counter()
            segments = [
                segment
                for stream, at in list_streams(journal).items()
                for segment in list_segments(stream, at)
            ]
            journal_audit = audit(spark, str(journal), segments)
            middle = time.perf_counter()
            if journal_audit.findings or journal_audit.streams[0].merged.messages != count:
                raise SystemExit(
                    f"unexpected result of the audit of {count} messages: {journal_audit.findings}"
                )
            if counted().collect()[0][3] != count:
                raise SystemExit("the peer's count is wrong")
            end = time.perf_counter()
            if run:
                ours.append(middle - begin)
                peer.append(end - middle)
                say(f"audit {ours[-1]:.2f} s, by rows {peer[-1]:.2f} s")
        spark.stop()
    rate = count / median(ours) / 1e6
    table = [
        Row("audit", median(ours), "s", tuple(ours), SECONDS_MAX / median(ours), "two seconds", 1.0),
        Row("audit", rate, "M messages/s", (), median(peer) / median(ours), "counting rows"),
    ]
    note = f"{options.megabytes} MB, local[2], warm cache; {options.runs} runs, alternating with the peer."
    return 0 if publish("pipeline_audit", "Auditing a journal", table, note) else 1


if __name__ == "__main__":
    sys.exit(main())
