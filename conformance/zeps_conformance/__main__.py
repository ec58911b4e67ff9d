"""Entry point of ``python -m zeps_conformance``, the same as ``zeps-conform``."""

from __future__ import annotations

import sys

from zeps_conformance.cli import main

sys.exit(main())
