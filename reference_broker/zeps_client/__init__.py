"""The ZEPS client library: publish and subscribe through a broker that keeps every message.

:class:`Client` is synchronous and may be shared by threads; :class:`AsyncClient` is for asyncio. Both attach
again after every loss and resume exactly where they were.
"""

from __future__ import annotations

from .aio import AsyncClient
from .client import ALL, NEW, Client
from .curve import Curve
from .engine import Statistics
from .errors import AttachRefused, BrokerLost, ClientError, Closed, PublishLost, SubscribeRefused, Timeout
from .events import Message
from .settings import Settings

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
