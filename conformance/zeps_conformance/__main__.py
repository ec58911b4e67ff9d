"""``python -m zeps_conformance`` is ``zeps-conform``."""

from __future__ import annotations

import sys

from zeps_conformance.cli import main

sys.exit(main())
