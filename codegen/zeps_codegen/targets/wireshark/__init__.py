"""The Wireshark target: a dissector in Lua for each protocol over ZeroMQ."""

from .target import FOLDER, lua_source, render

__all__ = ["FOLDER", "lua_source", "render"]
