"""Runs commands in this process: to start an interpreter takes longer than most of them."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess
from unittest import mock

__all__ = ["run_here"]


def run_here(
    main: Callable[[Sequence[str]], int], arguments: Sequence[str], folder: Path, stdin: str = ""
) -> CompletedProcess[str]:
    """Output, errors and exit code of `main` for `arguments`, with `folder` as the working folder."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        mock.patch.object(sys, "stdin", io.StringIO(stdin)),
    ):
        try:
            code = main(arguments)
        except SystemExit as exit_:
            code = exit_.code if isinstance(exit_.code, int) else int(exit_.code is not None)
            if isinstance(exit_.code, str):
                print(exit_.code, file=err)
    return CompletedProcess(list(arguments), code, out.getvalue(), err.getvalue())
