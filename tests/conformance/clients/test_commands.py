"""The command for clients: run, replay and matrix, with a null client."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from zeps_conformance.cli import main
from zeps_conformance.nulls.implementations import CLIENT_ADAPTER
from zeps_conformance.sockets.adapter import CLIENT, is_implementation, load_implementation

CASE = "zeps1-client.barrier.served"


@pytest.fixture
def description(tmp_path: Path) -> Path:
    """A null client that does nothing."""
    path = tmp_path / "null.toml"
    command = json.dumps([sys.executable, "-I", str(CLIENT_ADAPTER), "nothing"])
    path.write_text(f'kind = "client"\ncommand = {command}\n', encoding="utf-8")
    return path


def test_a_client_has_one_type(description: Path) -> None:
    assert is_implementation(description)
    assert load_implementation(description).types == (CLIENT,)


def test_a_client_with_types_is_an_error(description: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with description.open("a", encoding="utf-8") as file:
        file.write('types = ["PUB"]\n')
    assert main(["run", "--implementation", str(description)]) == 2
    assert "unknown keys: types" in capsys.readouterr().err


def test_a_finding_is_kept_and_replayed(
    description: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = tmp_path / "kept"
    run = ["run", "--implementation", str(description), "--case", CASE, "--timeout", "0.05", "--retries", "0"]
    assert main([*run, "--keep", str(kept)]) == 1
    assert "null CLIENT" in capsys.readouterr().out
    assert main(["replay", str(kept / f"{CASE}.json")]) == 1
    assert "kept verdict: fail, verdict now: fail" in capsys.readouterr().out
    assert main(["replay", str(kept)]) == 0
    assert "1 reproduced" in capsys.readouterr().out


def test_a_client_is_a_column_of_the_matrix(description: Path, tmp_path: Path) -> None:
    report = tmp_path / "matrix.json"
    arguments = [
        "--type",
        CLIENT,
        "--case",
        CASE,
        "--timeout",
        "0.05",
        "--retries",
        "0",
        "--json",
        str(report),
    ]
    assert main(["matrix", str(description), *arguments, "--pages", str(tmp_path / "pages")]) == 1
    (run,) = json.loads(report.read_text(encoding="utf-8"))["runs"]
    assert (run["testee"], run["type"], run["profile"]) == ("null", CLIENT, "zeps1-client")


def test_a_case_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", CASE]) == 0
    assert "ZEPS-ATTACH-7 (MUST)" in capsys.readouterr().out
    assert main(["coverage", "--profile", "zeps1-client"]) == 0
