"""The formatters of languages: their lookup, and the error for a missing formatter."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest
from programs import GOLDEN, models

from zeps_codegen.load import load_bundle
from zeps_codegen.targets import elixir, go
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


@pytest.mark.parametrize(("target", "formatter"), [(elixir, "mix"), (go, "gofmt")], ids=["elixir", "go"])
def test_without_its_formatter_a_language_says_what_is_needed(
    target: ModuleType, formatter: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = load_bundle(models(GOLDEN / "weather"))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(FormatterError, match=f"{formatter} is needed"):
        target.render(bundle)
    assert target.render(bundle, formatted=False)
