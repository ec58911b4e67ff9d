"""Spark discovers the data source by its name."""

from __future__ import annotations

import subprocess
import sys

import pyspark_zeps
from zeps_pipeline.journal.columns import SCHEMA


def test_discovered_under_its_name() -> None:
    assert pyspark_zeps.DefaultSource.name() == "zeps"


def test_spark_and_arrow_have_the_same_columns() -> None:
    from pyspark.sql.pandas.types import to_arrow_schema

    from zeps_pipeline.source.columns import MESSAGES

    assert to_arrow_schema(MESSAGES, timezone="UTC").equals(SCHEMA)


def test_command_shows_its_help() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "zeps_pipeline.cli", "--help"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: zeps-pipeline")
