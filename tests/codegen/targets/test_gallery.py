"""The page of fragments: every piece is present, equals its file, and changes with it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path, PurePosixPath

import pytest
from programs import BUNDLE, ROOT

from zeps_codegen.generate import TARGETS, generate
from zeps_codegen.ir import Bundle
from zeps_codegen.manifest import read_manifest
from zeps_codegen.targets.gallery import PAGE, SECTIONS, Tree, render
from zeps_codegen.targets.gallery.cuts import after, closed, indented, matching, paragraph, until


@pytest.mark.parametrize("section", SECTIONS, ids=lambda section: section.title)
def test_every_piece_is_found_and_short(section: object) -> None:
    for piece in section.pieces:  # type: ignore[attr-defined]
        text = Tree(ROOT).text(piece.path)
        assert text is not None, f"{piece.path} is not there"
        excerpt = piece.cut(text)
        assert excerpt is not None, f"{piece.path} has nothing that begins so"
        assert 1 <= len(excerpt.splitlines()) <= 45, excerpt


def test_every_target_is_shown() -> None:
    page_folders = {piece.path.parts[1] for section in SECTIONS for piece in section.pieces}
    for target, paths in read_manifest(ROOT, {target.name for target in TARGETS}).items():
        folders = {path.parts[1] for path in paths if path.parts[0] != "conformance" and len(path.parts) > 2}
        assert folders <= page_folders, f"{target} is not on the page"


def test_the_page_is_made_of_what_stands_in_the_files() -> None:
    page = (ROOT / PAGE).read_text(encoding="utf-8")
    pieces = re.findall(r"^\[([^\]\n]+)\]\((\S+)\)\n\n```\w+\n(.*?)\n```$", page, re.MULTILINE | re.DOTALL)
    assert len(pieces) > 30
    for path, link, text in pieces:
        assert (ROOT / "docs" / link).resolve() == ROOT / path
        source = {
            line.strip() for line in (ROOT / path).read_text(encoding="utf-8").expandtabs(4).splitlines()
        }
        assert {line.strip() for line in text.splitlines()} <= source | {""}


def test_a_change_of_a_generated_file_changes_the_page(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "protocol", tmp_path / "protocol")
    shutil.copytree(ROOT / "generated" / "kaitai", tmp_path / "generated" / "kaitai")
    generate(BUNDLE, tmp_path, ["gallery"])
    page = (tmp_path / PAGE).read_text(encoding="utf-8")
    assert "len_pattern" in page
    assert "## Go" not in page  # this tree has no Go target
    path = tmp_path / "generated" / "kaitai" / "zeps.ksy"
    path.write_text(path.read_text(encoding="utf-8").replace("len_pattern", "size_pattern"), encoding="utf-8")
    assert generate(BUNDLE, tmp_path, ["gallery"], check=True).written == [Path(PAGE)]


def test_what_has_just_been_made_counts_more_than_what_lies_there() -> None:
    path = PurePosixPath("generated/kaitai/zeps.ksy")
    assert Tree(ROOT, {path: b"made"}).text(path) == "made"
    assert Tree(ROOT).text(PurePosixPath("nowhere")) is None


def test_other_models_have_no_page(tmp_path: Path) -> None:
    assert render(Bundle(), Tree(ROOT)) == {}
    assert render(BUNDLE, Tree(tmp_path)) == {}


TEXT = """\
# first
void one(int a,
         int b) {
    return "{";
}

/* about two */
void two(void) { one(1, 2); }

def three():
    pass
    if x:

        y()
four

item 1
item 2
"""


def test_cuts() -> None:
    assert closed(r"^void one")(TEXT) == '# first\nvoid one(int a,\n         int b) {\n    return "{";\n}'
    assert closed(r"^void \w+", holding="one(1")(TEXT) == "/* about two */\nvoid two(void) { one(1, 2); }"
    assert closed(r"^void two", above=False)(TEXT) == "void two(void) { one(1, 2); }"
    assert indented(r"^def three")(TEXT) == "def three():\n    pass\n    if x:\n\n        y()"
    assert paragraph(r"^item 1")(TEXT) == "item 1\nitem 2"
    assert until(r"^item 1", r"item 2")(TEXT) == "item 1"
    assert matching(r"^item \d")(TEXT) == "item 1\nitem 2"
    assert after(r"^four", paragraph(r"^\w"))(TEXT) == "item 1\nitem 2"
    for cut in (closed("x{9}"), indented("x{9}"), paragraph("x{9}"), until("x{9}", "y"), matching("x{9}")):
        assert cut(TEXT) is None
        assert after("x{9}", cut)(TEXT) is None
    assert closed(r"^void", holding="nothing such")(TEXT) is None
