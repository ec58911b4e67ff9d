"""Versions: checks that `since` and `until` of messages and fields are consistent."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnostics import error
from ..ir import Field, Message, Protocol
from ..model import RawClass
from ..report import Place, Report

__all__ = ["check_versions"]

UNTIL_BEFORE_SINCE = error("ZC240", "a message or field with `until` before `since`")
OUTSIDE_MESSAGE = error("ZC241", "a field that exists in versions without its message")
DISORDER = error("ZC242", "a field that precedes an older one")
BEYOND = error("ZC243", "a message or field that is newer than the model's version")


def check_versions(
    raw: RawClass, protocol: Protocol, field_places: Sequence[tuple[Place, ...]], report: Report
) -> None:
    """Checks the versions of messages and fields. `field_places` has the places of each message's fields, in order."""
    for item, message, places in zip(raw.messages, protocol.messages, field_places, strict=True):
        _check_span(message.name, message, item.place, report)
        if message.since > protocol.version:
            _beyond(message.name, message.since, protocol.version, item.place, report)
        newest = message.since
        for field, place in zip(message.fields, places, strict=True):
            name = f"{message.name}.{field.name}"
            _check_span(name, field, place, report)
            if field.since > protocol.version >= message.since:
                _beyond(name, field.since, protocol.version, place, report)
            _check_within(name, field, message, place, report)
            if message.since <= field.since < newest:
                text = f"{name} is of version {field.since}, but a field before it is of version {newest}"
                report.add(DISORDER, place, text, hint="move newer fields to the end", attribute="since")
            newest = max(newest, field.since)


def _beyond(name: str, since: int, version: int, place: Place, report: Report) -> None:
    text = f"{name} exists since version {since}, but the model has version {version}"
    report.add(BEYOND, place, text, hint="raise the version of the class", attribute="since")


def _check_span(name: str, item: Message | Field, place: Place, report: Report) -> None:
    if item.until is not None and item.until < item.since:
        text = f"{name} exists until version {item.until}, but since version {item.since}"
        report.add(UNTIL_BEFORE_SINCE, place, text, attribute="until")


def _check_within(name: str, field: Field, message: Message, place: Place, report: Report) -> None:
    if field.since < message.since:
        text = f"{name} exists since version {field.since}, but {message.name} since version {message.since}"
        report.add(OUTSIDE_MESSAGE, place, text, attribute="since")
    if message.until is not None and field.until is not None and field.until > message.until:
        text = f"{name} exists until version {field.until}, but {message.name} until version {message.until}"
        report.add(OUTSIDE_MESSAGE, place, text, attribute="until")
