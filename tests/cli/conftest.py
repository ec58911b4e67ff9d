"""Makes the helpers of the journal's and the client's tests importable."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "broker" / "journal" / "helpers"))
sys.path.insert(0, str(Path(__file__).parents[1] / "client" / "helpers"))

from journal_helpers import opened
from real_broker import broker

__all__ = ["broker", "opened"]
