"""The errors of a target that does not support a model, and of a specification's frame."""

from __future__ import annotations

from ..diagnostics import Diagnostic, Locations, Severity, define
from ..ir import Bundle

__all__ = ["FrameError", "UnsupportedByTarget"]


UNSUPPORTED = define("ZC901", Severity.ERROR, "a model that a target does not support")


class FrameError(Exception):
    """A specification's frame (a Jinja template) is wrong: it is not a template, asks for something that the models do
    not have, or leaves out or repeats something that they have. The text has the frame's path and line.
    """


class UnsupportedByTarget(Exception):  # noqa: N818
    """A target cannot generate code for a field, or for the models (`message` and `field` are empty then)."""

    def __init__(self, target: str, message: str, field: str, why: str) -> None:
        super().__init__(f"{target} cannot carry {message}.{field}: {why}" if message else f"{target} {why}")
        self.target = target
        self.message = message
        self.field = field
        self.why = why

    def diagnostic(self, bundle: Bundle, locations: Locations) -> Diagnostic:
        """The finding ZC901, at the message's field in the first protocol that has it, else at the first protocol."""
        fields = [f"field:{protocol.name}.{self.message}.{self.field}" for protocol in bundle.protocols]
        place = locations.find(*fields, *(f"class:{protocol.name}" for protocol in bundle.protocols))
        return UNSUPPORTED.at(place.file, place.line, str(self))
