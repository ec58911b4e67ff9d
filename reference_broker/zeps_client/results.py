"""Results of calls. A call waits for an object of its own, so that no other call can take what became of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from zeps_client.errors import ClientError, PublishLost, SubscribeRefused
from zeps_client.events import PublishesLost
from zeps_client.reasons import Reason
from zeps_wire.zeps import OpenCode

__all__ = ["Losses", "SubscribeResult", "end_of"]

RECORDS_MAX: Final = 1024
"""Losses that are kept apart; beyond, the oldest become one range."""


class SubscribeResult:
    """The broker's answer to one `subscribe`: `error` is None if it is confirmed."""

    __slots__ = ("done", "error")

    def __init__(self) -> None:
        self.done = False
        self.error: SubscribeRefused | None = None

    def finish(self, error: SubscribeRefused | None = None) -> None:
        """The broker has answered."""
        self.done = True
        self.error = error


def end_of(result: SubscribeResult) -> int:
    """The stream's last sequence, by the answer to a subscription beyond it. Raises what was answered instead."""
    if result.error is None:
        raise ClientError("the broker grants a subscription beyond the stream's end (ZEPS-SUBSCRIBE-5)")
    reason = Reason.parse(result.error.reason)
    if reason.code != OpenCode.BEYOND_END or reason.sequences is None:
        raise result.error
    return reason.sequences[0] - 1


class _Record:
    __slots__ = ("count", "first", "last", "reason", "reported")

    def __init__(self, event: PublishesLost) -> None:
        self.first = event.first
        self.last = event.last
        self.count = event.count
        self.reason = event.reason
        self.reported = False


class Losses:
    """Which publishes were given up, by their numbers, and whether any call has reported it."""

    def __init__(self) -> None:
        self._records: list[_Record] = []

    def add(self, event: PublishesLost) -> None:
        """Publishes were given up; numbers are larger than those of earlier events."""
        records = self._records
        records.append(_Record(event))
        if len(records) > RECORDS_MAX:
            oldest = records.pop(0)
            records[0].first = oldest.first
            records[0].count += oldest.count
            records[0].reported = records[0].reported and oldest.reported

    def report(self, since: int | None, upto: int) -> PublishLost | None:
        """What a flush of everything up to number `upto` has to raise.

        That is what was lost after number `since` (None: the caller has neither published nor flushed before), and
        what no call has reported yet, whoever published it.
        """
        records = [
            record
            for record in self._records
            if record.first <= upto and (not record.reported or (since is not None and record.last > since))
        ]
        for record in records:
            record.reported = True
        return _error(records)

    def unreported(self) -> PublishLost | None:
        """What no call has reported."""
        return _error([record for record in self._records if not record.reported])


def _error(records: Sequence[_Record]) -> PublishLost | None:
    if not records:
        return None
    numbers = tuple((record.first, record.last) for record in records)
    return PublishLost(sum(record.count for record in records), records[-1].reason, numbers)
