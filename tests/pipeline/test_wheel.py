"""The built wheel is all that a driver and its executors need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from pipeline_helpers import BLOCKS

ROOT = Path(__file__).parents[2]
JOB = Path(__file__).parent / "helpers" / "on_executors.py"
PACKAGES = {"zeps_wire", "zeps_client", "zeps_pipeline", "pyspark_zeps"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out), str(ROOT)]
    subprocess.run(command, capture_output=True, check=True)
    (path,) = out.glob("zeps-*.whl")
    return path


def test_holds_each_module_of_the_packages(wheel: Path) -> None:
    held = set(zipfile.ZipFile(wheel).namelist())
    folders = [ROOT / "pipeline", ROOT / "generated" / "python", ROOT / "reference_broker"]
    modules = {str(path.relative_to(folder)) for folder in folders for path in folder.rglob("*.py")}
    assert {module.partition("/")[0] for module in modules} >= PACKAGES
    assert modules - held == set()


@pytest.mark.xdist_group("spark")
@pytest.mark.timeout(900)
def test_executors_import_from_it(wheel: Path, journal: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(wheel)}
    done = subprocess.run(
        [sys.executable, str(JOB), str(wheel), str(journal)],
        env=environment, cwd=journal, capture_output=True, text=True, check=False, timeout=800,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["driver"].startswith(f"{wheel}/")
    assert told["rows"] == sum(map(len, BLOCKS))
    assert told["tasks"] >= 3
    assert len(told["files"]) >= 3
    assert [file for file in told["files"] if f"/{wheel.name}/" not in file] == []
