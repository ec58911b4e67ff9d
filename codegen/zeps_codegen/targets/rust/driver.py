"""The driver's part that depends on the models: how values of requests are taken, and values of messages shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...ir import Type
from ...plan.operations import Content, Fixed, Items, Number, Operation, Topic
from .literals import quoted
from .machine import MachineModule
from .names import Struct, built, item_form

__all__ = ["view_driver"]

TAKEN = {
    Type.STRING: 'String::from(fields.text("value")?)',
    Type.OCTETS: 'fields.octets("value")?.to_vec()',
    Type.BOOLEAN: 'fields.boolean("value")?',
    Type.NUMBER: 'fields.number("value")?',
}
"""What a request sets a variable to."""
SHOWN = {Type.STRING: ".as_str()", Type.OCTETS: ".as_slice()", Type.BOOLEAN: "", Type.NUMBER: ""}
"""What stands behind a variable that is shown."""


def view_driver(
    protocols: Sequence[Mapping[str, object]], machines: Sequence[MachineModule]
) -> dict[str, object]:
    """What templates/mod.rs.j2 prints."""
    return {
        "protocols": protocols,
        "machines": machines,
        "agreements": _agreements,
        "argument": _argument,
        "fill": _fill,
        "filled": _filled,
        "show_value": _show,
        "shown": SHOWN,
        "taken": TAKEN,
    }


def _local(index: int) -> str:
    """What the value of the field at `index` is called."""
    return f"field_{index}"


def _fill(index: int, operation: Operation, path: str) -> str:
    """The statement that takes a field's value from the request."""
    kind = f": ListBuf<{item_form(operation, path)}>" if isinstance(operation, Items) else ""
    name = quoted(operation.name)
    match operation:
        case Number(enumeration=str(), signed=signed):
            taken = f"member({name}, {str(signed).lower()})"
        case Number():
            taken = f"number({name})"
        case Content(enumeration=str()):
            taken = f"word({name})"
        case Topic() | Content(is_string=True, text=str()):
            taken = f"text({name})"
        case Content(is_string=True):
            taken = f"text_octets({name})"
        case Items(is_pairs=is_pairs):
            taken = f"{'hash' if is_pairs else 'list'}({name})"
        case Fixed():
            taken = f"fixed({name})"
        case _:
            taken = f"octets({name})"
    return f"let {_local(index)}{kind} = fields.{taken}?;"


def _argument(index: int, operation: Operation) -> str:
    """The value as a struct or a method wants it."""
    match operation:
        case Items():
            return f"{_local(index)}.as_list()"
        case Topic() | Content(enumeration=None, text=str()):
            return f"&{_local(index)}"
        case _:
            return _local(index)


def _filled(struct: Struct, path: str) -> str:
    """The message whose values have been taken."""
    values = (f"{slot.name}: {_argument(index, slot.operation)}" for index, slot in enumerate(struct.shown))
    return built(path + struct.name, values)


def _agreements(struct: Struct) -> list[str]:
    """Lists that share a count are compared before anything else."""
    lengths = {
        slot.operation.name: f"{_local(index)}.as_list().len()" for index, slot in enumerate(struct.shown)
    }
    found = []
    for slot in struct.slots:
        first, *others = getattr(slot.operation, "measures", ()) or ("",)
        found += [f"fields.agree({quoted(one)}, {lengths[one]}, {lengths[first]});" for one in others]
    return found


def _show(operation: Operation, value: str) -> str:
    """The statement that shows a field of a message."""
    match operation:
        case Number(enumeration=str(), signed=signed):
            return f"values.put(member({value}, {str(signed).lower()}));"
        case Content(enumeration=str()):
            return f"values.put({value}.as_str());"
        case Content(is_string=True, text=None):
            return f"values.put_text({value});"
        case Items(is_pairs=True):
            return f"values.put_hash({value});"
        case Items(parts=(Content(is_string=True, text=None),)):
            return f"values.put_texts({value});"
        case _:
            return f"values.put({value});"
