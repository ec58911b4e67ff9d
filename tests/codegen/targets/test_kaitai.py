"""The Kaitai descriptions, compiled to JavaScript, compared with the interpreter."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from campaigns import sized
from damage import damaged
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from programs import BUNDLE, HELPERS, ROOT, run, vectors_of
from random_protocols import generated, messages, plans, protocols

from zeps_codegen.interpret import Decoded, DecodeFault, decode, present
from zeps_codegen.ir import Dispatch, Field, FieldType, Protocol
from zeps_codegen.naming import camel, snake, usable
from zeps_codegen.targets.kaitai import ksy_source, render

EXACT = 2**53  # JavaScript's numbers are exact up to this


def kaitai(description: Path, frames: Sequence[bytes]) -> list[dict[str, Any]]:
    """Kaitai's result for each frame."""
    modules = ROOT / "tools" / "node" / "node_modules" / "kaitai-struct-compiler"
    assert modules.is_dir(), "kaitai-struct-compiler is not installed: npm ci --prefix tools/node"
    lines = "".join(f"{frame.hex()}\n" for frame in frames)
    said = run(["node", HELPERS / "kaitai.mjs", description], stdin=lines.encode())
    return [json.loads(line) for line in said.split("\n")[:-1]]


def compare(protocol: Protocol, folder: Path, frames: Sequence[bytes]) -> int:
    """Compares both results for the frames; returns the number of accepted frames."""
    path = folder / f"{snake(protocol.name)}.ksy"
    path.write_text(ksy_source(protocol), encoding="utf-8")
    taken = 0
    for frame, parsed in zip(frames, kaitai(path, frames), strict=True):
        expected = judged(protocol, frame)
        if isinstance(expected, DecodeFault):
            assert "error" in parsed or cannot_say(protocol, expected), (expected, frame.hex(), parsed)
            continue
        assert "value" in parsed, (frame.hex(), parsed, path.read_text())
        assert_same(protocol, expected, parsed["value"])
        taken += 1
    return taken


def judged(protocol: Protocol, frame: bytes) -> Decoded | DecodeFault:
    try:
        return decode(protocol, [frame])
    except DecodeFault as fault:
        return fault


def cannot_say(protocol: Protocol, fault: DecodeFault) -> bool:
    """Whether Kaitai cannot express the error: classes of characters, and undefined flags."""
    if fault.code == "bad-text":
        return True
    if fault.code != "bad-constant" or fault.message is None:
        return False
    fields = protocol.message(fault.message).fields
    return any(item.name == fault.field and item.flags for item in fields)


def assert_same(protocol: Protocol, expected: Decoded, parsed: dict[str, Any]) -> None:
    names = usable(snake(expected.message.name), "kaitai")
    body = parsed.get(camel(names)) if protocol.dispatch is Dispatch.CONSTANT else parsed.get("body")
    fields = {item.name: item for item in present(expected.message.fields, protocol)}
    for item in expected.fields[len(expected.fields) - len(fields) :]:
        field = fields.get(item.name)
        if field is not None and item.frame == 0 and field.value is None:
            assert body is not None
            name = camel(usable(snake(item.name), "kaitai"))
            assert name in body, (name, body, ksy_source(protocol))
            assert_value(field, item.value, body[name])


def assert_value(field: Field, expected: Any, parsed: Any) -> None:
    if isinstance(parsed, dict) and "value" in parsed and not isinstance(expected, list):
        parsed = parsed["value"]
    if isinstance(parsed, dict) and "hex" in parsed:
        data = expected.encode("latin-1") if isinstance(expected, str) else expected
        assert bytes.fromhex(parsed["hex"]) == data
    elif isinstance(expected, list):
        assert len(expected) == len(parsed)
        for expected_item, parsed_item in zip(expected, parsed, strict=True):
            if field.type is FieldType.HASH:
                assert_text(field, expected_item[0], parsed_item["key"]["value"])
                assert_text(field, expected_item[1], parsed_item["value"]["value"])
            else:
                assert_value(field.items or field, expected_item, parsed_item)
    elif isinstance(expected, str):
        assert_text(field, expected, parsed)
    else:
        assert parsed == expected or not read_right(field, expected)


def read_right(field: Field, number: int) -> bool:
    """Whether Kaitai's JavaScript runtime reads `number` exactly: up to 2^53, except some negative ones of 8 bytes."""
    halved = field.signed and field.size == 8 and number < 0 and not number & 1 << 31
    return abs(number) <= EXACT and not halved


def assert_text(field: Field, expected: str, parsed: Any) -> None:
    """Bytes that are not UTF-8 are compared only where a field has them alone."""
    if field.text.value != "octets":
        # a decoder of UTF-8 in JavaScript drops a byte order mark
        assert parsed.removeprefix("\ufeff") == expected.removeprefix("\ufeff")


def vectors(protocol: str) -> list[bytes]:
    lines = vectors_of((ROOT / "generated" / "vectors" / "requests.tsv").read_bytes())
    requests = [request for name, request, _ in lines if name.startswith(f"{protocol}/decode")]
    return [request[2 + request[1] + 4 :] for request in requests]


@pytest.mark.parametrize("protocol", BUNDLE.protocols, ids=lambda protocol: protocol.name)
def test_every_vector_is_decoded_as_the_interpreter_does(protocol: Protocol, tmp_path: Path) -> None:
    frames = vectors(protocol.name)
    assert len(frames) > 20
    assert compare(protocol, tmp_path, frames) > 3


@given(data=st.data())
@settings(
    max_examples=sized(4, 120),
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_random_protocols(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    protocol = data.draw(protocols())
    chance = random.Random(data.draw(st.integers(0, 1 << 32)))
    frames: list[bytes] = []
    with generated(protocol) as module:
        for name, plan in plans(protocol).items():
            if any(item.type in (FieldType.FRAME, FieldType.MSG) for item in protocol.message(name).fields):
                continue
            frames += [data.draw(messages(module, plan)).encode() for _ in range(3)]
    whole = list(frames)
    for _ in range(20 if whole else 0):
        frames.append(damaged(chance.choice(whole), chance))
    assert compare(protocol, tmp_path_factory.mktemp("ksy"), frames) >= len(whole)


def test_every_protocol_has_a_description() -> None:
    assert [path.name for path in render(BUNDLE)] == [f"{item.name}.ksy" for item in BUNDLE.protocols]
