"""Codecs and machines of any language, judged through drivers (``conformance/drivers/README.md``): `zeps-conform
codec`. Drivers and the suite's own oracle receive the same requests; the first difference ends the run as its finding.
"""

from __future__ import annotations
