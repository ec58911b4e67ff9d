"""Compares two answers to the same request, except the message and the field of an error, which are advice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from zeps_conformance.codec.driver_protocol import (
    Answer,
    Decode,
    DecodeAnswer,
    EncodeAnswer,
    Example,
    MachineAnswer,
    ProtocolError,
    Refusal,
    StepAnswer,
    Tagged,
    Unanswerable,
    parse_answer,
)
from zeps_conformance.codec.oracle import Oracle

__all__ = ["Difference", "advice_differs", "difference", "format_value"]

_OUTCOMES = {
    "t": "taken",
    "n": "not accepted",
    "u": "unexpected",
    "h": "unhandled",
    "x": "malformed or unknown",
    "v": "set",
    "e": "not encodable",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """A difference of `kind`, with the expected and the actual value. `step` of a trace counts from 1, else None."""

    kind: str
    expected: str
    seen: str
    step: int | None = None

    def __str__(self) -> str:
        where = f" at step {self.step}" if self.step is not None else ""
        return f"{self.kind}{where}: {self.seen}, expected {self.expected}"


def difference(oracle: Oracle, example: Example, expected: bytes, seen: bytes) -> Difference | None:
    """Returns the first difference from the oracle's answer, or None; an error's message and field are ignored."""
    if expected == seen:
        return None
    expected_answer = parse_answer(example, expected)
    try:
        seen_answer = parse_answer(example, seen)
    except ProtocolError as error:
        return Difference("an unreadable answer", _kind(expected_answer), f"{error}: {_short(seen)}")
    if isinstance(seen_answer, Unanswerable):
        return Difference("no answer", _kind(expected_answer), f"the driver reports {seen_answer.reason!r}")
    if type(expected_answer) is not type(seen_answer):
        return Difference("accepted or not", _kind(expected_answer), _kind(seen_answer))
    match expected_answer, seen_answer:
        case Refusal(), Refusal():
            return _unless_same("error", expected_answer.code, seen_answer.code)
        case DecodeAnswer(), DecodeAnswer():
            return _decoded(oracle, example, expected_answer, seen_answer)
        case EncodeAnswer(), EncodeAnswer():
            return _unless_equal("encoded bytes", expected_answer.frames, seen_answer.frames)
        case MachineAnswer(), MachineAnswer():
            steps = zip(expected_answer.steps, seen_answer.steps, strict=True)
            differing = (
                _stepped(number, expected_step, seen_step)
                for number, (expected_step, seen_step) in enumerate(steps, 1)
            )
            return next((deviation for deviation in differing if deviation is not None), None)
    raise AssertionError(type(expected_answer))


def advice_differs(example: Example, expected: bytes, seen: bytes) -> str | None:
    """Returns a refusal's deviating message or field as text, or None; `seen` must be a well-formed answer."""
    if expected == seen or not expected.startswith(b"-"):
        return None
    expected_answer, seen_answer = parse_answer(example, expected), parse_answer(example, seen)
    if (
        not isinstance(expected_answer, Refusal)
        or not isinstance(seen_answer, Refusal)
        or expected_answer.code != seen_answer.code
    ):
        return None
    return f"{_kind(seen_answer)}, expected {_kind(expected_answer)}"


def _decoded(
    oracle: Oracle, example: Example, expected: DecodeAnswer, seen: DecodeAnswer
) -> Difference | None:
    if expected.message != seen.message:
        return Difference("message", expected.message, seen.message)
    if len(expected.values) != len(seen.values):
        return Difference("values", f"{len(expected.values)} values", f"{len(seen.values)} values")
    assert isinstance(example, Decode)
    codec = oracle.codecs[example.protocol]
    fields = codec.visible_fields(expected.message)
    for spec, expected_value, seen_value in zip(fields, expected.values, seen.values, strict=True):
        if expected_value != seen_value:
            return Difference(
                "values",
                f"{spec.name} = {format_value(expected_value)}",
                f"{spec.name} = {format_value(seen_value)}",
            )
    return _unless_equal("re-encoded bytes", expected.encoded, seen.encoded)


def _stepped(number: int, expected: StepAnswer, seen: StepAnswer) -> Difference | None:
    pairs = (
        ("outcome", _outcome(expected), _outcome(seen)),
        ("state", expected.state, seen.state),
        ("terminated", str(expected.terminated), str(seen.terminated)),
        ("variables", _listed(expected.variables), _listed(seen.variables)),
        ("actions", _actions(expected), _actions(seen)),
        ("deadline", str(expected.deadline), str(seen.deadline)),
    )
    return next((Difference(kind, a, b, number) for kind, a, b in pairs if a != b), None)


def _unless_same(kind: str, expected: str, seen: str) -> Difference | None:
    return None if expected == seen else Difference(kind, expected, seen)


def _unless_equal(kind: str, expected: Sequence[bytes], seen: Sequence[bytes]) -> Difference | None:
    """Compares whole frames, although the difference shows long frames shortened."""
    return None if expected == seen else Difference(kind, _frames(expected), _frames(seen))


def _frames(frames: Sequence[bytes]) -> str:
    return ", ".join(map(_hex, frames))


def format_value(value: Tagged) -> str:
    """Formats a value, shortened if it is long."""
    tag, content = value
    if tag in "ui":
        return str(content)
    if tag == "l":
        return f"[{', '.join(map(format_value, content))}]"
    if tag == "h":
        return f"{{{', '.join(f'{format_value(key)}: {format_value(item)}' for key, item in content)}}}"
    if tag == "s":
        try:
            return ascii(content.decode()) if len(content) < 80 else f"{len(content)} bytes of text"
        except UnicodeDecodeError:
            pass
    return _hex(content)


def _listed(values: tuple[Tagged, ...]) -> str:
    return ", ".join(map(format_value, values)) or "none"


def _outcome(step: StepAnswer) -> str:
    return _OUTCOMES.get(step.outcome, repr(step.outcome))


def _actions(step: StepAnswer) -> str:
    return ", ".join(f"{name} {_hex(frame)}" if frame else name for name, frame in step.actions) or "none"


def _hex(data: bytes) -> str:
    return data.hex() if len(data) <= 64 else f"{data[:48].hex()}… ({len(data)} bytes)"


def _kind(answer: Answer) -> str:
    match answer:
        case Refusal(code, message, spec):
            where = ".".join(part for part in (message, spec) if part)
            return f"refused as {code}{f' ({where})' if where else ''}"
        case DecodeAnswer(message):
            return f"accepted as {message}"
        case Unanswerable(reason):
            return f"unanswerable: {reason}"
        case _:
            return "accepted"


def _short(data: bytes) -> str:
    return data.hex() if len(data) <= 32 else f"{data[:32].hex()}…"
