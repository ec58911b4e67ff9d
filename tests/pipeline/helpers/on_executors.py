"""A job on executors of their own, from the wheel alone: counts a journal and says where tasks import from.

python on_executors.py WHEEL JOURNAL
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

WHEEL, JOURNAL = sys.argv[1:]
MODULES = ["zeps_wire.journal", "zeps_pipeline.journal.columns", "pyspark_zeps"]


def imported(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a task: the files of the modules, and how many rows there are."""
    import os
    from importlib import import_module

    files = [str(import_module(name).__file__) for name in MODULES]
    rows = sum(batch.num_rows for batch in batches)
    yield pa.RecordBatch.from_pylist([{"files": files, "process": os.getppid(), "rows": rows}])


def main() -> None:
    spark = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.memory", "640m")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.submit.pyFiles", WHEEL)
        .getOrCreate()
    )
    frame = spark.read.format("zeps").option("minPartitions", "4").load(JOURNAL)
    told: list[Any] = frame.mapInArrow(imported, "files array<string>, process long, rows long").collect()
    import zeps_pipeline

    print(
        json.dumps(
            {
                "driver": zeps_pipeline.__file__,
                "rows": sum(row.rows for row in told),
                "files": sorted({file for row in told for file in row.files}),
                "tasks": len(told),
            }
        )
    )
    spark.stop()


if __name__ == "__main__":
    main()
