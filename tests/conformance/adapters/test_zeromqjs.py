"""The adapter of zeromq.js is linted like this repository's TypeScript."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from adapter_processes import ROOT, having

pytestmark = [pytest.mark.timeout(1800), having(names=["zeromqjs"])]

NODE = ROOT / "tools" / "node"
SOURCE = ROOT / "conformance" / "adapters" / "zeromqjs"


def run(program: str, *arguments: str | Path, cwd: Path) -> None:
    """Runs a tool of tools/node, which must succeed."""
    command = ["node", NODE / "node_modules" / program, *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.usefixtures("implementation")
def test_eslint_has_nothing_to_say() -> None:
    """Runs in the folder of zeromq.js, whose types it needs."""
    built = ROOT / "build" / "adapters" / "zeromqjs"
    run("eslint/bin/eslint.js", "--config", NODE / "eslint.config.mjs", "adapter.ts", cwd=built)


@pytest.mark.usefixtures("implementation")
def test_prettier_has_nothing_to_say() -> None:
    files = ["adapter.ts", "package.json", "tsconfig.json"]
    run("prettier/bin/prettier.cjs", "--config", NODE / "prettier.json", "--check", *files, cwd=SOURCE)
