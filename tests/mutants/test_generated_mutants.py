"""The cases detect generated mutants: a seeded sample in `make test`, a campaign in `make soak PART=mutants`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from campaigns import SEED, SOAK, sized

from zeps_conformance.cli import main

ROOT = Path(__file__).parents[2]
MODEL_BROKER = """
command = ["{python}", "-m", "zeps_conformance.mutants.model_broker", "--endpoint", "{endpoint}", "--data", "{data}"]
ready = "ready"
"""


def score(tmp_path: Path, *arguments: str) -> float:
    report = tmp_path / "mutants.json"
    options = [
        "--seed",
        str(SEED + 1),
        "--work-dir",
        str(tmp_path / "work"),
        "--json",
        str(report),
        "--bar",
        "0",
    ]
    assert main(["mutants", *options, *arguments]) == 0
    document = json.loads(report.read_text(encoding="utf-8"))
    assert len(document["mutants"]) == document["chosen"]
    assert {mutant["id"] for mutant in document["mutants"] if mutant["fate"] == "crashed"} == set()
    result: float = document["score"]
    return result


@pytest.mark.slow
def test_machine_and_codec(tmp_path: Path) -> None:
    cases = ["opening.*", "sessions.*", "framing.*", "text.*", "credit.*", "invalid.*", "heartbeat.answered"]
    options = [option for case in cases for option in ("--case", case)] if not SOAK else []
    assert score(tmp_path, "--count", str(sized(8, 160)), *options) >= (0.95 if SOAK else 0.75)


@pytest.mark.slow
def test_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample is of the model broker's streams, the campaign of the reference broker's core."""
    if SOAK:
        monkeypatch.chdir(ROOT)
        sources, cases, least = ["@conformance/implementations/zeps-sources.args"], [], 0.7
    else:
        source = ROOT / "conformance" / "zeps_conformance" / "mutants" / "stream_store.py"
        start, cases, least = tmp_path / "model.toml", ["--case", "subscribe.*", "--case", "sequence.*"], 0.5
        start.write_text(MODEL_BROKER, encoding="utf-8")
        sources = ["--source", str(source), "--start", str(start)]
    assert score(tmp_path, "--family", "source", *sources, "--count", str(sized(4, 80)), *cases) >= least
