"""Every bad model is reported with exactly the codes and lines in its first comment."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from zeps_codegen.load import load

FOLDER = Path(__file__).parent / "bad"
MODELS = sorted(path for path in FOLDER.glob("*.xml") if "expect:" in path.read_text(encoding="utf-8"))
EXPECTATION = re.compile(r"(ZC\d+) line (\d+)")


def expected(path: Path) -> list[tuple[int, str]]:
    comment = next(line for line in path.read_text(encoding="utf-8").splitlines() if "expect:" in line)
    return sorted((int(line), code) for code, line in EXPECTATION.findall(comment))


@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_findings_are_those_expected_and_on_their_lines(path: Path) -> None:
    _, diagnostics = load([path])
    assert sorted((item.line, item.code) for item in diagnostics) == expected(path), "\n".join(
        map(str, diagnostics)
    )
    assert {item.file for item in diagnostics} == {path.as_posix()}
