"""Codecs and machines of any language, judged through their drivers: `zeps-conform codec`.

A driver (``conformance/drivers/README.md``) decodes, encodes and steps machines on request. The same requests go
to every driver and to an oracle of the suite's own, and whatever differs is a finding.
"""

from __future__ import annotations
