"""The in-memory broker in Go, which shares no code with the reference broker, passes all cases without a disk.

`make test` runs every third case, `make soak` all.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from campaigns import SOAK

from zeps_conformance.cli import main
from zeps_conformance.runs.profiles import PROFILES

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
    chosen = [case.id for case in PROFILES["zeps1"].cases()[:: 1 if SOAK else 3]]
    only = [option for case in chosen for option in ("--case", case)]
    status = main([*arguments, *only, "--json", str(report)])
    assert status == 0, capsys.readouterr().out
    cases = json.loads(report.read_text(encoding="utf-8"))["cases"]
    others = {case["id"]: case["verdict"] for case in cases if case["verdict"] != "pass"}
    for case in ("zeps1.gaps.damage-announced", "zeps1.opening.closed-stream"):
        assert others.pop(case, "") == ("unsupported" if case in chosen else "")
    assert set(others.values()) == {"fail"}
    assert all(case.startswith(("zeps1.restart.", "zeps1.persistence.")) for case in others)
