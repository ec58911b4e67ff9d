"""Parser for ABNF (RFC 5234, RFC 7405, and zproto's dialect): rules with their lines and comments. The text is split at
each line that begins with `name =`, so malformed rules do not hide others, and indentation does not matter. The
extensions of zproto's dialect are accepted and reported: roles in lower case, `|`, underscores.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files

from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from ..diagnostics import Code, remark, warning
from ..report import Place, Report

__all__ = [
    "Alternation",
    "Chars",
    "Comment",
    "Concatenation",
    "Element",
    "Grammar",
    "Numbers",
    "Prose",
    "Reference",
    "Repetition",
    "Rule",
    "parse_grammar",
    "references",
    "walk",
]

SYNTAX = warning("ZC501", "a rule of a grammar that is not ABNF")
ROLE_CASE = remark("ZC130", "a role in lower case: c: or s: instead of C: or S:")
BAR = remark("ZC131", "`|` between alternatives instead of `/`")
UNDERSCORE = remark("ZC132", "an underscore in a rule's name instead of a hyphen")
ORPHAN = warning("ZC502", "text in a grammar that does not belong to a rule")


@dataclass(frozen=True, slots=True)
class Reference:
    """A rule's name, or a message with its sender's role, in either case: `C` client, `S` server, `P` either peer."""

    name: str
    role: str | None = None
    line: int = field(default=0, compare=False)  # equality compares only the spelling


@dataclass(frozen=True, slots=True)
class Chars:
    """A quoted text; it is case-insensitive as in ABNF, unless it has `%s`."""

    text: str
    case_sensitive: bool = False


@dataclass(frozen=True, slots=True)
class Numbers:
    """Bytes by number, in sequence; or, with `last`, one byte from `values[0]` to `last`, inclusive."""

    values: tuple[int, ...]
    last: int | None = None


@dataclass(frozen=True, slots=True)
class Prose:
    text: str


@dataclass(frozen=True, slots=True)
class Repetition:
    """`item`, at least `least` times and at most `most` times (None: unlimited). An option is 0 to 1."""

    item: Element
    least: int
    most: int | None


@dataclass(frozen=True, slots=True)
class Concatenation:
    items: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Alternation:
    items: tuple[Element, ...]


Element = Reference | Chars | Numbers | Prose | Repetition | Concatenation | Alternation


@dataclass(frozen=True, slots=True)
class Comment:
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Rule:
    """`name = element`; `more` for `=/`. `above` are comments before the rule, `beside` comments within it."""

    name: str
    element: Element
    line: int
    more: bool = False
    above: tuple[Comment, ...] = ()
    beside: tuple[Comment, ...] = ()
    role: str | None = None  # early versions of zproto print rules of messages as `C:NAME = …`


@dataclass(frozen=True, slots=True)
class Grammar:
    rules: tuple[Rule, ...]

    def named(self, name: str) -> tuple[Rule, ...]:
        """The rules called `name`; names are case-insensitive in ABNF."""
        return tuple(rule for rule in self.rules if rule.name.lower() == name.lower())


def walk(element: Element) -> Iterator[Element]:
    """Yields the element and every element within it, in the order of the text."""
    yield element
    if isinstance(element, Repetition):
        yield from walk(element.item)
    elif isinstance(element, Concatenation | Alternation):
        for item in element.items:
            yield from walk(item)


def references(rules: Iterable[Rule]) -> Iterator[Reference]:
    """Yields every reference in the rules, in the order of the text; names that rules define are not references."""
    return (item for rule in rules for item in walk(rule.element) if isinstance(item, Reference))


_HEAD = re.compile(r"\s*(?:([A-Za-z]):)?([A-Za-z_][A-Za-z0-9_-]*)\s*(?==)")


@lru_cache(maxsize=1)
def _parser() -> Lark:
    text = files(__package__).joinpath("abnf.lark").read_text(encoding="utf-8")
    return Lark(text, parser="lalr", start="rule", propagate_positions=True)


@dataclass(slots=True)
class _Chunk:
    name: str
    line: int
    text: str
    role: str | None
    above: tuple[Comment, ...]
    beside: tuple[Comment, ...] = ()


def parse_grammar(
    text: str, file: str, report: Report, first_line: int = 1, syntax: Code = SYNTAX, tolerances: bool = True
) -> Grammar:
    """Parses the rules of `text`, which begins on `first_line` of `file`. Reports and leaves out malformed rules with
    the code `syntax`; also reports text before the first rule and, with `tolerances`, zproto's extensions.
    """
    rules = []
    for chunk in _split(text, file, first_line, report):
        rule = _parse(chunk, file, report, syntax)
        if rule is not None:
            rules.append(rule)
            if tolerances:
                _report_dialect(rule, chunk, file, report)
    return Grammar(tuple(rules))


def _split(text: str, file: str, first_line: int, report: Report) -> list[_Chunk]:
    chunks: list[_Chunk] = []
    above: list[Comment] = []
    for number, line in enumerate(text.splitlines(), start=first_line):
        head = _HEAD.match(line)
        comment = _comment(line, number)
        bare = line if comment is None else line[: _comment_at(line)]
        if head is not None:
            rest = line[head.end() :]
            beside = () if comment is None else (comment,)
            chunks.append(_Chunk(head.group(2), number, rest, head.group(1), tuple(above), beside))
            above = []
        elif not bare.strip():
            if (
                comment is not None
                and chunks
                and line[:1].isspace()
                and not above
                and _open(chunks[-1], number)
            ):
                chunks[-1].beside += (comment,)
            elif comment is not None:
                above.append(comment)
        elif chunks:
            chunks[-1].text += "\n" * (number - chunks[-1].line - chunks[-1].text.count("\n")) + line
            if comment is not None:
                chunks[-1].beside += (comment,)
        else:
            report.add(ORPHAN, Place(file, number), f"{bare.strip()[:40]!r} does not belong to a rule")
    return chunks


def _open(chunk: _Chunk, number: int) -> bool:
    """Whether a comment on line `number` belongs to the rule: it is directly below the rule's last line."""
    return number == chunk.line + chunk.text.count("\n") + 1


