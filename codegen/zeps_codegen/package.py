"""Names, locations and metadata of the generated packages.

They are set in `zeps-codegen.toml`; names of a language that are left out are derived from the package's name:

```toml
[package]
name = "acme-wire"
version = "1.2.0"
description = "Codecs and state machines of Acme's protocol"
repository = "https://example.com/acme/wire"
license = "Apache-2.0"
license_file = "LICENSE"
authors = ["Acme"]
targets = ["python", "go", "docs"]
frames = "protocol/frames"

[go]
module = "example.com/acme/wire"
folder = "clients/go"
```
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from .diagnostics import Diagnostic, remark
from .naming import pascal, usable

__all__ = ["CONFIGURATION", "Package", "PackageError", "package_remarks", "read_package"]

CONFIGURATION = Path("zeps-codegen.toml")

NO_LICENSE = remark("ZC902", "generated packages that name no license")

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_VERSION = re.compile(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_IDENTIFIER_OR_NOTHING = re.compile(r"([A-Za-z_]\w*)?")
_SCOPED = re.compile(r"(@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*")
_ATOM = re.compile(r"[a-z][a-z0-9_]*")
_ALIAS = re.compile(r"[A-Z][A-Za-z0-9]*(\.[A-Z][A-Za-z0-9]*)*")
_MODULE = re.compile(r"[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+)*")


class PackageError(Exception):
    """The configuration cannot be read or is invalid; the text says where and what to do."""


@dataclass(frozen=True, slots=True)
class Package:
    """The names of a project's generated packages: each derives from `name` as is usual in its language, unless `names`
    has another.
    """

    name: str = "zeps-wire"
    """In lower case, words separated by hyphens."""
    version: str = "0.1.0"
    description: str = "Codecs and state machines, generated from their model"
    repository: str = ""
    """A URL; empty if the project has none."""
    license: str = ""
    """The SPDX identifier; if it is empty, the manifests do not name a license."""
    license_text: str = ""
    """The content of the license file; empty without a file."""
    authors: tuple[str, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    """The configured names, by `language.setting`."""
    targets: tuple[str, ...] = ()
    """The targets to generate if the command does not name any; all targets if it is empty."""
    folders: Mapping[str, PurePosixPath] = field(default_factory=dict)
    """The folder of each target's files, if it is not `generated/<target>`."""
    frames: Mapping[PurePosixPath, str] = field(default_factory=dict)
    """The frames of specifications: Jinja templates by their paths below the configuration's folder."""

    @property
    def snake(self) -> str:
        """The name with underscores instead of hyphens."""
        return self.name.replace("-", "_")

    @property
    def python(self) -> str:
        """The package to import."""
        return self.names.get("python.package", self.snake)

    @property
    def typescript(self) -> str:
        """The package to import, with its scope if it has one."""
        return self.names.get("typescript.package", self.name)

    @property
    def rust(self) -> str:
        """The name of the crate."""
        return self.names.get("rust.crate", self.name)

    @property
    def go(self) -> str:
        """The module's path."""
        owner, _, rest = self.name.partition("-")
        return self.names.get("go.module", f"{owner}.example/{rest or owner}")

    @property
    def go_runtime(self) -> str:
        """The runtime's package: the last part of the module's path in lower case, as an identifier; `wire` if that is
        empty.
        """
        return re.sub(r"\W|^\d+", "", self.go.rpartition("/")[2].lower()) or "wire"

    @property
    def java_group(self) -> str:
        """Maven's groupId."""
        return self.names.get("java.group", self.name.partition("-")[0])

    @property
    def java_artifact(self) -> str:
        """Maven's artifactId."""
        return self.names.get("java.artifact", self.name)

    @property
    def java_package(self) -> str:
        """The parent package of those of protocols and machines; a word that is reserved gets an underscore."""
        parts = [usable(part, "java") for part in self.name.split("-")]
        return self.names.get("java.package", ".".join(parts))

    @property
    def c_library(self) -> str:
        """The library, its folder of headers, and its CMake package."""
        return self.names.get("c.library", self.snake)

    @property
    def c_prefix(self) -> str:
        """The prefix of the runtime's symbols; two packages in one program need different prefixes."""
        return self.names.get("c.prefix", self.snake)

    @property
    def c_model_prefix(self) -> str:
        """The prefix of a model's name in its symbols; if empty, model names must be unique in the whole program."""
        return self.names.get("c.model_prefix", f"{self.c_prefix}_")

    @property
    def cpp_library(self) -> str:
        """The library and its CMake package."""
        return self.names.get("cpp.library", f"{self.snake}_cpp")

    @property
    def cpp_namespace(self) -> str:
        """The namespace, and the folder of headers."""
        return self.names.get("cpp.namespace", self.snake)

    @property
    def elixir_app(self) -> str:
        """The OTP application, and the folder of the modules."""
        return self.names.get("elixir.app", self.snake)

    @property
    def elixir_module(self) -> str:
        """The parent module of those of protocols and machines."""
        return self.names.get("elixir.module", pascal(self.name))


#: The settings of each language: the pattern of the value, and its description.
_SETTINGS: Mapping[str, Mapping[str, tuple[re.Pattern[str], str]]] = {
    "python": {"package": (_DOTTED, "a package's name")},
    "typescript": {"package": (_SCOPED, "a package's name, with or without a scope")},
    "rust": {"crate": (_NAME, "a crate's name")},
    "go": {"module": (_MODULE, "a module's path")},
    "java": {
        "group": (_DOTTED, "a groupId"),
        "artifact": (_NAME, "an artifactId"),
        "package": (_DOTTED, "a package's name"),
    },
    "c": {
        "library": (_IDENTIFIER, "an identifier"),
        "prefix": (_IDENTIFIER, "an identifier"),
        "model_prefix": (_IDENTIFIER_OR_NOTHING, "an identifier or empty"),
    },
    "cpp": {"library": (_IDENTIFIER, "an identifier"), "namespace": (_IDENTIFIER, "an identifier")},
    "elixir": {"app": (_ATOM, "an atom in lower case"), "module": (_ALIAS, "a module's name")},
}
_TEXTS = ("name", "version", "description", "repository", "license", "license_file", "frames")
_LISTS = ("authors", "targets")


