"""Bundle → the files of the C++ library ``zeps_wire``."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle
from .codec import view_codec
from .format import clang_format
from .machine import view_machine

__all__ = ["FOLDER", "render"]

#: The package's folder.
FOLDER = PurePosixPath("generated/cpp")
_HERE = Path(__file__).parent


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(_HERE / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def render(bundle: Bundle, formatted: bool = True) -> dict[PurePosixPath, bytes]:
    """Every file of the library. Raises FormatterError without clang-format, and UnsupportedByTarget if a
    message of the bundle has several frames.
    """
    files: dict[str, str] = {}
    for path in sorted((_HERE / "runtime").rglob("*")):
        if path.is_file():
            files[_place(path.relative_to(_HERE / "runtime").as_posix())] = path.read_text(encoding="utf-8")
    codecs = [view_codec(protocol) for protocol in bundle.protocols]
    machines = [view_machine(machine, bundle.protocol(machine.protocol)) for machine in bundle.machines]
    for codec in codecs:
        files[f"include/zeps_wire/{codec.file}.hpp"] = _print("codec.hpp.j2", view=codec)
        files[f"src/{codec.file}.cpp"] = _print("codec.cpp.j2", view=codec)
    for machine in machines:
        files[f"include/zeps_wire/{machine.file}.hpp"] = _print("machine.hpp.j2", view=machine)
        files[f"src/{machine.file}.cpp"] = _print("machine.cpp.j2", view=machine)
    names = [*(one.file for one in codecs), *(one.file for one in machines)]
    files["CMakeLists.txt"] = _print("CMakeLists.txt.j2", files=names)
    files["README.md"] = _print("README.md.j2", codecs=codecs, machines=machines)
    files["driver/bundle.cpp"] = _print("bundle.cpp.j2", codecs=codecs, machines=machines)
    sources = {PurePosixPath(name): text for name, text in files.items() if name.endswith((".hpp", ".cpp"))}
    done = {PurePosixPath(name): text for name, text in files.items()}
    done |= clang_format(sources) if formatted else {}
    return {FOLDER / path: text.encode() for path, text in sorted(done.items())}


def _place(name: str) -> str:
    """Where a file of the runtime goes."""
    return name.replace("include/", "include/zeps_wire/runtime/").replace("src/", "src/runtime/")


def _print(template: str, **views: object) -> str:
    return _environment().get_template(template).render(**views)
