"""Conversion of a grammar in ABNF to a model, as XML text.

A message is a rule that begins with the signature's two bytes and an id of one byte; its fields follow. If no rule
does, messages are the rules that no field refers to, and begin with a byte, a name, a topic or a constant. The rule of
a field shows its type: `number-2` is a number, `number-1 *VCHAR` a string, literal bytes a constant; limits and counts
are in the comments that `zeps-codegen abnf` prints. Rules with roles, `C:ATTACH`, are the session grammar, and are kept
unchanged; so are the rules for the content of strings, such as `invalid-reason` in `number-1 invalid-reason`.

Grammars that zproto prints are not valid ABNF: a message and a field may share a name, and a field has a rule for each
of its messages. So the lookup of a name in a message's rule takes the next rule of that name that is not a message's.
"""

from __future__ import annotations

import re
from pathlib import PurePath

from ..diagnostics import Diagnostic, error, has_errors, remark, sort, warning
from ..ir import Dispatch
from ..model import fold, words
from ..naming import content_rule
from ..reach import reachable
from ..report import Place, Report
from .abnf import Element, Grammar, Reference, Rule, parse_grammar, references
from .grammar_heads import called, find_heads
from .grammar_shapes import Shapes
from .model_writer import FieldText, MessageText, write_model

__all__ = ["import_grammar"]

SYNTAX = error("ZC801", "a rule of an imported grammar that is not ABNF")
ALIKE = remark("ZC802", "a rule that is defined twice with the same content")
SHARED = warning("ZC803", "a message and a field with the same name")
DIFFERENT = warning("ZC804", "a rule that is defined twice with different content")
NO_MESSAGES = error("ZC805", "a grammar without messages")
NO_FIELD = error("ZC806", "a part of a message that is not a field")
SIGNATURES = error("ZC807", "messages with different signatures")
VALUES = remark("ZC809", "a field with enumerated values, for which a grammar has no names")
FROM_COMMENT = remark("ZC808", "a constant that is only in a comment")


def import_grammar(text: str, file: str, name: str | None = None) -> tuple[str | None, list[Diagnostic]]:
    """Returns the model as XML text, None if there are errors; and every finding. `file` is the name in findings. The
    default name is that of the first rule if it is of the session grammar, or else the file's stem.
    """
    report = Report()
    model = _Importer(text, file, report).model(name)
    diagnostics = sort(report.diagnostics)
    return (None if has_errors(diagnostics) else model), diagnostics


