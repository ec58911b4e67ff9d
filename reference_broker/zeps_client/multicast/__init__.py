"""Real-time multicast of a stream, with lost messages recovered from the broker: :class:`MulticastClient` receives,
:class:`Multicaster` sends, and :mod:`~zeps_client.multicast.reconcile` merges both flows into one sequence.
"""

from __future__ import annotations

from zeps_client.multicast.client import MulticastClient, MulticastStatistics
from zeps_client.multicast.reconcile import Bounds, Reconciler
from zeps_client.multicast.sender import Multicaster, Rate

__all__ = ["Bounds", "MulticastClient", "MulticastStatistics", "Multicaster", "Rate", "Reconciler"]
