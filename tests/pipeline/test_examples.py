"""Runs the README's lines and the programs of `examples/spark` as users do."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from killable_broker import publish_rows, stored
from pipeline_helpers import Append

from zeps_broker.service.embedded import EmbeddedBroker

ROOT = Path(__file__).parents[2]
SYMBOLS = ("AAPL", "MSFT")
SECONDS = 8
SMALL = "--conf spark.ui.enabled=false --conf spark.sql.shuffle.partitions=2 --driver-memory 1g"
"""Options that users do not need; they save time."""
pytestmark = pytest.mark.timeout(600)


def python(folder: Path, *arguments: str) -> str:
    """Run the Python of an activated environment in `folder`. Returns its standard output."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    submitted = f"{SMALL} {os.environ['PYSPARK_SUBMIT_ARGS']}"
    environment = {
        **os.environ, "PATH": path, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_SUBMIT_ARGS": submitted,
    }  # fmt: skip
    environment.pop("PYSPARK_PYTHON", None)
    done = subprocess.run(
        ["python", *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=500,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    return done.stdout


@pytest.fixture
def broker(tmp_path: Path) -> Iterator[EmbeddedBroker]:
    with EmbeddedBroker(tmp_path / "data") as made:
        yield made


def test_the_lines_of_the_readme_and_the_moving_average(
    append: Append, broker: EmbeddedBroker, tmp_path: Path
) -> None:
    """Both have their own session in one process: Java starts once. The lines run twice, without copying the copy."""
    section = (ROOT / "README.md").read_text().split("## Read and write it with Spark\n")[1]
    code = section.split("```python\n")[1].split("```")[0]
    assert "tcp://127.0.0.1:5670" in code
    lines = code.replace("tcp://127.0.0.1:5670", broker.endpoint)
    script = str(ROOT / "examples" / "spark" / "moving_average.py")
    command = [script, "journal", "--to", "averages", "--publish", broker.endpoint]
    example = f"import runpy, sys\nsys.argv = {command}\nrunpy.run_path({script!r}, run_name='__main__')\n"
    rows = [(f"stock.{n % 3}", b"%d" % n) for n in range(100)]
    publish_rows(broker.endpoint, "stocks", rows)
    write_prices(append)
    output = python(tmp_path, "-c", f"{lines}{lines}spark.stop()\n{example}")
    assert output.count("|stocks|  100|") == 2, output
    assert output.count("|  copy|  100|") == 1, output
    assert [*stored(tmp_path / "data", "copy").values()] == rows
    assert_averages(tmp_path)


def write_prices(append: Append) -> None:
    """Write one price per second for each symbol."""
    append(
        [
            [(f"stock.{symbol}", json.dumps({"symbol": symbol, "price": price(symbol, n)}).encode())
             for symbol in SYMBOLS]
            for n in range(SECONDS)
        ],
        stream="stocks",
    )  # fmt: skip


def assert_averages(folder: Path) -> None:
    """Check that the averages of complete windows are written and published."""
    rows = pq.read_table(folder / "averages" / "parquet").to_pylist()
    averages = {(row["symbol"], int(row["end"].timestamp()) - 1_700_000_000): row["average"] for row in rows}
    assert len(averages) == len(rows)
    assert averages == {
        (symbol, end): (price(symbol, max(end - 2, 0)) + price(symbol, end - 1)) / 2
        for symbol in SYMBOLS
        for end in range(1, SECONDS)
    }
    published = [
        (key, json.loads(body)["average"]) for key, body in stored(folder / "data", "averages").values()
    ]
    assert sorted(published) == sorted(
        (f"average.{symbol}", average) for (symbol, _), average in averages.items()
    )


def price(symbol: str, second: int) -> float:
    return 10.0 * len(SYMBOLS) + SYMBOLS.index(symbol) + second**2
