"""Codecs and machines of any language, judged through their drivers: `zeps-conform codec`.

A driver (``conformance/drivers/README.md``) decodes, encodes and steps machines on request. Every driver and
the suite's own oracle receive the same requests; the first difference ends the run and is its finding.
"""

from __future__ import annotations
