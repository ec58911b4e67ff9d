"""Both kinds of zeps_client pass every case; the example clients are served and resume."""

from __future__ import annotations

from pathlib import Path

import pytest
from adapter_processes import IMPLEMENTATIONS, build

from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.runs.columns import Effort, columns_of, run_columns
from zeps_conformance.sockets.adapter import CLIENT, load_implementation
from zeps_conformance.sockets.context import Settings

pytestmark = pytest.mark.slow
EXAMPLES = sorted(IMPLEMENTATIONS.glob("example-*.toml"))
EXAMPLE_CASES = ("barrier.*", "closing.answered", "sessions.ending-codes", "subscribe.values", "gaps.first")


def _unexpected(path: Path, *patterns: str) -> dict[str, object]:
    columns = columns_of(load_implementation(path), [CLIENT], patterns)
    (result,) = run_columns(columns, Settings(timeout=10.0), Effort(jobs=4, retries=1))
    accepted = (Verdict.PASS, Verdict.OBSERVED, Verdict.UNSUPPORTED)
    assert result.cases
    assert any(case.verdict is Verdict.PASS for case in result.cases)
    return {
        case.id: (case.verdict, case.rule, case.expected, case.seen, case.reason)
        for case in result.cases
        if case.verdict not in accepted
    }


@pytest.mark.parametrize("name", ["zeps-client", "zeps-client-asyncio"])
def test_zeps_client_passes_every_case(name: str) -> None:
    path = IMPLEMENTATIONS / f"{name}.toml"
    assert _unexpected(path) == {}


@pytest.mark.xdist_group("rust")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_client_follows_the_protocol(path: Path) -> None:
    if path.stem != "example-python":
        build(path)
    assert _unexpected(path, *EXAMPLE_CASES) == {}
