"""Strategies for messages, frames and malformed frames of protocols with number, string, chunk and rest fields."""

from __future__ import annotations

import unicodedata

from hypothesis import strategies as st

from zeps_conformance.model.definitions import Field
from zeps_conformance.model.interpreter import Interpreter, UnsupportedModelError, Value
from zeps_conformance.model.malform import extended, raised_lengths, truncated, wrong_signatures

__all__ = ["frames", "malformed_frames", "messages"]

BODY_DRAWN = 300  # bytes: the largest chunk that is drawn


def messages(codec: Interpreter, *names: str) -> st.SearchStrategy[tuple[str, dict[str, Value]]]:
    """Draws a message's name, one of `names` or any, and valid values for its fields that are not constant or reserved.
    Chunks have at most 300 bytes. Drawing raises UnsupportedModelError if a field's type has no strategy.
    """
    chosen = [codec.model.message(name) for name in names] or list(codec.model.messages)

    def values(message_name: str) -> st.SearchStrategy[tuple[str, dict[str, Value]]]:
        fields = [
            field
            for field in codec.model.message(message_name).fields
            if field.value is None and not field.reserved
        ]
        drawn = st.fixed_dictionaries({field.name: _value(field) for field in fields})
        return drawn.map(lambda field_values: (message_name, field_values))

    return st.sampled_from([message.name for message in chosen]).flatmap(values)


def frames(codec: Interpreter, *names: str) -> st.SearchStrategy[bytes]:
    """Draws a valid frame of one of `names`, or of any message."""
    return messages(codec, *names).map(lambda message: codec.encode(message[0], **message[1]))


def malformed_frames(codec: Interpreter, *names: str) -> st.SearchStrategy[bytes]:
    """Draws a malformed frame: a valid frame truncated, extended, or with a wrong length or signature."""

    def broken(frame: bytes) -> st.SearchStrategy[bytes]:
        ways = (truncated, extended, raised_lengths, wrong_signatures)
        return st.sampled_from([bad.frame for way in ways for bad in way(codec, frame)])

    return frames(codec, *names).flatmap(broken)


def _value(field: Field) -> st.SearchStrategy[Value]:
    if field.type == "number":
        most = (1 << 8 * field.size) - 1 if field.max is None else field.max
        return st.one_of(st.integers(0, most), st.sampled_from([0, 1, most]))
    if field.type == "string":
        return _text(field)
    if field.type in ("chunk", "rest"):
        return st.binary(max_size=min(BODY_DRAWN, BODY_DRAWN if field.max is None else field.max))
    raise UnsupportedModelError(f"{field.name}: no strategy for a field of type {field.type}")


def _text(field: Field) -> st.SearchStrategy[Value]:
    longest = (1 << 8 * field.size) - 1 if field.max is None else field.max
    if field.text == "vchar":
        alphabet: st.SearchStrategy[str] = st.characters(min_codepoint=0x21, max_codepoint=0x7E)
    elif field.text == "printable":
        alphabet = st.characters(codec="utf-8").filter(lambda char: unicodedata.category(char) != "Cc")
    else:
        alphabet = st.characters(codec="utf-8")
    return st.text(alphabet, max_size=longest).filter(lambda text: len(text.encode()) <= longest)
