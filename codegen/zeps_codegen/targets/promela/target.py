"""Converts a bundle to a model for spin of each protocol that has a client and a server."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from ...ir import Bundle, Machine, Protocol
from ...naming import snake
from ...passes.traces import pairs
from ..environment import template_printer
from .view import PairView, pair_view

__all__ = ["FOLDER", "promela_source", "render"]

FOLDER = PurePosixPath("generated/promela")
_print = template_printer(Path(__file__).parent / "templates")


def promela_source(protocol: Protocol, client: Machine, server: Machine) -> tuple[str, PairView]:
    """The model's text, and its view, which has the meaning of each move's number. Raises UnsupportedByTarget if a
    number that can reach a guard is from 2^30 to 2^64 - 2.
    """
    view = pair_view(protocol, client, server)
    return _print("pair.pml", view=view), view


def render(bundle: Bundle) -> dict[PurePosixPath, bytes]:
    """A model for each protocol with a client and a server. Raises UnsupportedByTarget like :func:`promela_source`."""
    return {
        FOLDER / f"{snake(protocol.name)}.pml": promela_source(protocol, client, server)[0].encode()
        for protocol, client, server in pairs(bundle)
    }
