"""Errors of the network: endpoints that cannot be used, and input that is not one frame."""

from __future__ import annotations

__all__ = ["MULTIPART", "OWN_ID", "TOO_LONG", "TransportError"]

MULTIPART = "a message of {} parts; a command is a single part"
OWN_ID = "this connection chose its own routing id; leave the choice to the broker"
TOO_LONG = "too-long: a frame of {} octets; the longest command has {}"


class TransportError(Exception):
    """Listening on an endpoint failed. The text names the endpoint and the reason."""
