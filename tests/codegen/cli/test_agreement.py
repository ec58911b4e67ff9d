"""The interpreter and the generated codec, which share no code, agree about every frame."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from types import ModuleType

import pytest
from campaigns import sized
from hypothesis import given, settings
from hypothesis import strategies as st
from our_models import BUNDLE

from zeps_codegen.interpret import DecodeFault, decode
from zeps_codegen.ir import Protocol
from zeps_wire import journal, zeps
from zeps_wire.errors import DecodeError

ROOT = Path(__file__).parents[3]
EXAMPLES: dict[str, list[bytes]] = {
    "zeps": [
        zeps.Attach("stream").encode(),
        zeps.AttachOk().encode(),
        zeps.Subscribe("a.", 7).encode(),
        zeps.Credit(1 << 40).encode(),
        zeps.Publish("käse", b"body").encode(),
        zeps.Deliver(3, "k", b"").encode(),
        zeps.Invalid("no").encode(),
    ],
    "journal": [
        journal.Segment(1, 2, "stream").encode(),
        journal.Block(1, 9, 2, 3, 4, (5, 6), (1, 2), (0, 1), (7,), (1, 2), b"kl", b"xy").encode(),
    ],
}
MODULES: dict[str, ModuleType] = {"zeps": zeps, "journal": journal}


@st.composite
def frames(draw: st.DrawFn, name: str) -> bytes:
    """A frame of the protocol, perhaps cut, with a few bytes changed, removed or added; or arbitrary bytes."""
    frame = bytearray(draw(st.sampled_from(EXAMPLES[name])))
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(frame)))
        match draw(st.integers(0, 3)):
            case 0:
                frame[at : at + 1] = bytes([draw(st.integers(0, 255))])
            case 1:
                del frame[at:]
            case 2:
                frame[at:at] = draw(st.binary(max_size=4))
            case _:
                frame[at : at + 1] = b""
    return draw(st.just(bytes(frame)) | st.binary(max_size=40)) if draw(st.booleans()) else bytes(frame)


def interpreted(protocol: Protocol, frame: bytes) -> object:
    try:
        decoded = decode(protocol, [frame])
    except DecodeFault as fault:
        return fault.code, fault.message, fault.field, fault.offset
    names = {item.name for item in decoded.message.fields if item.value is None and not item.derived}
    values = {item.name: item.value for item in decoded.fields if item.name in names}
    return decoded.message.name, {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}


def generated(module: ModuleType, frame: bytes) -> object:
    try:
        message = module.decode(frame)
    except DecodeError as error:
        return error.code, error.message, error.field, error.offset
    return message.NAME, {item.name: getattr(message, item.name) for item in dataclasses.fields(message)}


@pytest.mark.parametrize("name", ["zeps", "journal"])
def test_both_say_the_same(name: str) -> None:
    @settings(max_examples=sized(100, 5000))
    @given(frames(name))
    def check(frame: bytes) -> None:
        assert interpreted(BUNDLE.protocol(name), frame) == generated(MODULES[name], frame)

    check()
