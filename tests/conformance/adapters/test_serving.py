"""Adapters in Python leave no processes behind, however they end."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest
from adapter_processes import ADAPTERS, Adapter

from zeps_conformance.common.processes import family_of


def load(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"tested_{path.parent.name}_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Proxy:
    def __init__(self, error: Exception | None = None) -> None:
        self.error, self.stopped = error, False

    def stop(self) -> None:
        self.stopped = True
        if self.error is not None:
            raise self.error


def test_every_proxy_is_stopped_even_if_one_fails() -> None:
    adapter = load(ADAPTERS / "serving.py").Adapter()
    adapter.proxies = {"p1": Proxy(), "p2": Proxy(OSError("exit code 1")), "p3": Proxy()}
    with pytest.raises(OSError, match="exit code 1"):
        adapter.close()
    assert all(proxy.stopped for proxy in adapter.proxies.values())


def test_a_program_ends_with_an_adapter_whose_answers_are_not_read() -> None:
    script = [sys.executable, "-c", "import time; time.sleep(60)"]
    adapter = Adapter([sys.executable, str(ADAPTERS / "programs/adapter.py"), "name", *script])
    adapter.do("open", client="c", endpoint="tcp://127.0.0.1:1", stream="s", pattern="", latest=0, options={})
    _, program = family_of(adapter.process.pid)
    assert adapter.process.stdin
    assert adapter.process.stdout
    adapter.process.stdout.close()
    adapter.process.stdin.write(b'{"op": "hello"}\n')
    adapter.process.stdin.close()
    adapter.process.wait(60)
    assert not Path(f"/proc/{program}").exists()


def test_a_forwarder_with_unexpected_output_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    module, pid = load(ADAPTERS / "zeps/adapter.py"), tmp_path / "pid"
    program = tmp_path / "python"
    program.write_text(f"#!/bin/sh\necho $$ > {pid}\necho one two three\necho ready\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(sys, "argv", ["adapter.py"])
    with pytest.raises(OSError, match="instead of its endpoints"):
        module.Forwarder(None)
    assert not Path(f"/proc/{pid.read_text().strip()}").exists()
