"""Null brokers: they do nothing right, and a suite that lets one pass a negative case proves nothing by it.

Each breaks off, is silent, parrots, agrees to everything, refuses everything, or never forgets. All are
written on the suite's own ZMTP, so that they can be wrong in any way.
"""

from __future__ import annotations

from zeps_conformance.nulls.brokers import NULLS, NullBroker

__all__ = ["NULLS", "NullBroker"]
