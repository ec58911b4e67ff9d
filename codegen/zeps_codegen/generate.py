"""Writes generated files below a root folder, or reports how the folder differs from them. A file is written only if
its content differs. Files in the manifest that no target generates any more are deleted; other files are not touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from importlib import import_module
from inspect import signature
from pathlib import Path, PurePosixPath

from .ir import Bundle
from .manifest import MANIFEST, read_manifest, write_manifest
from .package import Package
from .package_names import check_names
from .targets.errors import UnsupportedByTarget
from .targets.gallery import Tree

__all__ = ["TARGETS", "Changes", "NotGenerated", "Target", "UnknownTarget", "generate", "unsupported"]


class UnknownTarget(Exception):  # noqa: N818
    """The target does not exist; the text lists the targets."""


class NotGenerated(Exception):  # noqa: N818
    """Files that no earlier run generated would be overwritten; the text names them and says what to do."""


@dataclass(frozen=True, slots=True)
class Target:
    """A target: a package of `targets`, which is imported on first use. Its `render` returns the files by their path
    from the root; it may take the names of the package as ``package``, and ``formatted=False`` to omit a formatter. A
    target that shows the output of others also gets the resulting tree, and runs after them.
    """

    name: str
    package: str = ""
    """The name of its Python package, if different."""
    has_formatter: bool = False
    shows_others: bool = False
    needs: str = ""
    """The kind of model that the target needs, if it does not accept all."""

    def files(
        self,
        bundle: Bundle,
        formatted: bool = True,
        tree: Tree | None = None,
        package: Package = Package(),  # noqa: B008
    ) -> dict[PurePosixPath, bytes]:
        """Generates every file for `bundle`, by its path from the root; none if no model is of the kind that the target
        `needs`. Writes no files. `tree` is required if the target shows others. Raises FormatterError if the formatter
        is missing or fails, UnsupportedByTarget for an unsupported feature, and FrameError for a wrong frame of a
        specification.
        """
        module = import_module(f"{__package__}.targets.{self.package or self.name}")
        options: dict[str, object] = {"formatted": formatted} if self.has_formatter else {}
        if "package" in signature(module.render).parameters:
            options["package"] = package
        if self.shows_others:
            options["tree"] = tree
        files: dict[PurePosixPath, bytes] = module.render(bundle, **options)
        return files


#: The targets, in the order in which they run.
TARGETS: tuple[Target, ...] = (
    Target("python", has_formatter=True),
    Target("typescript", has_formatter=True),
    Target("rust", has_formatter=True),
    Target("model", "model_json"),
    Target("abnf"),
    Target("docs"),
    Target("c", has_formatter=True),
    Target("cpp", has_formatter=True),
    Target("go", has_formatter=True),
    Target("java", has_formatter=True),
    Target("elixir", has_formatter=True),
    Target("vectors"),
    Target("promela", needs="a client and a server of one protocol"),
    Target("wireshark", needs="a protocol with the dispatch signature or pubsub"),
    Target("graphviz", needs="a machine"),
    Target("kaitai"),
    Target("gallery", shows_others=True),
)


@dataclass(frozen=True, slots=True)
class Changes:
    """The files written or deleted (or to be), as sorted paths from the root. False if both lists are empty."""

    written: list[Path]
    deleted: list[Path]
    refused: list[UnsupportedByTarget] = dataclass_field(default_factory=list)
    """Features that targets do not support. No files of these targets were changed."""

    def __bool__(self) -> bool:
        return bool(self.written or self.deleted)

    def __len__(self) -> int:
        return len(self.written) + len(self.deleted)


def generate(
    bundle: Bundle,
    root: Path,
    targets: Sequence[str] | None = None,
    check: bool = False,
    formatted: bool = True,
    package: Package = Package(),  # noqa: B008
) -> Changes:
    """Generates the files below `root` and returns the changes; with `check` it only compares. Without `targets`,
    generates those that the package names, or all. A target that does not support the bundle is in `refused`, and its
    files stay as they are. Raises UnknownTarget, ManifestError, NotGenerated, FrameError for a wrong frame of a
    specification, PackageError for a wrong package name, and FormatterError if a formatter is missing or fails; in
    these cases no file was written.
    """
    known = read_manifest(root, {target.name for target in TARGETS})
    manifest = dict(known)
    made: dict[PurePosixPath, bytes] = {}
    contents: dict[Path, bytes] = {}
    refused: list[UnsupportedByTarget] = []
    chosen = _chosen(targets or package.targets)
    for target in chosen:
        check_names(package, target.name)
    for target in chosen:
        try:
            files = target.files(bundle, formatted, Tree(root, made), package)
            if not files and target.name in (targets or ()):
                raise UnsupportedByTarget(target.name, "", "", f"needs {target.needs or 'a protocol'}")
        except UnsupportedByTarget as error:
            refused.append(error)
            continue
        made |= files
        placed = {_placed(path, target.name, package): content for path, content in files.items()}
        manifest[target.name] = frozenset(placed)
        contents |= placed
    differing = {path for path, content in contents.items() if _differs(root / path, content)}
    before: set[Path] = set().union(*known.values())
    _check_ours(root, differing - before)
    stale = {path for path in before - set().union(*manifest.values()) if (root / path).is_file()}
    contents[MANIFEST] = write_manifest({name: paths for name, paths in manifest.items() if paths})
    differing |= {MANIFEST} if _differs(root / MANIFEST, contents[MANIFEST]) else set()
    if not check and (differing or stale):
        # if the process is killed meanwhile, the manifest lists every file, and no file is incomplete
        names = {*known, *manifest}
        both = {name: known.get(name, frozenset()) | manifest.get(name, frozenset()) for name in names}
        _write(root / MANIFEST, write_manifest(both))
        for path in sorted(differing - {MANIFEST}):
            _write(root / path, contents[path])
        for path in stale:
            (root / path).unlink()
        _write(root / MANIFEST, contents[MANIFEST])
    return Changes(sorted(differing), sorted(stale), refused)


def unsupported(bundle: Bundle, targets: Sequence[str]) -> list[UnsupportedByTarget]:
    """The first unsupported feature of each target, except those that show others' output. Raises UnknownTarget."""
    refusals = []
    for target in _chosen(targets) if targets else ():
        try:
            if not target.shows_others and not target.files(bundle, formatted=False):
                raise UnsupportedByTarget(target.name, "", "", f"needs {target.needs or 'a protocol'}")
        except UnsupportedByTarget as error:
            refusals.append(error)
    return refusals


def _placed(path: PurePosixPath, target: str, package: Package) -> Path:
    """The path from the root, with the folder that `package` has for the target instead of `generated/<target>`."""
    home = PurePosixPath("generated", target)
    folder = package.folders.get(target, home)
    return Path(folder / path.relative_to(home)) if path.is_relative_to(home) else Path(path)


def _check_ours(root: Path, paths: set[Path]) -> None:
    """Raises NotGenerated if one of the paths, which no earlier run generated, exists."""
    foreign = [str(path) for path in sorted(paths) if (root / path).exists()]
    if foreign:
        raise NotGenerated(
            f"files exist and were not generated: {', '.join(foreign)}; move or delete them, or list them in "
            f"{MANIFEST}"
        )


def _chosen(names: Sequence[str] | None) -> list[Target]:
    known = {target.name: target for target in TARGETS}
    for name in names or ():
        if name not in known:
            raise UnknownTarget(f"unknown target {name!r}; the targets are {', '.join(known)}")
    return [target for target in TARGETS if not names or target.name in names]


def _write(path: Path, content: bytes) -> None:
    """Replaces or creates a file atomically, and creates its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(content)
    new.replace(path)


def _differs(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() != content
    except FileNotFoundError:
        return True
