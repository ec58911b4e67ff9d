"""The built wheel is sufficient for a driver and its executors, also on a cluster."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
import venv
import zipfile
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pipeline_helpers import BLOCKS

ROOT = Path(__file__).parents[2]
JOB = Path(__file__).parent / "helpers" / "on_cluster.py"
CLUSTER = (
    "--conf spark.executorEnv.PYTHONPATH= --driver-memory 1g --conf spark.executor.memory=640m "
    f"--conf 'spark.executor.extraJavaOptions={os.environ['ZEPS_TESTS_JAVA']}'"
)
pytestmark = pytest.mark.xdist_group("wheel")
PACKAGES = {"zeps_wire", "zeps_client", "zeps_journal", "zeps_pipeline", "pyspark_zeps"}


def test_contains_each_module_of_the_packages(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    folders = [ROOT / "pipeline", ROOT / "generated" / "python", ROOT / "reference_broker"]
    files = {str(path.relative_to(folder)) for folder in folders for path in folder.rglob("*.py")}
    modules = {
        module for module in files if not module.startswith("tests/")
    }  # the generated package has its own
    assert {module.partition("/")[0] for module in modules} >= PACKAGES
    assert modules - held == set()


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """A Python with the dependencies of zeps, but without zeps."""
    venv.create(tmp_path / "python")
    (site,) = (tmp_path / "python" / "lib").glob("python*/site-packages")
    # Python does not process the .pth files of added paths, so editable packages are not found.
    (site / "base.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    return tmp_path / "python" / "bin" / "python"


@pytest.mark.timeout(900)
def test_on_a_cluster_executors_import_from_it(
    wheel: Path, journal: Path, python: Path, tmp_path: Path
) -> None:
    """The driver has the wheel; executors get it only from Spark, which requires the name .zip. The driver resolves a
    journal's relative path; one that each process would resolve differently is refused.
    """
    without = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    alone = subprocess.run(
        [str(python), "-c", "import pyarrow, pyspark, zeps_wire"],
        env=without, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "No module named 'zeps_wire'" in alone.stderr
    archive = shutil.copy(wheel, tmp_path / "zeps.zip")
    commands = [["archive", "journal", "out", "--quiet"], ["stats", "/proc/self/cwd/journal"]]
    submitted = f"--conf spark.submit.pyFiles={archive} {CLUSTER} {os.environ['PYSPARK_SUBMIT_ARGS']}"
    done = subprocess.run(
        [str(python), str(JOB), json.dumps(commands)],
        env={
            **without,
            "PYTHONPATH": str(wheel),
            "PYSPARK_PYTHON": str(python),
            "PYSPARK_SUBMIT_ARGS": submitted,
            "SPARK_LOCAL_IP": "127.0.0.1",
        },
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=800,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert {"zeps.zip", wheel.name} & set(Path(report["driver"]).parts)
    tasks = report["tasks"]
    assert sum(task["rows"] for task in tasks) == sum(map(len, BLOCKS))
    assert len(tasks) >= 3
    for task in tasks:
        assert str(wheel) not in task["path"]
        assert [file for file in task["files"] if not file.startswith("./zeps.zip/")] == []
        assert Path(task["folder"]).parent.name.startswith("app-")  # the working folder of an executor
    assert report["codes"] == [0, 1], done.stderr[-4000:]
    assert "a task did not find it" in done.stderr
    assert pq.read_table(tmp_path / "out" / "stream=s").num_rows == sum(map(len, BLOCKS))
