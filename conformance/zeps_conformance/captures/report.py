"""Results of a checked capture: text for a terminal, and a run in the suite's result model, for its reports."""

from __future__ import annotations

import datetime
import textwrap

from zeps_command import package_version
from zeps_conformance.captures.checker import Checked, Judged, Party, Violation
from zeps_conformance.captures.rules import judged_rules
from zeps_conformance.common.judging import judge_rules
from zeps_conformance.common.results import CaseResult, CheckResult, RunResult, StepResult, source_text
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.rulebook import Rulebook

__all__ = ["as_run", "format_checked", "has_violation"]

WIDTH = 110
GRAMMAR = "grammar"
SECTION = "capture"


def has_violation(checked: Checked, rulebook: Rulebook) -> bool:
    """Returns whether a MUST is violated."""
    return any(
        level_of(rulebook, violation) == "MUST"
        for judged in checked.connections
        for violation in judged.violations
    )


def level_of(rulebook: Rulebook, violation: Violation) -> str:
    """Returns the level of the violated rule; MUST if the grammar is violated."""
    return rulebook.rule(violation.rule).level if violation.rule else "MUST"


def format_checked(name: str, checked: Checked, rulebook: Rulebook) -> str:
    """Formats the result for the capture `name`: its connections, and every violation in full."""
    connections = _plural(len(checked.connections), "connection")
    lines = [f"{name}: {_plural(checked.packets, 'packet')}, {connections}"]
    if checked.others:
        lines.append(f"  {_plural(checked.others, 'other TCP connection')}, without a greeting of ZMTP")
    lines += [
        f"  {_plural(count, 'packet')} not judged: {reason}" for reason, count in checked.unreadable.items()
    ]
    if checked.by_suite:
        lines.append("  written by the suite: its own side is not judged, unless --judge names it")
    for judged in checked.connections:
        lines += ["", *_connection(judged, rulebook)]
    if checked.cut:
        lines += ["", checked.cut]
    return "\n".join([*lines, "", _last_line(checked, rulebook)]) + "\n"


def as_run(
    name: str, profile: str, checked: Checked, rulebook: Rulebook, started: datetime.datetime, duration: float
) -> RunResult:
    """Returns the result as a run of which each judged side of a connection is a case; it lasted `duration` seconds."""
    cases = [
        _case(profile, judged, party, rulebook)
        for judged in checked.connections
        for party in Party
        if party in judged.parties
    ]
    return RunResult(
        name=name,
        endpoint=name,
        profile=profile,
        suite_version=package_version(),
        protocol=rulebook.name,
        protocol_version=rulebook.version,
        model_digest=rulebook.digest,
        seed=0,
        started=started.isoformat(timespec="seconds"),
        duration=duration,
        cases=cases,
        rules=judge_rules(rulebook, cases),
    )


def _case(profile: str, judged: Judged, party: Party, rulebook: Rulebook) -> CaseResult:
    mine = [violation for violation in judged.violations if violation.party is party]
    mine.sort(key=lambda violation: level_of(rulebook, violation) != "MUST")
    verdict, reason = Verdict.PASS, judged.passed_over or judged.limited
    if mine:
        verdict = Verdict.FAIL if level_of(rulebook, mine[0]) == "MUST" else Verdict.WARN
    elif judged.passed_over:
        verdict = Verdict.UNSUPPORTED
    first = mine[0] if mine else None
    return CaseResult(
        id=f"{profile}.{SECTION}.connection-{judged.connection.number}.{party.value}",
        title=f"The {party.value} of {judged.connection.between()}, {_range(judged)}",
        section=SECTION,
        polarity="positive",
        needs="nothing",
        rules=list(judged_rules(judged, party)),
        level=level_of(rulebook, first) if first else "MUST",
        verdict=verdict,
        duration=judged.connection.last.time - judged.connection.first.time,
        reason=reason,
        rule=first.rule if first else "",
        expected=first.expected if first else "",
        seen=f"{first.seen}, in {_where(first)}" if first else "",
        attempts=[verdict],
        steps=[_step(violation, judged) for violation in mine],
    )


def _step(violation: Violation, judged: Judged) -> StepResult:
    text = f"{violation.rule or GRAMMAR} is violated in {_where(violation)}."
    at = violation.time - judged.connection.first.time
    return StepResult(text, at, [CheckResult(violation.expected, violation.seen, False)])


def _connection(judged: Judged, rulebook: Rulebook) -> list[str]:
    head = f"connection {judged.connection.number}: {judged.connection.between()}, {_range(judged)}"
    lines = [head]
    if judged.passed_over:
        lines.append(f"  not judged{' further' if judged.violations else ''}: {judged.passed_over}")
    elif judged.is_zeps:
        sent, received = judged.messages
        lines.append(f"  ZEPS: {_plural(sent, 'command')} of the client, {received} of the broker")
    else:
        lines.append("  ZMTP alone is judged: no sessions of ZEPS")
    if judged.limited:
        lines.append(f"  partly judged: {judged.limited}")
    for violation in judged.violations:
        lines += _violation(violation, rulebook)
    return lines


def _violation(violation: Violation, rulebook: Rulebook) -> list[str]:
    level = level_of(rulebook, violation)
    head = "VIOLATION" if level == "MUST" else "WARNING"
    lines = [f"  {head} by the {violation.party.value} in {_where(violation)}"]
    if violation.rule:
        rule = rulebook.rule(violation.rule)
        lines += _wrapped("rule", f"{rule.id} ({rule.level}) {rule.text} [{source_text(rule)}]")
    else:
        lines += _wrapped("rule", "the grammar of ZEPS does not allow this command from a broker")
    lines += _wrapped("expected", violation.expected)
    lines += _wrapped("seen", violation.seen)
    if violation.frame:
        lines += _wrapped("frame", violation.frame)
    return lines


def _last_line(checked: Checked, rulebook: Rulebook) -> str:
    passed_over = sum(bool(judged.passed_over) and not judged.violations for judged in checked.connections)
    levels = [
        level_of(rulebook, violation) for judged in checked.connections for violation in judged.violations
    ]
    violations = levels.count("MUST")
    parts = [f"{_plural(len(checked.connections) - passed_over, 'connection')} judged"]
    if partly := sum(
        bool(judged.limited or (judged.passed_over and judged.violations)) for judged in checked.connections
    ):
        parts.append(f"{partly} of them partly")
    if passed_over:
        parts.append(f"{passed_over} not judged")
    if len(levels) > violations:
        parts.append(_plural(len(levels) - violations, "warning"))
    return f"{', '.join(parts)} · {_plural(violations, 'violation') if violations else 'no violations'}"


def _where(violation: Violation) -> str:
    return f"packet {violation.packet}, byte {violation.offset} of the {violation.shown_by.value}'s stream"


def _range(judged: Judged) -> str:
    return f"packets {judged.connection.first.packet} to {judged.connection.last.packet}"


def _plural(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def _wrapped(label: str, text: str) -> list[str]:
    text = "".join(char if char.isprintable() else "\ufffd" for char in text)
    head = f"    {label:<9} "
    return textwrap.wrap(text, WIDTH, initial_indent=head, subsequent_indent=" " * len(head))
