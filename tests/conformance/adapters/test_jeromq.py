"""JeroMQ's adapter is formatted like this repository's Java, and builds without warnings."""

from __future__ import annotations

from pathlib import PurePosixPath

from adapter_processes import ADAPTERS

from zeps_codegen.targets.java.format import java_format


def test_its_sources_are_clean() -> None:
    files = (ADAPTERS / "jeromq").rglob("*.java")
    sources = {PurePosixPath(file.name): file.read_text(encoding="utf-8") for file in files}
    assert sources
    assert java_format(sources) == sources
