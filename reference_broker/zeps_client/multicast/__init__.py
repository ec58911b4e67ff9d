"""Real-time multicast of a stream, with lost messages recovered from the broker.

:mod:`~zeps_client.multicast.reconcile` merges both flows into one sequence; :class:`MulticastClient` owns the
receiving sockets, and :class:`Multicaster` sends the messages that the broker delivers.
"""

from __future__ import annotations

from zeps_client.multicast.client import MulticastClient, MulticastStatistics
from zeps_client.multicast.reconcile import Bounds, Reconciler
from zeps_client.multicast.sender import Multicaster, Rate

__all__ = ["Bounds", "MulticastClient", "MulticastStatistics", "Multicaster", "Rate", "Reconciler"]
