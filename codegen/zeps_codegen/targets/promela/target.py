"""Converts a bundle to a model for spin of each protocol that has a client and a server."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle, Machine, Protocol
from ...naming import snake
from ...passes.traces import pairs
from .view import PairView, pair_view

__all__ = ["FOLDER", "promela_source", "render"]

FOLDER = PurePosixPath("generated/promela")


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def promela_source(protocol: Protocol, client: Machine, server: Machine) -> tuple[str, PairView]:
    """The model, and the view that it was generated from, which has the meaning of each move's number."""
    view = pair_view(protocol, client, server)
    return _environment().get_template("pair.pml.j2").render(view=view), view


def render(bundle: Bundle) -> dict[PurePosixPath, bytes]:
    """One model for each client and server. Raises UnsupportedByTarget if a guard uses a number beyond spin's range."""
    return {
        FOLDER / f"{snake(protocol.name)}.pml": promela_source(protocol, client, server)[0].encode()
        for protocol, client, server in pairs(bundle)
    }
