"""What things are called in Elixir, and their types: modules, messages, fields, enumerations, machines."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...ir import EventKind, Field, Protocol, Text, Type
from ...naming import Scope, pascal, snake
from ...plan.build import parameter_of, plan_of
from ...plan.enumerations import EnumerationPlan, enumeration_plans
from ...plan.layout import Layout, layouts
from ...plan.machine import MachinePlan
from ...plan.operations import Apart, Constant, Content, Items, Number, Operation, Reserved, Topic

__all__ = ["RUNTIME", "MachineNames", "MessageNames", "ProtocolNames", "atom", "doc", "literal", "lower"]
__all__ += ["module_name", "segments"]

_HERE = Path(__file__).parent
#: The modules of the runtime and of the driver, which no protocol or machine is called like.
RUNTIME = frozenset(
    name
    for path in (_HERE / "runtime").rglob("*.ex")
    for name in re.findall(r"defmodule ZepsWire\.(\w+)", path.read_text())
)
_PROTOCOL = frozenset(["decode", "decode_frames", "encode", "encode_frames", "messages", "name"])
#: What machines have themselves, as their template defines it.
_MACHINE = frozenset(
    re.findall(r"^def (\w+)", (_HERE / "templates" / "machine.ex.j2").read_text(), re.MULTILINE)
)
_WIDTH = 110


def lower(name: str) -> str:
    """`name` as a variable, a key or a function, as far as Elixir lets it pass."""
    spelled = snake(name)
    return spelled if spelled[:1].isalpha() else f"x{spelled}"


def module_name(name: str) -> str:
    """`name` as the last part of a module's name."""
    spelled = pascal(name)
    return spelled if spelled[:1].isupper() else f"X{spelled}"


def segments(octets: bytes) -> str:
    """Octets as the inside of ``<<…>>``: text where it is readable."""
    parts = re.findall(rb"[A-Za-z0-9 _./:-]{2,}|[\x00-\xff]", octets)
    return ", ".join(f'"{one.decode()}"' if len(one) > 1 else f"0x{one[0]:02X}" for one in parts)


def literal(value: int | str | bytes | bool | Iterable[Any] | None, kind: Type | None = None) -> str:
    """A constant; text and octets are binaries."""
    match value:
        case None:
            return "nil"
        case bool():
            return str(value).lower()
        case int():
            return str(max(value, 0)) if kind is Type.NUMBER else str(value)
        case str() if value.isprintable():
            return '"' + re.sub(r'(["\\]|#(?={))', r"\\\1", value) + '"'
        case str():
            return literal(value.encode())
        case bytes():
            readable = value.isascii() and value.decode().isprintable()
            return literal(value.decode()) if readable else f"<<{segments(value)}>>"
        case _:
            return f"[{', '.join(map(literal, value))}]"


def atom(name: str) -> str:
    """The atom that is spelled as the model spells `name`."""
    return f":{name}" if re.fullmatch(r"[a-zA-Z_]\w*", name, re.ASCII) else f":{literal(name)}"


def doc(*paragraphs: str, attribute: str = "doc", items: Iterable[tuple[str, str]] = ()) -> str:
    """An attribute with the paragraphs, folded, and a list of things; nothing for no text."""
    listed = [f"- `{name}`: {text}" for name, text in items if text.strip()]
    folded = [textwrap.fill(" ".join(one.split()), _WIDTH, subsequent_indent="  ") for one in listed]
    parts = [textwrap.fill(" ".join(one.split()), _WIDTH) for one in paragraphs] + ["\n".join(folded)]
    body = "\n\n".join(filter(None, parts)).replace('"""', "'''")
    return f'@{attribute} ~S"""\n{body}\n"""\n' if body else ""


def _scoped(scope: Scope, things: Iterable[Any], prefix: str = "") -> dict[str, str]:
    return {one.name: scope.name(prefix + lower(one.name)) for one in things}


