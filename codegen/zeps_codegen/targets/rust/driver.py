"""The driver's part that depends on the models: how values of requests are taken, and values of messages shown."""

from __future__ import annotations

from ...ir import Type
from ...plan.operations import Content, Fixed, Items, Number, Operation, Topic
from .literals import quoted
from .names import Struct, built, item_form

__all__ = ["SHOWN", "TAKEN", "agreements", "argument", "fill", "filled", "show_value"]

TAKEN = {
    Type.STRING: 'String::from(fields.text("value")?)',
    Type.OCTETS: 'fields.octets("value")?.to_vec()',
    Type.BOOLEAN: 'fields.boolean("value")?',
    Type.NUMBER: 'fields.number("value")?',
}
"""What a request sets a variable to."""
SHOWN = {Type.STRING: ".as_str()", Type.OCTETS: ".as_slice()", Type.BOOLEAN: "", Type.NUMBER: ""}
"""What stands behind a variable that is shown."""


def fill(index: int, operation: Operation, path: str) -> str:
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
    return f"let field_{index}{kind} = fields.{taken}?;"


def argument(index: int, operation: Operation) -> str:
    """The value as a struct or a method wants it."""
    match operation:
        case Items():
            return f"field_{index}.as_list()"
        case Topic() | Content(enumeration=None, text=str()):
            return f"&field_{index}"
        case _:
            return f"field_{index}"


def filled(struct: Struct, path: str) -> str:
    """The message whose values have been taken."""
    values = (f"{slot.name}: {argument(index, slot.operation)}" for index, slot in enumerate(struct.shown))
    return built(path + struct.name, values)


def agreements(struct: Struct) -> list[str]:
    """Lists that share a count are compared before anything else."""
    lengths = {
        slot.operation.name: f"field_{index}.as_list().len()" for index, slot in enumerate(struct.shown)
    }
    found = []
    for slot in struct.slots:
        if isinstance(slot.operation, Number) and slot.operation.measures:
            first, *others = slot.operation.measures
            found += [f"fields.agree({quoted(one)}, {lengths[one]}, {lengths[first]});" for one in others]
    return found


def show_value(operation: Operation, value: str) -> str:
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
