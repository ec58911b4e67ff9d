"""The model in ``model.json``, the generator's intermediate representation: the suite's only source of the wire format
and rules. A wheel has a copy, an editable installation ``generated/model.json``; ``--model`` selects another.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

__all__ = [
    "COMPARISONS",
    "Field",
    "Message",
    "Model",
    "ModelFileError",
    "Relation",
    "Rule",
    "load_document",
    "load_model",
    "load_models",
    "machine_rules",
    "parse_model",
]

Record = TypeVar("Record")

COMPARISONS = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class ModelFileError(Exception):
    """The model file is missing, is not JSON, or lacks required content. The text contains the reason."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A normative sentence. `level`: MUST, SHOULD, MAY or UNSPECIFIED; `owner`: the part of the model that has it.
    `source`: section of a specification, or ``Our decision``; `rationale`: reason for a decision, or empty. `role`:
    server, client or any, which it binds; `observable`: whether a violation is visible on the wire.
    """

    id: str
    level: str
    text: str
    source: str
    owner: str
    role: str = "server"
    observable: bool = True
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message. `size`: bytes of a number or of fixed octets, or of a length or count before the content.
    `value`: a constant's. `max`: the greatest number, length in bytes, or number of items. `count`, `length`: the field
    with the number of items or bytes; `derived`: it is such a field, and encoders compute it. A list, strings or a hash
    of size 0 without `count` is open-ended: its items continue to the end of the frame. Reserved fields are sent as
    zero and ignored when received. `default`: the value if the frame ends before the field; "" means no items.
    `enumeration`: the allowed values, with `flags` their sums.
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
    enumeration: str | None = None
    flags: bool = False
    reserved: bool = False
    default: int | str | bytes | None = None

    @property
    def open_ended(self) -> bool:
        return self.type in ("list", "strings", "hash") and self.size == 0 and self.count is None

    def item(self) -> Field:
        """An item of a list or of strings as a field, with the enumeration of the list."""
        if self.items is None:
            return Field("item", "string", 4, text=self.text)
        if self.enumeration is None:
            return self.items
        return dataclasses.replace(self.items, enumeration=self.enumeration, flags=self.flags)


@dataclass(frozen=True, slots=True)
class Relation:
    """A required relation between two number fields of a message, or a number field and a constant."""

    left: str
    operator: str
    right: str | int

    @property
    def fields(self) -> tuple[str, ...]:
        """Names of the fields that it compares."""
        return (self.left,) if isinstance(self.right, int) else (self.left, self.right)

    def holds(self, numbers: Mapping[str, int]) -> bool:
        """Returns whether `numbers`, values by field, satisfy the relation. Raises KeyError if a field is missing."""
        right = self.right if isinstance(self.right, int) else numbers[self.right]
        holds: bool = COMPARISONS[self.operator](numbers[self.left], right)
        return holds


@dataclass(frozen=True, slots=True)
class Message:
    """One message. `id` is its number on the wire. In an `extensible` one, bytes after the last field are skipped."""

    name: str
    id: int
    fields: tuple[Field, ...] = ()
    rules: tuple[Rule, ...] = ()
    extensible: bool = False
    relations: tuple[Relation, ...] = ()

    def completed(self, field: str) -> list[Relation]:
        """Returns the relations whose last field in wire order is `field`, if the version has all of their fields."""
        order = [definition.name for definition in self.fields]
        known = [relation for relation in self.relations if all(name in order for name in relation.fields)]
        return [relation for relation in known if max(relation.fields, key=order.index) == field]

    def field(self, name: str) -> Field:
        """Returns the field `name`. Raises KeyError if it does not exist."""
        return _find(self.fields, "name", name)


@dataclass(frozen=True, slots=True)
class Model:
    """One protocol in one version. `digest`: the file's SHA-256 in hexadecimal, or empty. `dispatch`: a frame names its
    message by ``signature`` and number, ``octet``, ``name``, ``constant``, or number and topic (``pubsub``).
    `signature`: the protocol's number, 0 to 15. `enumerations`: allowed values of each; `members`: the same by name.
    """

    name: str
    title: str
    dispatch: str
    signature: int
    version: int
    messages: tuple[Message, ...]
    constants: Mapping[str, int | str]
    rules: tuple[Rule, ...]
    digest: str = ""
    enumerations: Mapping[str, tuple[int | str, ...]] = dataclasses.field(default_factory=dict)
    members: Mapping[str, Mapping[str, int | str]] = dataclasses.field(default_factory=dict)

    def message(self, name: str) -> Message:
        """Returns the message `name`. Raises KeyError if it does not exist."""
        return _find(self.messages, "name", name)

    def all_rules(self) -> tuple[Rule, ...]:
        """Returns the protocol's rules, then each message's, in the model's order; not those of machines."""
        return self.rules + tuple(rule for message in self.messages for rule in message.rules)

    def rule(self, rule_id: str) -> Rule:
        """Returns the rule `rule_id`. Raises KeyError if it does not exist."""
        return _find(self.all_rules(), "id", rule_id)


def _find(items: Iterable[Record], attribute: str, value: str) -> Record:
    """Returns the first of `items` whose attribute is `value`. Raises KeyError if no item has it."""
    for item in items:
        if getattr(item, attribute) == value:
            return item
    raise KeyError(value)


