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

__all__ = ["Difference", "advice_differs", "difference", "shown"]

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
    wanted = parse_answer(example, expected)
    try:
        found = parse_answer(example, seen)
    except ProtocolError as error:
        return Difference("an unreadable answer", _kind(wanted), f"{error}: {_short(seen)}")
    if isinstance(found, Unanswerable):
        return Difference("no answer", _kind(wanted), f"the driver reports {found.reason!r}")
    if type(wanted) is not type(found):
        return Difference("accepted or not", _kind(wanted), _kind(found))
    match wanted, found:
        case Refusal(), Refusal():
            return _unless_same("error", wanted.code, found.code)
        case DecodeAnswer(), DecodeAnswer():
            return _decoded(oracle, example, wanted, found)
        case EncodeAnswer(), EncodeAnswer():
            return _unless_equal("encoded bytes", wanted.frames, found.frames)
        case MachineAnswer(), MachineAnswer():
            steps = zip(wanted.steps, found.steps, strict=True)
            differing = (_stepped(number, one, other) for number, (one, other) in enumerate(steps, 1))
            return next((one for one in differing if one is not None), None)
    raise AssertionError(type(wanted))


def advice_differs(example: Example, expected: bytes, seen: bytes) -> str | None:
    """Returns a refusal's deviating message or field as text, or None; `seen` must be a well-formed answer."""
    if expected == seen or not expected.startswith(b"-"):
        return None
    wanted, found = parse_answer(example, expected), parse_answer(example, seen)
    if not isinstance(wanted, Refusal) or not isinstance(found, Refusal) or wanted.code != found.code:
        return None
    return f"{_kind(found)}, expected {_kind(wanted)}"


def _decoded(
    oracle: Oracle, example: Example, wanted: DecodeAnswer, found: DecodeAnswer
) -> Difference | None:
    if wanted.message != found.message:
        return Difference("message", wanted.message, found.message)
    if len(wanted.values) != len(found.values):
        return Difference("values", f"{len(wanted.values)} values", f"{len(found.values)} values")
    assert isinstance(example, Decode)
    codec = oracle.codecs[example.protocol]
    fields = codec.shown(wanted.message)
    for spec, one, other in zip(fields, wanted.values, found.values, strict=True):
        if one != other:
            return Difference("values", f"{spec.name} = {shown(one)}", f"{spec.name} = {shown(other)}")
    return _unless_equal("re-encoded bytes", wanted.encoded, found.encoded)


def _stepped(number: int, wanted: StepAnswer, found: StepAnswer) -> Difference | None:
    pairs = (
        ("outcome", _outcome(wanted), _outcome(found)),
        ("state", wanted.state, found.state),
        ("terminated", str(wanted.terminated), str(found.terminated)),
        ("variables", _listed(wanted.variables), _listed(found.variables)),
        ("actions", _actions(wanted), _actions(found)),
        ("deadline", str(wanted.deadline), str(found.deadline)),
    )
    return next((Difference(kind, a, b, number) for kind, a, b in pairs if a != b), None)


def _unless_same(kind: str, wanted: str, found: str) -> Difference | None:
    return None if wanted == found else Difference(kind, wanted, found)


def _unless_equal(kind: str, wanted: Sequence[bytes], found: Sequence[bytes]) -> Difference | None:
    """Compares whole frames, although the difference shows long frames shortened."""
    return None if wanted == found else Difference(kind, _frames(wanted), _frames(found))


def _frames(frames: Sequence[bytes]) -> str:
    return ", ".join(map(_hex, frames))


def shown(value: Tagged) -> str:
    """Formats a value."""
    tag, content = value
    if tag in "ui":
        return str(content)
    if tag == "l":
        return f"[{', '.join(map(shown, content))}]"
    if tag == "h":
        return f"{{{', '.join(f'{shown(key)}: {shown(one)}' for key, one in content)}}}"
    if tag == "s":
        try:
            return ascii(content.decode()) if len(content) < 80 else f"{len(content)} bytes of text"
        except UnicodeDecodeError:
            pass
    return _hex(content)


def _listed(values: tuple[Tagged, ...]) -> str:
    return ", ".join(map(shown, values)) or "none"


def _outcome(step: StepAnswer) -> str:
    return _OUTCOMES.get(step.outcome, repr(step.outcome))


def _actions(step: StepAnswer) -> str:
    return ", ".join(f"{name} {_hex(frame)}" if frame else name for name, frame in step.actions) or "none"


def _hex(octets: bytes) -> str:
    return octets.hex() if len(octets) <= 64 else f"{octets[:48].hex()}… ({len(octets)} bytes)"


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


def _short(octets: bytes) -> str:
    return octets.hex() if len(octets) <= 32 else f"{octets[:32].hex()}…"
