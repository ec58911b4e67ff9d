"""A grammar in ABNF → a model, as XML text.

A message is a rule that begins with the signature's two octets and one octet of id; its fields follow. What a
field is shows in its rule: `number-2` a number, `number-1 *VCHAR` a string, octets that are written out a
constant. Rules with roles (`C:ATTACH`) are the session grammar, and are kept as they are written.

Grammars that zproto printed are no good ABNF: a message and a field may share a name, and a field's rule
stands once for each message that has it. So a name in a message's rule is looked up from there on: the next
rule of that name that is not a message's own.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import Diagnostic, Severity, define, has_errors, sort
from ..model import fold
from ..report import Place, Report
from .abnf import Element, Grammar, Reference, Rule, parse_grammar, walk
from .grammar_shapes import Shapes, head_octets
from .model_writer import FieldText, MessageText, write_model

__all__ = ["import_grammar"]

SYNTAX = define("ZC801", Severity.ERROR, "a rule of an imported grammar that is not ABNF")
ALIKE = define("ZC802", Severity.INFO, "a rule that is there twice, alike")
SHARED = define("ZC803", Severity.WARNING, "a message and a field with one name")
DIFFERENT = define("ZC804", Severity.WARNING, "a rule that is there twice, with different contents")
NO_MESSAGES = define("ZC805", Severity.ERROR, "a grammar without messages")
NO_FIELD = define("ZC806", Severity.ERROR, "a part of a message that is no field")
SIGNATURES = define("ZC807", Severity.ERROR, "messages with different signatures")
FROM_COMMENT = define("ZC808", Severity.INFO, "a constant that only a comment gives")


def import_grammar(text: str, file: str, name: str | None = None) -> tuple[str | None, list[Diagnostic]]:
    """The model as XML text, None if there are errors; and every finding. `file` is what findings call it."""
    report = Report()
    model = _Importer(text, file, report).model(name)
    diagnostics = sort(report.diagnostics)
    return (None if has_errors(diagnostics) else model), diagnostics


class _Importer:
    def __init__(self, text: str, file: str, report: Report) -> None:
        self.text, self.file, self.report = text, file, report
        self.grammar: Grammar = parse_grammar(text, file, report, syntax=SYNTAX)
        self.heads = {rule: head for rule in self.grammar.rules if (head := head_octets(rule, self.grammar))}
        self.shapes = Shapes(self.grammar, frozenset(self.heads))
        self.spelling = {
            fold(item.name): item.name
            for item in self.references(self.grammar.rules)
            if item.role is not None
        }

    def references(self, rules: tuple[Rule, ...]) -> Iterator[Reference]:
        for rule in rules:
            for item in walk(rule.element):
                if isinstance(item, Reference):
                    yield item

    def model(self, name: str | None) -> str | None:
        self.check_names()
        if not self.heads:
            hint = "a message begins with %xAA %xA0 to %xAF and its number: signature %d1 …"
            self.report.add(NO_MESSAGES, Place(self.file), "no rule of the grammar is a message", hint=hint)
            return None
        messages = [self.message(rule) for rule in self.heads]
        return write_model(
            name=(name or self.grammar.rules[0].name).lower().replace("-", "_"),
            title=name or self.grammar.rules[0].name,
            signature=self.signature(),
            grammar=self.session_text(),
            messages=messages,
        )

    def check_names(self) -> None:
        by_name: dict[str, list[Rule]] = {}
        for rule in self.grammar.rules:
            by_name.setdefault(rule.name.lower(), []).append(rule)
        for rules in by_name.values():
            first = rules[0]
            for rule in rules[1:]:
                place = Place(self.file, rule.line)
                if rule.more:
                    continue
                if rule in self.heads or first in self.heads:
                    text = f"{rule.name} is both a message and a field"
                    self.report.add(SHARED, place, text, hint=f"the other is on line {first.line}")
                elif rule.element == first.element:
                    self.report.add(ALIKE, place, f"{rule.name} is there again, as on line {first.line}")
                else:
                    text = f"{rule.name} is there again, and is not what it is on line {first.line}"
                    hint = "a message takes the one that follows it"
                    self.report.add(DIFFERENT, place, text, hint=hint)

    def signature(self) -> int:
        found = {head.signature: rule for rule, head in self.heads.items()}
        if len(found) > 1:
            rule = list(found.values())[-1]
            numbers = ", ".join(map(str, sorted(found)))
            text = f"{rule.name} begins with another signature than messages before it: {numbers}"
            self.report.add(SIGNATURES, Place(self.file, rule.line), text)
        return next(iter(found))

    def message(self, rule: Rule) -> MessageText:
        head = self.heads[rule]
        name = self.spelling.get(fold(rule.name), rule.name.upper().replace("_", "-"))
        fields = []
        for number, item in enumerate(head.rest, start=1):
            field = self.field(rule, item, number)
            if field is not None:
                fields.append(field)
        doc = " ".join(comment.text for comment in rule.above) or " ".join(c.text for c in rule.beside)
        return MessageText(name, head.id, tuple(fields), doc)

    def field(self, rule: Rule, item: Element, number: int) -> FieldText | None:
        shape = self.shapes.of(item, rule.line)
        line = item.line if isinstance(item, Reference) else rule.line
        if shape is None:
            what = item.name if isinstance(item, Reference) else f"part {number}"
            text = f"{what} of {rule.name} is no field that a model can have"
            hint = "fields are numbers, strings, chunks, octets of a fixed number, and constants"
            self.report.add(NO_FIELD, Place(self.file, line), text, hint=hint)
            return None
        name = _field_name(rule.name, item, number)
        if shape.from_comment:
            text = f"{rule.name}.{name} is the constant {shape.value!r}, says a comment"
            self.report.add(FROM_COMMENT, Place(self.file, shape.line), text)
        return FieldText(name, shape.type, shape.size, shape.value, shape.doc)

    def session_text(self) -> str:
        """The rules that lead to a message with a role, as they are written."""
        session: set[str] = set()
        while True:
            more = {
                rule.name.lower()
                for rule in self.grammar.rules
                if rule not in self.heads
                and any(item.role or item.name.lower() in session for item in self.references((rule,)))
            }
            if more == session:
                break
            session = more
        lines = self.text.splitlines()
        following = [rule.line for rule in self.grammar.rules[1:]] + [len(lines) + 1]
        parts: list[str] = []
        for rule, end in zip(self.grammar.rules, following, strict=True):
            if rule.name.lower() in session and rule not in self.heads:
                part = lines[rule.line - 1 : end - 1]
                while part and (not part[-1].strip() or part[-1].lstrip().startswith(";")):
                    part.pop()
                parts.append("\n".join(part))
        return "\n".join(parts)


def _field_name(message: str, item: Element, number: int) -> str:
    if not isinstance(item, Reference):
        return f"field_{number}"
    name = item.name.lower().replace("-", "_")
    prefix = message.lower().replace("-", "_") + "_"
    return name.removeprefix(prefix)
