"""Null brokers, which serve nothing: a suite that lets one pass a negative case is invalid.

One closes connections, one is silent, one echoes, one accepts everything, one refuses everything, and one
never ends a session. All use the suite's own ZMTP, so that they can violate any rule.
"""

from __future__ import annotations

from zeps_conformance.nulls.brokers import NULLS, NullBroker

__all__ = ["NULLS", "NullBroker"]
