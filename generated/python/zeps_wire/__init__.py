"""Codecs and machines, generated from the models.

Speaks: ZEPS journal, ZeroMQ Enterprise Publish-Subscribe, ZMTP 3, publish-subscribe, ZMTP 1.0, ZMTP
2.0, ZMTP frames.
"""

from __future__ import annotations

from .errors import (
    DecodeError,
    EncodeError,
    LocalError,
    ProtocolError,
    RemoteError,
    UnexpectedEvent,
    UnhandledEvent,
)

__version__ = "0.1.0"

__all__ = [
    "DecodeError",
    "EncodeError",
    "LocalError",
    "ProtocolError",
    "RemoteError",
    "UnexpectedEvent",
    "UnhandledEvent",
]
