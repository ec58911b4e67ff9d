"""Makes the helpers of the transports' tests importable."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "transport" / "helpers"))

from transport_helpers import context

__all__ = ["context"]
