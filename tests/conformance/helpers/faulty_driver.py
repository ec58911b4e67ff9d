"""The Python driver with one fault, chosen by name, which `zeps-conform codec` must find."""

from __future__ import annotations

import dataclasses
import importlib.util
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from zeps_conformance.codec.driver_protocol import (
    Answer,
    Decode,
    DecodeAnswer,
    EncodeAnswer,
    Example,
    MachineAnswer,
    Refusal,
    StepAnswer,
    Trace,
    blob,
    encode_values,
    many,
    name,
    parse_answer,
    parse_example,
)
from zeps_wire import caches, zeps_server

ROOT = Path(__file__).parents[3]
Change = Callable[[Example, Any], Answer | bytes]


def driver_module() -> ModuleType:
    path = ROOT / "conformance" / "drivers" / "python" / "driver.py"
    spec = importlib.util.spec_from_file_location("zeps_python_driver", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def encode_answer(answer: Answer | bytes) -> bytes:
    """Encodes an answer; every message of the repository's protocols has one frame."""
    match answer:
        case bytes():
            return answer
        case Refusal(code, message, field):
            return b"-" + name(code) + name(message) + name(field)
        case DecodeAnswer(message, values, (encoded,)):
            return b"+" + name(message) + encode_values(values) + blob(encoded)
        case EncodeAnswer((frame,)):
            return b"+" + blob(frame)
        case MachineAnswer(steps):
            return b"+" + b"".join(map(encode_step, steps))
    raise AssertionError(answer)


def encode_step(step: StepAnswer) -> bytes:
    head = step.outcome.encode() + name(step.state) + bytes((step.terminated,))
    actions = [name(action) + blob(frame) for action, frame in step.actions]
    return head + encode_values(step.variables) + many(actions)


# --- faults in answers


def in_decoding(change: Callable[[DecodeAnswer], Answer]) -> Change:
    return lambda _example, answer: change(answer) if isinstance(answer, DecodeAnswer) else answer


def in_steps(change: Callable[[StepAnswer], StepAnswer]) -> Change:
    def changed(_example: Example, answer: Any) -> Answer:
        if not isinstance(answer, MachineAnswer):
            return answer  # type: ignore[no-any-return]
        return MachineAnswer(tuple(map(change, answer.steps)))

    return changed


def other_code(_example: Example, answer: Any) -> Answer:
    wrong = isinstance(answer, Refusal) and answer.code == "trailing"
    return Refusal("truncated", answer.message, answer.field) if wrong else answer


def other_field(_example: Example, answer: Any) -> Answer:
    return Refusal(answer.code, answer.message, "other") if isinstance(answer, Refusal) else answer


def lost_bit(answer: DecodeAnswer) -> Answer:
    values = tuple(("u", v & (1 << 53) - 1) if tag == "u" else (tag, v) for tag, v in answer.values)
    return dataclasses.replace(answer, values=values)


def other_message(answer: DecodeAnswer) -> Answer:
    return dataclasses.replace(answer, message="PING") if answer.message == "PING-OK" else answer


def encoded_shorter(answer: DecodeAnswer) -> Answer:
    return dataclasses.replace(answer, encoded=(answer.encoded[0][:300],))


def encoded_other(_example: Example, answer: Any) -> Answer | bytes:
    wrong = isinstance(answer, EncodeAnswer) and len(answer.frames[0]) > 20
    return EncodeAnswer((answer.frames[0][:-1] + b"~",)) if wrong else answer


def other_state(step: StepAnswer) -> StepAnswer:
    return dataclasses.replace(step, state="open") if step.state == "detaching" else step


def actions_turned_round(step: StepAnswer) -> StepAnswer:
    return dataclasses.replace(step, actions=step.actions[::-1])


def taken_anyway(step: StepAnswer) -> StepAnswer:
    return dataclasses.replace(step, outcome="t") if step.outcome == "n" else step


def never_ends(step: StepAnswer) -> StepAnswer:
    return dataclasses.replace(step, terminated=True) if step.outcome == "h" else step


def one_variable_less(step: StepAnswer) -> StepAnswer:
    return dataclasses.replace(step, variables=step.variables[:-1])


def cannot_say(example: Example, answer: Any) -> Answer | bytes:
    return b"?" + name("no time") if isinstance(example, Trace) else answer


def garbled(example: Example, answer: Any) -> Answer | bytes:
    return (
        encode_answer(answer)[:-1] if isinstance(example, Decode) and len(example.frames[0]) > 30 else answer
    )


def dies(example: Example, answer: Any) -> Answer:
    if (
        isinstance(example, Decode)
        and example.frames[0].startswith(b"\xaa\xa5\x07")
        and len(example.frames[0]) > 20
    ):
        print("it hurts", file=sys.stderr, flush=True)
        os.abort()
    return answer  # type: ignore[no-any-return]


def hangs(example: Example, answer: Any) -> Answer:
    if isinstance(example, Decode) and len(example.frames[0]) > 200:
        time.sleep(1000)
    return answer  # type: ignore[no-any-return]


# --- faults in the package


def no_controls() -> None:
    """Accepts control characters as printable."""
    for table in (caches.PRINTABLE_TEXTS, caches.PRINTABLE_OCTETS):
        table._holds = lambda _text: True


def no_guard() -> None:
    """Sends DELIVER regardless of the credit."""
    rows: Any = zeps_server.ServerMachine.ROWS
    for events in rows.values():
        for event, alternatives in events.items():
            if event is zeps_server.Event.ON_DELIVER:
                events[event] = tuple(dataclasses.replace(row, holds=None) for row in alternatives)


ANSWERS: dict[str, Change] = {
    "other code": other_code,
    "other field": other_field,
    "lost bit": in_decoding(lost_bit),
    "other message": in_decoding(other_message),
    "encoded shorter": in_decoding(encoded_shorter),
    "encoded other": encoded_other,
    "other state": in_steps(other_state),
    "actions reversed": in_steps(actions_turned_round),
    "accepted anyway": in_steps(taken_anyway),
    "terminated": in_steps(never_ends),
    "one variable less": in_steps(one_variable_less),
    "cannot say": cannot_say,
    "garbled": garbled,
    "dies": dies,
    "hangs": hangs,
}
PACKAGE: dict[str, Callable[[], None]] = {"no controls": no_controls, "no guard": no_guard}


def main() -> int:
    fault = sys.argv[1]
    module = driver_module()
    model = json.loads((ROOT / "generated" / "model.json").read_text(encoding="utf-8"))
    if fault == "knows little":
        model["machines"] = []
    driver = module.Driver(model, module.load)
    PACKAGE.get(fault, lambda: None)()

    def handle(request: bytes) -> bytes:
        answer: bytes = driver.handle(request)
        if request == b"I" or fault not in ANSWERS:
            return answer
        example = parse_example(request)
        return encode_answer(ANSWERS[fault](example, parse_answer(example, answer)))

    status: int = module.serve(handle)
    return 3 if fault == "ends badly" else status


if __name__ == "__main__":
    sys.exit(main())
