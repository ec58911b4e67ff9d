"""The protocol model, read from ``model.json``: the suite's only source of the wire format and of the rules.

The file is the generator's intermediate representation, field for field. The suite reads the part that it
needs, protocols with their messages, fields and rules, and passes over the rest. A copy ships inside this
package, so that an installed suite needs nothing beside itself; ``--model PATH`` takes another.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

__all__ = ["Field", "Message", "Model", "ModelFileError", "Rule", "load_model"]

PACKAGED = "model.json"


class ModelFileError(Exception):
    """The model file is missing, is not JSON, or does not hold what the suite needs. The text says which."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A normative sentence.

    `role` is whom it binds; `observable` whether the wire can show that it is broken.
    """

    id: str
    level: str
    text: str
    source: str
    owner: str
    role: str = "server"
    observable: bool = True


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message.

    `size` is the octets of a number, or of a length; `value` is set on a constant.
    """

    name: str
    type: str
    size: int = 1
    signed: bool = False
    value: int | str | bytes | None = None
    text: str = "utf-8"
    max: int | None = None
    count: str | None = None
    length: str | None = None
    items: Field | None = None
    derived: bool = False
    doc: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    name: str
    id: int
    fields: tuple[Field, ...] = ()
    rules: tuple[Rule, ...] = ()
    doc: str = ""

    def field(self, name: str) -> Field:
        """The field called `name`. KeyError if there is none."""
        for field in self.fields:
            if field.name == name:
                return field
        raise KeyError(name)


@dataclass(frozen=True, slots=True)
class Model:
    """One protocol. `digest` is the SHA-256 of the file it was read from, in hexadecimal."""

    name: str
    title: str
    dispatch: str
    signature: int
    version: int
    messages: tuple[Message, ...]
    constants: Mapping[str, int | str]
    rules: tuple[Rule, ...]
    digest: str = ""

    def message(self, name: str) -> Message:
        """The message called `name`. KeyError if there is none."""
        for message in self.messages:
            if message.name == name:
                return message
        raise KeyError(name)

    def all_rules(self) -> tuple[Rule, ...]:
        """The protocol's rules, then each message's, in the model's order."""
        return self.rules + tuple(rule for message in self.messages for rule in message.rules)

    def rule(self, rule_id: str) -> Rule:
        """The rule called `rule_id`. KeyError if there is none."""
        for rule in self.all_rules():
            if rule.id == rule_id:
                return rule
        raise KeyError(rule_id)


def load_model(path: Path | None = None, protocol: str = "zeps") -> Model:
    """The protocol called `protocol` from the file at `path`, or from the packaged copy.

    ModelFileError if the file cannot be read, is no model, or holds no such protocol.
    """
    where = str(path) if path is not None else f"{__package__}/{PACKAGED}"
    try:
        text = (
            path.read_bytes()
            if path is not None
            else resources.files(__package__).joinpath(PACKAGED).read_bytes()
        )
    except OSError as error:
        raise ModelFileError(f"{where}: cannot be read: {error.strerror or error}") from error
    try:
        document = json.loads(text)
        for raw in document["protocols"]:
            if raw["name"] == protocol:
                return _protocol(raw, hashlib.sha256(text).hexdigest())
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelFileError(f"{where}: not a model: {type(error).__name__}: {error}") from error
    raise ModelFileError(f"{where}: holds no protocol called {protocol!r}")


def _protocol(raw: Mapping[str, Any], digest: str) -> Model:
    return Model(
        name=raw["name"],
        title=raw.get("title", ""),
        dispatch=raw["dispatch"],
        signature=raw["signature"],
        version=raw["version"],
        messages=tuple(_message(entry) for entry in raw["messages"]),
        constants={entry["name"]: entry["value"] for entry in raw.get("constants", ())},
        rules=tuple(_rule(entry) for entry in raw.get("rules", ())),
        digest=digest,
    )


def _message(raw: Mapping[str, Any]) -> Message:
    return Message(
        name=raw["name"],
        id=raw["id"],
        fields=tuple(_field(entry) for entry in raw["fields"]),
        rules=tuple(_rule(entry) for entry in raw.get("rules", ())),
        doc=raw.get("doc", ""),
    )


def _field(raw: Mapping[str, Any]) -> Field:
    items = raw.get("items")
    return Field(
        name=raw["name"],
        type=raw["type"],
        size=raw.get("size", 1),
        signed=raw.get("signed", False),
        value=_constant(raw.get("value")),
        text=raw.get("text", "utf-8"),
        max=raw.get("max"),
        count=raw.get("count"),
        length=raw.get("length"),
        items=_field(items) if items is not None else None,
        derived=raw.get("derived", False),
        doc=raw.get("doc", ""),
    )


def _constant(value: Any) -> int | str | bytes | None:
    """JSON has no octets: a constant of octets is an object with one member, its hexadecimal."""
    if isinstance(value, dict):
        return bytes.fromhex(next(iter(value.values())))
    if value is None or isinstance(value, (int, str)):
        return value
    raise TypeError(f"a constant cannot be {value!r}")


def _rule(raw: Mapping[str, Any]) -> Rule:
    return Rule(
        id=raw["id"],
        level=raw["level"],
        text=raw["text"],
        source=raw["source"],
        owner=raw["owner"],
        role=raw.get("role", "server"),
        observable=raw.get("observable", True),
    )
