"""Files of reports, findings and campaigns."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeps_conformance.common.json_files import read_json, replace_json


def test_a_file_that_is_replaced_is_complete_after_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new" / "state.json"
    replace_json(path, {"seed": 1})

    def interrupted(path: Path, text: str, encoding: str) -> int:
        path.write_bytes(text.encode(encoding)[:4])
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_text", interrupted)
        with pytest.raises(KeyboardInterrupt):
            replace_json(path, {"seed": 2})
    assert read_json(path) == {"seed": 1}
    replace_json(path, {"seed": 3})
    assert read_json(path) == {"seed": 3}
    assert [entry.name for entry in path.parent.iterdir()] == ["state.json"]
