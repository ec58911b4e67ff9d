"""The settings of templates."""

from __future__ import annotations

from pathlib import Path

import jinja2
import pytest

from zeps_codegen.targets.environment import template_environment


def test_a_block_leaves_no_line_and_nothing_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "a.j2").write_text("{% if true %}\n  {{ '<' | twice }}\n  {% endif %}\n")
    environment = template_environment(tmp_path, twice=lambda text: text * 2)
    assert environment.get_template("a.j2").render() == "  <<\n"


def test_what_is_not_defined_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.j2").write_text("{{ nothing }}")
    with pytest.raises(jinja2.UndefinedError, match="nothing"):
        template_environment(tmp_path).get_template("a.j2").render()
