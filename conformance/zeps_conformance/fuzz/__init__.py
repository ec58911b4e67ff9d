"""Random input: hypothesis strategies derived from the model, and random conversations with a broker."""

from __future__ import annotations

from zeps_conformance.fuzz.strategies import frames, malformed_frames, messages

__all__ = ["frames", "malformed_frames", "messages"]
