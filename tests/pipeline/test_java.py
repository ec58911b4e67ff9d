"""The search for Spark's Java, and the error if it is missing or too old."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeps_pipeline import cli
from zeps_pipeline.errors import PipelineError
from zeps_pipeline.jobs.java import require_java


def java(home: Path, script: str) -> str:
    """Write an executable `java` with `script` to `home`. Returns its path."""
    path = home / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.parametrize("version", ["17.0.15", "25-ea"])
def test_java_home_takes_precedence_over_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    at_home = java(tmp_path / "home", f"echo 'openjdk version \"{version}\" 2025-04-15' >&2")
    on_path = java(tmp_path / "path", "exit 1")
    monkeypatch.setenv("PATH", str(Path(on_path).parent))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    assert require_java() == at_home
    monkeypatch.delenv("JAVA_HOME")
    with pytest.raises(PipelineError, match=f"{on_path} does not run"):
        require_java()


@pytest.mark.parametrize(("version", "number"), [("1.8.0_452", 8), ("11.0.2", 11)])
def test_a_java_that_is_too_old_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, number: int
) -> None:
    java(tmp_path, f"echo 'openjdk version \"{version}\"' >&2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(PipelineError, match=f"is Java {number}. Spark needs Java 17 or later"):
        require_java()


def test_a_command_reports_missing_java_before_spark_starts(
    journal: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(journal))
    assert cli.main(["stats", str(journal)]) == 1
    assert "error: java is not on the PATH, and JAVA_HOME is not set. Spark" in capsys.readouterr().err
