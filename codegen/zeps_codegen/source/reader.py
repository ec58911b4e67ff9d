"""Conversion of XML elements to the raw model. Unknown elements and attributes are reported, but do not stop it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..diagnostics import error, remark, warning
from ..model import (
    Dialect,
    RawAction,
    RawActionDoc,
    RawAssign,
    RawClass,
    RawComposite,
    RawDefine,
    RawEnumeration,
    RawEvent,
    RawField,
    RawFill,
    RawGrammar,
    RawMember,
    RawMessage,
    RawMethod,
    RawReference,
    RawRelation,
    RawRule,
    RawSet,
    RawState,
    RawStep,
    RawTerm,
    RawTimer,
    RawVariable,
    words,
)
from ..report import Place, Report
from .vocabulary import EXTENSIONS, HOST_CODE, KNOWN, LEFT_OUT, known_attributes, known_to_zproto
from .xml import Element, first_tag, parse_file, parse_text

__all__ = ["read_file", "read_text"]

MISSING_INCLUDE = warning("ZC104", "an included file does not exist")
UNKNOWN_ATTRIBUTE = warning("ZC105", "an unknown attribute")
UNKNOWN_ELEMENT = warning("ZC106", "an unknown element")
MISSING_ATTRIBUTE = error("ZC107", "an element without a required attribute")
NOT_A_MODEL = error("ZC108", "the file is XML, but not a model")
DIALECT = remark("ZC110", "a model in the language that preceded zproto")
HOST_CODE_LEFT_OUT = remark("ZC111", "the host's code, or a script that tests it")
EARLY_FIELD = remark("ZC112", "a field whose name is in the attribute argument, property or constant")
DEFAULTS = remark("ZC129", "a state that all others inherit from implicitly")
LOWER_CASE = remark("ZC113", "a message whose name is in lower case")
NO_MODEL_FOUND = remark("ZC136", "a file in the folder of the models that is not a model")

_EARLY_NAMES = ("argument", "property", "constant")
#: Hints for elements and attributes that are ignored although they look meaningful.
_IGNORED = {"check": 'it is ignored, as in zproto; use guard="…" on an event for a condition'}


def read_file(path: Path, report: Report, *, named: bool = True) -> RawClass | None:
    """Reads the raw model. Returns None, with a finding, if the file is not a model; it is a remark if the user has not
    `named` the file and its root is not <class>, because models include such files.
    """
    first = None if named else first_tag(path)
    if first is not None and first[0] != "class":
        text = f"the root element is <{first[0]}>, not <class>"
        report.add(NO_MODEL_FOUND, first[1], text, hint="it is ignored")
        return None
    root = parse_file(path, report)
    return None if root is None else _Reader(path.parent, report).read(root)


def read_text(data: bytes, file: str, report: Report, folder: Path = Path()) -> RawClass | None:
    """Reads the model in an XML document; None, with a finding, if it is not one. `folder` is the base of includes."""
    root = parse_text(data, file, report)
    return None if root is None else _Reader(folder, report).read(root)


class _Reader:
    def __init__(self, folder: Path, report: Report) -> None:
        self.folder = folder
        self.report = report
        self.included: set[Path] = set()

    def read(self, root: Element) -> RawClass | None:
        if root.tag != "class":
            self.report.add(NOT_A_MODEL, root.place, f"the root element is <{root.tag}>, not <class>")
            return None
        self.check_attributes(root)
        children = tuple(self.children(root))
        grammars = [child for child in children if child.tag == "grammar"]
        grammar = None
        if grammars:
            text, line = _block("".join(item.text for item in grammars), grammars[0].place.text_line)
            place = grammars[0].place
            grammar = RawGrammar(text, Place(place.file, place.line, place.attributes, line))

        def of(tag: str) -> list[Element]:
            return [child for child in children if child.tag == tag]

        headers = [field for header in of("header") for field in self.fields(header)]
        dialect = _dialect(root, children)
        if dialect is Dialect.EARLY:
            text = "the model is in the language that preceded zproto"
            self.report.add(DIALECT, root.place, text, "it is accepted")
        for reply in of("reply"):  # checked, but not a part of the raw model
            self.name(reply)
            self.fields(reply)
        return RawClass(
            name=self.name(root),
            attributes=root.attributes,
            dialect=dialect,
            doc=words(root.text),
            place=root.place,
            grammar=grammar,
            defines=tuple(
                RawDefine(self.name(item), item.get("value") or "", words(item.text), item.place)
                for item in of("define")
            ),
            enumerations=tuple(self.enumeration(item) for item in of("enumeration")),
            composites=tuple(
                RawComposite(self.name(item), self.fields(item), item.place) for item in of("type")
            ),
            header=tuple(headers),
            messages=tuple(self.message(item) for item in of("message")),
            rules=self.rules(children),
            terms=tuple(
                RawTerm(self.name(item), item.get("role"), words(item.text), item.place)
                for item in of("term")
            ),
            references=tuple(self.reference(item) for item in of("reference")),
            variables=tuple(self.variable(item) for item in of("variable")),
            events=tuple(self.event(item) for item in of("event")),
            actions=tuple(
                RawActionDoc(self.name(item), words(item.text), item.place) for item in of("action")
            ),
            methods=tuple(self.method(item) for item in of("method")),
            states=self.states(of("state"), dialect),
            sends=tuple(
                self.application_send(*named) for item in of("send") for named in self.named_messages(item)
            ),
            receives=tuple(
                (name, place) for item in of("recv") for name, _, place in self.named_messages(item)
            ),
        )

    def children(self, root: Element) -> Iterator[Element]:
        """Yields the class's children, and reports what is unknown in them. The elements of the included file replace
        each <include>; a file is included once. Outside of a <class> its unknown elements are left out unreported.
        """
        for child in root.children:
            if child.tag == "include":
                yield from self.include(child)
                continue
            self.check(child)
            yield child

    def include(self, element: Element) -> Iterator[Element]:
        name = element.get("filename")
        if not name:
            self.report.add(MISSING_ATTRIBUTE, element.place, "<include> has no filename")
            return
        path = self.folder / name
        if not path.is_file():
            text = f"the included file {name!r} does not exist"
            self.report.add(MISSING_INCLUDE, element.place, text, "it is ignored", attribute="filename")
            return
        if path.resolve() in self.included:
            return
        self.included.add(path.resolve())
        root = parse_file(path, self.report, fragment=True)
        for child in root.children if root is not None else ():
            if child.tag == "class":
                yield from self.children(child)
            elif child.tag == "include":
                yield from self.include(child)
            elif child.tag in KNOWN:
                yield child

    def check(self, element: Element) -> None:
        """Reports unknown elements and attributes in the element and its descendants."""
        if element.tag in LEFT_OUT:
            self.report.add(HOST_CODE_LEFT_OUT, element.place, f"<{element.tag}> is ignored")
            return
        if element.tag not in KNOWN:
            hint = _IGNORED.get(element.tag, "it is ignored")
            self.report.add(UNKNOWN_ELEMENT, element.place, f"<{element.tag}> is unknown", hint)
            return
        self.check_attributes(element)
        for child in element.children:
            self.check(child)

    def check_attributes(self, element: Element) -> None:
        known = known_attributes(element.tag)
        for name, _ in element.attributes:
            if name not in known and not name.startswith("test_"):
                text, hint = f"<{element.tag}> has no attribute {name!r}", _IGNORED.get(name, "it is ignored")
                self.report.add(UNKNOWN_ATTRIBUTE, element.place, text, hint, attribute=name)

    def name(self, element: Element, attribute: str = "name") -> str:
        value = (element.get(attribute) or "").strip()
        if not value:
            self.report.add(MISSING_ATTRIBUTE, element.place, f"<{element.tag}> has no {attribute}")
        return value

    def rules(self, children: tuple[Element, ...]) -> tuple[RawRule, ...]:
        return tuple(
            RawRule(
                id=self.name(item, "id"),
                level=item.get("level") or "",
                text=words(item.text),
                source=item.get("source") or "",
                **_given(item, "role observable split_from"),
                rationale=" ".join(words(inner.text) for inner in item.all("rationale")),
                place=item.place,
            )
            for item in children
            if item.tag == "rule"
        )

    def reference(self, element: Element) -> RawReference:
        return RawReference(
            id=self.name(element, "id"),
            title=self.name(element, "title"),
            sections=tuple(self.name(item, "title") for item in element.all("section")),
            doc=words(element.text),
            place=element.place,
        )

    def enumeration(self, element: Element) -> RawEnumeration:
        members = tuple(
            RawMember(self.name(item), item.get("value"), words(item.text), item.place)
            for item in element.all("member")
        )
        return RawEnumeration(self.name(element), members, words(element.text), element.place)

    def fields(self, element: Element) -> tuple[RawField, ...]:
        return tuple(self.field(item) for item in element.all("field"))

    def named_messages(self, element: Element) -> list[tuple[str, str, Place]]:
        """The (message, method, place) of a client's <send> or <recv>, or of its children; a method may be empty."""
        alone = [(element, "message")] if element.get("message") else []
        named = alone or [(child, "name") for child in element.all("message")]
        messages = [
            (self.name(item, attribute), (item.get("method") or "").strip(), item.place)
            for item, attribute in named
        ]
        return [item for item in messages if item[0]]

    def application_send(self, message: str, method: str, place: Place) -> RawEvent:
        """The method for a message that the application may send in any state; its default name is `send message`."""
        named = (("name", "send"), ("message", message))
        called = (("name", method or f"send {message.lower()}"), ("message", message))
        return self.event(Element("event", called, "", (Element("action", named, "", (), place),), place))

    def field_name(self, element: Element) -> str:
        for attribute in () if element.get("name") else _EARLY_NAMES:
            if value := (element.get(attribute) or "").strip():
                text = f"the field takes its name from {attribute}: {value}"
                self.report.add(EARLY_FIELD, element.place, text)
                return value
        return self.name(element)

    def field(self, element: Element) -> RawField:
        return RawField(
            name=self.field_name(element),
            type=(element.get("type") or ("string" if element.get("constant") else "")).strip(),
            **_given(element, "size value max text of count length signed enumeration flags reserved"),
            **_given(element, "since until default"),
            rules=self.rules(element.children),
            doc=words(element.text),
            place=element.place,
        )

    def message(self, element: Element) -> RawMessage:
        name = self.name(element)
        if name != name.upper():
            text = f"the message {name} is not in upper case"
            self.report.add(LOWER_CASE, element.place, text, attribute="name")
        return RawMessage(
            name=name,
            **_given(element, "id digest since until extensible"),
            fields=self.fields(element),
            relations=tuple(
                RawRelation(self.name(item, "holds"), item.place) for item in element.all("relation")
            ),
            rules=self.rules(element.children),
            doc=words(element.text),
            place=element.place,
        )

    def variable(self, element: Element) -> RawVariable:
        return RawVariable(
            name=self.name(element),
            type=(element.get("type") or "").strip(),
            **_given(element, "size value"),
            doc=words(element.text),
            place=element.place,
        )

    def steps(self, element: Element) -> tuple[RawStep, ...]:
        steps: list[RawStep] = []
        for item in element.children:
            if item.tag == "action":
                sets = tuple(
                    RawSet(self.name(inner, "field"), item_value(inner), inner.place)
                    for inner in item.all("set")
                )
                fills = tuple(RawFill(self.name(inner, "field"), inner.place) for inner in item.all("fill"))
                given = _given(item, "message raises then read_as")
                steps.append(RawAction(self.name(item), **given, sets=sets, fills=fills, place=item.place))
            elif item.tag == "assign":
                steps.append(RawAssign(self.name(item, "variable"), item_value(item), item.place))
        return tuple(steps)

    def event(self, element: Element) -> RawEvent:
        return RawEvent(
            name=self.name(element),
            **_given(element, "next guard message"),
            steps=self.steps(element),
            doc=words(element.text),
            place=element.place,
        )

    def state(self, element: Element) -> RawState:
        return RawState(
            name=self.name(element),
            **_given(element, "inherit abstract"),
            events=tuple(self.event(item) for item in element.all("event")),
            before=tuple(step for item in element.all("before") for step in self.steps(item)),
            after=tuple(step for item in element.all("after") for step in self.steps(item)),
            timers=tuple(self.timer(item) for item in element.all("timer")),
            rules=self.rules(element.children),
            doc=words(element.text),
            place=element.place,
        )

    def timer(self, element: Element) -> RawTimer:
        return RawTimer(
            event=self.name(element, "event"),
            milliseconds=self.name(element, "milliseconds"),
            since=element.get("since"),
            place=element.place,
        )

    def states(self, elements: list[Element], dialect: Dialect) -> tuple[RawState, ...]:
        """Reads the states. Before zproto, every state inherited from the state `defaults`, if present."""
        states = tuple(self.state(item) for item in elements)
        defaults = next((item for item in states if item.name.lower() == "defaults"), None)
        if dialect is not Dialect.EARLY or defaults is None or any(item.inherit for item in states):
            return states
        self.report.add(DEFAULTS, defaults.place, "every other state inherits from the state defaults")
        return tuple(
            replace(item, abstract="1") if item is defaults else replace(item, inherit=defaults.name)
            for item in states
        )

    def method(self, element: Element) -> RawMethod:
        return RawMethod(
            name=self.name(element),
            returns=element.get("return"),
            immediate=element.get("immediate"),
            fields=tuple(self.field(item) for item in element.children if item.tag in ("field", "argument")),
            accepts=tuple((self.name(item, "reply"), item.place) for item in element.all("accept")),
            doc=words(element.text),
            place=element.place,
        )


