"""Null brokers, adapters and peers: a suite that lets one pass a negative case is invalid."""

from __future__ import annotations

from zeps_conformance.nulls.brokers import NULLS, NullBroker

__all__ = ["NULLS", "NullBroker"]
