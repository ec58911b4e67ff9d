"""Trials of a ROUTER behind an endpoint, judged only on the wire, for profile zmtp-router."""

from __future__ import annotations

from zeps_conformance.common.case import Needs, Polarity
from zeps_conformance.common.dialects import BOTH, V3_0, V3_1
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.router.dealer import Dealer
from zeps_conformance.sockets.router.trial import RouterTrial

__all__ = ["BOTH", "NEGATIVE", "V3_0", "V3_1", "Connection", "Dealer", "Needs", "RouterTrial"]

NEGATIVE = Polarity.NEGATIVE
