"""Each code of the front end has a test that expects it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import zeps_codegen.cli
import zeps_codegen.source.grammar_import
from zeps_codegen.diagnostics import Severity, codes, define

HERE = Path(__file__).parent


def seen() -> set[str]:
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((HERE / "bad").glob("*.xml")))
    seen_codes = set(re.findall(r"(ZC\d+) line", text))
    for folder in (HERE, HERE.parent / "source", HERE.parent / "cli"):
        for path in sorted(folder.glob("test_*.py")):
            seen_codes |= set(re.findall(r'"(ZC\d+)"', path.read_text(encoding="utf-8")))
    return seen_codes


def test_every_code_has_a_test() -> None:
    assert zeps_codegen.cli
    assert zeps_codegen.source.grammar_import
    own = {code.code for code in codes() if code.code[2] not in "67"}  # those have tests of their own
    assert own - seen() == set()


def test_codes_have_a_form_and_a_sentence() -> None:
    for code in codes():
        assert re.fullmatch(r"ZC[1-9]\d\d", code.code)
        assert code.summary
        assert not code.summary.endswith(".")


def test_a_code_is_defined_once() -> None:
    with pytest.raises(ValueError, match="already registered"):
        define("ZC101", Severity.ERROR, "something else")
