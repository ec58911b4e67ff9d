"""Deprecated names: they are accepted for one more version, with a warning."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["add_renamed", "warn_renamed"]


def warn_renamed(old: str, new: str) -> None:
    """Warns on standard error that `old` is now `new`."""
    print(f"zeps-conform: warning: {old} was renamed: use {new}", file=sys.stderr)


class _Renamed(argparse.Action):
    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        warn_renamed(str(option_string), f"--{self.dest.replace('_', '-')}")
        setattr(namespace, self.dest, values)


def add_renamed(group: Any, old: str, new: str) -> None:
    """Accepts the option `old`, which takes a file, as `new`, with a warning. The help does not list it."""
    dest = new.removeprefix("--").replace("-", "_")
    group.add_argument(old, dest=dest, type=Path, action=_Renamed, help=argparse.SUPPRESS)
