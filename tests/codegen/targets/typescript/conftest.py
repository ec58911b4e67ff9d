"""The tools of tools/node, and the package built with them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from programs import ROOT, run


@dataclass(frozen=True)
class Tools:
    """Node, and what `npm ci --prefix tools/node` installs."""

    folder: Path

    def run(self, program: str, *arguments: object, cwd: Path, **variables: str) -> str:
        """Runs one of the tools, or Node itself if `program` is empty, which must succeed; returns its output."""
        script = [str(self.folder / "node_modules" / program)] if program else []
        assert not script or Path(script[0]).exists(), f"{program} is missing: npm ci --prefix tools/node"
        return run(["node", *script, *map(str, arguments)], cwd, **variables)

    def tsc(self, *arguments: object, cwd: Path) -> None:
        self.run("typescript/bin/tsc", *arguments, cwd=cwd)

    def eslint(self, cwd: Path) -> None:
        self.run("eslint/bin/eslint.js", "--config", self.folder / "eslint.config.mjs", ".", cwd=cwd)

    def prettier(self, *paths: object, cwd: Path) -> None:
        config = self.folder / "prettier.json"
        self.run("prettier/bin/prettier.cjs", "--config", config, "--check", *paths, cwd=cwd)

    def link(self, folder: Path, *packages: str) -> None:
        """Makes packages importable for the programs in `folder`."""
        for package in packages:
            place = folder / "node_modules" / package
            place.parent.mkdir(parents=True, exist_ok=True)
            place.symlink_to(self.folder / "node_modules" / package)


@pytest.fixture(scope="session")
def tools() -> Tools:
    return Tools(ROOT / "tools" / "node")


@pytest.fixture(scope="session")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A writable copy of the package."""
    return Path(
        shutil.copytree(ROOT / "generated" / "typescript", tmp_path_factory.mktemp("typescript") / "package")
    )


@pytest.fixture(scope="session")
def library(tools: Tools, built: Callable[..., Path]) -> Path:
    """The output of tsc for the package's sources, as users install it."""
    source = ROOT / "generated" / "typescript"
    return built("typescript-library", lambda folder: tools.tsc("-p", ".", "--outDir", folder, cwd=source))