def load_model(path: Path | None = None, protocol: str = "zeps") -> Model:
    """Loads a protocol from `path`, by default the packaged copy. Raises ModelFileError if it is invalid or missing."""
    where, models, _ = _read(path)
    for model in models:
        if model.name == protocol:
            return model
    raise ModelFileError(f"{where}: does not contain a protocol {protocol!r}")


def load_document(path: Path | None = None) -> dict[str, Any]:
    """Loads a model file as parsed JSON, checked as by :func:`load_model`, for a program that changes the model."""
    _read(path)
    document: dict[str, Any] = json.loads((path or _packaged()).read_bytes())
    return document


def parse_model(document: Mapping[str, Any], protocol: str) -> Model:
    """Parses a protocol of the parsed JSON of a model file. Raises KeyError if it does not contain the protocol."""
    for raw in document["protocols"]:
        if raw["name"] == protocol:
            return _protocol(raw, "")
    raise KeyError(protocol)


def load_models(path: Path | None = None) -> tuple[tuple[Model, ...], tuple[Mapping[str, Any], ...]]:
    """Loads a file's protocols, and machines as parsed JSON. `path` and ModelFileError as for :func:`load_model`."""
    _, models, machines = _read(path)
    return models, machines


def machine_rules(machine: Mapping[str, Any]) -> tuple[Rule, ...]:
    """Returns the rules of a machine that :func:`load_models` returned, then each state's."""
    return sum((_rules(state) for state in machine.get("states", ())), _rules(machine))


def _read(path: Path | None) -> tuple[str, tuple[Model, ...], tuple[Mapping[str, Any], ...]]:
    file = path or _packaged()
    where = str(path or "the packaged model.json")
    try:
        text = file.read_bytes()
    except OSError as error:
        raise ModelFileError(f"{where}: cannot be read: {error.strerror or error}") from error
    try:
        document = json.loads(text)
        digest = hashlib.sha256(text).hexdigest()
        protocols = tuple(_protocol(raw, digest) for raw in document["protocols"])
        machines = tuple(document.get("machines", ()))
        for machine in machines:
            _ = machine["protocol"], _rules(machine)
        return where, protocols, machines
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ModelFileError(f"{where}: not a model: {type(error).__name__}: {error}") from error


def _packaged() -> Path:
    """Returns the copy in an installed package, or the generated file of the repository of this module."""
    packaged = Path(__file__).parents[1] / "model.json"
    return packaged if packaged.exists() else Path(__file__).parents[3] / "generated" / "model.json"


def _protocol(raw: Mapping[str, Any], digest: str) -> Model:
    members = {
        entry["name"]: {member["name"]: member["value"] for member in entry["members"]}
        for entry in raw.get("enumerations", ())
    }
    return Model(
        name=raw["name"],
        title=raw.get("title", ""),
        dispatch=raw["dispatch"],
        signature=raw["signature"],
        version=raw["version"],
        messages=tuple(
            _message(entry, raw["version"]) for entry in _present(raw["messages"], raw["version"])
        ),
        constants={entry["name"]: entry["value"] for entry in raw.get("constants", ())},
        rules=_rules(raw),
        digest=digest,
        enumerations={name: tuple(values.values()) for name, values in members.items()},
        members=members,
    )


def _present(entries: Iterable[Mapping[str, Any]], version: int) -> list[Mapping[str, Any]]:
    """Returns the messages or fields that exist in `version`: from `since` to `until`, both inclusive."""
    return [
        entry
        for entry in entries
        if entry.get("since", 1) <= version and (entry.get("until") is None or version <= entry["until"])
    ]


def _message(raw: Mapping[str, Any], version: int) -> Message:
    return _record(
        Message,
        raw,
        fields=tuple(_field(entry) for entry in _present(raw["fields"], version)),
        rules=_rules(raw),
        relations=tuple(_record(Relation, entry) for entry in raw.get("relations", ())),
    )


def _field(raw: Mapping[str, Any]) -> Field:
    items = raw.get("items")
    return _record(
        Field,
        raw,
        value=_constant(raw.get("value")),
        items=None if items is None else _field(items),
        default=_constant(raw.get("default")),
    )


def _rules(raw: Mapping[str, Any]) -> tuple[Rule, ...]:
    return tuple(_record(Rule, entry) for entry in raw.get("rules", ()))


def _record(kind: Callable[..., Record], raw: Mapping[str, Any], **converted: Any) -> Record:
    """Returns a `kind` with fields from `converted`, else from `raw`. Raises TypeError if a required one is missing."""
    known = {field.name for field in dataclasses.fields(kind)}  # type: ignore[arg-type]
    return kind(**{name: value for name, value in raw.items() if name in known} | converted)


def _constant(value: Any) -> int | str | bytes | None:
    """Converts a constant: JSON represents bytes as an object with one member, in hexadecimal. None remains None."""
    if isinstance(value, dict):
        return bytes.fromhex(next(iter(value.values())))
    if value is None or isinstance(value, (int, str)):
        return value
    raise TypeError(f"invalid constant {value!r}")
