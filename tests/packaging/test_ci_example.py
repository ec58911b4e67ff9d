"""The example for continuous integration: it parses, and its commands work in an environment with only the wheel."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml
from junitparser import JUnitXml

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples/ci"
CASES = " --case 'framing.trailing-*' --case restart.after-stop"  # the part of all cases that the test runs


@pytest.fixture
def folder(wheel: Path, tmp_path: Path) -> Path:
    """A repository with the files of the example and a clean environment `venv` beside the wheel's dependencies."""
    (tmp_path / "ci").mkdir()
    for file in (wheel, EXAMPLE / "broker.toml", EXAMPLE / "baseline.toml"):
        shutil.copy(file, tmp_path / "ci")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"], check=True)
    dependencies = tmp_path / "dependencies"
    dependencies.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if not entry.name.lower().startswith(("zeps", "_zeps")) and entry.suffix != ".pth":
            (dependencies / entry.name).symlink_to(entry)
    (site,) = (tmp_path / "venv").glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(f"{dependencies}\n", encoding="utf-8")
    return tmp_path


def workflow() -> dict[str, Any]:
    """The parsed workflow. YAML 1.1 reads its key `on` as true."""
    document: dict[Any, Any] = yaml.safe_load((EXAMPLE / "github-actions.yml").read_text(encoding="utf-8"))
    return {"on" if key is True else key: value for key, value in document.items()}


def run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs a command as the workflow does, without a package index."""
    environment = {
        "PATH": f"{folder}/venv/bin{os.pathsep}{os.environ['PATH']}",
        "HOME": str(folder),
        "PIP_NO_INDEX": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
    }
    return subprocess.run(
        ["bash", "-e", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_workflow_has_the_structure_that_actions_need() -> None:
    document = workflow()
    assert set(document["on"]) == {"push", "pull_request", "schedule"}
    (job,) = document["jobs"].values()
    assert job["runs-on"]
    assert all(("run" in step) != ("uses" in step) for step in job["steps"])
    upload = next(step for step in job["steps"] if "upload-sarif" in step.get("uses", ""))
    assert document["permissions"]["security-events"] == "write"
    tested = next(step["run"] for step in job["steps"] if step.get("name") == "Test the broker")
    assert f"--sarif {upload['with']['sarif_file']}" in tested


@pytest.mark.slow
def test_the_commands_of_the_workflow_work_with_only_the_wheel(folder: Path) -> None:
    (job,) = workflow()["jobs"].values()
    commands = [step["run"] for step in job["steps"] if "run" in step]
    assert len(commands) == 3
    for command in commands:
        done = run(command + (CASES if "zeps-conform run" in command else ""), folder)
        assert done.returncode == 0, done.stdout + done.stderr
    (installed,) = (folder / "venv").glob("lib/python*/site-packages/zeps_conformance/cli.py")
    assert installed.is_file()
    report = json.loads((folder / "conformance/report.json").read_text(encoding="utf-8"))
    assert report["counts"]["pass"] == len(report["cases"]) > 5
    assert JUnitXml.fromfile(str(folder / "conformance/junit.xml")).tests == len(report["cases"])
    assert (
        f"{len(report['cases'])} of {len(report['cases'])}" in (folder / "conformance/badge.svg").read_text()
    )
    assert (folder / "conformance/pages/specification/zeps-rfc.html").is_file()
    assert json.loads((folder / "conformance/report.sarif").read_text())["version"] == "2.1.0"

    entry = '[[expected]]\ncase = "zeps1.credit.saturates"\nverdict = "fail"\nreason = "x"\nexpires = 9999-01-01\n'
    (folder / "ci/baseline.toml").write_text(entry, encoding="utf-8")
    done = run(commands[2] + CASES, folder)
    assert done.returncode == 2
    assert "expires on 9999-01-01, more than a year ahead" in done.stderr
