"""The Elixir target: a Mix project that needs only Elixir's and Erlang's standard libraries."""

from .target import FOLDER, render

__all__ = ["FOLDER", "render"]
