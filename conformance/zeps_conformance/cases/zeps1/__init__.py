"""The hand-written cases of profile ``zeps1``, one module for each section of the protocol."""

from __future__ import annotations
