"""The READMEs of generated packages."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeps_codegen.generate import Target
from zeps_codegen.init import first_files
from zeps_codegen.ir import Bundle
from zeps_codegen.load import load_bundle
from zeps_codegen.package import Package
from zeps_codegen.targets.formatting import format_files

@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    models = [(tmp_path / path.name, text) for path, text in first_files("acme", ()).items() if path.suffix == ".xml"]
    for path, text in models:
        path.write_text(text)
    return load_bundle([path for path, _ in models])


def readme(bundle: Bundle, target: str, formatted: bool = False) -> str:
    files = Target(target, has_formatter=True).files(bundle, formatted, package=Package("acme-wire", "1.2.3"))
    return next(text for path, text in files.items() if path.name == "README.md").decode()


def test_the_program_of_gos_readme_has_gofmts_form(bundle: Bundle) -> None:
    text = readme(bundle, "go", formatted=True)
    program = text.partition("```go\n")[2].partition("```")[0]
    assert program.startswith("package main\n")
    assert format_files("gofmt", ["-w"], {"main.go": program}, "") == {"main.go": program}
    assert text.partition("```go\n")[2].partition("```")[2].startswith("\n\n## Codecs")


def test_a_page_without_code_of_the_language_stays(tmp_path: Path) -> None:
    sources = {"a.py": "x  = 1\n", "README.md": "# Page\n\n```go\nx  = 1\n```\n", "more.md": "```py\ny  = 2\n```\nend\n"}
    found = format_files("ruff", ["format", "--isolated", "--quiet"], sources, "")
    assert found == {"a.py": "x = 1\n", "README.md": sources["README.md"], "more.md": "```py\ny = 2\n```\nend\n"}
