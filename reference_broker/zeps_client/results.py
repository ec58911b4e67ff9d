"""Results of calls. Each call waits for its own object, so that another call cannot take its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from zeps_client.errors import ClientError, PublishLost, SubscribeRefused
from zeps_client.events import PublishesLost
from zeps_client.reasons import Reason
from zeps_wire.zeps import OpenCode

__all__ = ["Losses", "SubscribeResult", "end_of"]

RECORDS_MAX: Final = 1024
"""Number of losses that are kept apart; beyond it, the two oldest are merged into one range."""


@dataclass(slots=True, eq=False)
class SubscribeResult:
    """The answer to a `subscribe` or `last_sequence`: `done` when it has arrived, `error` None if it is positive."""

    done: bool = False
    error: SubscribeRefused | None = None

    def finish(self, error: SubscribeRefused | None = None) -> None:
        """Records the broker's answer."""
        self.done = True
        self.error = error


def end_of(result: SubscribeResult) -> int:
    """Returns the stream's last sequence, from the answer to a subscription beyond it. Raises ClientError if it was
    granted, and SubscribeRefused if it was refused for another reason.
    """
    if result.error is None:
        raise ClientError("the broker grants a subscription beyond the stream's end (ZEPS-SUBSCRIBE-5)")
    reason = Reason.parse(result.error.reason)
    if reason.code != OpenCode.BEYOND_END or reason.sequences is None:
        raise result.error
    return reason.sequences[0] - 1


@dataclass(slots=True)
class _Record:
    first: int
    last: int
    count: int
    reason: str
    reported: bool = False


class Losses:
    """Numbers of publishes that were given up, and whether any call has reported them."""

    def __init__(self) -> None:
        self._records: list[_Record] = []

    def add(self, event: PublishesLost) -> None:
        """Records publishes that were given up; their numbers are larger than those of earlier events."""
        records = self._records
        records.append(_Record(event.first, event.last, event.count, event.reason))
        if len(records) > RECORDS_MAX:
            oldest = records.pop(0)
            records[0].first = oldest.first
            records[0].count += oldest.count
            records[0].reported = records[0].reported and oldest.reported

    def report(self, since: int | None, upto: int) -> PublishLost | None:
        """Returns the error for a flush of everything up to number `upto`, None without losses. It covers losses after
        number `since` (None: never published or flushed), and unreported losses of any publisher; all of them then
        count as reported.
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
        """Returns the error for losses that no call has reported, without counting them as reported; None if none."""
        return _error([record for record in self._records if not record.reported])


def _error(records: Sequence[_Record]) -> PublishLost | None:
    if not records:
        return None
    numbers = tuple((record.first, record.last) for record in records)
    return PublishLost(sum(record.count for record in records), records[-1].reason, numbers)
