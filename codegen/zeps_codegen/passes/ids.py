"""Ids: the number of a message on the wire is its `id`, or its position in the model, from 1."""

from __future__ import annotations

from ..diagnostics import error, remark
from ..model import RawMessage
from ..report import Report
from .constants import Defines, to_number

__all__ = ["resolve_ids"]

CHARACTER_ID = remark("ZC124", "an id that is a character literal")
BAD_ID = error("ZC211", "an id that is not a number from 0 to 255")
ID_TWICE = error("ZC212", "two messages with one id")


def resolve_ids(messages: tuple[RawMessage, ...], defines: Defines, report: Report) -> tuple[int, ...]:
    """One id per message, in order. Bad ones are reported and replaced by the position, duplicates only reported."""
    ids: list[int] = []
    taken: dict[int, RawMessage] = {}
    for position, message in enumerate(messages, start=1):
        number = position if message.id is None else to_number(message.id, defines)
        if number is None or not 0 <= number <= 255:
            text = f"the id {message.id!r} of {message.name} is not a number from 0 to 255"
            report.add(BAD_ID, message.place, text, attribute="id")
            number = position
        elif message.id is not None and "'" in message.id:
            text = f"the id of {message.name} is the character literal {message.id}: {number}"
            report.add(CHARACTER_ID, message.place, text, attribute="id")
        if number in taken:
            other = taken[number]
            text = f"{message.name} has the id {number} of {other.name}"
            hint = f"{other.name} is on line {other.place.line}"
            if message.id is None:
                hint += "; the default id of a message is its position in the model, from 1"
            report.add(ID_TWICE, message.place, text, hint=hint, attribute="id")
        else:
            taken[number] = message
        ids.append(number)
    return tuple(ids)
