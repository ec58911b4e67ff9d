"""Report for a terminal: plain text, without colour and control characters."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Sequence

from zeps_conformance.common.results import CaseResult, RunResult, WireLine, source_text
from zeps_conformance.common.verdicts import Category, Verdict

__all__ = ["format_case", "format_run", "format_wire", "wrapped"]

WIDTH = 110
WIRE_SHOWN = 12
OUTPUT_SHOWN = 12


def format_run(result: RunResult) -> str:
    """Formats counts by section and verdict, findings and warnings in full, and lines for other problems."""
    blocks = [
        _head(result),
        _sections(result),
        _rules(result),
        *(
            format_case(case, result)
            for case in result.cases
            if case.is_finding or case.verdict is Verdict.WARN
        ),
    ]
    excused = [case for case in result.cases if case.baseline == "expected"]
    if excused:
        blocks.append("\n".join(f"expected     {case.id}: {case.reason}" for case in excused))
    blocked = [case for case in result.cases if case.verdict is Verdict.BLOCKED]
    if blocked:
        blocks.append("\n".join(f"blocked      {case.id}: by {case.blocked_by}" for case in blocked))
    unsupported = [case for case in result.cases if case.verdict is Verdict.UNSUPPORTED]
    if unsupported:
        blocks.append("\n".join(f"unsupported  {case.id}: {case.reason}" for case in unsupported))
    blocks.append(_last_line(result))
    return "\n".join(map(_printable, "\n\n".join(blocks).split("\n"))) + "\n"


def format_case(case: CaseResult, result: RunResult) -> str:
    """Formats one case with its rule, from `result`, and the last 12 lines of the wire log; no newline at the end."""
    lines = [f"{case.verdict.value.upper():<12} {case.id}", *_wrapped("", case.title)]
    rule = next((rule for rule in result.rules if rule.id == case.rule), None)
    if rule is not None:
        lines += _wrapped("rule", f"{rule.id} ({rule.level}) {rule.text} [{source_text(rule)}]")
    if case.category is Category.ROBUSTNESS:
        lines += _wrapped("category", "robustness: counts for no rule")
    if case.blocked_by:
        lines += _wrapped("blocked", f"by {case.blocked_by}")
    if case.steps:
        lines += _wrapped("step", f"{len(case.steps)}. {case.steps[-1].text}")
    if case.expected:
        lines += [*_wrapped("expected", case.expected), *_wrapped("seen", case.seen)]
    if case.reason:
        lines += _wrapped("reason", case.reason)
    if case.baseline and case.baseline != "expected":
        lines += _wrapped("baseline", case.baseline)
    if len(case.attempts) > 1:
        lines += _wrapped("attempts", ", ".join(verdict.value for verdict in case.attempts))
    if case.output:
        lines.append("  output")
        lines += [f"    {_printable(line)[: WIDTH - 4]}" for line in case.output.splitlines()[-OUTPUT_SHOWN:]]
    if case.wire:
        lines.append("  wire")
        lines += [f"    {line}" for line in format_wire(case.wire[-WIRE_SHOWN:])]
    return "\n".join(lines)


def format_wire(wire: Sequence[WireLine]) -> list[str]:
    """Formats a line of at most 110 characters for each frame: seconds, connection, direction, description."""
    name_width = max((len(line.connection) for line in wire), default=0)
    lines = []
    for line in wire:
        part = f"part {line.part} of {line.parts}: " if line.parts > 1 else ""
        what = part + line.text
        if line.hex and (line.kind != "message" or line.text.startswith(("not a valid", "part of"))):
            hex_text = bytes.fromhex(line.hex)[:24].hex(" ")
            what += f" [{hex_text}{' …' if line.size > 24 else ''}]"
        text = _printable(f"{line.at:8.3f}  {line.connection:<{name_width}} {line.direction} {what}")
        lines.append(text if len(text) <= WIDTH else text[: WIDTH - 1] + "…")
    return lines


def _head(result: RunResult) -> str:
    run = f"{result.profile} at {result.endpoint} · seed {result.seed} · {result.duration:.1f} s"
    if result.pace > 1:
        run += f" · it answers slowly: waits are multiplied by {result.pace:.1f}"
    return f"{result.name}\n{run}" if result.name != result.endpoint else run


def _sections(result: RunResult) -> str:
    sections: dict[str, Counter[Verdict]] = {}
    for case in result.cases:
        sections.setdefault(case.section, Counter())[case.verdict] += 1
    used = [verdict for verdict, count in result.counts().items() if count]
    widths = {verdict: len(verdict.value) + 2 for verdict in used}
    head = f"{'section':<12}" + "".join(f"{verdict.value:>{widths[verdict]}}" for verdict in used)
    rows = [
        f"{name:<12}" + "".join(f"{counts[verdict] or '·':>{widths[verdict]}}" for verdict in used)
        for name, counts in sections.items()
    ]
    total = f"{'all':<12}" + "".join(f"{result.counts()[verdict]:>{widths[verdict]}}" for verdict in used)
    return "\n".join([head, *rows, total])


def _rules(result: RunResult) -> str:
    judged = [rule for rule in result.rules if rule.verdict is not None]
    counts = Counter(rule.verdict for rule in judged)
    summary = ", ".join(f"{counts[verdict]} {verdict.value}" for verdict in Verdict if counts[verdict])
    lines = [f"rules: {len(judged)} judged: {summary or 'none'}"]
    for rule in judged:
        if rule.verdict not in (Verdict.PASS, Verdict.UNSUPPORTED) and rule.verdict is not None:
            lines += _wrapped(rule.verdict.value, f"{rule.id} {rule.text}")
    return "\n".join(lines)


def _last_line(result: RunResult) -> str:
    counts = ", ".join(f"{count} {verdict.value}" for verdict, count in result.counts().items() if count)
    robustness = sum(
        case.category is Category.ROBUSTNESS and case.verdict.is_finding for case in result.cases
    )
    counts += f" ({robustness} of robustness)" if robustness else ""
    findings = len(result.findings)
    end = "no findings" if result.ok else f"{findings} finding{'s' if findings != 1 else ''}"
    return textwrap.fill(
        f"{len(result.cases)} cases: {counts or 'none'} · {end}", WIDTH, subsequent_indent="  "
    )


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def _wrapped(label: str, text: str) -> list[str]:
    return wrapped(f"  {label:<9} " if label else "  ", text)


def wrapped(head: str, text: str) -> list[str]:
    """Returns the printable lines of `text`, the first after `head`, and others indented by as much."""
    return textwrap.wrap(_printable(text), WIDTH, initial_indent=head, subsequent_indent=" " * len(head)) or [
        head.rstrip()
    ]
