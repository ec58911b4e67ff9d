"""Parser for XML: elements with the lines of their tags and attributes.

libxml2 reports where a start tag *ends*, so a small scanner runs over the text as well: the n-th start tag is the n-th
element. Text of public models that is not XML but that zproto's own parser accepts is corrected, each form with a
finding, without changing line numbers; other errors remain errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from ..diagnostics import Code, error, warning
from ..report import Place, Report

__all__ = ["FRAGMENT", "Element", "first_tag", "parse_file", "parse_text"]

NOT_WELL_FORMED = error("ZC101", "the file is not well-formed XML")
RAW_AMPERSAND = warning("ZC102", "an ampersand without escape (&amp;)")
HYPHENS = warning("ZC133", "two hyphens within a comment")
NO_SPACE = warning("ZC134", "two attributes without a space between them")
SPLIT_END = warning("ZC135", "a space between the slash and the bracket at the end of an element")
ATTRIBUTE_TWICE = warning("ZC114", "an attribute that occurs twice")
ENTITY = error("ZC137", "a reference to an entity that is not predefined in XML")
UNREADABLE = error("ZC103", "the file is unreadable")

_TAG = re.compile(
    r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<!DOCTYPE[^\[>]*(?:\[.*?\]\s*)?>|</[^>]*>"
    r"|(?P<start><[^\s/>!?]+(?:[^<>\"']|\"[^\"]*\"|'[^']*')*>)",
    re.DOTALL,
)
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_ATTRIBUTE = re.compile(r"([^\s=\"'/<>]+)\s*=\s*(?:\"[^\"]*\"|'[^']*')", re.DOTALL)
_AMPERSAND = re.compile(r"&(?!#\d+;|#x[\dA-Fa-f]+;|[^\W\d][\w.-]*;)")
_ENTITY = re.compile(r"&(?!(?:amp|lt|gt|quot|apos);)([^\W\d][\w.-]*);")
_SPLIT_END = re.compile(r"/(\s+)>$")

FRAGMENT = "fragment"
"""The tag of the element that wraps the elements of a fragment."""


@dataclass(frozen=True, slots=True)
class Element:
    """An element. `text` is its own text, without that of its children; `place` has each attribute's line."""

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
    """Parses the file. Returns the root element, or None with a finding. A fragment may have several elements side by
    side; they become the children of an element with the tag FRAGMENT.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        report.add(UNREADABLE, Place(path.as_posix()), f"the file cannot be read: {error.strerror or error}")
        return None
    if fragment:
        text = _DECLARATION.sub("", data.decode("utf-8", "replace"), count=1)
        data = f"<{FRAGMENT}>{text}</{FRAGMENT}>".encode()
    return parse_text(data, path.as_posix(), report)


def parse_text(data: bytes, file: str, report: Report) -> Element | None:
    """Parses an XML document; `file` is the name in findings. Returns the root element, or None with a finding."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        root = etree.fromstring(data, parser)
    except etree.XMLSyntaxError as error:
        corrected = _corrected(data, file, report)
        if corrected != data:
            return parse_text(corrected, file, report)
        reason = (error.msg or "syntax error").split(", line ")[0].split("\n")[0].strip()
        text = f"not well-formed XML: {' '.join(reason.split())}"
        report.add(NOT_WELL_FORMED, Place(file, error.lineno or 0), text)
        return None
    encoding = root.getroottree().docinfo.encoding or "utf-8"
    text = data.decode(encoding, "replace")
    _report_entities(text, file, report)
    places = _scan(text, file)
    elements = [element for element in root.iter() if isinstance(element.tag, str)]
    if len(places) != len(elements):  # entities that contain elements: fall back to the parser's lines
        places = [Place(file, int(element.sourceline or 0)) for element in elements]
    return _convert(root, dict(zip(elements, places, strict=True)))


def _report_entities(text: str, file: str, report: Report) -> None:
    """Reports entities, which are not expanded: otherwise a document could lose text or grow without limit."""
    content = _TAG.sub(lambda tag: tag["start"] or "\n" * tag.group().count("\n"), text)
    for entity in _ENTITY.finditer(content):
        line = content.count("\n", 0, entity.start()) + 1
        report.add(
            ENTITY, Place(file, line), f"the entity {entity[1]} is not expanded", "replace it by its content"
        )


