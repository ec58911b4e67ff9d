"""Mutation score of the suite: the share of brokers with one defect each that at least one case detects. The caller
supplies the brokers by name, as context managers with an ``endpoint``.
"""

from __future__ import annotations

from zeps_conformance.mutants.score import Broker, Score, measure

__all__ = ["Broker", "Score", "measure"]
