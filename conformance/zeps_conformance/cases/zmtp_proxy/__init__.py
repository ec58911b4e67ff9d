"""Cases of profile zmtp-proxy: a forwarder from XSUB to XPUB, a module for each section."""

from __future__ import annotations

__all__ = ["SECTIONS"]

#: The modules, in the order of reports.
SECTIONS: tuple[str, ...] = ("data", "subscriptions", "filters", "upstream", "harm")
