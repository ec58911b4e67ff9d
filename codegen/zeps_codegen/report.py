"""Places in a model file, and the list that passes put their findings on."""

from __future__ import annotations

from dataclasses import dataclass

from .diagnostics import Code, Diagnostic, Location, Severity

__all__ = ["NOWHERE", "Place", "Report"]


@dataclass(frozen=True, slots=True)
class Place:
    """Where an element stands. `text_line` is the line where its text begins; `attributes` gives theirs."""

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
    """Collects findings; passes go on after each, so that one run shows them all."""

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
        """A finding at `place`: on `line`, or on the line of `attribute`, or where the element begins."""
        at = place.line_of(attribute) if line is None else line
        self.diagnostics.append(code.at(place.file, at, message, hint, severity))

    @property
    def errors(self) -> int:
        return sum(item.severity is Severity.ERROR for item in self.diagnostics)
