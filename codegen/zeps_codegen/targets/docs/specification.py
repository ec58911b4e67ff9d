"""Converts a frame and the models to a specification that can be published, as Markdown and as one HTML page.

A frame is a Jinja template of Markdown that calls the functions of :class:`_Content` to insert parts of the models.
Headings are numbered; ``[[Credit]]`` becomes a reference to that section, ``[[contents]]`` the table of contents. Each
part of a protocol that a call names must be shown exactly once, see :meth:`_Content.check_complete`.
"""

from __future__ import annotations

import json
import re
import traceback
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

from jinja2 import TemplateError
from markdown_it import MarkdownIt

from ...compose import EncodeFault, encode, shown_fields
from ...ir import (
    Bundle,
    Constant,
    Enumeration,
    Field,
    FieldType,
    Machine,
    Message,
    Protocol,
    Text,
    Variable,
)
from ...naming import snake
from ...package import Package
from ..abnf import print_abnf
from ..environment import template_environment
from ..errors import FrameError
from ..vectors.frames import frame_vectors
from .diagram import draw
from .pages import RuleView, machine_page, protocol_page

__all__ = ["Specification", "specification", "squeezed"]

_TEMPLATES = Path(__file__).parent / "templates"
_CONTENTS = "[[contents]]"
Item = TypeVar("Item", bound=Message | Enumeration | Constant | Field)


@cache
def _macros() -> Any:
    return template_environment(_TEMPLATES).get_template("macros.j2").module


@dataclass(frozen=True, slots=True)
class Specification:
    """A document, and the names of the protocols that it specifies completely."""

    markdown: str
    html: str
    protocols: frozenset[str]


def specification(path: PurePosixPath, source: str, bundle: Bundle, package: Package) -> Specification:
    """The document of the frame `source`. Raises FrameError with `path` and the line, 0 for the whole document."""
    content = _Content(bundle)
    environment = template_environment(_TEMPLATES, package=package, **content.functions())
    try:
        code = environment.compile(source, filename=str(path))
        template = environment.template_class.from_code(environment, code, environment.globals)
        text = template.render()
        content.check_complete()
        sections, text = _number(squeezed(text))
        text = _refer(text, sections)
    except TemplateError as error:
        line = getattr(error, "lineno", None) or _line(error, path)
        raise FrameError(f"{path}:{line}: {error.message}") from None
    except FrameError as error:
        raise FrameError(f"{path}:{_line(error, path)}: {error}") from None
    listing = "\n".join(f"{'  ' * (s.level - 2)}- [{s.number}. {s.title}](#{s.anchor})" for s in sections)
    title, opening, body = _html(text, content.machines)
    page = environment.get_template("specification.html.j2").render(
        title=title, opening=opening, contents=_html(listing, [])[2], body=body
    )
    return Specification(text.replace(_CONTENTS, listing), page, frozenset(content.used))


def _line(error: Exception, path: PurePosixPath) -> int:
    """The last line of the frame in the error's traceback; 0 if the error is about the document as a whole."""
    lines = [item.lineno for item in traceback.extract_tb(error.__traceback__) if item.filename == str(path)]
    return (lines[-1] or 0) if lines else 0


# --- sections


@dataclass(frozen=True, slots=True)
class _Section:
    level: int
    number: str
    title: str
    anchor: str


