"""The adapter of fixed programs: their output, and how they end, as events."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest
from adapter_processes import ADAPTERS, PATIENCE_MS, Adapter, Answer

SCRIPTS = {
    "prints": "print('missing 3 7 retention'); print('reset 4'); print('refused a/(: bad-pattern no'); print('other')",
    "fails": "import sys; sys.exit('client: the broker refused')",
    "raises": "raise ValueError('a defect')",
    "dies": "import os; os.abort()",
    "waits": "import time; time.sleep(60)",
}


@pytest.fixture
def adapter(request: pytest.FixtureRequest) -> Iterator[Adapter]:
    """The adapter of the program whose script has this name."""
    command = [sys.executable, str(ADAPTERS / "programs/adapter.py"), "name", sys.executable, "-c"]
    started = Adapter([*command, SCRIPTS[request.param]])
    started.do("open", client="c", endpoint="tcp://127.0.0.1:1", stream="s", pattern="", latest=0, options={})
    yield started
    started.end(b"")


def until_the_end(adapter: Adapter) -> list[Answer]:
    events: list[Answer] = []
    while not any(event["event"] in ("closed", "failed", "crashed") for event in events):
        events += adapter.do("events", client="c", timeout=PATIENCE_MS)["events"]
    return events


@pytest.mark.parametrize("adapter", ["prints"], indirect=True)
def test_lines_are_events(adapter: Adapter) -> None:
    assert until_the_end(adapter) == [
        {"event": "gap", "first": 3, "last": 7, "code": "retention"},
        {"event": "gap", "first": 5, "last": 0, "code": "beyond-end"},
        {"event": "refused", "reason": "bad-pattern no", "pattern": "a/("},
        {"event": "printed", "line": "other"},
        {"event": "closed"},
    ]


@pytest.mark.parametrize(
    ("adapter", "event"),
    [("fails", "failed"), ("raises", "crashed"), ("dies", "crashed")],
    indirect=["adapter"],
)
def test_an_error_differs_from_a_crash(adapter: Adapter, event: str) -> None:
    assert until_the_end(adapter)[-1]["event"] == event


@pytest.mark.parametrize("adapter", ["waits"], indirect=True)
def test_a_request_that_a_program_lacks_is_unsupported(adapter: Adapter) -> None:
    assert adapter.ask("publish", client="c", key="k", body="")["unsupported"]
    assert adapter.do("drop", client="c")
