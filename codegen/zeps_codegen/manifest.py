"""The list of generated files in a tree, so that the generator deletes and overwrites only these.
`generated/manifest.txt` has a line for each file: the target, a space, the path from the root. Commit it with them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from pathlib import Path

from .package import CONFIGURATION

__all__ = ["MANIFEST", "ManifestError", "read_manifest", "write_manifest"]

MANIFEST = Path("generated/manifest.txt")
_HEAD = (
    "# The files that zeps-codegen generated, by target. The generator overwrites and deletes only these.\n"
)

Manifest = Mapping[str, frozenset[Path]]
"""The files of each target, as paths from the root."""


class ManifestError(Exception):
    """`generated/manifest.txt` is not UTF-8 or has an invalid line; the text says where and what to do."""


def read_manifest(root: Path, targets: Collection[str]) -> Manifest:
    """Reads the manifest of a tree; empty if the file does not exist. Raises ManifestError if it is malformed."""
    try:
        text = (root / MANIFEST).read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as error:
        raise ManifestError(
            f"{root / MANIFEST}: not UTF-8 at byte {error.start}; restore the file"
        ) from error
    paths_of: dict[str, set[Path]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("#"):
            continue
        target, _, name = line.partition(" ")
        path = Path(name)
        wrong = None
        if not name or path.is_absolute() or ".." in path.parts or target not in targets:
            wrong = "not a target and a path below the root"
        elif path == CONFIGURATION or (path.suffix == ".xml" and path.name != "pom.xml"):  # models are XML
            wrong = "no target generates this file"
        if wrong:
            raise ManifestError(
                f"{root / MANIFEST}:{number}: {wrong}: {line!r}; correct the line, or delete the file (then no "
                "file counts as generated)"
            )
        paths_of.setdefault(target, set()).add(path)
    return {target: frozenset(paths) for target, paths in paths_of.items()}


def write_manifest(manifest: Manifest) -> bytes:
    """Formats the content of the file."""
    lines = [
        f"{target} {path.as_posix()}\n" for target in sorted(manifest) for path in sorted(manifest[target])
    ]
    return "".join([_HEAD, *lines]).encode()
