"""The rule that a difference between a broker and the model's machine violates, as far as its last output shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from zeps_conformance.learning.broker_model import DELIVERIES
from zeps_conformance.learning.mealy import Mealy, Output, Word

__all__ = ["MACHINE_RULES", "violated_rule"]

#: The rule that requires an answer.
_REQUIRES: Mapping[str, str] = {
    "ATTACH-OK": "ZEPS-ATTACH-1",
    "SUBSCRIBE-OK": "ZEPS-SUBSCRIBE-1",
    "PING-OK": "ZEPS-PING-1",
    "DETACH-OK": "ZEPS-DETACH-1",
    "INVALID no-session": "ZEPS-SESSION-1",
    "INVALID malformed": "ZEPS-INVALID-1",
    "INVALID stream-name": "ZEPS-ATTACH-5",
    "INVALID beyond-end": "ZEPS-SUBSCRIBE-5",
    "INVALID unexpected": "ZEPS-INVALID-7",
}
#: The rule that requires DELIVER, by the input that makes it due.
_DELIVERS: Mapping[str, str] = {
    "CREDIT": "ZEPS-CREDIT-6",
    "SUBSCRIBE": "ZEPS-SUBSCRIBE-2",
    "PUBLISH": "ZEPS-PUBLISH-2",
}
#: The rule that forbids an answer to an input.
_FORBIDS: Mapping[str, str] = {"PUBLISH": "ZEPS-PUBLISH-1", "PING-OK": "ZEPS-PING-OK-1"}

MACHINE_RULES: Final = (
    "ZEPS-PING-3",
    *_REQUIRES.values(),
    *_DELIVERS.values(),
    *_FORBIDS.values(),
    "ZEPS-ATTACH-4",
    "ZEPS-CREDIT-5",
    "ZEPS-DELIVER-1",
    "ZEPS-DETACH-2",
    "ZEPS-DETACH-6",
    "ZEPS-DETACH-OK-1",
    "ZEPS-FRAME-6",
    "ZEPS-INVALID-2",
    "ZEPS-INVALID-5",
    "ZEPS-INVALID-8",
    "ZEPS-INVALID-9",
    "ZEPS-SUBSCRIBE-6",
    "ZEPS-SUBSCRIBE-10",
    "ZEPS-SUBSCRIBE-13",
)
"""The rules that the machine checks; the first is that of a difference without a known one."""


def violated_rule(machine: Mealy, word: Word, seen: Output) -> str | None:
    """Returns the rule for the last output of `word`, `seen` instead of the machine's; None if it is unclear."""
    symbol, before = word[-1], machine.after(word[:-1])
    expected = machine.rows[before][symbol][0]
    if any(answer.startswith("INVALID with") for answer in seen):
        return "ZEPS-INVALID-8"
    if "no answer" in seen:
        return _unanswered_barrier(seen)
    delivered = next((answer for answer in seen if answer.startswith(DELIVERIES)), None)
    if delivered is not None and delivered not in expected:
        return _unexpected_delivery(machine.name(before), word, delivered, DELIVERIES in expected)
    missing = next((answer for answer in expected if answer not in seen), None)
    if missing == DELIVERIES:
        return _DELIVERS.get(symbol)
    if missing is not None:
        if symbol == "DETACH-OK" and missing == "INVALID unexpected":
            return "ZEPS-DETACH-OK-1"
        return _REQUIRES.get(missing)
    return _FORBIDS.get(symbol) if machine.name(before).startswith("open") else None


def _unexpected_delivery(state: str, word: Word, delivered: str, due: bool) -> str:
    if "again" in delivered:
        return "ZEPS-SUBSCRIBE-6"
    if due:
        return "ZEPS-DELIVER-1"
    if not state.startswith("open"):
        return "ZEPS-DETACH-6" if "DETACH" in word else "ZEPS-INVALID-2"
    if "subscribed" not in state and word[-1] != "SUBSCRIBE":
        return "ZEPS-SUBSCRIBE-10"
    return "ZEPS-SUBSCRIBE-6" if "credit" in state or word[-1] == "CREDIT" else "ZEPS-CREDIT-5"


def _unanswered_barrier(seen: Output) -> str:
    """Returns the rule for a barrier without an answer: the output then has the answers to earlier barriers."""
    if "PING-OK" in seen:
        return "ZEPS-SUBSCRIBE-5"
    return "ZEPS-FRAME-6" if "INVALID no-session" in seen else "ZEPS-PING-1"
