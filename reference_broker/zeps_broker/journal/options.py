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
    """Settings of a data folder. Raises ValueError for values that are not allowed."""

    path: Path = setting(
        "journal", Path("zeps-data"), path(), "The data folder. Only one broker can use it at a time."
    )
    sync: Sync = setting(
        "journal",
        "always",
        choice(*get_args(Sync)),
        """When a message counts as stored and may be delivered: "always", when it is on the device; "interval", when it
        is written, and every sync_seconds what was written is synced to the device; "os", when it is written, and the
        operating system decides. Only a loss of power takes what was written and not synced. Killing the broker takes
        nothing in any mode.""",
    )
    sync_seconds: float = setting(
        "journal",
        0.1,
        number(0.001, 3600),
        'Seconds between two syncs with sync = "interval".',
        formerly="journal.sync_interval",
    )
    segment_bytes: int = setting(
        "journal",
        64 * MIB,
        whole(1, 1 << 40),
        """Bytes of a segment (a file). A block that would exceed them begins the next one. Retention removes whole
        segments.""",
        limits="stream",
        formerly="journal.segment_octets",
    )
    retain_bytes: int | None = setting(
        "journal",
        None,
        whole(1),
        """Bytes that each stream keeps. The oldest segments are removed when a new one begins, which comes on top: up
        to a quarter more, or a larger block. Without it and retain_seconds: everything.""",
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
        """Memory for the blocks written last, for all streams together, at most a tenth of memory_bytes_max. Others
        are read from the disk.""",
        limits="total",
        formerly="journal.cache_octets",
    )

    def __post_init__(self) -> None:
        check_settings(self)
