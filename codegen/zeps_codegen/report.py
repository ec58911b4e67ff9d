"""Places in a model file, and the list of findings that passes add to."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from .diagnostics import Code, Diagnostic, Location, Severity

__all__ = ["Place", "Report", "did_you_mean"]


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an element, its text's first line and its attributes' lines, from 1; 0 is unknown."""

    file: str
    line: int = 0
    attributes: tuple[tuple[str, int], ...] = ()
    text_line: int = 0

    def line_of(self, attribute: str | None) -> int:
        """The attribute's line, or the element's if it has no such attribute."""
        return next((line for name, line in self.attributes if name == attribute), self.line)

    @property
    def location(self) -> Location:
        """The element's file and first line."""
        return Location(self.file, self.line)


def did_you_mean(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """The hint that quotes the known name most similar to `name`, or `otherwise` if none is similar."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f"did you mean {near[0]!r}?" if near else otherwise


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
        """Adds a finding at `line`, else the line of `attribute`, else `place`; `severity` replaces that of `code`."""
        at = place.line_of(attribute) if line is None else line
        self.diagnostics.append(code.at(place.file, at, message, hint, severity))

    @property
    def errors(self) -> int:
        """The number of errors so far."""
        return sum(item.severity is Severity.ERROR for item in self.diagnostics)
