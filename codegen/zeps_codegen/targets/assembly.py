"""Files of the packages of all languages: the license, the vectors, and files that do not depend on a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from ..ir import Bundle
from ..package import Package
from . import vectors

__all__ = ["PLAIN", "Files", "package_files", "runtime_files"]

Files = dict[PurePosixPath, bytes]
"""Files by their path from the root."""
#: The default names of packages.
PLAIN = Package()


def runtime_files(folder: Path) -> dict[str, str]:
    """The text of every file in `folder` and its subfolders, by its path from `folder`, sorted by path."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def package_files(
    folder: PurePosixPath, texts: Mapping[str, str], package: Package, bundle: Bundle, requests: str
) -> Files:
    """The files of a package by path from the root: `texts` (by path from `folder`), LICENSE if `package` has its text,
    and the vectors of `bundle` as requests to a driver at `requests` (from `folder`).
    """
    licensed = {"LICENSE": package.license_text} if package.license_text else {}
    files = {path: text.encode() for path, text in {**texts, **licensed}.items()}
    files[requests] = vectors.render(bundle)[vectors.FOLDER / "requests.tsv"]
    return {folder / path: files[path] for path in sorted(files)}
