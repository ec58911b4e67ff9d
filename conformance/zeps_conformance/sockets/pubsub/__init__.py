"""Publish-subscribe over ZMTP: trials and their parts, for the profiles zmtp-pub, zmtp-sub and zmtp-proxy."""

from __future__ import annotations

from zeps_conformance.common.case import Polarity
from zeps_conformance.common.dialects import BOTH, V3_0, V3_1, Dialect
from zeps_conformance.sockets.connection import Connection
from zeps_conformance.sockets.listener import Listener
from zeps_conformance.sockets.markers import MARKER
from zeps_conformance.sockets.pubsub.app import App
from zeps_conformance.sockets.pubsub.publisher import Publisher
from zeps_conformance.sockets.pubsub.subscriber import Subscriber
from zeps_conformance.sockets.pubsub.trial import PubSubTrial
from zeps_conformance.wire.zmtp_codec import Frame

__all__ = [
    "BOTH",
    "MARKER",
    "NEGATIVE",
    "V3_0",
    "V3_1",
    "App",
    "Connection",
    "Dialect",
    "Frame",
    "Listener",
    "PubSubTrial",
    "Publisher",
    "Subscriber",
]

NEGATIVE = Polarity.NEGATIVE