def first_tag(path: Path) -> tuple[str, Place] | None:
    """The first element's tag and place, even of malformed XML; None if the file is unreadable or has no element."""
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    for item in _TAG.finditer(text):
        if start := item.group("start"):
            line = text.count("\n", 0, item.start()) + 1
            return re.split(r"[\s/>]", start[1:], maxsplit=1)[0], Place(path.as_posix(), line)
    return None


@dataclass(frozen=True, slots=True)
class _Correction:
    """A correction: `text` replaces text[start:end]; the finding is on the line of text[at]."""

    start: int
    end: int
    text: str
    at: int
    code: Code
    message: str
    hint: str


def _corrected(data: bytes, file: str, report: Report) -> bytes:
    """The document with zproto's extensions converted to XML. Each correction is reported."""
    text = data.decode("utf-8", "surrogateescape")
    pieces, end = [], 0
    for item in _corrections(text):
        if item.start >= end:
            line = text.count("\n", 0, item.at) + 1
            report.add(item.code, Place(file, line), item.message, item.hint)
            pieces += [text[end : item.start], item.text]
            end = item.end
    return "".join([*pieces, text[end:]]).encode("utf-8", "surrogateescape")


def _corrections(text: str) -> Iterator[_Correction]:
    """Yields all corrections, in the order of the text."""
    end = 0
    for tag in _TAG.finditer(text):
        yield from _ampersands(text, end, tag.start())
        end = tag.end()
        if tag.group().startswith("<!--"):
            yield from _hyphens(tag)
        elif tag.group("start"):
            corrections = (*_attributes(tag), *_ampersands(text, tag.start(), tag.end()), *_split_end(tag))
            yield from sorted(corrections, key=lambda item: item.start)
    yield from _ampersands(text, end, len(text))


def _ampersands(text: str, start: int, end: int) -> Iterator[_Correction]:
    for match in _AMPERSAND.finditer(text, start, end):
        message, hint = "an unescaped & is not XML", "write &amp;"
        yield _Correction(*match.span(), "&amp;", match.start(), RAW_AMPERSAND, message, hint)


def _hyphens(comment: re.Match[str]) -> Iterator[_Correction]:
    start, end = comment.start() + len("<!--"), comment.end() - len("-->")
    inner = comment.string[start:end]
    if "--" in inner or inner.endswith("-"):
        at = start + inner.find("--") if "--" in inner else end
        message, hint = "a comment with -- in it is not XML", "remove the hyphens"
        yield _Correction(start, end, inner.replace("-", " "), at, HYPHENS, message, hint)


def _attributes(tag: re.Match[str]) -> Iterator[_Correction]:
    """Inserts missing spaces between attributes, and blanks out duplicates: zproto uses the last one."""
    attributes = list(_ATTRIBUTE.finditer(tag.string, tag.start(), tag.end()))
    last = {attribute.group(1): attribute for attribute in attributes}
    for attribute in attributes:
        name, start = attribute.group(1), attribute.start()
        if not tag.string[start - 1].isspace():
            message, hint = f"no space before the attribute {name}", 'a="…" b="…"'
            yield _Correction(start, start, " ", start, NO_SPACE, message, hint)
        if last[name] is not attribute:
            message, hint = f"the attribute {name} occurs twice", "this one is used"
            blank = re.sub(r"[^\n]", " ", attribute.group())
            at = last[name].start()
            yield _Correction(start, attribute.end(), blank, at, ATTRIBUTE_TWICE, message, hint)


def _split_end(tag: re.Match[str]) -> Iterator[_Correction]:
    for match in _SPLIT_END.finditer(tag.string, tag.start(), tag.end()):
        message, hint = "a space between / and > is not XML", "write />"
        yield _Correction(*match.span(), f"{match[1]}/>", match.start(), SPLIT_END, message, hint)


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
            (match.group(1), line + tag.count("\n", 0, match.start())) for match in _ATTRIBUTE.finditer(tag)
        )
        places.append(Place(file, line, attributes, line + tag.count("\n")))
    return places


def _convert(node: etree._Element, places: dict[etree._Element, Place]) -> Element:
    children = [child for child in node if isinstance(child.tag, str)]
    pieces = [node.text or ""]
    for child in node:
        if not isinstance(child.tag, str):  # a comment, whose lines count
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
