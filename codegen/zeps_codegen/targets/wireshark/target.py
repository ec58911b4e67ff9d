"""Converts a bundle to dissectors for Wireshark and tshark: one Lua file for each protocol over ZeroMQ.

The generated part is the model: messages, machines, and the fields for filters. Decoding, ZMTP's framing and the
tracking of sessions are written by hand in `runtime/`, and are copied before and after the generated part.
"""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from ...ir import Bundle, Dispatch, Machine, Protocol
from ...naming import snake
from ...passes.traces import pairs
from ..environment import template_printer
from .view import dissector_view

__all__ = ["FOLDER", "lua_source", "render"]

FOLDER = PurePosixPath("generated/wireshark")
#: The dispatches of protocols whose messages are ZeroMQ messages; other protocols use another transport.
_OVER_ZEROMQ = (Dispatch.SIGNATURE, Dispatch.PUBSUB)
_HERE = Path(__file__).parent
_BEFORE = ("decode.lua", "machine.lua", "session.lua", "zmtp.lua")
_AFTER = ("dissect.lua",)
_print = template_printer(_HERE / "templates")


def _runtime(names: tuple[str, ...]) -> str:
    return "\n".join((_HERE / "runtime" / name).read_text(encoding="utf-8") for name in names)


def lua_source(protocol: Protocol, client: Machine | None = None, server: Machine | None = None) -> str:
    """The dissector; it follows sessions only if both machines are given."""
    view = dissector_view(protocol, client, server)
    return _print("dissector.lua", view=view, before=_runtime(_BEFORE), after=_runtime(_AFTER))


def render(bundle: Bundle) -> dict[PurePosixPath, bytes]:
    """A dissector for each protocol over ZeroMQ; with a client and a server it follows sessions."""
    machines = {protocol.name: (client, server) for protocol, client, server in pairs(bundle)}
    return {
        FOLDER / f"{snake(item.name)}.lua": lua_source(item, *machines.get(item.name, ())).encode()
        for item in bundle.protocols
        if item.dispatch in _OVER_ZEROMQ
    }
