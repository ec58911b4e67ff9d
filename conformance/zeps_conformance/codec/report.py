"""Result of a campaign, as text and as JSON."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zeps_conformance.codec.campaign import Outcome
from zeps_conformance.codec.compare import format_value
from zeps_conformance.codec.driver_protocol import (
    Advance,
    Arm,
    Arrive,
    Call,
    Decode,
    Encode,
    Example,
    Fill,
    MachineAnswer,
    ProtocolError,
    Put,
    Step,
    Trace,
    parse_answer,
)
from zeps_conformance.codec.oracle import Oracle

__all__ = ["FINDING_FORMAT", "RESULT_FORMAT", "as_json", "finding_json", "format_outcome"]

FINDING_FORMAT = "zeps-codec-finding/1"
RESULT_FORMAT = "zeps-codec-result/1"
_CHARACTERS_MAX = 2000  # characters of hexadecimal


def format_outcome(oracle: Oracle, outcome: Outcome, replay: Sequence[str] = ()) -> str:
    """Formats the report for the terminal; `replay` is the command that reproduces the finding, empty if unknown."""
    lines = []
    rate = f", {outcome.examples / outcome.seconds:,.0f} a second" if outcome.seconds else ""
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in outcome.drawn.items())
    lines.append(f"{', '.join(outcome.drivers)}: {outcome.examples:,} examples{rate}, seed {outcome.seed}")
    if kinds:
        lines.append(f"drawn: {kinds}")
    for name, (count, text) in outcome.advice.items():
        lines.append(f"advice: {name} names another location in {count:,} errors, first: {text}")
    finding = outcome.finding
    if finding is None:
        lines.append("no difference")
        return "\n".join(lines) + "\n"
    where = f", found at example {finding.number}" if finding.number is not None else ""
    lines += ["", f"DIFFERENCE: {finding.driver}: {finding.difference}{where}"]
    if finding.example is not None:
        lines += ["", *describe(oracle, finding.example), ""]
        lines += _answers(oracle, finding.example, outcome.answers)
    if replay:
        lines += ["", f"again: {shlex.join(replay)}"]
    return "\n".join(lines) + "\n"


def describe(oracle: Oracle, example: Example) -> list[str]:
    """Returns lines that show an example: its request in hexadecimal, and its content, decoded."""
    request = example.request().hex()
    lines = [f"request: {request[:_CHARACTERS_MAX]}{'…' if len(request) > _CHARACTERS_MAX else ''}"]
    match example:
        case Decode(protocol, frames):
            lines.append(f"decode {protocol}: {_message(oracle, protocol, frames)}")
            lines += [f"frame: {_cut(frame)}" for frame in frames]
        case Encode(protocol, message, values):
            fields = oracle.codecs[protocol].visible_fields(message)
            pairs = zip(fields, values, strict=False)
            lines.append(
                f"encode {protocol} {message}: {', '.join(f'{s.name} = {format_value(v)}' for s, v in pairs)}"
            )
        case Trace(machine, steps):
            protocol = oracle.tables[machine].protocol
            lines.append(f"machine {machine}:")
            lines += [f"  {n}. {_step(oracle, protocol, step)}" for n, step in enumerate(steps, 1)]
    return lines


def _answers(oracle: Oracle, example: Example, answers: Mapping[str, bytes]) -> list[str]:
    """Formats the answers of the suite and of all drivers, each decoded; equal answers form one entry."""
    groups: dict[bytes, list[str]] = {oracle.answer(example): ["the suite"]}
    for name, answer in answers.items():
        groups.setdefault(answer, []).append(name)
    lines = []
    for answer, names in groups.items():
        lines.append(f"{', '.join(names)}: {_cut(answer)}")
        try:
            parsed = parse_answer(example, answer)
        except ProtocolError as error:
            lines.append(f"  unreadable: {error}")
            continue
        if isinstance(parsed, MachineAnswer):
            lines += [f"  {number}. {step}" for number, step in enumerate(parsed.steps, 1)]
        else:
            lines.append(f"  {parsed}"[:_CHARACTERS_MAX])
    return lines


def _cut(data: bytes) -> str:
    text = data.hex()
    return (
        f"{text[:_CHARACTERS_MAX]}… ({len(data)} bytes)" if len(text) > _CHARACTERS_MAX else text or "nothing"
    )


def _message(oracle: Oracle, protocol: str, frames: Sequence[bytes]) -> str:
    return oracle.codecs[protocol].render(*frames)


def _step(oracle: Oracle, protocol: str, step: Step) -> str:
    match step:
        case Arrive(frames):
            return f"arrives: {_message(oracle, protocol, frames)}: {', '.join(map(_cut, frames))}"
        case Call(event, values):
            return f"{event}({', '.join(map(format_value, values))})"
        case Arm(action, event, raises):
            return f"{action} is set to {'raise' if raises else 'fail with'} {event}"
        case Fill(message, field, value):
            return f"{message}.{field} is filled with {format_value(value)}"
        case Advance(now):
            return f"the clock advances to {now} ms"
        case Put(variable, value):
            return f"{variable} is set to {format_value(value)}"


def finding_json(outcome: Outcome, commands: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    """Returns a finding's file for `--replay` as JSON values. `outcome` must have a finding; `commands` are the
    drivers' words by name. `request` is null if the finding does not have an example.
    """
    finding = outcome.finding
    assert finding is not None
    return {
        "format": FINDING_FORMAT,
        "seed": outcome.seed,
        "example": finding.number,
        "driver": finding.driver,
        "commands": {name: list(words) for name, words in commands.items()},
        "kind": finding.difference.kind,
        "step": finding.difference.step,
        "expected": finding.difference.expected,
        "seen": finding.difference.seen,
        "request": finding.example.request().hex() if finding.example is not None else None,
        "answers": {name: answer.hex() for name, answer in outcome.answers.items()},
    }


def as_json(outcome: Outcome, commands: Mapping[str, Sequence[str]], kept: Path | None) -> dict[str, Any]:
    """Returns the result for `--json`; `kept` is the path of the finding's file, None without one."""
    return {
        "format": RESULT_FORMAT,
        "seed": outcome.seed,
        "drivers": list(outcome.drivers),
        "examples": outcome.examples,
        "seconds": round(outcome.seconds, 3),
        "drawn": outcome.drawn,
        "advice": {name: {"count": count, "first": text} for name, (count, text) in outcome.advice.items()},
        "finding": None if outcome.finding is None else finding_json(outcome, commands),
        "kept": None if kept is None else str(kept),
    }
