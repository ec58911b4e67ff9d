"""Sources of a version of the models: a model, a folder of models, model.json, or a revision of git. A revision is
written ``REVISION:PATH``; unlike in git, PATH is relative to the current folder, and below it.
"""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from dataclasses import replace
from pathlib import Path, PurePosixPath

from ..diagnostics import ModelErrors
from ..ir import Bundle
from ..load import load_bundle
from ..targets import model_json

__all__ = ["SourceError", "read_source"]


class SourceError(Exception):
    """The source does not exist or cannot be read. Models with errors raise ModelErrors instead."""


def read_source(name: str) -> Bundle:
    """Loads an existing file or folder, or else REVISION:PATH. Raises SourceError, or ModelErrors."""
    path = Path(name)
    if path.exists():
        return _read(path, name)
    revision, colon, inside = name.partition(":")
    if colon and revision and inside:
        return _read_revision(revision, PurePosixPath(inside))
    raise SourceError(f"{name} is neither an existing file or folder nor REVISION:PATH")


def _read(path: Path, name: str) -> Bundle:
    """Loads the bundle from a file or folder that messages call `name`."""
    if path.is_dir():
        models = sorted(path.glob("*.xml"))
        if not models:
            raise SourceError(f"{name} does not contain *.xml files")
        return load_bundle(models, named=False)
    if path.suffix != ".json":
        return load_bundle([path])
    try:
        return model_json.load(path.read_bytes())
    except ValueError as error:
        raise SourceError(f"{name}: {error}") from None


def _read_revision(revision: str, inside: PurePosixPath) -> Bundle:
    """Loads the bundle from a revision. Extracts the whole folder, because a model may refer to other files."""
    is_file = inside.suffix in (".xml", ".json")
    folder = inside.parent if is_file else inside
    command = ["git", "archive", "--format=tar", revision, "--", folder.as_posix()]
    try:
        done = subprocess.run(command, capture_output=True, check=False)
    except FileNotFoundError:
        raise SourceError("git is needed to read a revision: apt-get install git") from None
    if done.returncode != 0:
        why = done.stderr.decode(errors="replace").strip().removeprefix("fatal: ")
        raise SourceError(f"{revision}:{inside} could not be read: {why}")
    with tempfile.TemporaryDirectory() as root:
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            archive.extractall(root, filter="data")
        path = Path(root, inside)
        if not path.exists():
            raise SourceError(f"{revision} does not contain {inside}")
        try:
            return _read(path, f"{revision}:{inside}")
        except ModelErrors as error:
            names = [(item, item.file.replace(f"{root}/", f"{revision}:")) for item in error.diagnostics]
            raise ModelErrors(replace(item, file=file) for item, file in names) from None