_PARTS = re.compile(r"^(```.*?^```$)", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(#{2,3}) (.+)$", re.MULTILINE)
_REFERENCE = re.compile(r"\[\[([^\]]+)\]\]")


def squeezed(text: str) -> str:
    """`text` with one newline at its end, without blanks at ends of lines and superfluous empty lines."""
    return re.sub(r"\n{3,}", "\n\n", re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)).strip("\n") + "\n"


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    """`text` with `change` applied to every part that is not fenced code."""
    return "".join(part if part.startswith("```") else change(part) for part in _PARTS.split(text))


def _number(text: str) -> tuple[list[_Section], str]:
    """The sections (``##``, ``###``), and `text` with numbered headings. Raises FrameError if two titles are equal."""
    sections: list[_Section] = []
    counts = [0, 0]

    def numbered(match: re.Match[str]) -> str:
        level, title = len(match[1]), match[2]
        counts[:] = [counts[0] + 1, 0] if level == 2 else [counts[0], counts[1] + 1]
        number = ".".join(map(str, counts[: level - 1]))
        anchor = _anchor(f"{number}. {title}")
        if any(title == section.title for section in sections):
            raise FrameError(f"two sections are called {title!r}; titles must be unique")
        sections.append(_Section(level, number, title, anchor))
        return f"{match[1]} {number}. {title}"

    return sections, _outside_code(text, lambda part: _HEADING.sub(numbered, part))


def _refer(text: str, sections: list[_Section]) -> str:
    """Converts references to sections to links, except ``[[contents]]``. Raises FrameError for an unknown section."""
    known = {section.title: section for section in sections}

    def link(match: re.Match[str]) -> str:
        if match[0] == _CONTENTS:
            return match[0]
        if match[1] not in known:
            raise FrameError(
                f"unknown section {match[1]!r}; a reference has the title of a heading of level 2 or 3"
            )
        section = known[match[1]]
        return f"[section {section.number}](#{section.anchor})"

    return _outside_code(text, lambda part: _REFERENCE.sub(link, part))


# --- HTML


def _html(text: str, machines: Sequence[Machine]) -> tuple[str, str, str]:
    """Converts Markdown to HTML: the title (the first heading), the text before the table of contents, and the text
    after it. Without ``[[contents]]`` all text is in the last. Headings of level 2 and 3 have anchors, tables scroll
    separately, and the diagrams of `machines` are embedded.
    """
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    tokens = reader.parse(text)
    title = ""
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open":
            title = title or inline.content
            if opening.tag in ("h2", "h3"):
                opening.attrSet("id", _anchor(inline.content))
    body = str(reader.renderer.render(tokens, reader.options, {}))
    body = body.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")
    for machine in machines:
        image = f"data:image/svg+xml;base64,{b64encode(draw(machine).encode()).decode()}"
        body = body.replace(f'src="{snake(machine.name)}.svg"', f'src="{image}"')
    before, _, after = body.rpartition(f"<p>{_CONTENTS}</p>\n")
    return title, before, after


def _anchor(heading: str) -> str:
    """The anchor that Markdown renderers derive from a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


# --- functions of frames


@dataclass(slots=True)
class _Content:
    """The functions that a frame calls; paths have the names of a protocol and of its parts: ``zeps.PUBLISH.body``.
    They record what they show, and raise FrameError for unknown names; an unknown rule is an error in
    :meth:`check_complete`.
    """

    bundle: Bundle
    used: dict[str, None] = field(default_factory=dict)
    machines: list[Machine] = field(default_factory=list)
    _counts: Counter[str] = field(default_factory=Counter)
    _referred: dict[str, None] = field(default_factory=dict)

    def functions(self) -> dict[str, Any]:
        """The functions, by the names that frames use: ``rule`` is :meth:`show_rule`."""
        names = (
            "codes", "constant", "exchange", "field", "grammar", "machine", "message", "octets", "references",
            "registry", "rule", "rules", "terms", "variable",
        )  # fmt: skip
        return {name: getattr(self, f"show_{name}") for name in names}

    def check_complete(self) -> None:
        """Raises FrameError if a message, enumeration, machine, term, reference or rule of a protocol in use is not
        shown or is shown twice, or if the text refers to a rule that is not shown.
        """
        parts: list[str] = []
        for protocol in self.bundle.protocols:
            if protocol.name in self.used:
                machines = [machine for machine in self.bundle.machines if machine.protocol == protocol.name]
                parts += [f"{protocol.name}.{message.name}" for message in protocol.messages]
                parts += [f"{protocol.name}.{enumeration.name}" for enumeration in protocol.enumerations]
                parts += [machine.name for machine in machines]
                owners: tuple[Protocol | Machine, ...] = (protocol, *machines)
                for owner in owners:
                    parts += [f"{owner.name}: {term.name}" for term in owner.terms]
                    parts += [f"{owner.name}: {reference.id}" for reference in owner.references]
                parts += [rule.id for rule in self._rules_of(protocol)]
        if missing := [part for part in parts if not self._counts[part]]:
            raise FrameError(
                f"no section has {', '.join(missing)}; a frame must show all of a protocol that it uses"
            )
        if absent := [rule for rule in self._referred if not self._counts[rule]]:
            raise FrameError(f"no section has the rules {', '.join(absent)}, which the text refers to")
        if twice := [part for part, times in self._counts.items() if times > 1]:
            raise FrameError(f"{', '.join(twice)}: shown twice; a frame must show each part once")

    def _rules_of(self, protocol: Protocol) -> list[RuleView]:
        """The rules of a protocol and of its machines, including those of messages and states."""
        page = protocol_page(protocol, ())
        owners: list[Any] = [page, *page.messages]
        for machine in self.bundle.machines:
            if machine.protocol == protocol.name:
                view = machine_page(machine)
                owners += [view, *view.states]
        return [rule for owner in owners for rule in owner.rules]

    def _macro(self, name: str, *values: object) -> str:
        macro = getattr(_macros(), name)
        text = str(macro(*values)).rstrip("\n")
        return re.sub(r"^- \*\*(\S+)\*\*", _anchored, text, flags=re.MULTILINE)

    def _protocol(self, name: str) -> Protocol:
        for protocol in self.bundle.protocols:
            if protocol.name == name:
                self.used[name] = None
                return protocol
        raise FrameError(f"unknown protocol {name!r}")

    def _find(self, path: str, kind: type[Item]) -> tuple[Protocol, Item]:
        """The protocol, which must be shown as a whole, and its item at `path`. Raises FrameError if one is missing."""
        name, _, rest = path.partition(".")
        protocol = self._protocol(name)
        items: list[tuple[str, Message | Enumeration | Constant | Field]] = []
        items += [(message.name, message) for message in protocol.messages]
        items += [
            (f"{message.name}.{field.name}", field)
            for message in protocol.messages
            for field in message.fields
        ]
        items += [(enumeration.name, enumeration) for enumeration in protocol.enumerations]
        items += [(constant.name, constant) for constant in protocol.constants]
        for item_name, item in items:
            if item_name == rest and isinstance(item, kind):
                return protocol, item
        raise FrameError(f"the models have no {kind.__name__.lower()} {path!r}")

    def show_field(self, path: str) -> Field:
        """The field, for its limit or its size."""
        return self._find(path, Field)[1]

    def show_constant(self, path: str) -> Constant:
        """The constant, for its value."""
        return self._find(path, Constant)[1]

    def show_variable(self, path: str) -> Variable:
        """A machine's variable, for its initial value: ``zeps_client.unanswered_max``."""
        for machine in self.bundle.machines:
            for variable in machine.variables:
                if f"{machine.name}.{variable.name}" == path:
                    return variable
        raise FrameError(f"the models have no variable {path!r}")

    def show_message(self, path: str) -> str:
        """The table of a message's fields, its size in bytes, and the bytes of the test vector `<message>/ordinary`."""
        protocol, message = self._find(path, Message)
        self._counts[path] += 1
        view = next(item for item in protocol_page(protocol, ()).messages if item.name == message.name)
        name = f"{message.name}/ordinary"
        frames = next(vector.frames for vector in frame_vectors(protocol) if vector.name == name)
        example = " ".join(frame.hex(" ").upper() for frame in frames)
        return f"{self._macro('message', view)}\n\nExample, the test vector `{name}`: `{example}`."

    def show_rules(self, *groups: str) -> str:
        """The rules of the groups: ``ZEPS-CREDIT`` has the rules ``ZEPS-CREDIT-1`` and so on."""
        views: list[RuleView] = []
        for group in groups:
            rules = [rule for rule in self._all_rules() if re.fullmatch(rf"{re.escape(group)}-\d+", rule.id)]
            if not rules:
                raise FrameError(f"no rule has the id {group}-1, or {group} and another number")
            views += rules
        self._counts.update(view.id for view in views)
        return self._macro("rules", views)

    def show_rule(self, name: str) -> str:
        """A reference to a rule of the document."""
        self._referred[name] = None
        return f"[{name}](#{name.lower()})"

    def _all_rules(self) -> list[RuleView]:
        return [rule for protocol in self.bundle.protocols for rule in self._rules_of(protocol)]

    def show_codes(self, path: str) -> str:
        """The table of the values of an enumeration's members, with their descriptions."""
        self._counts[path] += 1
        rows = [
            [f"`{member.value}`", " ".join(member.doc.split())]
            for member in self._find(path, Enumeration)[1].members
        ]
        return self._macro("table", ["Value", "Meaning"], rows)

    def show_terms(self, *names: str) -> str:
        """The terms of protocols and machines."""
        terms: dict[str, str] = {}
        for owner in map(self._owner, names):
            self._counts.update(f"{owner.name}: {term.name}" for term in owner.terms)
            terms |= {term.name: " ".join(term.doc.split()) for term in owner.terms}
        return self._macro(
            "table", ["Term", "Meaning"], sorted(terms.items(), key=lambda item: item[0].lower())
        )

    def show_references(self, *names: str) -> str:
        """The table of the documents that the rules of these protocols and machines cite, by the cited names."""
        titles: dict[str, str] = {}
        for owner in map(self._owner, names):
            self._counts.update(f"{owner.name}: {reference.id}" for reference in owner.references)
            titles |= {reference.id: reference.title for reference in owner.references}
        return self._macro("table", ["Name", "Title"], sorted(titles.items()))

    def _owner(self, name: str) -> Protocol | Machine:
        for machine in self.bundle.machines:
            if machine.name == name:
                return machine
        return self._protocol(name)

    def show_registry(self, name: str) -> str:
        """The table of a protocol's messages: numbers, names, senders, versions and descriptions."""
        protocol = self._protocol(name)
        sent = re.findall(r"\b([CS]):([A-Z][A-Z0-9-]*)", protocol.grammar)
        rows = []
        for item in protocol.messages:
            who = {"C": "client", "S": "server"}
            senders = sorted({who[role] for role, name in sent if name == item.name})
            doc = " ".join(item.doc.split())
            rows.append(
                [str(item.id), f"`{item.id:02X}`", item.name, " and ".join(senders), str(item.since), doc]
            )
        return self._macro("table", ["Id", "Octet", "Name", "Sent by", "Since version", "Purpose"], rows)

    def show_grammar(self, name: str) -> str:
        """The ABNF of a protocol."""
        return f"```abnf\n{print_abnf(self._protocol(name)).strip()}\n```"

    def show_machine(self, name: str, level: int = 4) -> str:
        """A machine's description, diagram and tables under headings of `level`; the states' rules count as shown."""
        for machine in self.bundle.machines:
            if machine.name == name:
                self._counts[name] += 1
                self.machines.append(machine)
                view = machine_page(machine)
                self._counts.update(rule.id for state in view.states for rule in state.rules)
                image = f"![{machine.title}: states and transitions]({snake(machine.name)}.svg)"
                return f"{machine.doc}\n\n{image}\n\n{self._macro('machine', view, level)}"
        raise FrameError(f"unknown machine {name!r}")

    def show_octets(self, name: str, line: str) -> int:
        """The size in bytes of a message, which `line` has in the form of :meth:`show_exchange`, without the sender."""
        return len(self._encoded(name, line)[-1])

    def show_exchange(self, text: str, name: str) -> str:
        """A code block of lines such as ``C: SUBSCRIBE pattern="" latest=0`` with the messages' octets; other lines
        become comments. ``COMMAND(SUBSCRIBE topic="a")`` is a message whose one field is another message; `name` then
        has the names of both protocols: ``zmtp_frame zmtp``.
        """
        lines: list[str] = []
        for line in filter(None, map(str.strip, text.splitlines())):
            sender, colon, rest = line.partition(": ")
            if not colon or sender not in ("C", "S"):
                lines += ["", f"; {line}"]
                continue
            frame = self._encoded(name, rest)[-1]
            lines.append(f"{sender}: {rest}  ; {len(frame)} octets")
            lines += [f"   {frame[at : at + 16].hex(' ').upper()}" for at in range(0, len(frame), 16)]
        return "```\n" + "\n".join(lines).strip("\n") + "\n```\n"

    def _encoded(self, name: str, line: str) -> list[bytes]:
        outer, _, inner = name.partition(" ")
        protocol = self._protocol(outer)
        if (match := re.fullmatch(r"([A-Z-]+)\((.+)\)", line)) is not None:
            inside = self._encoded(inner, match[2])
            message = self._find(f"{outer}.{match[1]}", Message)[1]
            return [*inside, encode(protocol, message, [inside[-1]])]
        title, _, rest = line.partition(" ")
        if inner and title not in {item.name for item in protocol.messages}:
            return self._encoded(inner, line)
        message = self._find(f"{outer}.{title}", Message)[1]
        values: dict[str, Any] = {}
        while rest:
            key, _, rest = rest.partition("=")
            try:
                values[key], end = json.JSONDecoder().raw_decode(rest)
            except json.JSONDecodeError as error:
                raise FrameError(f"{line}: {error}") from None
            rest = rest[end:].lstrip()
        fields = shown_fields(protocol, message)
        if [field.name for field in fields] != list(values):
            raise FrameError(
                f"{line}: {title} needs the fields {', '.join(field.name for field in fields)}, in this order"
            )
        try:
            return [encode(protocol, message, [_wire(field, values[field.name]) for field in fields])]
        except EncodeFault as error:
            raise FrameError(f"{line}: {error}") from None


def _anchored(match: re.Match[str]) -> str:
    """A rule's id at the beginning of its item, with an anchor."""
    return f'- <a id="{match[1].lower()}"></a>**{match[1]}**'


def _wire(field: Field, value: Any) -> Any:
    """A value of JSON for :func:`encode`: text outside lists and in pairs as bytes; fixed octets padded with zeros."""
    if isinstance(value, list):
        return [
            tuple(_wire(field, part) for part in item) if isinstance(item, list) else item for item in value
        ]
    if not isinstance(value, str):
        return value
    data = value.encode("latin-1" if field.text is Text.OCTETS else "utf-8")
    return data.ljust(field.size, b"\0") if field.type is FieldType.OCTETS and not field.length else data
