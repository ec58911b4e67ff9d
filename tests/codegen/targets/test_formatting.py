"""The formatters of languages: their lookup, and the error for a missing formatter."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from zeps_codegen.targets.formatting import FormatterError, format_files


def test_a_formatter_beside_the_interpreter_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "fmt-of-a-test"
    program.write_text('#!/bin/sh\nfor file in "$@"; do echo formatted > "$file"; done\n')
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert format_files("fmt-of-a-test", [], {"a/b.c": "text"}, "hint") == {"a/b.c": "formatted\n"}


def test_a_formatter_that_is_missing_is_named() -> None:
    with pytest.raises(FormatterError, match=r"no-such-fmt is needed .*: install it"):
        format_files("no-such-fmt", [], {}, "install it")
