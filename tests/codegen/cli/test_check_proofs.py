"""`check` explores: findings with traces that can be replayed, and the option for the bound."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeps_codegen.cli import main
from zeps_codegen.load import load_bundle
from zeps_codegen.passes.traces import parse_trace, replay

PROTOCOL = Path(__file__).resolve().parents[3] / "protocol"
NAMES = ("zeps.xml", "zeps_server.xml", "zeps_client.xml")


@pytest.fixture
def silent_broker(tmp_path: Path) -> list[Path]:
    """Models in which the broker ends a session without DETACH-OK."""
    for name in NAMES:
        text = (PROTOCOL / name).read_text(encoding="utf-8")
        if name == "zeps_server.xml":
            text = text.replace('<action name="send" message="DETACH-OK"/>', "")
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [tmp_path / name for name in NAMES]


def test_counterexamples_are_written_and_replay(
    silent_broker: list[Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "traces"
    models = [str(path) for path in silent_broker]
    assert main(["check", *models, "--bound", "1", "--traces", str(folder)]) == 1
    said = capsys.readouterr().out
    assert "ZC604" in said
    assert "ZC705" in said
    bundle = load_bundle(silent_broker)
    traces = sorted(folder.iterdir())
    assert {path.name.split("-")[1] for path in traces} >= {"violation", "waiting"}
    for path in traces:
        replay(bundle, parse_trace(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("bound", ["0", "-1", "two"])
def test_a_bound_that_is_none_is_a_usage_error(bound: str) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["check", "--bound", bound])
    assert stopped.value.code == 2
