"""The suite measured: brokers with one mistake each, and the share of them that some case notices.

The brokers come from whoever measures, by name, as context managers with an ``endpoint``; a mutant derived
from the model and one written by hand count alike.
"""

from __future__ import annotations

from zeps_conformance.mutants.score import Broker, Score, measure

__all__ = ["Broker", "Score", "measure"]
