"""Converts a bundle to specifications, reference pages in Markdown, and state diagrams in SVG."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from ...ir import Bundle
from ...naming import snake
from ...package import Package
from ..assembly import PLAIN, Files
from ..environment import template_printer
from .diagram import draw
from .pages import IndexView, machine_page, protocol_page, split_rules
from .specification import specification, squeezed

__all__ = ["FOLDER", "render"]

FOLDER = PurePosixPath("generated/docs")
_template = template_printer(Path(__file__).parent / "templates")


def _print(template: str, view: object) -> bytes:
    return squeezed(_template(template, view=view)).encode()


def render(bundle: Bundle, package: Package = PLAIN) -> Files:
    """A specification for each frame of `package` named as a protocol of `bundle` (``zeps.md.j2``); a page for each
    other protocol and machine; a diagram for each machine, an index, and the table of split rules, if any. Raises
    FrameError.
    """
    rules = [rule for protocol in bundle.protocols for rule in protocol.all_rules()]
    rules += [rule for machine in bundle.machines for rule in machine.all_rules()]
    files: Files = {}
    specified: set[str] = set()
    documents: list[tuple[str, str]] = []
    for path, source in package.frames.items():
        name = path.name.removesuffix(".md.j2")
        titles = [protocol.title for protocol in bundle.protocols if protocol.name == name]
        if titles:
            document = specification(path, source, bundle, package)
            files[FOLDER / f"{name}-rfc.md"] = document.markdown.encode()
            files[FOLDER / f"{name}-rfc.html"] = document.html.encode()
            specified |= document.protocols
            documents.append((titles[0], f"{name}-rfc"))
    protocols = [protocol for protocol in bundle.protocols if protocol.name not in specified]
    machines = [machine for machine in bundle.machines if machine.protocol not in specified]
    index = IndexView(
        documents,
        [(p.title, snake(p.name), len(p.messages)) for p in protocols],
        [(m.title, snake(m.name), m.role.value) for m in machines],
        len(rules),
        split_rules(rules),
    )
    files[FOLDER / "README.md"] = _print("index.md", index)
    if index.splits:
        files[FOLDER / "split_rules.md"] = _print("split_rules.md", index)
    for protocol in protocols:
        page = protocol_page(protocol, bundle.machines)
        files[FOLDER / f"{snake(protocol.name)}.md"] = _print("protocol.md", page)
    for machine in machines:
        files[FOLDER / f"{snake(machine.name)}.md"] = _print("machine.md", machine_page(machine))
    for machine in bundle.machines:
        files[FOLDER / f"{snake(machine.name)}.svg"] = draw(machine).encode()
    return files
