"""The in-memory broker in Go, which shares no code with the reference broker, passes all cases without a disk."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from zeps_conformance.cli import main

IMPLEMENTATIONS = Path(__file__).parents[3] / "conformance" / "implementations"


@pytest.mark.slow
def test_every_case_passes_but_those_that_need_a_disk(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert shutil.which("go"), "Go 1.21 or later is required (command go)"
    report = tmp_path / "report.json"
    start, baseline = (
        str(IMPLEMENTATIONS / "go-memory.toml"),
        str(IMPLEMENTATIONS / "../baselines/go-memory.toml"),
    )
    arguments = ["run", "--start", start, "--baseline", baseline, "--timeout", "4", "--retries", "0"]
    status = main([*arguments, "--json", str(report)])
    assert status == 0, capsys.readouterr().out
    cases = json.loads(report.read_text(encoding="utf-8"))["cases"]
    others = {case["id"]: case["verdict"] for case in cases if case["verdict"] != "pass"}
    assert others.pop("zeps1.gaps.damage-announced") == "unsupported"
    assert set(others.values()) == {"fail"}
    assert all(case.startswith("zeps1.restart.") for case in others)