class _Importer:
    def __init__(self, text: str, file: str, report: Report) -> None:
        self.text, self.file, self.report = text, file, report
        self.grammar: Grammar = parse_grammar(text, file, report, syntax=SYNTAX)
        self.heads = find_heads(self.grammar)
        self.shapes = Shapes(self.grammar, frozenset(self.heads.messages))
        self.contents: set[str] = set()  # rules for the content of strings, in lower case
        self.spelling = {
            fold(item.name): item.name for item in references(self.grammar.rules) if item.role is not None
        }

    def model(self, name: str | None) -> str | None:
        self.check_names()
        if not self.heads.messages:
            hint = "a message begins with %xAA %xA0 to %xAF and its number: signature %d1 …"
            self.report.add(NO_MESSAGES, Place(self.file), "no rule of the grammar is a message", hint=hint)
            return None
        messages = [self.message(rule) for rule in self.heads.messages]
        first = self.grammar.rules[0].name
        title = name or (first if first.lower() in self.heads.session else PurePath(self.file).stem)
        attributes = {"name": fold(title), "title": title}
        attributes["dispatch"] = self.heads.dispatch.value
        if self.heads.dispatch is Dispatch.SIGNATURE:
            attributes["signature"] = str(self.signature())
        return write_model(attributes, self.session_text(), messages)

    def check_names(self) -> None:
        by_name: dict[str, list[Rule]] = {}
        for rule in self.grammar.rules:
            by_name.setdefault(rule.name.lower(), []).append(rule)
        for rules in by_name.values():
            for rule in rules[1:]:
                if not rule.more:
                    self.name_again(rule, rules[0])

    def name_again(self, rule: Rule, first: Rule) -> None:
        place = Place(self.file, rule.line)
        if rule in self.heads.messages or first in self.heads.messages:
            text = f"{rule.name} is both a message and a field"
            self.report.add(SHARED, place, text, hint=f"the other is on line {first.line}")
        elif rule.element == first.element:
            self.report.add(
                ALIKE, place, f"{rule.name} is defined again, with the content of line {first.line}"
            )
        else:
            text = f"{rule.name} is defined again, with other content than on line {first.line}"
            self.report.add(DIFFERENT, place, text, hint="a message uses the definition that follows it")

    def signature(self) -> int:
        signatures = {head.signature: rule for rule, head in self.heads.messages.items()}
        if len(signatures) > 1:
            rule = list(signatures.values())[-1]
            numbers = ", ".join(map(str, sorted(signatures)))
            text = f"{rule.name} has another signature than earlier messages: {numbers}"
            self.report.add(SIGNATURES, Place(self.file, rule.line), text)
        return next(iter(signatures))

    def message(self, rule: Rule) -> MessageText:
        head = self.heads.messages[rule]
        name = called(rule) or self.spelling.get(fold(rule.name), rule.name.upper().replace("_", "-"))
        fields = []
        for number, item in enumerate(head.rest, start=1):
            field = self.field(rule, name, item, number, last=number == len(head.rest))
            if field is not None:
                fields.append(field)
        return MessageText(name, head.id, tuple(fields), _doc(rule, name))

    def field(self, rule: Rule, message: str, item: Element, number: int, last: bool) -> FieldText | None:
        shape = self.shapes.of(item, rule.line, last)
        line = item.line if isinstance(item, Reference) else rule.line
        name = (shape.name if shape else None) or _field_name(rule.name, item, number)
        if shape is None or shape.content not in (None, content_rule(message, name)):
            what = item.name if isinstance(item, Reference) else f"part {number}"
            text = f"{what} of {rule.name} cannot be a field of a model"
            hint = "fields are numbers, strings, chunks, lists, octets, and constants"
            self.report.add(NO_FIELD, Place(self.file, line), text, hint=hint)
            return None
        if shape.content is not None:
            self.contents |= self.reached_from(shape.content)
        if shape.from_comment:
            text = f"{rule.name}.{name} is the constant {shape.value!r} according to a comment"
            self.report.add(FROM_COMMENT, Place(self.file, shape.line), text)
        if shape.values:
            text = f"{rule.name}.{name} is read as a {shape.type}: its {shape.values} values have no names"
            self.report.add(VALUES, Place(self.file, shape.line), text, hint="add an <enumeration> for them")
        return FieldText(name, shape.attributes(), shape.doc)

    def reached_from(self, name: str) -> set[str]:
        """The names that can be reached from the rule `name`, including it, in lower case, even if not defined."""
        return reachable([name.lower()], self.used_by)

    def used_by(self, name: str) -> list[str]:
        """The rules that the definitions of `name` use, in lower case."""
        return [item.name.lower() for item in references(self.grammar.named(name))]

    def session_text(self) -> str:
        """The rules from which a message with a role can be reached, and those for the content of strings, as written,
        but with roles as ``C:ATTACH`` where the grammar has ``C-ATTACH``.
        """
        lines = self.text.splitlines()
        following = [rule.line for rule in self.grammar.rules[1:]] + [len(lines) + 1]
        parts: list[str] = []
        for rule, end in zip(self.grammar.rules, following, strict=True):
            kept = rule.name.lower() in self.heads.session | self.contents
            if kept and rule not in self.heads.messages:
                part = lines[rule.line - 1 : end - 1]
                while part and (not part[-1].strip() or part[-1].lstrip().startswith(";")):
                    part.pop()
                parts += ["\n".join(part)]
        return re.sub(r"[A-Za-z][A-Za-z0-9_-]*", self.with_role, "\n".join(parts))

    def with_role(self, word: re.Match[str]) -> str:
        role = self.heads.roles.get(word.group().lower())
        return word.group() if role is None else f"{role[0]}:{word.group()[2:]}"


def _doc(rule: Rule, name: str) -> str:
    """The comment directly above a message's rule, or else beside it; empty if it is only the message's name."""
    lines: list[str] = []
    line = rule.line
    for comment in reversed(rule.above):
        if comment.line != line - 1:
            break
        lines.insert(0, comment.text)
        line = comment.line
    beside = [] if called(rule) else [comment.text for comment in rule.beside]
    doc = words(" ".join(lines or beside))
    return "" if fold(doc) == fold(name) else doc


def _field_name(message: str, item: Element, number: int) -> str:
    if not isinstance(item, Reference):
        return f"field_{number}"
    name = item.name.lower().replace("-", "_")
    prefix = message.lower().replace("-", "_") + "_"
    return name.removeprefix(prefix)
