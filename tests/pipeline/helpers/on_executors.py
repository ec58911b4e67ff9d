"""A job on executors of their own, which have the archive that is shipped to them and nothing else of zeps: counts
a journal and says where tasks import from.

python on_executors.py ARCHIVE JOURNAL
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

ARCHIVE, JOURNAL = sys.argv[1:]
MODULES = ["zeps_wire.journal", "zeps_journal.columns", "zeps_pipeline.journal.columns", "pyspark_zeps"]


def imported(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a task: the files of the modules, and how many rows there are."""
    import os
    from importlib import import_module

    files = [str(import_module(name).__file__) for name in MODULES]
    rows = sum(batch.num_rows for batch in batches)
    told = {"files": files, "folder": os.getcwd(), "path": os.environ.get("PYTHONPATH", ""), "rows": rows}
    yield pa.RecordBatch.from_pylist([told])


def main() -> None:
    spark = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.ui.showConsoleProgress", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.memory", "640m")
        .config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
        .config("spark.submit.pyFiles", ARCHIVE)
        .config("spark.executorEnv.PYTHONPATH", "")
        .getOrCreate()
    )
    frame = spark.read.format("zeps").option("minPartitions", "4").load(JOURNAL)
    columns = "files array<string>, folder string, path string, rows long"
    told: list[Any] = frame.mapInArrow(imported, columns).collect()
    import zeps_pipeline

    print(
        json.dumps(
            {
                "driver": zeps_pipeline.__file__,
                "tasks": [row.asDict() for row in told],
            }
        )
    )
    spark.stop()


if __name__ == "__main__":
    main()
