"""Sets up a commit and the working tree, each with its own virtual environment that shares the third-party packages."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tomllib
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Version", "VersionError", "checked_out", "working_tree"]

_SCRIPT = """#!{python}
import sys

from {module} import {function}

sys.exit({function}())
"""


class VersionError(Exception):
    """A version cannot be set up. The message says what happened and what to do."""


@dataclass(frozen=True, slots=True)
class Version:
    """A version that can be run: `bin` has its commands and a `python` that imports it. `commit` is for reports."""

    name: str
    commit: str
    root: Path
    bin: Path

    def command(self, name: str) -> str:
        """Path of one of its commands, such as ``zeps``."""
        return str(self.bin / name)


def checked_out(name: str, commit: str, repository: Path, folder: Path) -> Version:
    """Check out `commit` of `repository` in a git worktree below `folder`, and create its environment. An existing
    worktree loses its changes. Raises VersionError if the commit is missing or cannot be checked out.
    """
    tree = folder / name / "tree"
    commit_hash = _git(repository, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
    if not commit_hash:
        raise VersionError(f"commit {commit} of {name} is not in this repository; fetch its whole history")
    if (tree / ".git").exists():
        _git(tree, "checkout", "--quiet", "--detach", "--force", commit_hash)
    else:
        tree.parent.mkdir(parents=True, exist_ok=True)
        _git(repository, "worktree", "add", "--quiet", "--force", "--detach", str(tree), commit_hash)
    if _git(tree, "rev-parse", "HEAD") != commit_hash:
        raise VersionError(f"{tree}: cannot check out commit {commit_hash}; remove the folder and try again")
    return Version(name, commit_hash[:12], tree, _environment(tree, folder / name / "venv"))


def working_tree(repository: Path, folder: Path) -> Version:
    """The code of `repository` in its present state, with the name `this`; only its environment is below `folder`."""
    changed = " with changes" if _git(repository, "status", "--porcelain") else ""
    commit = _git(repository, "rev-parse", "HEAD")[:12] + changed
    return Version("this", commit, repository, _environment(repository, folder / "this" / "venv"))


def _environment(root: Path, venv: Path) -> Path:
    """Create `venv`, an environment for the packages and commands in the pyproject.toml of `root`; return its `bin`."""
    with (root / "pyproject.toml").open("rb") as file:
        project = tomllib.load(file)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--clear", str(venv)], check=True)
    python = venv / "bin" / "python"
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    paths = [
        *dict.fromkeys(str((root / package).parent) for package in packages),
        sysconfig.get_path("purelib"),
    ]
    site = venv / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    (site / "version.pth").write_text("\n".join(paths) + "\n")
    for name, entry in project["project"]["scripts"].items():
        module, _, function = entry.partition(":")
        script = venv / "bin" / name
        script.write_text(_SCRIPT.format(python=python, module=module, function=function))
        script.chmod(0o755)
    return venv / "bin"


def _git(folder: Path, *arguments: str) -> str:
    """Output of git without surrounding whitespace; empty if git fails."""
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""