def read_package(root: Path, path: Path | None = None, changes: Sequence[str] = ()) -> Package:
    """Reads the package that `zeps-codegen.toml` below `root`, or the file at `path`, describes. `changes` such as
    ``go.module=example.com/wire`` override it; commas separate the items of a list. Only the file at `path` must exist.
    License file and frames are relative to the file's folder. Raises PackageError.
    """
    file = path if path is not None else root / CONFIGURATION
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        if path is not None:
            raise PackageError(f"{path} does not exist") from None
        document = {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PackageError(f"{file}: {error}") from None
    reader = _Reader(str(file))
    for table, values in document.items():
        reader.table(table, values)
    for change in changes:
        key, equals, value = change.partition("=")
        if not equals or "." not in key:
            raise PackageError(f"{change!r} is not TABLE.KEY=VALUE, such as go.module=example.com/wire")
        table, _, name = key.partition(".")
        _Reader(f"--set {change}", reader).table(table, {name: value.split(",") if name in _LISTS else value})
    return reader.package(file.parent)


def package_remarks(
    package: Package, targets: Sequence[str] | None, root: Path, path: Path | None = None
) -> list[Diagnostic]:
    """The remark about a missing license, if one of `targets` (without these, of the package's, or of all) generates a
    language's package; otherwise empty. The other arguments are those of :func:`read_package`.
    """
    if package.license or not set(_SETTINGS).intersection(targets or package.targets or _SETTINGS):
        return []
    file = path if path is not None else root / CONFIGURATION
    text = "package.license is not set: the generated packages name no license"
    hint = 'an SPDX identifier, such as "Apache-2.0", or "LicenseRef-Proprietary"'
    return [NO_LICENSE.at(file.as_posix(), 0, text, hint)]


class _Reader:
    def __init__(self, where: str, into: _Reader | None = None) -> None:
        self.where = where
        self.texts: dict[str, str] = into.texts if into is not None else {}
        self.names: dict[str, str] = into.names if into is not None else {}
        self.folders: dict[str, PurePosixPath] = into.folders if into is not None else {}
        self.lists: dict[str, list[str]] = into.lists if into is not None else {}

    def table(self, table: str, values: object) -> None:
        if not isinstance(values, dict):
            raise PackageError(f"{self.where}: {table} is not a table")
        if table != "package" and table not in _SETTINGS:
            known = ", ".join(["package", *_SETTINGS])
            raise PackageError(
                f"{self.where}: [{table}] is not a table of the configuration; the tables are {known}"
            )
        for key, value in values.items():
            self.setting(table, key, value)

    def setting(self, table: str, key: str, value: object) -> None:
        what = f"{self.where}: {table}.{key}"
        if table == "package" and key in _LISTS:
            if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
                raise PackageError(f"{what} must be a list of strings")
            self.lists[key] = value
            return
        if not isinstance(value, str):
            raise PackageError(f"{what} must be a string")
        if table == "package" and key in _TEXTS:
            self.texts[key] = value
        elif table != "package" and key == "folder":
            self.folders[table] = _folder(what, value)
        elif table != "package" and key in _SETTINGS[table]:
            pattern, description = _SETTINGS[table][key]
            self.names[f"{table}.{key}"] = _matching(what, value, pattern, description)
        else:
            known = (*_TEXTS, *_LISTS) if table == "package" else (*_SETTINGS[table], "folder")
            raise PackageError(f"{what} is not a setting; the settings are {', '.join(known)}")

    def package(self, folder: Path) -> Package:
        texts = dict(self.texts)
        license_file = texts.pop("license_file", "")
        checks: Mapping[str, tuple[re.Pattern[str], str]] = {
            "name": (_NAME, "words in lower case with hyphens between them, such as acme-wire"),
            "version": (_VERSION, "a version such as 1.2.0"),
        }
        for key, (pattern, description) in checks.items():
            if key in texts:
                _matching(f"{self.where}: package.{key}", texts[key], pattern, description)
        text = ""
        if license_file:
            try:
                text = (folder / license_file).read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise PackageError(f"{self.where}: package.license_file: {error}") from None
        frames: dict[PurePosixPath, str] = {}
        if "frames" in texts:
            place = folder / _folder(f"{self.where}: package.frames", texts.pop("frames"))
            try:
                for path in sorted(place.glob("*.md.j2")):
                    frames[PurePosixPath(path.relative_to(folder))] = path.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise PackageError(
                    f"{self.where}: package.frames: cannot read the frames in {place}: {error}"
                ) from None
            if not frames:
                raise PackageError(f"{self.where}: package.frames: {place} contains no *.md.j2 file")
        lists = {key: tuple(names) for key, names in self.lists.items()}
        package = Package(names=self.names, folders=self.folders, license_text=text, frames=frames)
        change: Callable[..., Package] = replace
        return change(package, **texts, **lists)


def _matching(what: str, value: str, pattern: re.Pattern[str], description: str) -> str:
    if not pattern.fullmatch(value):
        raise PackageError(f"{what} = {value!r} is not {description}")
    return value


def _folder(what: str, value: str) -> PurePosixPath:
    path = PurePosixPath(value)
    if path.is_absolute() or ".." in path.parts or not path.parts:
        raise PackageError(f"{what} = {value!r} is not a folder below the root")
    return path
