"""The interpreter of plans agrees with the interpreter of models, with which it shares no code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from campaigns import sized
from hypothesis import given, settings
from hypothesis import strategies as st
from random_protocols import protocols

from zeps_codegen import compose, interpret
from zeps_codegen.ir import Field, FieldType, Protocol, Text
from zeps_codegen.load import load_bundle
from zeps_codegen.plan.build import part_of, plans
from zeps_codegen.plan.operations import (
    Apart,
    Content,
    Fixed,
    Items,
    Number,
    Operation,
    Part,
    Plan,
    Rest,
    Topic,
)
from zeps_codegen.plan.run import Fault, Members, decode, encode, members_of, zero_of

EXAMPLES = sized(60, 10_000)
GROWN = """<class name="grown" title="A message that grows" signature="9">
    <message name="CARD" id="1" extensible="true">
        <field name="number" type="number" size="1"/>
        <field name="picture" type="frame" max="4"/>
    </message>
</class>"""
_TEXTS = {
    Text.UTF8: st.text(st.characters(codec="utf-8"), max_size=20),
    Text.PRINTABLE: st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=20),
    Text.VCHAR: st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), max_size=20),
}


def outcome(call: Callable[[], Any], error: type[Exception]) -> Any:
    try:
        return call()
    except error as raised:
        return raised


def value_of(part: Part, members: Members) -> st.SearchStrategy[Any]:
    """A valid value, except for lengths that other fields share."""
    match part:
        case Number(enumeration=str() as name):
            return st.sampled_from(sorted(members[name], key=repr))
        case Number():
            least = -(1 << part.bits - 1) if part.signed else 0
            greatest = least + (1 << part.bits) - 1
            return st.integers(least, greatest if part.limit is None else min(part.limit, greatest))
        case Content(enumeration=str() as name):
            return st.sampled_from(sorted(members[name], key=repr))
        case Content(text=None):
            return st.binary(max_size=20 if part.most is None else min(part.most, 20))
        case Content():
            fits = 20 if part.most is None else min(part.most, 20)
            return _TEXTS[part.text].map(str.encode).filter(lambda encoded: len(encoded) <= fits)
        case Fixed():
            return st.binary(min_size=part.size, max_size=part.size)
        case Items():
            strategies = [value_of(item_part, members) for item_part in part.parts]
            most = 4 if part.most is None else min(part.most, 4)
            return st.lists(st.tuples(*strategies) if part.is_pairs else strategies[0], max_size=most)


def _value(operation: Operation, members: Members) -> st.SearchStrategy[Any] | None:
    match operation:
        case Topic():
            return st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=9).map(str.encode)
        case Number(measures=measures) if measures:
            return None
        case Number() | Content() | Fixed() | Items():
            return value_of(operation, members)
        case Rest():
            return st.binary(max_size=9 if operation.limit is None else min(9, operation.limit))
        case _:
            return None


def values_of(draw: st.DrawFn, plan: Plan, members: Members) -> dict[str, Any]:
    """The values of a message, most of them valid."""
    values: dict[str, Any] = {}
    for operation in plan.operations:
        strategy = _value(operation, members)
        if strategy is not None:
            values[operation.name] = draw(strategy)
    for operation in plan.operations:
        if isinstance(operation, Number) and operation.measures:
            least = min(len(values[name]) for name in operation.measures)
            for name in operation.measures:
                values[name] = values[name][:least] if draw(st.integers(0, 9)) else values[name]
    for apart in plan.apart:
        values[apart.name] = draw(_frames(apart))
    return values


def _frames(apart: Apart) -> st.SearchStrategy[Any]:
    frame = st.binary(max_size=9 if apart.limit is None else min(9, apart.limit))
    return st.lists(frame, min_size=1, max_size=3) if apart.is_rest else frame


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_what_is_encoded_is_decoded_and_both_are_the_models(data: st.DataObject) -> None:
    protocol = data.draw(protocols())
    members = members_of(protocol.enumerations)
    for plan, message in zip(plans(protocol), protocol.current, strict=True):
        values = values_of(data.draw, plan, members)
        frames = outcome(lambda plan=plan, values=values: encode(plan, values, members), Fault)
        if not plan.apart:
            shown_values = [values[field.name] for field in compose.shown_fields(protocol, message)]
            expected = outcome(
                lambda message=message, shown_values=shown_values: compose.encode(
                    protocol, message, shown_values
                ),
                compose.EncodeFault,
            )
            if isinstance(frames, Fault):
                assert (frames.code, frames.field) == (expected.code, expected.field)
            else:
                assert frames == [expected]
        if not isinstance(frames, Fault):
            assert decode(plan, frames, members) == values
            assert_alike(protocol, plan, frames, members)


@settings(max_examples=EXAMPLES)
@given(st.data())
def test_what_is_wrong_is_found_where_the_model_finds_it(data: st.DataObject) -> None:
    protocol = data.draw(protocols())
    members = members_of(protocol.enumerations)
    plan = data.draw(st.sampled_from(plans(protocol)))
    whole = outcome(lambda: encode(plan, values_of(data.draw, plan, members), members), Fault)
    for _ in range(0 if isinstance(whole, Fault) else 6):
        frame, *others = whole
        at = data.draw(st.integers(len(plan.head), len(frame)))
        frame = frame[:at] + data.draw(st.binary(max_size=5)) + frame[at + data.draw(st.integers(0, 6)) :]
        frames = [frame, *others[: data.draw(st.integers(0, 3))], *[b"more"] * data.draw(st.integers(0, 1))]
        assert_alike(protocol, plan, frames, members)


def assert_alike(protocol: Protocol, plan: Plan, frames: Sequence[bytes], members: Members) -> None:
    """Asserts equal values, or an equal error at the same place; a frame may be taken for another message."""
    model = outcome(lambda: interpret.decode(protocol, frames), interpret.DecodeFault)
    name = model.message if isinstance(model, interpret.DecodeFault) else model.message.name
    if name != plan.name:
        return
    decoded = outcome(lambda: decode(plan, frames, members), Fault)
    if isinstance(model, interpret.DecodeFault):
        assert isinstance(decoded, Fault), model
        assert (decoded.field, decoded.offset) == (model.field, model.offset)
        if not _is_constant(protocol, plan.name, decoded.field):
            assert decoded.code == model.code
        return
    message, _ = compose.wire_values(protocol, model) if not plan.apart else (model.message, [])
    if not plan.apart:
        shown_names = [field.name for field in compose.shown_fields(protocol, message)]
        assert [decoded[name] for name in shown_names] == [
            _plain(value) for value in compose.wire_values(protocol, model)[1]
        ]
    else:
        assert not isinstance(decoded, Fault)


def _is_constant(protocol: Protocol, message: str, field: str | None) -> bool:
    return any(
        candidate.name == field and candidate.value is not None
        for candidate in protocol.message(message).fields
    )


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, list) else value


def test_what_nobody_has_set_is_zero_or_empty() -> None:
    fields = {
        Field("number", FieldType.NUMBER, size=4): 0,
        Field("text", FieldType.STRING): b"",
        Field("octets", FieldType.OCTETS, size=2): bytes(2),
        Field("items", FieldType.LIST, size=2, items=Field("item", FieldType.NUMBER)): [],
    }
    assert {field: zero_of(part_of(field)) for field in fields} == fields
    field = Field("frames", FieldType.MSG)
    assert zero_of(Apart("frames", field, True)) == [b""]
    assert zero_of(Apart("frames", field, False)) == b""


@pytest.mark.parametrize(
    ("later", "code", "field"),
    [([], "truncated", "picture"), ([b"x" * 5], "too-long", "picture"), ([b"x", b"y"], "trailing", None)],
)
def test_an_error_of_a_later_frame_is_at_the_end_of_the_first_frame(
    tmp_path: Path, later: list[bytes], code: str, field: str | None
) -> None:
    """Also behind bytes that a decoder of an extensible message does not know."""
    path = tmp_path / "grown.xml"
    path.write_text(GROWN, encoding="utf-8")
    (protocol,) = load_bundle([path]).protocols
    (plan,) = plans(protocol)
    frames = [bytes.fromhex("aaa90107") + b"later", *later]
    with pytest.raises(Fault) as planned:
        decode(plan, frames, {})
    with pytest.raises(interpret.DecodeFault) as interpreted:
        interpret.decode(protocol, frames)
    for error in (planned.value, interpreted.value):
        assert (error.code, error.field, error.offset) == (code, field, len(frames[0]))
