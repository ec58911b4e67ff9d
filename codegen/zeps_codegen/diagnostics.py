"""Findings about a model: the problem, its place, its severity, and a hint.

Every kind of finding has a stable code. The module that reports a kind defines it, with :func:`error`, :func:`warning`
or :func:`remark`::

    UNKNOWN_TYPE = error("ZC203", "a field's type does not exist")
    ...
    found.append(UNKNOWN_TYPE.at(file, line, "no type is called 'strnig'", hint="did you mean 'string'?"))

Codes by hundred: 1 reading XML and the dialects of zproto, 2 names, ids, types and values, 3 machines,
4 expressions, 5 the session grammar against the messages, 6 the session grammar against the machines,
7 client and server together, 8 imported grammars, 9 targets and generated packages.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from enum import Enum
from typing import Any

__all__ = [
    "Code",
    "Diagnostic",
    "Location",
    "Locations",
    "ModelErrors",
    "Severity",
    "codes",
    "counted",
    "define",
    "error",
    "has_errors",
    "has_findings",
    "remark",
    "render_json",
    "render_text",
    "sort",
    "warning",
]


class Severity(str, Enum):
    """The severity of a finding. Errors stop generation; for errors and warnings, `check` exits with 1."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding or remark. `line` counts from 1 (0: the whole file). `message` and `hint` are one line each."""

    code: str
    severity: Severity
    file: str
    line: int
    message: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        hint = f" (hint: {self.hint})" if self.hint else ""
        return f"{place}: {self.severity.value} {self.code}: {self.message}{hint}"


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding: its stable code, its default severity, and a sentence for the reference."""

    code: str
    severity: Severity
    summary: str

    def at(
        self, file: str, line: int, message: str, hint: str = "", severity: Severity | None = None
    ) -> Diagnostic:
        """Creates a finding of this kind on a line from 1 (0: the whole file); `severity` replaces the default."""
        return Diagnostic(self.code, severity or self.severity, file, line, message, hint)


_codes: dict[str, Code] = {}


def define(code: str, severity: Severity, summary: str) -> Code:
    """Registers and returns a kind of finding. Raises ValueError if `code` is already registered."""
    if code in _codes:
        raise ValueError(f"{code} is already registered: {_codes[code].summary}")
    _codes[code] = Code(code, severity, summary)
    return _codes[code]


def error(code: str, summary: str) -> Code:
    """Registers a kind of error, which stops generation. Raises ValueError if `code` is already registered."""
    return define(code, Severity.ERROR, summary)


def warning(code: str, summary: str) -> Code:
    """Registers a kind of warning. Raises ValueError if `code` is already registered."""
    return define(code, Severity.WARNING, summary)


def remark(code: str, summary: str) -> Code:
    """Registers a kind of remark; remarks keep exit code 0. Raises ValueError if `code` is already registered."""
    return define(code, Severity.INFO, summary)


def codes() -> tuple[Code, ...]:
    """Returns every code that the modules loaded so far define, sorted by its name."""
    return tuple(_codes[name] for name in sorted(_codes))


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a model file. `line` counts from 1; 0 means the whole file."""

    file: str
    line: int = 0


class Locations:
    """The places of a bundle's parts, for findings about the IR, which has no places itself.

    Keys: `class:CLASS`, `grammar:CLASS` (the line of the first line of `Protocol.grammar`),
    `message:CLASS.NAME`, `field:CLASS.MESSAGE.NAME`, `state:CLASS.NAME`, `variable:CLASS.NAME`,
    `event:CLASS.STATE.EVENT` (the first declaration; `event:CLASS.EVENT` at class level),
    `method:CLASS.NAME`, and `transition:CLASS.N`, where N is the row's index in `Machine.transitions`.
    """

    def __init__(self, places: Mapping[str, Location] | None = None) -> None:
        self._places = dict(places or {})

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def find(self, *keys: str) -> Location:
        """Returns the place of the first key that is present, or `Location("", 0)` if all are absent."""
        for key in keys:
            if key in self._places:
                return self._places[key]
        return Location("", 0)


class ModelErrors(Exception):  # noqa: N818 (it holds several)
    """The models have errors; the text has a line for each. `diagnostics` holds every finding, of any severity."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        errors = [item for item in self.diagnostics if item.severity is Severity.ERROR]
        super().__init__(render_text(errors or self.diagnostics))


def counted(number: int, what: str) -> str:
    """Formats a number with its noun, which takes an s in the plural: `1 message`, `2 messages`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any item is an error."""
    return any(item.severity is Severity.ERROR for item in diagnostics)


def has_findings(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any item is an error or a warning; remarks do not count."""
    return any(item.severity is not Severity.INFO for item in diagnostics)


def sort(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorts findings by file, line, code and message, and removes duplicates."""
    unique = dict.fromkeys(diagnostics)
    return sorted(unique, key=lambda item: (item.file, item.line, item.code, item.message))


def render_text(items: Iterable[object]) -> str:
    """Formats one line per finding or change, in the given order."""
    return "\n".join(map(str, items))


def render_json(items: Iterable[Any]) -> str:
    """Formats a JSON array with one object per item, such as a finding: code, severity, file, line, message, hint."""
    return json.dumps([asdict(item) for item in items], indent=2, ensure_ascii=False)
