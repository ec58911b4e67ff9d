"""Our specifications as they are committed, and how to read them."""

from __future__ import annotations

import re

from programs import ROOT, committed

from zeps_codegen.package import read_package

PACKAGE = read_package(ROOT)
PAGES = {path.name: content.decode() for path, content in committed("docs").items()}
ZEPS, ZMTP = PAGES["zeps-rfc.md"], PAGES["zmtp-rfc.md"]


def section(page: str, title: str) -> str:
    """The text of a section up to the next heading of level 2 or 3, which may be that of a subsection."""
    match = re.search(
        rf"^(#+) [\d.]+ {re.escape(title)}\n(.*?)(?=^#{{2,3}} |\Z)", page, re.MULTILINE | re.DOTALL
    )
    assert match is not None, title
    return match[2]


def rows(text: str) -> list[list[str]]:
    """The rows of the tables in `text`, without heads."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    cells = [re.split(r"(?<!\\) \| ", line.removeprefix("| ").removesuffix(" |")) for line in lines]
    rules = [number for number, row in enumerate(cells) if set("".join(row)) <= set("- ")]
    heads = {number - 1 for number in rules}
    return [row for number, row in enumerate(cells) if number not in {*rules, *heads}]


def codes(text: str) -> set[str]:
    return set(re.findall(r"`([a-z]+(?:-[a-z]+)*)`", text))
