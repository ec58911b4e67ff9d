"""The shim of zeromq.js is linted as the TypeScript of this repository is."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from shims import ROOT, having

pytestmark = [pytest.mark.timeout(1800), having(names=["zeromqjs"])]

NODE = ROOT / "tools" / "node"
SOURCE = ROOT / "conformance" / "suts" / "shims" / "zeromqjs"


def run(program: str, *arguments: str | Path, cwd: Path) -> None:
    """One of the tools of tools/node, which has to succeed."""
    command = ["node", NODE / "node_modules" / program, *arguments]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.usefixtures("testee")
def test_eslint_has_nothing_to_say() -> None:
    """Beside zeromq.js, whose types it needs."""
    built = ROOT / "build" / "suts" / "zeromqjs"
    run("eslint/bin/eslint.js", "--config", NODE / "eslint.config.mjs", "shim.ts", cwd=built)


@pytest.mark.usefixtures("testee")
def test_prettier_has_nothing_to_say() -> None:
    files = ["shim.ts", "package.json", "tsconfig.json"]
    run("prettier/bin/prettier.cjs", "--config", NODE / "prettier.json", "--check", *files, cwd=SOURCE)
