"""Makes the helpers of the journal's and the client's tests importable, and runs `zeps` in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "broker" / "journal" / "helpers"))
sys.path.insert(0, str(Path(__file__).parents[1] / "client" / "helpers"))
sys.path.insert(0, str(Path(__file__).parents[1] / "system"))

from journal_helpers import opened
from real_broker import broker

from zeps_cli.main import main

__all__ = ["broker", "opened"]


@pytest.fixture
def zeps(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Runs `zeps("journal", "ls", …)`; returns exit code, standard output, standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        try:
            code = main(list(map(str, arguments)))
        except SystemExit as end:
            code = int(end.code or 0)
        return (code, *capsys.readouterr())

    return run
