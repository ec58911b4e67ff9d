"""The Jinja2 templates of all targets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

__all__ = ["template_environment", "template_printer"]


def template_environment(
    folder: Path, *helpers: ModuleType | Callable[..., Any], **named: object
) -> Environment:
    """The templates of `folder`: undefined names are errors, block tags leave no blank lines, values are not escaped.

    Templates may use the functions in `helpers` by their own names, the `__all__` of the modules in it, and the `named`
    values; everything callable is also a filter.
    """
    environment = Environment(
        loader=FileSystemLoader(folder),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    known: dict[str, Any] = {}
    for helper in helpers:
        if isinstance(helper, ModuleType):
            known |= {name: getattr(helper, name) for name in helper.__all__}
        else:
            known[helper.__name__] = helper
    environment.globals |= known | named
    environment.filters |= {name: value for name, value in (known | named).items() if callable(value)}
    return environment


def template_printer(
    folder: Path, *helpers: ModuleType | Callable[..., Any], **named: object
) -> Callable[..., str]:
    """Returns a function that renders ``<name>.j2`` of `folder`; other arguments as in :func:`template_environment`."""
    environment = template_environment(folder, *helpers, **named)

    def printed(name: str, /, *context: object, **values: object) -> str:
        return environment.get_template(f"{name}.j2").render(*context, **values)

    return printed
