"""Package names that a language forbids: reserved words, and names of the standard library or of the tools."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from .naming import RESERVED
from .package import Package, PackageError

__all__ = ["check_names"]

_NODE = """assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain
events fs http http2 https inspector module net node os path perf_hooks process punycode querystring readline repl
stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib"""
_RUST = "alloc core proc_macro std test"
_GO = """archive bufio bytes cmd cmp compress container context crypto database debug embed encoding errors expvar flag
fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp runtime slices sort
strconv strings structs sync syscall testing text time unicode unique unsafe vendor weak"""
# names that CMake and the linker use themselves
_LIBRARIES = "all c clean dl gcc gcov help install m package pthread rt stdc++ supc++ test util"
_ELIXIR_APPS = "compiler crypto eex elixir ex_unit iex inets kernel logger mix public_key sasl ssl stdlib"
_ELIXIR_MODULES = """Access Agent Application Atom Base Behaviour Bitwise Calendar Code Config Date DateTime
Dict Duration EEx Elixir Enum Enumerable Exception ExUnit File Float Function GenEvent GenServer HashDict
HashSet IEx IO Inspect Integer JSON Kernel Keyword List Logger Macro Map MapSet Mix Module NaiveDateTime Node
OptionParser PartitionSupervisor Path Port Process Protocol Range Record Regex Registry Set Stream String
StringIO Supervisor System Task Time Tuple URI Version"""

_KEYWORDS = {
    **RESERVED,
    "java": RESERVED["java"] - {"permits", "record", "sealed", "var", "yield"},  # contextual keywords
    "python": frozenset(keyword.kwlist),
}
_LANGUAGES = {
    "c": "C",
    "cpp": "C++",
    "elixir": "Elixir",
    "go": "Go",
    "java": "Java",
    "python": "Python",
    "rust": "Rust",
    "typescript": "TypeScript",
}


@dataclass(frozen=True, slots=True)
class _Name:
    """A name from a setting. No identifier of it may be reserved, nor its first part in `taken`, the names of `of`."""

    setting: str
    name: str
    identifiers: Sequence[str]
    taken: Collection[str]
    of: str = "the standard library"
    separator: str = "."


def _names(package: Package, target: str) -> list[_Name]:
    python, java = package.python.split("."), package.java_package.split(".")
    crate, libraries = package.rust.replace("-", "_"), _LIBRARIES.split()
    linker = "CMake or the system's libraries"
    names = {
        "python": [_Name("python.package", package.python, python, sys.stdlib_module_names | {"tests"})],
        "typescript": [_Name("typescript.package", package.typescript, [], _NODE.split(), "Node", "/")],
        "rust": [_Name("rust.crate", package.rust, [crate], _RUST.split())],
        "go": [
            _Name("go.module", package.go, [package.go_runtime], _GO.split(), separator="/"),
            _Name(
                "go.module", package.go_runtime, [], ("internal", "main"), "packages that are not imported"
            ),
        ],
        "java": [_Name("java.package", package.java_package, java, ("java", "javax"))],
        "c": [_Name("c.library", package.c_library, [], libraries, linker)],
        "cpp": [
            _Name("cpp.library", package.cpp_library, [], libraries, linker),
            _Name("cpp.namespace", package.cpp_namespace, [package.cpp_namespace], ("std",)),
        ],
        "elixir": [
            _Name("elixir.app", package.elixir_app, [], _ELIXIR_APPS.split(), "Elixir's applications"),
            _Name("elixir.module", package.elixir_module, [], _ELIXIR_MODULES.split()),
        ],
    }
    return names.get(target, [])


def check_names(package: Package, target: str) -> None:
    """Raises PackageError if a name that the target's package has, set or derived, is forbidden in its language."""
    for candidate in _names(package, target):
        first, language = candidate.name.split(candidate.separator)[0], _LANGUAGES[target]
        reserved = [part for part in candidate.identifiers if part in _KEYWORDS[target]]
        if reserved:
            why = f"{reserved[0]!r} is a reserved word of {language}"
        elif first in candidate.taken:
            why = f"in {language}, {first!r} is a name of {candidate.of}"
        else:
            continue
        raise PackageError(
            f"{candidate.setting} = {candidate.name!r}: {why}; set {candidate.setting} to another name"
        )
