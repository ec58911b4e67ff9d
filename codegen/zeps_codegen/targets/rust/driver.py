"""The driver's part that depends on the models: how values of requests are taken, and values of messages shown."""

from __future__ import annotations

from collections.abc import Sequence

from ...ir import Type, Variable
from ...plan.operations import Apart, Content, Items, Operation
from .names import form, quoted

__all__ = ["held", "shown", "taken", "variable"]

_FORMS = {Type.STRING: "list::Text<8>", Type.OCTETS: "list::Octets<8>", Type.BOOLEAN: "list::U64"}


def taken(operations: Sequence[Operation], path: str) -> list[str]:
    """The statements that take the values of these operations from a request, over `fields`."""
    found = []
    for index, operation in enumerate(operations):
        take = "frames" if _is_msg(operation) else f"take::<{form(operation, path)}>"
        found.append(f"let field_{index} = fields.{take}({quoted(operation.name)})?;")
    return [*found, "fields.end()?;"]


def held(index: int, operation: Operation) -> str:
    """The value as a struct or a method wants it."""
    return f"field_{index}.as_slice().into()" if _is_msg(operation) else f"field_{index}.get()"


def shown(operation: Operation, value: str, path: str) -> str:
    """The statement that shows a field of a message."""
    if _is_msg(operation):
        return f"values.put_frames({value});"
    part = operation
    while isinstance(part, Items):
        part = part.parts[0]
    tag = "s" if isinstance(part, Content) and part.is_string else "b"
    return f"values.put::<{form(operation, path)}>({value}, b'{tag}');"


def variable(declared: Variable, value: str) -> tuple[str, str]:
    """The expression for what a request sets a variable to, and the statement that shows it."""
    found = _FORMS.get(declared.type, f"list::U{8 * declared.size}")
    taken = f'fields.take::<{found}>("value")?.get()'
    match declared.type:
        case Type.STRING | Type.OCTETS:
            return f"{taken}.into()", f"values.put::<{found}>(&{value}, b'b');"
        case Type.BOOLEAN:
            return f"{taken} != 0", f"values.put::<{found}>({value}.into(), b'b');"
        case _:
            return taken, f"values.put::<{found}>({value}, b'b');"


def _is_msg(operation: Operation) -> bool:
    return isinstance(operation, Apart) and operation.is_rest
