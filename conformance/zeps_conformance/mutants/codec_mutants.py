"""Changes of a protocol's codec: changed models of it, and faults of :mod:`faulty_codec`, each in one direction."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from zeps_conformance.mutants.faulty_codec import Fault

__all__ = ["CodecChange", "codec_changes"]

Raw = dict[str, Any]


@dataclass(frozen=True)
class CodecChange:
    """A change of decoding or encoding (`direction`): a changed `protocol`, parsed JSON of the model, or a `fault`."""

    operator: str
    direction: str
    message: str
    place: str
    before: str
    after: str
    protocol: Mapping[str, Any] | None = None
    fault: Fault | None = None


def codec_changes(protocol: Mapping[str, Any], sent: Collection[str]) -> Iterator[CodecChange]:
    """Yields all changes of `protocol`, parsed JSON of the model; of encoding only for the messages in `sent`."""
    for number, message in enumerate(protocol["messages"]):
        directions = ("decode", "encode") if message["name"] in sent else ("decode",)
        for operator, before, after, change in _message_changes(protocol, number):
            changed = copy.deepcopy(dict(protocol))
            change(changed)
            for direction in directions:
                if direction == "decode" or operator not in _DECODE_ONLY:
                    yield CodecChange(
                        operator, direction, message["name"], message["name"], before, after, changed
                    )
        for field in message["fields"]:
            place = f"{message['name']}.{field['name']}"
            for operator, key, value in _field_changes(field):
                if key == "default" and field is not message["fields"][-1]:
                    continue  # the next field is then missing, too
                changed = copy.deepcopy(dict(protocol))
                _field_of(changed, number, field["name"])[key] = value
                for direction in directions:
                    if direction == "decode" or key in _ENCODED_KEYS:
                        texts = f"{key}={field[key]!r}", f"{key}={value!r}"
                        yield CodecChange(operator, direction, message["name"], place, *texts, changed)
        for direction in directions:
            yield from _faults(message, direction)


#: Changes of messages, and keys of fields, that matter to a decoder only, or also to an encoder.
_DECODE_ONLY = {"accept-trailing"}
_ENCODED_KEYS = {"size", "value"}

#: Faults of a message, of a number or a length, and of a text, by direction.
_OF_MESSAGES = {
    "decode": ("truncated-accepted", "signature-ignored", "unknown-taken"),
    "encode": ("shortened", "extended", "bad-signature"),
}
_OF_NUMBERS = {
    "decode": ("reversed", "plus-one", "minus-one", "truncated-accepted"),
    "encode": ("reversed", "plus-one", "minus-one"),
}
_OF_TEXTS = {"decode": ("split-text",), "encode": ("split-text", "controlled")}


def _faults(message: Raw, direction: str) -> Iterator[CodecChange]:
    name = message["name"]
    for kind in _OF_MESSAGES[direction]:
        if kind != "truncated-accepted" or message["fields"]:
            yield _faulty(direction, name, "", kind)
    for field in message["fields"]:
        kinds = _OF_NUMBERS[direction] + (_OF_TEXTS[direction] if field["type"] == "string" else ())
        for kind in kinds:
            last = field is message["fields"][-1]
            if (field["size"] > 1 or kind != "reversed") and (last or kind != "truncated-accepted"):
                yield _faulty(direction, name, field["name"], kind)


def _faulty(direction: str, message: str, field: str, kind: str) -> CodecChange:
    place = f"{message}.{field}" if field else message
    return CodecChange(
        kind, direction, message, place, "as in the model", kind, fault=Fault(kind, message, field)
    )


def _field_of(protocol: Raw, number: int, name: str) -> Raw:
    fields: list[Raw] = protocol["messages"][number]["fields"]
    return next(field for field in fields if field["name"] == name)


def _message_changes(
    protocol: Mapping[str, Any], number: int
) -> Iterator[tuple[str, str, str, Callable[[Raw], None]]]:
    """Yields the operator, the texts before and after, and the change of a copy of the protocol."""
    messages: list[Raw] = protocol["messages"]
    message, following = messages[number], messages[(number + 1) % len(messages)]
    ids = message["id"], following["id"]

    def swap_ids(changed: Raw) -> None:
        changed["messages"][number]["id"] = ids[1]
        changed["messages"][(number + 1) % len(messages)]["id"] = ids[0]

    def lose(changed: Raw) -> None:
        changed["messages"][number]["id"] = 255

    def extend(changed: Raw) -> None:
        changed["messages"][number]["extensible"] = True

    yield "swap-ids", f"id {ids[0]}", f"id {ids[1]}, and {following['name']} id {ids[0]}", swap_ids
    yield "other-id", f"id {ids[0]}", "id 255", lose
    yield "accept-trailing", "extensible=False", "extensible=True", extend
    for at in range(len(message["fields"]) - 1):
        names = [field["name"] for field in message["fields"][at : at + 2]]

        def exchange(changed: Raw, at: int = at) -> None:
            fields = changed["messages"][number]["fields"]
            fields[at], fields[at + 1] = fields[at + 1], fields[at]

        yield "swap-fields", ", ".join(names), ", ".join(reversed(names)), exchange


def _field_changes(field: Raw) -> Iterator[tuple[str, str, Any]]:
    """Yields operator, key and value of changes of a field's definition."""
    size = field["size"]
    for other in sorted({size - 1, size + 1, size // 2} - {size, 0}):
        yield "other-size", "size", other
    if field["value"] is not None:
        value = field["value"]
        yield "accept-any-constant", "value", None
        for other in (value + 1, value - 1) if isinstance(value, int) else (value[:-1], value.lower()):
            yield "other-constant", "value", other
        return
    if field["type"] == "number":
        yield "signed", "signed", True
        top = (1 << 8 * size) - 1
        yield "limit", "max", top - 1
        yield "limit", "max", (1 << 8 * size - 1) - 1
        yield "accept-missing", "default", 0
    elif field["type"] == "string":
        yield "accept-control-characters", "text", "utf-8"
        yield "refuse-other-than-visible", "text", "vchar"
        yield "limit", "max", (1 << 8 * size) - 2
        yield "limit", "max", (1 << 8 * size - 1) - 1
        yield "accept-missing", "default", ""
    if field["type"] == "chunk" and field["max"] is not None:
        yield "limit", "max", field["max"] - 1
        yield "limit", "max", field["max"] + 1
        yield "limit", "max", None
