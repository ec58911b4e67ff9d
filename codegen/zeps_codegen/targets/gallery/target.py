"""Generates a page that shows a fragment of the model beside the code that each target generates from it.

All pieces are cut from the models and from generated files (:mod:`.cuts`), so `zeps-codegen generate --check` detects
outdated pieces.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from ...ir import Bundle
from ..environment import template_printer
from .cuts import Cut, after, closed, indented, matching, paragraph, until

__all__ = ["PAGE", "SECTIONS", "Piece", "Section", "Tree", "render"]

PAGE = PurePosixPath("docs/generated-code.md")
_MODEL = PurePosixPath("protocol/zeps.xml")
_MACHINE = PurePosixPath("protocol/zeps_server.xml")
_GENERATED = PurePosixPath("generated")
_print = template_printer(Path(__file__).parent / "templates")


@dataclass(frozen=True, slots=True)
class Tree:
    """The files below `root` after the run, by paths from there; generated ones (`made`) replace those on disk."""

    root: Path = Path()
    made: Mapping[PurePosixPath, bytes] = field(default_factory=dict)

    def text(self, path: PurePosixPath) -> str | None:
        """A file's text; None if it does not exist."""
        if path in self.made:
            return self.made[path].decode()
        try:
            return (self.root / path).read_text(encoding="utf-8")
        except FileNotFoundError:
            return None


@dataclass(frozen=True, slots=True)
class Piece:
    """Part of the file at `path`, which `cut` extracts; `language` is for highlighting."""

    path: PurePosixPath
    language: str
    cut: Cut


@dataclass(frozen=True, slots=True)
class Section:
    """A target's section: title, a sentence, and its code for the message and the row of the fragment."""

    title: str
    text: str
    pieces: tuple[Piece, ...]


@dataclass(frozen=True, slots=True)
class Excerpt:
    path: str
    link: str
    language: str
    text: str


def _section(title: str, text: str, language: str, *pieces: tuple[str, Cut]) -> Section:
    return Section(title, text, tuple(Piece(_GENERATED / path, language, cut) for path, cut in pieces))


def _without_rules(cut: Cut) -> Cut:
    """Extracts the same piece without its ``<rule>`` elements, which are long."""

    def shorter(text: str) -> str | None:
        piece = cut(text)
        return None if piece is None else re.sub(r"\n *<rule .*?</rule>", "", piece, flags=re.DOTALL)

    return shorter


_FRAGMENT = (
    Piece(_MODEL, "xml", _without_rules(indented(r'<message name="SUBSCRIBE"', above=False))),
    Piece(_MACHINE, "xml", indented(r'<event name="deliver" guard', above=False)),
)

