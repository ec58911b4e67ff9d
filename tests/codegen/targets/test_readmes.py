"""The READMEs of generated packages: installation of unpublished packages, and formatted code."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeps_codegen.generate import Target
from zeps_codegen.init import first_files
from zeps_codegen.ir import Bundle
from zeps_codegen.load import load_bundle
from zeps_codegen.package import Package
from zeps_codegen.targets.formatting import go_format

#: The README's instructions, and those that only work for a published package.
INSTALLING = {
    "python": ("pip install .", "pip install acme-wire"),
    "typescript": ("npm install PATH/acme-wire-1.2.3.tgz", "npm install acme-wire"),
    "rust": ('acme-wire = { path = "PATH/TO/THIS/FOLDER" }', 'acme-wire = "1.2.3"'),
    "go": ("-replace=acme.example/wire=PATH/TO/THIS/FOLDER", "go get"),
    "java": ("mvn install", "mvn deploy"),
    "elixir": ('{:acme_wire, path: "PATH/TO/THIS/FOLDER"}', "hex"),
    "c": ("cmake --install", "apt"),
    "cpp": ("cmake --install", "apt"),
}


@pytest.fixture
def bundle(tmp_path: Path) -> Bundle:
    models = [
        (tmp_path / path.name, text)
        for path, text in first_files("acme", ()).items()
        if path.suffix == ".xml"
    ]
    for path, text in models:
        path.write_text(text)
    return load_bundle([path for path, _ in models])


def readme(bundle: Bundle, target: str, formatted: bool = False) -> str:
    files = Target(target, has_formatter=True).files(bundle, formatted, package=Package("acme-wire", "1.2.3"))
    return next(text for path, text in files.items() if path.name == "README.md").decode()


@pytest.mark.parametrize("target", INSTALLING)
def test_a_package_is_installed_from_its_folder(target: str, bundle: Bundle) -> None:
    said, published = INSTALLING[target]
    text = readme(bundle, target)
    assert said in text
    assert published not in text


def test_the_program_of_gos_readme_has_gofmts_form(bundle: Bundle) -> None:
    text = readme(bundle, "go", formatted=True)
    program = text.partition("```go\n")[2].partition("```")[0]
    assert program.startswith("package main\n")
    assert go_format({"main.go": program}) == {"main.go": program}
    assert text.partition("```go\n")[2].partition("```")[2].startswith("\n\n## Codecs")


def test_a_page_without_go_stays() -> None:
    sources = {
        "a.go": "package  a\n",
        "README.md": "# Page\n\n```py\nx  = 1\n```\n",
        "b.md": "```go\npackage  b\n```\nend\n",
    }
    formatted = go_format(sources)
    assert formatted == {
        "a.go": "package a\n",
        "README.md": sources["README.md"],
        "b.md": "```go\npackage b\n```\nend\n",
    }
