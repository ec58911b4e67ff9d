"""Places in a model file, and the list of findings that passes add to."""

from __future__ import annotations

from dataclasses import dataclass

from .diagnostics import Code, Diagnostic, Location, Severity

__all__ = ["NOWHERE", "Place", "Report"]


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an element. `text_line` is the first line of its text; `attributes` has the attributes' lines."""

    file: str
    line: int = 0
    attributes: tuple[tuple[str, int], ...] = ()
    text_line: int = 0

    def line_of(self, attribute: str | None) -> int:
        """The attribute's line, or the element's if it has no such attribute."""
        return next((line for name, line in self.attributes if name == attribute), self.line)

    def location(self, attribute: str | None = None) -> Location:
        return Location(self.file, self.line_of(attribute))


NOWHERE = Place("")


class Report:
    """Collects findings; passes continue after each, so that one run reports all of them."""

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []

    def add(
        self,
        code: Code,
        place: Place,
        message: str,
        hint: str = "",
        *,
        attribute: str | None = None,
        line: int | None = None,
        severity: Severity | None = None,
    ) -> None:
        """Adds a finding at `place`: on `line`, on the line of `attribute`, or on the element's first line."""
        at = place.line_of(attribute) if line is None else line
        self.diagnostics.append(code.at(place.file, at, message, hint, severity))

    @property
    def errors(self) -> int:
        return sum(item.severity is Severity.ERROR for item in self.diagnostics)
