"""Errors of the network: endpoints and keys that cannot be used, and input that is not one frame."""

from __future__ import annotations

import errno
import os

__all__ = ["MULTIPART", "OWN_ID", "TOO_LONG", "InvalidSettingError", "TransportError", "reason_of"]

MULTIPART = "a message of {} parts; a command is a single part"
OWN_ID = "this connection chose its own routing id; leave the choice to the broker"
TOO_LONG = "too-long: a frame of {} bytes; the longest command has {}"


class TransportError(Exception):
    """An endpoint or a multicast group cannot be used, or CURVE's keys are missing or invalid. The text gives
    the reason, and the endpoint or file if there is one.
    """


class InvalidSettingError(TransportError):
    """An endpoint is malformed, or settings exclude each other: they cannot be used on any machine."""


_REASONS = {
    errno.EADDRINUSE: "the address is in use (ipc: or is another file); stop the listener, or bind another address",
    errno.EADDRNOTAVAIL: "this machine does not have this address",
    errno.EACCES: "permission denied",
    errno.ENAMETOOLONG: "the path is too long",
}


def reason_of(number: int | None) -> str:
    """Returns what an errno of listening on an endpoint means for the user, with a remedy if one is known."""
    return _REASONS.get(number or 0, os.strerror(number or 0))
