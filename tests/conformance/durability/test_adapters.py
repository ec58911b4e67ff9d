"""Adapters of the durability profile, without their servers."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest

FOLDER = Path(__file__).parents[3] / "conformance" / "durability"


class StreamTimeout(Exception):  # noqa: N818
    """Replaces nats.errors.TimeoutError."""


@pytest.fixture
def adapter(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The adapter of NATS, without the library of NATS, which is installed for measurements only."""
    errors = SimpleNamespace(Error=Exception, TimeoutError=StreamTimeout)
    missing = dict.fromkeys(("AckPolicy", "ConsumerConfig", "JetStreamContext"), MagicMock())
    missing |= dict.fromkeys(("APIError", "NoStreamResponseError", "NotFoundError"), KeyError)
    for name in ("nats", "nats.errors", "nats.js", "nats.js.api", "nats.js.client", "nats.js.errors"):
        monkeypatch.setitem(sys.modules, name, SimpleNamespace(errors=errors, Error=Exception, **missing))
    spec = importlib.util.spec_from_file_location("nats_adapter", FOLDER / "nats_adapter.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.syspath_prepend(FOLDER.parent)
    spec.loader.exec_module(module)
    return module


class SlowStream:
    """A stream of NATS, and its consumer: each fetch returns these messages, or none in time."""

    def __init__(self, last: int, fetches: Sequence[Sequence[int]]) -> None:
        self.last, self.fetches = last, list(fetches)

    async def stream_info(self, _: str) -> Any:
        return SimpleNamespace(state=SimpleNamespace(last_seq=self.last))

    async def pull_subscribe(self, *_: object, **__: object) -> SlowStream:
        return self

    async def consumer_info(self) -> Any:
        return SimpleNamespace(num_pending=sum(map(len, self.fetches)))

    async def fetch(self, _: int, timeout: float) -> list[Any]:
        numbers = self.fetches.pop(0) if self.fetches else []
        if not numbers:
            raise StreamTimeout
        return [
            SimpleNamespace(
                data=b"m%d" % number, metadata=SimpleNamespace(sequence=SimpleNamespace(stream=number))
            )
            for number in numbers
        ]


@pytest.mark.parametrize("fetches", [[[1, 2], [3]], [[1], [], [2, 3]], [[1, 2, 3], []]])
def test_messages_that_a_busy_server_sends_late_are_read(
    fetches: Sequence[Sequence[int]], adapter: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """The last message, 4, is not there."""
    asyncio.run(adapter.read(SlowStream(4, fetches), "s"))
    assert capsys.readouterr().out.splitlines() == ["message m1", "message m2", "message m3", "end"]


def test_a_server_that_does_not_send_what_it_has_is_not_read(
    adapter: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(adapter, "READ_SECONDS", 0.0)
    with pytest.raises(StreamTimeout):
        asyncio.run(adapter.read(SlowStream(4, [[1], [], [2, 3]]), "s"))
