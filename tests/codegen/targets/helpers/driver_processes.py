"""Drivers of packages: the Python driver in this process or in another, for any model."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from programs import ROOT, execute, sent

PYTHON_DRIVER = ROOT / "conformance" / "drivers" / "python" / "driver.py"


def python_driver_module() -> ModuleType:
    """The Python driver's own module."""
    spec = importlib.util.spec_from_file_location("zeps_python_driver", PYTHON_DRIVER)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def python_driver() -> Any:
    """The Python driver over the installed zeps_wire, in this process."""
    module = python_driver_module()
    model = json.loads((ROOT / "generated" / "model.json").read_text(encoding="utf-8"))
    return module.Driver(model, module.load)


class Process:
    """A driver in a separate process."""

    def __init__(self, command: Sequence[str | Path]) -> None:
        self._command = [str(part) for part in command]

    def answers(self, requests: Sequence[bytes], quiet: bool = False) -> list[bytes]:
        """Sends all `requests` to a new process, which must exit with 0, and if `quiet`, not write to stderr."""
        done = execute(self._command, stdin=sent(requests))
        assert done.returncode == 0, done.stderr.decode(errors="replace")
        assert not (quiet and done.stderr), done.stderr.decode(errors="replace")
        answers, at = [], 0
        while at < len(done.stdout):
            size = int.from_bytes(done.stdout[at : at + 4], "big")
            answers.append(done.stdout[at + 4 : at + 4 + size])
            at += 4 + size
        assert len(answers) == len(requests)
        return answers


def python_process(package: Path) -> Process:
    """The Python driver over the zeps_wire in `package`."""
    return Process([sys.executable, PYTHON_DRIVER, "--package", package])
