"""What a target may say of a model that it cannot serve."""

from __future__ import annotations

from ..ir import Bundle, Dispatch
from .layout import Layout, layouts

__all__ = ["UnsupportedByTarget", "refuse_recent_forms"]


class UnsupportedByTarget(Exception):  # noqa: N818
    """A target cannot make code for a field; the text says which, and why."""

    def __init__(self, target: str, message: str, field: str, why: str) -> None:
        super().__init__(f"{target} cannot carry {message}.{field}: {why}")
        self.target = target
        self.message = message
        self.field = field
        self.why = why


def refuse_recent_forms(target: str, bundle: Bundle) -> None:
    """UnsupportedByTarget for what a target does not know yet: see the top of `layout.py`."""
    for protocol in bundle.protocols:
        for layout in layouts(protocol):
            name, field = layout.message.name, _recent(layout)
            if field is not None:
                raise UnsupportedByTarget(target, name, field, "the target does not know its form yet")
            if protocol.dispatch is Dispatch.CONSTANT and not layout.dispatch:
                raise UnsupportedByTarget(target, name, "*", "it begins with no constant")


def _recent(layout: Layout) -> str | None:
    """A field that is open-ended or reserved."""
    fields = (place.field for place in layout.places)
    return next((field.name for field in fields if field.open_ended or field.reserved), None)
