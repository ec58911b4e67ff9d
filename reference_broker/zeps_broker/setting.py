"""Declarations of settings: name, default, allowed values and description in one place.

A group of settings is a frozen dataclass whose fields are made by :func:`setting`. The configuration file, its
commented example and the table of limits are derived from the fields (``service``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, cast

__all__ = [
    "MIB",
    "Check",
    "Setting",
    "Subject",
    "check_settings",
    "choice",
    "endpoints",
    "limit",
    "number",
    "path",
    "setting",
    "settings_of",
    "whole",
]

MIB = 1 << 20

Check = Callable[[Any], Any]
"""Converts a value of the configuration file. Raises ValueError with a description of the allowed values."""

Subject = Literal["connection", "session", "pattern", "stream", "total", "turn"]
"""What a limit applies to; "turn" is a turn of the broker's loop."""


@dataclass(frozen=True, slots=True)
class Setting:
    """The declaration of a setting, besides its name and default."""

    section: str
    """Its section in the configuration file."""
    check: Check
    about: str
    """Description for the configuration file's example."""
    example: str | None
    """A TOML value to show, commented out, for a setting without a default."""
    limits: Subject | None
    """What the limit applies to; None if it is not a limit."""
    formerly: str | None
    """Its section and name until version 0.1, still accepted, such as ``limits.sessions``; None if unchanged."""


def setting(
    section: str,
    default: Any,
    check: Check,
    about: str,
    *,
    example: str | None = None,
    limits: Subject | None = None,
    formerly: str | None = None,
) -> Any:
    """Declares a field of a group of settings; see :class:`Setting` for the arguments. The default is not checked."""
    about = " ".join(about.split())
    return field(
        default=default, metadata={"setting": Setting(section, check, about, example, limits, formerly)}
    )


def limit(subject: Subject, default: Any, check: Check, about: str, *, formerly: str | None = None) -> Any:
    """Declares a limit in the section `limits`; see :class:`Setting` for the arguments."""
    return setting("limits", default, check, about, limits=subject, formerly=formerly)


def settings_of(group: Any) -> Iterator[tuple[Field[Any], Setting]]:
    """Yields the fields of a group (a class or an object) that are settings, in the order of their declaration."""
    for setting_field in fields(group):
        if "setting" in setting_field.metadata:
            yield setting_field, cast("Setting", setting_field.metadata["setting"])


def check_settings(group: Any) -> None:
    """Raises ValueError with the setting's name if a value, other than the default, is not allowed; converts none."""
    for setting_field, known in settings_of(group):
        value = getattr(group, setting_field.name)
        if value == setting_field.default:
            continue
        try:
            known.check(value)
        except ValueError as error:
            raise ValueError(f"{setting_field.name} must be {error}, not {value!r}") from None


def number(least: float, most: float = math.inf) -> Check:
    """Returns the check for a finite number, not a boolean, between inclusive bounds; it returns a float."""
    bounds = f"a number from {least:g} to {most:g}" if most < math.inf else f"a number of at least {least:g}"

    def check(value: Any) -> float:
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or not math.isfinite(value) or not least <= value <= most:
            raise ValueError(bounds)
        return float(value)

    return check


def whole(least: int, most: int | None = None) -> Check:
    """Returns the check for an int between inclusive bounds; it refuses booleans. `most` None: no upper bound."""
    bounds = (
        f"a whole number of at least {least}" if most is None else f"a whole number from {least} to {most}"
    )

    def check(value: Any) -> int:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or value < least or (most is not None and value > most):
            raise ValueError(bounds)
        return cast("int", value)

    return check


def choice(*options: str) -> Check:
    """Returns the check for one of some words, which it returns unchanged."""

    def check(value: Any) -> Any:
        if value not in options:
            raise ValueError("one of " + ", ".join(f'"{option}"' for option in options))
        return value

    return check


def path() -> Check:
    """Returns the check for a path (str or Path), not empty and without NUL, existing or not; it returns a Path."""

    def check(value: Any) -> Path:
        if not isinstance(value, (str, Path)) or not str(value) or "\0" in str(value):
            raise ValueError("a path")
        return Path(value)

    return check


def endpoints() -> Check:
    """Returns the check for a non-empty list of non-empty strings of any form; it returns a tuple."""

    def check(value: Any) -> tuple[str, ...]:
        is_list = isinstance(value, (list, tuple)) and bool(value)
        if not is_list or not all(isinstance(endpoint, str) and endpoint for endpoint in value):
            raise ValueError('a list of endpoints, such as ["tcp://127.0.0.1:5670"]')
        return tuple(value)

    return check
