"""The ZEPS client library: :class:`Client` is synchronous and thread-safe, :class:`AsyncClient` is for asyncio. Both
attach again after every loss of the session (unless `reattach` is off), and resume each subscription where it was.
"""

from __future__ import annotations

from zeps_client.aio import AsyncClient
from zeps_client.client import ALL, NEW, Client
from zeps_client.curve import Curve
from zeps_client.engine import Statistics
from zeps_client.errors import (
    AttachRefused,
    BrokerLost,
    ClientError,
    Closed,
    PublishLost,
    SubscribeRefused,
    Timeout,
)
from zeps_client.events import Message
from zeps_client.settings import Settings

__all__ = [
    "ALL",
    "NEW",
    "AsyncClient",
    "AttachRefused",
    "BrokerLost",
    "Client",
    "ClientError",
    "Closed",
    "Curve",
    "Message",
    "PublishLost",
    "Settings",
    "Statistics",
    "SubscribeRefused",
    "Timeout",
]
