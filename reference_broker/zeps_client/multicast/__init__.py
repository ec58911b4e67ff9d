"""A stream's real-time flow by multicast, and what was lost of it by the broker's own protocol.

:mod:`~zeps_client.multicast.reconcile` makes one sequence of the two; :class:`MulticastClient` has the sockets, and
:class:`Multicaster` is the other end, which sends what the broker delivers.
"""

from __future__ import annotations

from zeps_client.multicast.client import MulticastClient, MulticastStatistics
from zeps_client.multicast.reconcile import Bounds, Reconciler
from zeps_client.multicast.sender import Multicaster, Rate

__all__ = [
    "Bounds",
    "MulticastClient",
    "MulticastStatistics",
    "Multicaster",
    "Rate",
    "Reconciler",
]
