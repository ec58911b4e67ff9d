"""Read a journal into Spark: ours, a reader that yields a tuple per record, and Spark's Parquet with the same rows.

1 GB of messages (282 bytes as DELIVER: 16-byte key, 250-byte random body), 16,384 per block. All peers pass rows with
all columns to Spark, which drops them (`noop`). Ours and the tuples verify every block's checksum; Parquet is
uncompressed. With one CPU all processes are pinned to it, including the JVM. Peers alternate; the first round is not
counted. Spark has the options that docs/spark.md recommends, which do not affect Parquet.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Any

from report import Row, median, parser_of, publish, say

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BLOCK = 16_384
SEGMENT_BYTES = 64 << 20
BODY_SIZE = 250
KEYS = 1000
FRAME_SIZE = 282
BARS = {"a tuple per record": 3.0, "Parquet": 0.6}
OURS = "format(zeps)"
JAVA_OPTIONS = "-Darrow.enable_unsafe_memory_access=true -Darrow.enable_null_check_for_get=false"
SOCKETS = "spark.python.unix.domain.socket.enabled"


def make_journal(folder: Path, megabytes: int) -> int:
    """Write the journal of a stream `bench`, in whole blocks. Returns its number of messages."""
    from zeps_broker.journal.store import JournalStore
    from zeps_wire.zeps import Deliver

    count = megabytes * 1_000_000 // FRAME_SIZE // BLOCK * BLOCK
    pool = os.urandom(1 << 20)
    store = JournalStore(folder, sync="os", segment_bytes=SEGMENT_BYTES)
    log = store.open("bench")
    for first in range(1, count + 1, BLOCK):
        frames = []
        for sequence in range(first, first + BLOCK):
            at = sequence * 7919 % (len(pool) - BODY_SIZE)
            frames.append(
                Deliver(sequence, f"NASDAQ.AAPL.{sequence % KEYS:04d}", pool[at : at + BODY_SIZE]).encode()
            )
        log.append(frames, 1_700_000_000_000_000 + first)
    store.close()
    return count


def session(cpus: int, folder: str) -> SparkSession:
    from pyspark.sql import SparkSession

    made = (
        SparkSession.builder.master(f"local[{cpus}]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "2g")
        .config("spark.driver.extraJavaOptions", JAVA_OPTIONS)
        .config(SOCKETS, "true")
        .config("spark.local.dir", folder)
        .getOrCreate()
    )
    made.sparkContext.setLogLevel("ERROR")
    return made


def tuple_source() -> type[Any]:
    """A data source `tuples` without Arrow: a struct per record, a tuple per row."""
    import struct
    from datetime import datetime

    from google_crc32c import value

    from zeps_pipeline.source.batch import JournalReader
    from zeps_pipeline.source.columns import arrow_schema
    from zeps_pipeline.source.datasource import ZepsDataSource
    from zeps_pipeline.source.options import read_options
    from zeps_wire.journal import unpack_block_head

    class TupleReader(JournalReader):
        def read(self, partition: Any) -> Iterator[tuple[Any, ...]]:  # type: ignore[override]
            for segment_slice in partition.slices:
                with open(segment_slice.segment.path, "rb") as file:
                    file.seek(segment_slice.at or segment_slice.segment.header_end)
                    while file.tell() < (segment_slice.end or segment_slice.segment.size):
                        yield from self.block(file, segment_slice.segment.stream)

        def block(self, file: Any, stream: str) -> Iterator[tuple[Any, ...]]:
            head = file.read(56)
            checksum, _, first, _, _, count, frames_size, pages, keys, keys_size = unpack_block_head(head)
            index = file.read(14 * count + 4 * (pages + keys) + keys_size)
            frames = file.read(frames_size)
            if value(head[8:] + index + frames) != checksum:
                raise ValueError(f"block of sequence {first}: wrong checksum")
            head_of_frame, length = struct.Struct(">3xQB"), struct.Struct(">I")
            times = struct.unpack_from(f">{count}Q", index)
            at = 0
            for time_us in times:
                sequence, key_size = head_of_frame.unpack_from(frames, at)
                begin = at + head_of_frame.size + key_size
                (size,) = length.unpack_from(frames, begin)
                at = begin + 4 + size
                stored = datetime.fromtimestamp(time_us / 1e6, UTC)
                yield frames[begin - key_size : begin], frames[begin + 4 : at], stream, 0, sequence, stored

    class TupleSource(ZepsDataSource):
        @classmethod
        def name(cls) -> str:
            return "tuples"

        def reader(self, schema: Any) -> TupleReader:
            options = read_options(self.options)
            return TupleReader(options, arrow_schema(schema, options))

    return TupleSource


def child(cpus: int, folder: str, runs: int) -> None:
    """Measure with `cpus` CPUs, and print the seconds of each run of each peer as JSON. Reads `folder`/journal, and
    first copies it to `folder`/parquet, if that does not exist.
    """
    if cpus == 1:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    spark = session(cpus, folder)
    spark.dataSource.register(tuple_source())
    journal, parquet = f"{folder}/journal", f"{folder}/parquet"
    if not Path(parquet).exists():
        spark.read.format("zeps").load(journal).write.option("compression", "none").parquet(parquet)
    peers = {
        OURS: lambda: spark.read.format("zeps").load(journal),
        "a tuple per record": lambda: spark.read.format("tuples").load(journal),
        "Parquet": lambda: spark.read.parquet(parquet),
    }
    counts = {name: make().count() for name, make in peers.items()}
    if len(set(counts.values())) != 1:
        raise RuntimeError(f"the peers do not read the same rows: {counts}")
    seconds: dict[str, list[float]] = {name: [] for name in peers}
    for run in range(runs + 1):
        for name, make in peers.items():
            start = time.perf_counter()
            make().write.format("noop").mode("overwrite").save()
            if run:
                seconds[name].append(time.perf_counter() - start)
        print(f"  {cpus} CPU: round {run}/{runs}", file=sys.stderr, flush=True)
    spark.stop()
    print(json.dumps(seconds))


def rows_of(cpus: int, count: int, seconds: dict[str, list[float]]) -> list[Row]:
    rates = {name: tuple(count / duration / 1e6 for duration in runs) for name, runs in seconds.items()}
    on = f"{cpus} CPU{'s' if cpus > 1 else ', pinned'}"
    ours = median(rates[OURS])
    rows = [Row(f"{OURS}, {on}", ours, "M rows/s", rates[OURS])]
    for name, bar in BARS.items():
        other = median(rates[name])
        rows.append(Row(f"{name}, {on}", other, "M rows/s", rates[name]))
        rows.append(Row(f"ours against {name}, {on}", ours, "M rows/s", (), ours / other, name, bar))
    return rows


def main() -> int:
    parser = parser_of(__doc__, megabytes=1000, runs=5)
    parser.add_argument("--child", nargs=2, metavar=("CPUS", "FOLDER"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    if options.child:
        child(int(options.child[0]), options.child[1], options.runs)
        return 0
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="zeps-bench-") as folder:
        say(f"writing a journal of {options.megabytes} MB")
        count = make_journal(Path(folder) / "journal", options.megabytes)
        for cpus in (2, 1):
            command = [sys.executable, __file__, "--runs", str(options.runs), "--child", str(cpus), folder]
            done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            rows += rows_of(cpus, count, json.loads(done.stdout.splitlines()[-1]))
    note = (
        f"{count:,} messages of {FRAME_SIZE} bytes in blocks of {BLOCK:,}; the page cache is warm. All rows and "
        f"columns go to Spark's `noop` sink. Java options: `{JAVA_OPTIONS}`; `{SOCKETS}`."
    )
    return 0 if publish("pipeline_read", "A journal into Spark", rows, note) else 1


if __name__ == "__main__":
    sys.exit(main())