#: The pieces of each target.
SECTIONS: tuple[Section, ...] = (
    _section(
        "C",
        "A message is a struct of numbers and views into the caller's buffer; simple messages are coded inline, the "
        "others by tables.",
        "c",
        ("c/include/zeps_wire/zeps.h", closed(r"^typedef struct zeps_subscribe \{")),
        ("c/include/zeps_wire/zeps.h", closed(r"^static inline wire_code zeps_subscribe_decode\(")),
        ("c/src/zeps_server.c", closed(r"^static void set_credit_\d+\(", holding="wire_subtract")),
        ("c/src/zeps_server.c", closed(r"\{ZEPS_SERVER_IN_OPEN, ZEPS_SERVER_ON_DELIVER,")),
    ),
    _section(
        "C++",
        "Views too; a layout is a list of types, from which the compiler assembles decoder and encoder.",
        "cpp",
        ("cpp/include/zeps_wire/zeps.hpp", closed(r"^struct Subscribe \{")),
        ("cpp/include/zeps_wire/zeps.hpp", closed(r"^struct Layout<zeps::Subscribe> : Closed \{")),
        (
            "cpp/src/zeps_server.cpp",
            closed(r"static void set_credit_\d+\(.*\{$", holding="subtract"),
        ),
        ("cpp/src/zeps_server.cpp", closed(r"static bool holds_\d+\(.*\{$", holding="encoded_size")),
    ),
    _section(
        "Elixir",
        "Structs; the plans of messages and the rows of machines are data, which a small runtime interprets.",
        "elixir",
        ("elixir/lib/zeps_wire/zeps.ex", matching(r"^  (defstruct|@type t ::) .*pattern: .*latest: ")),
        ("elixir/lib/zeps_wire/zeps.ex", closed(r"^ +operations: \[$", holding="key: :latest", above=False)),
        (
            "elixir/lib/zeps_wire/zeps_server.ex",
            closed(r"^ {8}%\{$", holding='guard: {"credit >= size(DELIVER)"', above=False),
        ),
    ),
    _section(
        "Go",
        "Structs without reflection; a machine is one switch over state and event.",
        "go",
        ("go/zeps/zeps.go", closed(r"^type Subscribe struct \{")),
        ("go/zeps/zeps.go", closed(r"^func \(m \*Subscribe\) read\(")),
        (
            "go/zepsserver/zepsserver.go",
            until(r"^\t\tcase EventOnDeliver:$", r"^\t\tcase ", holding="Subtract", above=False),
        ),
    ),
    _section(
        "Java",
        "Records, with views and writers that avoid allocations.",
        "java",
        ("java/src/main/java/zeps/wire/zeps/Subscribe.java", matching(r"^public record Subscribe\(")),
        ("java/src/main/java/zeps/wire/zeps/Subscribe.java", closed(r"^  static Subscribe read\(")),
        ("java/src/main/java/zeps/wire/zeps/Subscribe.java", closed(r"^    private int write\(")),
        (
            "java/src/main/java/zeps/wire/zepsserver/ServerMachine.java",
            closed(r"^    rows\.add\($", holding="Event.ON_DELIVER", above=False),
        ),
        (
            "java/src/main/java/zeps/wire/zepsserver/ServerMachine.java",
            until(r"^      case \d+:$", r"^      case ", holding="Unsigned.subtract", above=False),
        ),
    ),
    _section(
        "Python",
        "Dataclasses with slots, and a table of rows; `struct` packs and unpacks.",
        "python",
        ("python/zeps_wire/zeps.py", indented(r"^class Subscribe:$")),
        ("python/zeps_wire/zeps_server.py", indented(r"^def _credit_\w+\(.*Deliver\)")),
        ("python/zeps_wire/zeps_server.py", indented(r"^def _when_\w+\(.*Deliver\)")),
    ),
    _section(
        "Rust",
        "Borrowed text, no `unsafe`, no standard library needed.",
        "rust",
        ("rust/src/zeps.rs", closed(r"^pub struct Subscribe<'a> \{")),
        ("rust/src/zeps.rs", closed(r"^impl<'a> Subscribe<'a> \{")),
        ("rust/src/zeps_server.rs", closed(r"^ +Input::OnDeliver\(message\) => \{$")),
    ),
    _section(
        "TypeScript",
        "Plain objects with a `type`, and `bigint` for 64-bit numbers.",
        "typescript",
        ("typescript/src/zeps.ts", closed(r"^export interface Subscribe \{")),
        ("typescript/src/zeps.ts", closed(r"^function readSubscribe\(")),
        ("typescript/src/zeps.ts", closed(r"^function putSubscribe\(")),
        ("typescript/src/zeps-server.ts", closed(r'^ +"credit := credit - size\(DELIVER\)":')),
        ("typescript/src/zeps-server.ts", closed(r'^ +"credit >= size\(DELIVER\)":')),
    ),
    _section(
        "ABNF",
        "The wire format as a grammar, which `zeps-codegen import` reads back.",
        "abnf",
        ("grammar/zeps.abnf", paragraph(r"^SUBSCRIBE +=")),
    ),
    _section(
        "Reference",
        "A specification of each protocol with a template in `package.frames`, and a page for each other protocol "
        "and machine.",
        "markdown",
        ("docs/zeps-rfc.md", until(r"^### [\d.]+ SUBSCRIBE$", r"^Example|^#", above=False)),
    ),
    _section(
        "model.json",
        "The whole model, for other generators.",
        "json",
        ("model.json", closed(r'^ +"guard": \{$', holding='"size"', above=False)),
    ),
    _section(
        "Vectors",
        "The expected behaviour of decoders and machines, byte by byte.",
        "json",
        ("vectors/zeps.json", matching(r'"SUBSCRIBE/(ordinary|pattern/0 octets)"')),
    ),
    _section(
        "Promela",
        "Client and server for the model checker spin: each path through the table is one step.",
        "promela",
        (
            "promela/zeps.pml",
            matching(r"^#define server_\d+ \(server == server_open && \(server_credit >= 1\)"),
        ),
        ("promela/zeps.pml", until(r"/\* deliver \[", r"^ +\}$", above=False)),
    ),
    _section(
        "Wireshark",
        "A dissector: every field is a display filter, and messages are checked against the machines.",
        "lua",
        ("wireshark/zeps.lua", matching(r"^  subscribe_\w+ = ProtoField")),
        ("wireshark/zeps.lua", closed(r'^        \["deliver"\] = \{$')),
    ),
    _section(
        "Kaitai Struct",
        "The frames for tools that read .ksy files.",
        "yaml",
        ("kaitai/zeps.ksy", after(r"^  subscribe:$", indented(r"^    seq:$"))),
    ),
    _section(
        "Graphviz",
        "Each machine, and client and server together.",
        "dot",
        ("graphviz/zeps_server.dot", matching(r'"open" -> "detaching"')),
        ("graphviz/zeps_together.dot", matching(r'"open/open" -> ')),
    ),
)


def render(bundle: Bundle, tree: Tree | None = None) -> dict[PurePosixPath, bytes]:
    """The page, without pieces that a file does not contain; no file if the bundle lacks zeps or zeps_server, or the
    models in the tree lack the fragment. Without `tree`, files are read from the working directory.
    """
    tree = tree or Tree()
    names = {item.name for item in bundle.protocols} | {item.name for item in bundle.machines}
    fragment = [excerpt for piece in _FRAGMENT if (excerpt := _excerpt(piece, tree)) is not None]
    if not names >= {"zeps", "zeps_server"} or len(fragment) < len(_FRAGMENT):
        return {}
    sections = [
        (section, [excerpt for piece in section.pieces if (excerpt := _excerpt(piece, tree)) is not None])
        for section in SECTIONS
    ]
    filled = [item for item in sections if item[1]]
    return {PAGE: _print("generated-code.md", fragment=fragment, sections=filled).encode()}


def _excerpt(piece: Piece, tree: Tree) -> Excerpt | None:
    text = tree.text(piece.path)
    cut = None if text is None else piece.cut(text)
    return None if cut is None else Excerpt(piece.path.as_posix(), f"../{piece.path}", piece.language, cut)
