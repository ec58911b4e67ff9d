"""Converts a bundle to JSON and back, field for field, as ``model.schema.json`` defines.

A dataclass is an object with its fields, in their order; a value of a union of dataclasses also has a ``kind``, its
class's name in lower case; an enumeration is its value; bytes are ``{"hex": "…"}``.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from collections.abc import Mapping
from enum import Enum
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from ... import ir
from ...ir import Bundle

__all__ = ["FORMAT", "MODEL", "SCHEMA", "dump", "load", "render"]

FORMAT = "zeps-model/1"
MODEL = PurePosixPath("generated/model.json")
SCHEMA = PurePosixPath("generated/model.schema.json")
_HERE = Path(__file__).parent
#: Fields that older documents lack; their defaults apply.
_LATER = {
    "Field": frozenset({"reserved", "default"}),
    "Host": frozenset({"then"}),
    "Machine": frozenset({"internal", "timers", "action_docs", "session", "terms", "references"}),
    "Message": frozenset({"extensible", "relations"}),
    "Protocol": frozenset({"terms", "references"}),
    "Rule": frozenset({"rationale", "split_from"}),
    "Send": frozenset({"read_as", "filled", "defaults"}),
}


def render(bundle: Bundle) -> dict[PurePosixPath, bytes]:
    """The model and its schema."""
    return {MODEL: dump(bundle).encode(), SCHEMA: (_HERE / "model.schema.json").read_bytes()}


def dump(bundle: Bundle) -> str:
    """The bundle as JSON text."""
    body = _plain(bundle, Bundle)
    assert isinstance(body, dict)
    return json.dumps({"format": FORMAT, **body}, indent=1, ensure_ascii=False) + "\n"


def load(text: str | bytes) -> Bundle:
    """Parses a bundle; fields newer than the format's first version have defaults. Raises ValueError if malformed."""
    document = json.loads(text)
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError(f"not a {FORMAT} document: its format is missing or different")
    del document["format"]
    try:
        bundle = _built(document, Bundle)
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a {FORMAT} document: {error}") from error
    assert isinstance(bundle, Bundle)
    return bundle


@cache
def _hints(cls: type) -> Mapping[str, Any]:
    return typing.get_type_hints(cls, vars(ir))


def _is_union(kind: Any) -> bool:
    return typing.get_origin(kind) in (typing.Union, types.UnionType)


def _classes(kind: Any) -> dict[str, type]:
    """The dataclasses of a union, by their `kind`; empty if `kind` is not a union."""
    members = typing.get_args(kind) if _is_union(kind) else ()
    classes = [member for member in members if dataclasses.is_dataclass(member)]
    return {member.__name__.lower(): member for member in classes if isinstance(member, type)}


def _plain(value: Any, kind: Any) -> object:
    """`value`, declared as `kind`, in JSON's types."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, bytes):
        return {"hex": value.hex()}
    if isinstance(value, tuple):
        kinds = typing.get_args(kind)
        if len(kinds) == 2 and kinds[1] is Ellipsis:
            return [_plain(item, kinds[0]) for item in value]
        return [_plain(item, item_kind) for item, item_kind in zip(value, kinds, strict=True)]
    if dataclasses.is_dataclass(value):
        cls: type = type(value)
        hints = _hints(cls)
        tag = {"kind": cls.__name__.lower()} if len(_classes(kind)) > 1 else {}
        fields = dataclasses.fields(value)
        return tag | {field.name: _plain(getattr(value, field.name), hints[field.name]) for field in fields}
    return value


def _built(value: Any, kind: Any) -> object:
    """Converts a JSON `value` to `kind`. Raises TypeError, ValueError, KeyError or AttributeError if it is invalid."""
    if _is_union(kind):
        return _chosen(value, kind)
    if kind in (int, str, bool, type(None)):
        if type(value) is not kind:
            raise TypeError(f"{value!r} is not of the type {kind.__name__}")
        return value
    if kind is bytes:
        return bytes.fromhex(value["hex"])
    if typing.get_origin(kind) is tuple:
        kinds = typing.get_args(kind)
        if len(kinds) == 2 and kinds[1] is Ellipsis:
            return tuple(_built(item, kinds[0]) for item in value)
        return tuple(_built(item, item_kind) for item, item_kind in zip(value, kinds, strict=True))
    if issubclass(kind, Enum):
        return kind(value)
    names = {field.name for field in dataclasses.fields(kind)}
    amiss = names.symmetric_difference(value) - (_LATER.get(kind.__name__, frozenset()) - value.keys())
    if amiss:
        raise TypeError(f"unknown or missing fields of {kind.__name__}: {', '.join(sorted(amiss))}")
    hints = _hints(kind)
    return kind(**{name: _built(item, hints[name]) for name, item in value.items()})


def _chosen(value: Any, kind: Any) -> object:
    """The member of a union that `value` represents. Raises the same errors as :func:`_built`."""
    members = typing.get_args(kind)
    classes = _classes(kind)
    if isinstance(value, dict) and "hex" in value and bytes in members:
        return bytes.fromhex(value["hex"])
    if isinstance(value, dict) and len(classes) > 1:
        fields = {name: item for name, item in value.items() if name != "kind"}
        return _built(fields, classes[value["kind"]])
    if isinstance(value, dict):
        return _built(value, *classes.values())
    if type(value) not in members:
        raise TypeError(f"{value!r} is not of one of the types {members}")
    return value
