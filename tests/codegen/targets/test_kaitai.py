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
    lines = "".join(f"{octets.hex()}\n" for octets in frames)
    said = run(["node", HELPERS / "kaitai.mjs", description], stdin=lines.encode())
    return [json.loads(line) for line in said.split("\n")[:-1]]


def compare(protocol: Protocol, folder: Path, frames: Sequence[bytes]) -> int:
    """Compares both results for the frames; returns the number of accepted frames."""
    path = folder / f"{snake(protocol.name)}.ksy"
    path.write_text(ksy_source(protocol), encoding="utf-8")
    taken = 0
    for octets, found in zip(frames, kaitai(path, frames), strict=True):
        wanted = judged(protocol, octets)
        if isinstance(wanted, DecodeFault):
            assert "error" in found or cannot_say(protocol, wanted), (wanted, octets.hex(), found)
            continue
        assert "value" in found, (octets.hex(), found, path.read_text())
        assert_same(protocol, wanted, found["value"])
        taken += 1
    return taken


def judged(protocol: Protocol, octets: bytes) -> Decoded | DecodeFault:
    try:
        return decode(protocol, [octets])
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


def assert_same(protocol: Protocol, wanted: Decoded, found: dict[str, Any]) -> None:
    names = usable(snake(wanted.message.name), "kaitai")
    body = found.get(camel(names)) if protocol.dispatch is Dispatch.CONSTANT else found.get("body")
    fields = {item.name: item for item in present(wanted.message.fields, protocol)}
    for item in wanted.fields[len(wanted.fields) - len(fields) :]:
        field = fields.get(item.name)
        if field is not None and item.frame == 0 and field.value is None:
            assert body is not None
            name = camel(usable(snake(item.name), "kaitai"))
            assert name in body, (name, body, ksy_source(protocol))
            assert_value(field, item.value, body[name])


def assert_value(field: Field, wanted: Any, found: Any) -> None:
    if isinstance(found, dict) and "value" in found and not isinstance(wanted, list):
        found = found["value"]
    if isinstance(found, dict) and "hex" in found:
        octets = wanted.encode("latin-1") if isinstance(wanted, str) else wanted
        assert bytes.fromhex(found["hex"]) == octets
    elif isinstance(wanted, list):
        assert len(wanted) == len(found)
        for one, other in zip(wanted, found, strict=True):
            if field.type is FieldType.HASH:
                assert_text(field, one[0], other["key"]["value"])
                assert_text(field, one[1], other["value"]["value"])
            else:
                assert_value(field.items or field, one, other)
    elif isinstance(wanted, str):
        assert_text(field, wanted, found)
    else:
        assert found == wanted or not read_right(field, wanted)


def read_right(field: Field, number: int) -> bool:
    """Whether Kaitai's JavaScript runtime reads `number`: it is 2^32 off for some negative ones of eight bytes."""
    halved = field.signed and field.size == 8 and number < 0 and not number & 1 << 31
    return abs(number) <= EXACT and not halved


def assert_text(field: Field, wanted: str, found: Any) -> None:
    """Bytes that are not UTF-8 are compared only where a field has them alone."""
    if field.text.value != "octets":
        # a decoder of UTF-8 in JavaScript drops a byte order mark
        assert found.removeprefix("\ufeff") == wanted.removeprefix("\ufeff")


def vectors(protocol: str) -> list[bytes]:
    lines = vectors_of((ROOT / "generated" / "vectors" / "requests.tsv").read_bytes())
    found = [request for name, request, _ in lines if name.startswith(f"{protocol}/decode")]
    return [request[2 + request[1] + 4 :] for request in found]


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
