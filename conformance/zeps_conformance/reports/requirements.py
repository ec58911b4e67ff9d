"""Requirements: where the text of a rule is, and where its source is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from zeps_conformance.common.results import RuleResult

__all__ = [
    "SPECIFICATIONS",
    "SourceLink",
    "place_in_specification",
    "source_links",
    "specification_files",
    "specification_text",
]

#: Folder with the specifications, relative to the folder of the pages.
SPECIFICATIONS = "specification"
NAMES = ("zeps-rfc.html", "zmtp-rfc.html")
#: A link to a file in Markdown.
LINK = re.compile(r'<a href="(?P<name>[\w-]+)\.md(?P<anchor>[^"]*)">(?P<text>.*?)</a>', re.DOTALL)
RFC = re.compile(r"RFC (?P<number>\d+)")
RFC_ADDRESS = "https://rfc.zeromq.org/spec/{number}/"
#: Addresses of the other sources, which have no anchors for their sections.
OTHER_ADDRESSES = {"ZEPS": "https://github.com/zeromq/zeps"}


@dataclass(frozen=True, slots=True)
class SourceLink:
    """One source of a rule, such as ``RFC 37 §Framing``. `address` is empty if the source does not have one."""

    text: str
    address: str


def source_links(rule: RuleResult) -> list[SourceLink]:
    """Returns the sources of `rule`, with the address of the section of an RFC."""
    return [_link(text) for text in rule.source.split("; ")]


@cache
def specification_files() -> dict[str, Path]:
    """Returns the specifications by file name: in an installed package, or in the repository of this module."""
    package = Path(__file__).parents[1] / "specifications"
    folder = package if package.is_dir() else Path(__file__).parents[3] / "generated" / "docs"
    return {name: folder / name for name in NAMES if (folder / name).is_file()}


def specification_text(name: str) -> str:
    """Returns a specification with links to the others as pages, and without links to other files beside it."""
    text = specification_files()[name].read_text(encoding="utf-8")
    return LINK.sub(_relink, text)


def place_in_specification(rule_id: str) -> str:
    """Returns file name and anchor of a rule's text in the specifications, or an empty string if they lack it."""
    anchor = rule_id.lower()
    name = _anchors().get(anchor)
    return "" if name is None else f"{name}#{anchor}"


def _relink(link: re.Match[str]) -> str:
    page = f"{link['name']}.html"
    return f'<a href="{page}{link["anchor"]}">{link["text"]}</a>' if page in NAMES else link["text"]


@cache
def _anchors() -> dict[str, str]:
    return {
        anchor: name
        for name, path in specification_files().items()
        for anchor in re.findall(r'<a id="([^"]+)"', path.read_text(encoding="utf-8"))
    }


def _link(text: str) -> SourceLink:
    document, _, section = text.partition(" §")
    rfc = RFC.fullmatch(document)
    if rfc is None:
        return SourceLink(text, OTHER_ADDRESSES.get(document, ""))
    anchor = f"#{_slug(section)}" if section else ""
    return SourceLink(text, RFC_ADDRESS.format(number=rfc["number"]) + anchor)


def _slug(section: str) -> str:
    """Returns the anchor of a section's heading: in lower case, without punctuation, with hyphens for spaces."""
    return re.sub(r"[^a-z0-9 _-]", "", section.lower()).replace(" ", "-")
