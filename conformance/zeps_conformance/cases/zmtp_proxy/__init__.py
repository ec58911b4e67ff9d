"""Cases of profile zmtp-proxy, for a forwarder from XSUB to XPUB: one module for each section."""

from __future__ import annotations

__all__ = ["SECTIONS"]

#: The modules, in the order of reports.
SECTIONS: tuple[str, ...] = ("barrier", "data", "subscriptions", "filters", "upstream", "harm")
