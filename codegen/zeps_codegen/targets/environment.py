"""The Jinja2 environment that all languages share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

__all__ = ["template_environment"]


def template_environment(folder: Path, filters: Mapping[str, Callable[..., object]]) -> Environment:
    """The templates of `folder`: an undefined name is an error, and lines of block tags leave no blank lines."""
    environment = Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters |= filters
    return environment
