"""The Elixir target: a Mix project of Elixir's and Erlang's standard libraries only."""

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