def _comment_at(line: str) -> int:
    """The index of the comment's semicolon, or -1. A semicolon within quotes does not begin a comment."""
    quoted = False
    for index, character in enumerate(line):
        if character == '"':
            quoted = not quoted
        elif character == ";" and not quoted:
            return index
    return -1


def _comment(line: str, number: int) -> Comment | None:
    index = _comment_at(line)
    return None if index < 0 else Comment(line[index + 1 :].strip(), number)


def _parse(chunk: _Chunk, file: str, report: Report, syntax: Code) -> Rule | None:
    try:
        tree = _parser().parse(chunk.text)
        element = _element(tree.children[1], chunk.line - 1)
    except UnexpectedInput as error:
        lines = chunk.text.split("\n")
        at = error.line if isinstance(error.line, int) and error.line > 0 else len(lines)
        column = error.column if isinstance(error.column, int) and error.column > 0 else 1
        rest = lines[at - 1][column - 1 :].strip() if at <= len(lines) else ""
        what = f"unexpected {rest[:20]!r}" if rest else "unexpected end"
        report.add(syntax, Place(file, chunk.line + at - 1), f"the rule {chunk.name} is not ABNF: {what}")
        return None
    except RecursionError:
        report.add(syntax, Place(file, chunk.line), f"the rule {chunk.name} is nested too deeply")
        return None
    more = str(tree.children[0]) == "=/"
    return Rule(chunk.name, element, chunk.line, more, chunk.above, chunk.beside, chunk.role)


def _report_dialect(rule: Rule, chunk: _Chunk, file: str, report: Report) -> None:
    for item in walk(rule.element):
        if isinstance(item, Reference) and item.role is not None and item.role.islower():
            text = f"{item.role}:{item.name} should be {item.role.upper()}:{item.name}"
            report.add(ROLE_CASE, Place(file, item.line), text)
    bare = [line[: _comment_at(line)] if _comment_at(line) >= 0 else line for line in chunk.text.split("\n")]
    for offset, line in enumerate(bare):
        if "|" in re.sub(r'"[^"]*"|<[^>]*>', "", line):
            report.add(BAR, Place(file, chunk.line + offset), f"`|` in the rule {rule.name} should be `/`")
    if "_" in rule.name:
        report.add(UNDERSCORE, Place(file, rule.line), f"{rule.name} should be {rule.name.replace('_', '-')}")


def _element(node: Tree[Token] | Token, base: int) -> Element:
    assert isinstance(node, Tree)
    kind, children = str(node.data), node.children
    if kind == "alternation":
        return _join(Alternation, [child for child in children if not isinstance(child, Token)], base)
    if kind == "concatenation":
        return _join(Concatenation, children, base)
    if kind == "repetition":
        item = _element(children[-1], base)
        return item if len(children) == 1 else _repetition(str(children[0]), item)
    if kind == "option":
        return Repetition(_element(children[0], base), 0, 1)
    return _leaf(kind, children[0], base)


def _join(
    into: type[Alternation] | type[Concatenation], children: list[Tree[Token] | Token], base: int
) -> Element:
    items = tuple(_element(child, base) for child in children)
    return items[0] if len(items) == 1 else into(items)


def _repetition(text: str, item: Element) -> Repetition:
    least, star, most = text.partition("*")
    if not star:
        return Repetition(item, int(text), int(text))
    return Repetition(item, int(least or 0), int(most) if most else None)


def _leaf(kind: str, token: Tree[Token] | Token, base: int) -> Element:
    text = str(token)
    line = base + (token.line or 1 if isinstance(token, Token) else 1)
    if kind == "name":
        return Reference(text, None, line)
    if kind == "role_name":
        return Reference(text[2:], text[0], line)
    if kind == "text":
        return Chars(text[text.index('"') + 1 : -1], text[:2].lower() == "%s")
    if kind == "prose":
        return Prose(text[1:-1])
    base_of = {"b": 2, "d": 10, "x": 16}[text[1].lower()]
    if "-" in text:
        first, last = text[2:].split("-")
        return Numbers((int(first, base_of),), int(last, base_of))
    return Numbers(tuple(int(part, base_of) for part in text[2:].split(".")))