class MessageNames:
    """A message: its module, and the keys of its struct by field, in the order of the wire."""

    def __init__(self, layout: Layout, module: str) -> None:
        self.layout, self.plan, self.module = layout, plan_of(layout), module
        scope = Scope("elixir")
        topic = {"": scope.name("topic")} if layout.has_topic else {}
        self.keys = {**topic, **_scoped(scope, layout.shown)}
        """By field; pub/sub's topic, which another field may be called like, is called ""."""
        named = {_field(one): one for one in (*self.plan.operations, *self.plan.apart)}
        self.shown: dict[str, Operation] = {name: named[name] for name in self.keys}
        docs = {one.name: one.doc for one in layout.message.fields}
        self.docs = [
            (key, docs.get(name, "What subscriptions are compared with")) for name, key in self.keys.items()
        ]

    def key(self, operation: Operation) -> str | None:
        """The key of what an operation reads; None if no message shows it."""
        return None if isinstance(operation, Constant | Reserved) else self.keys.get(_field(operation))


def _field(operation: Operation) -> str:
    return "" if isinstance(operation, Topic) else operation.name


class ProtocolNames:
    """Every name of a protocol, and the types of what its messages hold."""

    def __init__(self, protocol: Protocol, module: str) -> None:
        self.protocol, self.module = protocol, module
        scope = Scope("elixir")
        found = [(one, f"{module}.{scope.name(module_name(one.message.name))}") for one in layouts(protocol)]
        self.messages = [MessageNames(layout, name) for layout, name in found]
        self.enumerations: dict[str, tuple[EnumerationPlan, str, dict[str, str]]] = {
            one.enumeration.name: (
                one,
                f"{module}.{scope.name(module_name(one.enumeration.name))}",
                _scoped(Scope("elixir", {"members"}), one.enumeration.members),
            )
            for one in enumeration_plans(protocol)
        }
        self.constants = _scoped(Scope("elixir", _PROTOCOL), protocol.constants)
        self.is_multipart = any(one.plan.apart for one in self.messages)

    def message(self, name: str) -> MessageNames:
        """The names of a message. StopIteration if the protocol's version has none that is called `name`."""
        return next(one for one in self.messages if one.plan.name == name)

    def type_of(self, operation: Operation) -> str:
        """The type of what an operation reads."""
        match operation:
            case Number(enumeration=str(name)) | Content(enumeration=str(name)) if name in self.enumerations:
                return f"{self.enumerations[name][1]}.t()"
            case Number(signed=signed):
                return "integer()" if signed else "non_neg_integer()"
            case Topic() | Content(text=Text()):
                return "String.t()"
            case Items():
                inner = ", ".join(map(self.type_of, operation.parts))
                return f"[{{{inner}}}]" if operation.is_pairs else f"[{inner}]"
            case Apart(is_rest=True):
                return "[binary()]"
            case _:
                return "binary()"


class MachineNames:
    """Every name of a machine, and the types of what its events carry."""

    def __init__(self, plan: MachinePlan, module: str, protocol: ProtocolNames) -> None:
        self.plan, self.module, self.protocol = plan, module, protocol
        self.variables = _scoped(Scope("elixir", {"data", "engine"}), plan.machine.variables)
        scope = Scope("elixir", _MACHINE)
        # methods are the application's and have its names; the host says that something happened
        self.functions: dict[str, str] = {}
        for event in plan.called:
            self.functions |= _scoped(scope, [event], "on_" * (event.kind is not EventKind.METHOD))
        self.fills = {name: scope.name(f"fill_{lower(name)}") for name in plan.fillable}
        self.actions = _scoped(Scope("elixir", {"send", "transition", "unsendable"}), plan.actions)

    def keys(self, event: str) -> dict[str, str]:
        """The keys of what the event carries, by field."""
        found = self.plan.event(event)
        if found.message is not None:
            return self.protocol.message(found.message).keys
        return _scoped(Scope("elixir", {"machine"}), found.parameters)

    def carried(self, events: Iterable[str | None]) -> str:
        """The type of what any of `events` carries; None is an event that carries nothing."""
        kinds = dict.fromkeys("nil" if event is None else self._carried(event) for event in events)
        return " | ".join(kinds) or "nil"

    def _carried(self, event: str) -> str:
        found = self.plan.event(event)
        if found.message is not None:
            return f"{self.protocol.message(found.message).module}.t()"
        keys = self.keys(event)
        parts = [f"{keys[one.name]}: {self.type_of(one)}" for one in found.parameters]
        return f"%{{{', '.join(parts)}}}" if parts else "nil"

    def type_of(self, parameter: Field) -> str:
        """The type of a method's parameter."""
        return self.protocol.type_of(parameter_of(parameter))
