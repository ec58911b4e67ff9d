"""XML text → elements that know their lines.

libxml2 gives an element the line where its start tag *ends*. A finding should name the line of the attribute
it is about, so a small scanner runs over the text beside the parser: the n-th start tag is the n-th element.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from ..diagnostics import Severity, define
from ..report import Place, Report

__all__ = ["FRAGMENT", "Element", "parse_file", "parse_text"]

NOT_WELL_FORMED = define("ZC101", Severity.ERROR, "the file is not well-formed XML")
RAW_AMPERSAND = define("ZC102", Severity.ERROR, "an ampersand that is not written as &amp;")
ATTRIBUTE_TWICE = define("ZC114", Severity.WARNING, "an attribute that is there twice, which is not XML")
UNREADABLE = define("ZC103", Severity.ERROR, "the file cannot be read")

_TAG = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>|</[^>]*>"
    r"|(?P<start><[^\s/>!?]+(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>)",
    re.DOTALL,
)
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_ATTRIBUTE = re.compile(r"([^\s=\"'/<>]+)\s*=\s*(?:\"[^\"]*\"|'[^']*')", re.DOTALL)

FRAGMENT = "fragment"
"""The tag of what stands round the elements of a fragment."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element. `text` is its own, without that of its children; `place` knows each attribute's line."""

    tag: str
    attributes: tuple[tuple[str, str], ...]
    text: str
    children: tuple[Element, ...]
    place: Place

    def get(self, name: str) -> str | None:
        """The attribute's value, or None."""
        for key, value in self.attributes:
            if key == name:
                return value
        return None

    def all(self, tag: str) -> tuple[Element, ...]:
        """The children with that tag, in order."""
        return tuple(child for child in self.children if child.tag == tag)


def parse_file(path: Path, report: Report, fragment: bool = False) -> Element | None:
    """The root element of the file; None, with a finding, if there is none.

    A fragment may have several elements side by side, and comes as the children of one called FRAGMENT.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        report.add(UNREADABLE, Place(path.as_posix()), f"cannot be read: {error.strerror or error}")
        return None
    if fragment:
        text = _DECLARATION.sub("", data.decode("utf-8", "replace"), count=1)
        data = f"<{FRAGMENT}>{text}</{FRAGMENT}>".encode()
    return parse_text(data, path.as_posix(), report)


def parse_text(data: bytes, file: str, report: Report) -> Element | None:
    """The root element of an XML document; `file` is the name that findings give."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        single = _without_twins(data, file, report) if "redefined" in (error.msg or "") else data
        if single != data:
            return parse_text(single, file, report)
        _report_syntax(error, data, file, report)
        return None
    encoding = root.getroottree().docinfo.encoding or "utf-8"
    places = _scan(data.decode(encoding, "replace"), file)
    elements = [element for element in root.iter() if isinstance(element.tag, str)]
    if len(places) != len(elements):  # entities that hold elements: the parser's lines have to do
        places = [Place(file, int(element.sourceline or 0)) for element in elements]
    return _convert(root, dict(zip(elements, places, strict=True)))


def _report_syntax(error: etree.XMLSyntaxError, data: bytes, file: str, report: Report) -> None:
    line = error.lineno or 0
    reason = (error.msg or "syntax error").split(", line ")[0].split("\n")[0].strip()
    lines = data.decode("utf-8", "replace").splitlines()
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    if "EntityRef" in reason and re.search(r"&(?!#?\w+;)", text):
        report.add(
            RAW_AMPERSAND, Place(file, line), "a raw & is not XML", hint="write &amp; where the text says &"
        )
    else:
        report.add(NOT_WELL_FORMED, Place(file, line), f"not well-formed XML: {' '.join(reason.split())}")


def _without_twins(data: bytes, file: str, report: Report) -> bytes:
    """The document with blanks for each attribute that comes again: zproto's tool takes the last."""
    text = data.decode("utf-8", "surrogateescape")
    pieces, end = [], 0
    for tag in _TAG.finditer(text):
        found = list(_ATTRIBUTE.finditer(tag.group("start") or ""))
        last = {attribute.group(1): attribute for attribute in found}
        for attribute in found:
            if last[attribute.group(1)] is attribute:
                continue
            start = tag.start() + attribute.start()
            line = text.count("\n", 0, tag.start() + last[attribute.group(1)].start()) + 1
            message = f"the attribute {attribute.group(1)} is there twice"
            report.add(ATTRIBUTE_TWICE, Place(file, line), message, hint="this one is taken")
            blank = re.sub(r"[^\n]", " ", attribute.group())
            pieces += [text[end:start], blank]
            end = start + len(blank)
    return "".join([*pieces, text[end:]]).encode("utf-8", "surrogateescape")


def _scan(text: str, file: str) -> list[Place]:
    """The place of each start tag, in document order."""
    places = []
    line, seen = 1, 0
    for match in _TAG.finditer(text):
        tag = match.group("start")
        if tag is None:
            continue
        line += text.count("\n", seen, match.start())
        seen = match.start()
        attributes = tuple(
            (found.group(1), line + tag.count("\n", 0, found.start())) for found in _ATTRIBUTE.finditer(tag)
        )
        places.append(Place(file, line, attributes, line + tag.count("\n")))
    return places


def _convert(node: etree._Element, places: dict[etree._Element, Place]) -> Element:
    children = [child for child in node if isinstance(child.tag, str)]
    pieces = [node.text or ""]
    for child in node:
        if not isinstance(child.tag, str):  # a comment: its lines count
            pieces.append("\n" * (child.text or "").count("\n"))
        pieces.append(child.tail or "")
    return Element(
        tag=_local(str(node.tag)),
        attributes=tuple((_local(str(key)), str(value)) for key, value in node.attrib.items()),
        text="".join(pieces),
        children=tuple(_convert(child, places) for child in children),
        place=places[node],
    )


def _local(name: str) -> str:
    return name.rpartition("}")[2]
