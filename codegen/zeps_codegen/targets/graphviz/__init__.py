"""The Graphviz target: each machine, and client and server together, as graphs for `dot`."""

from .target import FOLDER, machine_dot, pair_dot, render

__all__ = ["FOLDER", "machine_dot", "pair_dot", "render"]
