"""HTML pages from templates."""

from __future__ import annotations

from typing import Any

import jinja2

__all__ = ["page"]

_TEMPLATES = jinja2.Environment(
    loader=jinja2.PackageLoader("zeps_pipeline", "reports/templates"),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)


def page(template: str, **values: Any) -> str:
    """Render the page `template`, which embeds its style sheet and plots."""
    return _TEMPLATES.get_template(template).render(**values)
