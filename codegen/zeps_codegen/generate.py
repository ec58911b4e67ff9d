"""Writes what the models generate, or says where the tree differs from it.

A file is written only when it differs, so that nothing downstream is rebuilt for nothing. Folders that a
target owns hold what it generates and nothing else: a file in them that no model asks for is deleted.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from .ir import Bundle
from .targets import (
    abnf,
    c,
    cpp,
    docs,
    gallery,
    go,
    graphviz,
    java,
    kaitai,
    model_json,
    promela,
    python,
    rust,
    typescript,
    vectors,
    wireshark,
)

__all__ = ["TARGETS", "Target", "UnknownTarget", "generate"]


class UnknownTarget(Exception):  # noqa: N818
    """There is no target of that name; the text lists those that there are."""


@dataclass(frozen=True, slots=True)
class Target:
    """`render` gives the files by their path from the root; `owns` are folders of nothing else.

    If a formatter of its language has the last word, `render` takes ``formatted=False`` to do without. A target
    that shows what the others make gets the tree as it will be as well, and comes after them.
    """

    name: str
    render: Callable[..., dict[PurePosixPath, bytes]]
    owns: tuple[PurePosixPath, ...] = ()
    has_formatter: bool = False
    shows_others: bool = False

    def files(
        self, bundle: Bundle, formatted: bool, tree: gallery.Tree | None = None
    ) -> dict[PurePosixPath, bytes]:
        """Every file that `bundle` generates. Raises FormatterError if the formatter is missing."""
        if self.shows_others:
            return self.render(bundle, tree)
        return self.render(bundle, formatted=formatted) if self.has_formatter else self.render(bundle)


#: The targets, in the order they run.
TARGETS: tuple[Target, ...] = (
    Target("python", python.render, (python.FOLDER,), has_formatter=True),
    Target("typescript", typescript.render, (typescript.FOLDER,), has_formatter=True),
    Target("rust", rust.render, (rust.FOLDER,), has_formatter=True),
    Target("model", model_json.render),
    Target("abnf", abnf.render, (abnf.FOLDER,)),
    Target("docs", docs.render, (docs.FOLDER,)),
    Target("c", c.render, (c.FOLDER,), has_formatter=True),
    Target("cpp", cpp.render, (cpp.FOLDER,), has_formatter=True),
    Target("go", go.render, (go.FOLDER,), has_formatter=True),
    Target("java", java.render, (java.FOLDER,), has_formatter=True),
    Target("vectors", vectors.render, (vectors.FOLDER,)),
    Target("promela", promela.render, (promela.FOLDER,)),
    Target("wireshark", wireshark.render, (wireshark.FOLDER,)),
    Target("graphviz", graphviz.render, (graphviz.FOLDER,)),
    Target("kaitai", kaitai.render, (kaitai.FOLDER,)),
    Target("gallery", gallery.render, shows_others=True),
)

_PASSED_OVER = frozenset({"__pycache__"})


def generate(
    bundle: Bundle,
    root: Path,
    targets: Sequence[str] | None = None,
    check: bool = False,
    formatted: bool = True,
) -> list[Path]:
    """The paths, below `root`, of the files that differed, in order; unless `check`, they differ no more.

    All targets if `targets` is empty or None. Without `formatted` files are left as the templates make them.
    Raises UnknownTarget, and FormatterError if a language's formatter is missing.
    """
    differing: set[Path] = set()
    made: dict[PurePosixPath, bytes] = {}
    for target in _chosen(targets):
        files = target.files(bundle, formatted, gallery.Tree(root, made))
        made |= files
        wanted = {Path(path): content for path, content in files.items()}
        differing |= {path for path, content in wanted.items() if _differs(root / path, content)}
        stale = {path for folder in target.owns for path in _files(root, Path(folder))} - set(wanted)
        differing |= stale
        if not check:
            for path in sorted(differing & set(wanted)):
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes(wanted[path])
            for path in stale:
                (root / path).unlink()
    return sorted(differing)


def _chosen(names: Sequence[str] | None) -> list[Target]:
    known = {target.name: target for target in TARGETS}
    for name in names or ():
        if name not in known:
            raise UnknownTarget(f"no target is called {name!r}: there are {', '.join(known)}")
    return [target for target in TARGETS if not names or target.name in names]


def _differs(path: Path, content: bytes) -> bool:
    try:
        return path.read_bytes() != content
    except FileNotFoundError:
        return True


def _files(root: Path, folder: Path) -> list[Path]:
    """The files in `folder`, as paths from `root`, without what Python compiles beside its sources."""
    found = (path.relative_to(root) for path in (root / folder).rglob("*") if path.is_file())
    return [path for path in found if not _PASSED_OVER & set(path.parts)]
