"""Null brokers, adapters and peers: a suite that lets one pass a negative case is invalid.

They close connections, are silent, echo, accept everything or refuse everything; a further broker never ends a
session. The brokers use the suite's own ZMTP, so that they can violate any rule.
"""

from __future__ import annotations

from zeps_conformance.nulls.brokers import NULLS, NullBroker

__all__ = ["NULLS", "NullBroker"]
