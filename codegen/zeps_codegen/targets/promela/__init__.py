"""The Promela target: client and server of each protocol as a model for the model checker spin."""

from .target import FOLDER, promela_source, render

__all__ = ["FOLDER", "promela_source", "render"]
