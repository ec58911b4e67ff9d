"""Checks of the tests' helper modules."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from zeps_process import ZepsProcess

TESTS = Path(__file__).parents[1]


def test_no_two_helper_modules_have_the_same_name() -> None:
    """All helper folders are on one module path: of modules with the same name only one could be imported."""
    folders = defaultdict(list)
    for module in TESTS.rglob("*.py"):
        if not module.name.startswith("test_") and module.name not in ("conftest.py", "__init__.py"):
            folders[module.name].append(str(module.parent.relative_to(TESTS)))
    assert {name: paths for name, paths in folders.items() if len(paths) > 1} == {}


def test_a_log_that_is_being_written_is_read_up_to_its_last_complete_line(tmp_path: Path) -> None:
    file = tmp_path / "log"
    process = ZepsProcess(file)
    assert process.log() == []
    file.write_text('{"event": "a"}\na warning\n{"event": "b"}\n{"event": "c"')
    assert process.log() == [{"event": "a"}, {"event": "b"}]
    assert process.log("b") == [{"event": "b"}]
