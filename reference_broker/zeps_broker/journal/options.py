"""Settings of the journal."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from zeps_broker.setting import MIB, check_settings, choice, number, path, setting, whole

__all__ = ["JournalOptions", "Sync"]

Sync = Literal["always", "interval", "os"]


@dataclass(frozen=True, slots=True)
class JournalOptions:
    """Settings of a data folder. Raises ValueError for invalid values."""

    path: Path = setting(
        "journal", Path("zeps-data"), path(), "The data folder. Only one broker can use it at a time."
    )
    sync: Sync = setting(
        "journal",
        "always",
        choice(*get_args(Sync)),
        """When a message counts as stored and may be delivered: with "always", when it is on the device; with
        "interval", when it is written, and written data is synced every sync_seconds; with "os", when it is written,
        and the operating system decides when to sync. Only a power loss can lose written data that is not synced;
        killing the broker loses nothing in any mode.""",
    )
    sync_seconds: float = setting(
        "journal",
        0.1,
        number(0.001, 3600),
        'Interval in seconds between syncs with sync = "interval".',
        formerly="journal.sync_interval",
    )
    segment_bytes: int = setting(
        "journal",
        64 * MIB,
        whole(1, 1 << 40),
        """Bytes of a segment (a file). A block that would exceed them begins the next segment. Retention removes
        whole segments, so it makes them smaller: a segment ends at a quarter of retain_bytes (at least 4096), or when
        its first message is a quarter of retain_seconds old.""",
        limits="stream",
        formerly="journal.segment_octets",
    )
    retain_bytes: int | None = setting(
        "journal",
        None,
        whole(1),
        """Bytes that each stream keeps. When a new segment begins, the oldest are removed; the new one comes on top:
        up to a quarter more, or a larger block. Without this and retain_seconds, everything is kept.""",
        example="10737418240",
        limits="stream",
        formerly="journal.retain_octets",
    )
    retain_seconds: float | None = setting(
        "journal", None, number(0.001), "Seconds for which each stream keeps a message.", example="604800"
    )
    cache_bytes_max: int = setting(
        "journal",
        64 * MIB,
        whole(1),
        """Memory for recently written or read blocks and indexes, for all streams together, at most a tenth of
        memory_bytes_max. Others are read from the disk.""",
        limits="total",
        formerly="journal.cache_octets",
    )

    def __post_init__(self) -> None:
        check_settings(self)
