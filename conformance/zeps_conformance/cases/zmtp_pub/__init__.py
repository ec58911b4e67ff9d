"""Cases of profile zmtp-pub: PUB and XPUB, a module for each section."""

from __future__ import annotations

__all__ = ["SECTIONS"]

#: The modules, in the order of reports.
SECTIONS: tuple[str, ...] = ("matching",)
