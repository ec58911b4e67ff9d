"""Versions: what `since` and `until` say fits together."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnostics import Severity, define
from ..ir import Field, Message, Protocol
from ..model import RawClass
from ..report import Place, Report

__all__ = ["check_versions"]

UNTIL_BEFORE_SINCE = define("ZC240", Severity.ERROR, "something that ends before it begins")
OUTSIDE_MESSAGE = define("ZC241", Severity.ERROR, "a field that lives longer than its message")
DISORDER = define("ZC242", Severity.ERROR, "a field that stands before an older one")
BEYOND = define("ZC243", Severity.ERROR, "something that begins after the model's version")


def check_versions(
    raw: RawClass, protocol: Protocol, field_places: Sequence[tuple[Place, ...]], report: Report
) -> None:
    """Compare the versions of messages and fields. `field_places` has each message's fields', in order."""
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
                text = f"{name} is of version {field.since}, and a field before it of version {newest}"
                report.add(DISORDER, place, text, hint="newer fields go to the end", attribute="since")
            newest = max(newest, field.since)


def _beyond(name: str, since: int, version: int, place: Place, report: Report) -> None:
    text = f"{name} begins with version {since} of a model of version {version}"
    report.add(BEYOND, place, text, hint="raise the version of the class", attribute="since")


def _check_span(name: str, item: Message | Field, place: Place, report: Report) -> None:
    if item.until is not None and item.until < item.since:
        text = f"{name} ends with version {item.until} and begins with version {item.since}"
        report.add(UNTIL_BEFORE_SINCE, place, text, attribute="until")


def _check_within(name: str, field: Field, message: Message, place: Place, report: Report) -> None:
    if field.since < message.since:
        text = f"{name} begins with version {field.since}, and {message.name} with version {message.since}"
        report.add(OUTSIDE_MESSAGE, place, text, attribute="since")
    if message.until is not None and field.until is not None and field.until > message.until:
        text = f"{name} ends with version {field.until}, and {message.name} with version {message.until}"
        report.add(OUTSIDE_MESSAGE, place, text, attribute="until")