def _given(element: Element, attributes: str) -> dict[str, Any]:
    """The values of the attributes, whose names are separated by spaces; None for those that are absent."""
    return {name: element.get(name) for name in attributes.split()}


def item_value(element: Element) -> str:
    return element.get("value") or ""


def _walk(element: Element) -> Iterator[Element]:
    yield element
    for child in element.children:
        yield from _walk(child)


def _dialect(root: Element, children: tuple[Element, ...]) -> Dialect:
    """The dialect of a model, recognised by the features that it uses."""
    early = (root.get("proto") or root.get("codec")) is not None and root.get("protocol_class") is None
    if any(name in EXTENSIONS["class"] for name, _ in root.attributes):
        return Dialect.ZEPS
    for element in (inner for child in children for inner in _walk(child)):
        ours = element.tag in EXTENSIONS and not known_to_zproto(element.tag)
        if ours or any(name in EXTENSIONS.get(element.tag, ()) for name, _ in element.attributes):
            return Dialect.ZEPS
        early = early or element.tag in HOST_CODE or element.get("type") in ("octet", "dictionary")
        early = early or (element.tag == "event" and element.get("name") == "$other")
    return Dialect.EARLY if early else Dialect.ZPROTO


def _block(text: str, line: int) -> tuple[str, int]:
    """`text` without surrounding blank lines and common indentation, and the line where it then begins."""
    lines = text.split("\n")
    first = next((index for index, item in enumerate(lines) if item.strip()), 0)
    return textwrap.dedent("\n".join(lines[first:])).strip("\n").rstrip(), line + first
