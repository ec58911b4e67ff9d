"""The written cases of profile ``zeps1``, one file per section of the protocol.

Importing this package fills the registry. A case's id names its section and its subject, so that cases can be
added, moved and reordered without renaming one.
"""

from __future__ import annotations

from zeps_conformance.cases import (
    chunk,
    closing,
    credit,
    deliver,
    framing,
    gears,
    heartbeat,
    invalid,
    opening,
    publish,
    restart,
    sequence,
    sessions,
    streams,
    subscribe,
    text,
)

__all__ = [
    "chunk",
    "closing",
    "credit",
    "deliver",
    "framing",
    "gears",
    "heartbeat",
    "invalid",
    "opening",
    "publish",
    "restart",
    "sequence",
    "sessions",
    "streams",
    "subscribe",
    "text",
]
