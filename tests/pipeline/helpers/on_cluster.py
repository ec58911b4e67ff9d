"""Runs jobs on separate executors, whose only part of zeps is the archive that Spark ships to them.

    python on_cluster.py COMMANDS    # a JSON list with the arguments of each command

Counts the messages of the journal `journal`, prints from where tasks import modules, and runs the commands.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
from pyspark.sql import SparkSession

import zeps_pipeline
from zeps_pipeline import cli
from zeps_pipeline.commands import archive, stats
from zeps_pipeline.jobs.session import session

MASTER = "local-cluster[1,1,1024]"
MODULES = ["zeps_wire.journal", "zeps_journal.columns", "zeps_pipeline.journal.columns", "pyspark_zeps"]


def imported(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Return the files of the modules and the number of rows; runs in a task."""
    import os
    from importlib import import_module

    files = [str(import_module(name).__file__) for name in MODULES]
    rows = sum(batch.num_rows for batch in batches)
    report = {"files": files, "folder": os.getcwd(), "path": os.environ.get("PYTHONPATH", ""), "rows": rows}
    yield pa.RecordBatch.from_pylist([report])


def main() -> None:
    with session("zeps tests", MASTER) as spark:
        frame = spark.read.format("zeps").option("minPartitions", "4").load("journal")
        columns = "files array<string>, folder string, path string, rows long"
        reports: list[Any] = frame.mapInArrow(imported, columns).collect()

        @contextmanager
        def shared(name: str, master: str) -> Iterator[SparkSession]:
            """Make the commands use this session and not stop it."""
            assert master == MASTER
            yield spark

        archive.session = stats.session = shared
        codes = [cli.main([*command, "--master", MASTER]) for command in json.loads(sys.argv[1])]
        tasks = [row.asDict() for row in reports]
        print(json.dumps({"driver": zeps_pipeline.__file__, "tasks": tasks, "codes": codes}))


if __name__ == "__main__":
    main()
