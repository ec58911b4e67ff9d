"""Bundle → reference pages in Markdown and state diagrams in SVG."""

from __future__ import annotations

from functools import cache
from pathlib import Path, PurePosixPath

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from ...ir import Bundle
from ...naming import snake
from .diagram import draw
from .pages import IndexView, machine_page, protocol_page, split_rules

__all__ = ["FOLDER", "render"]

FOLDER = PurePosixPath("generated/docs")


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )


def _print(template: str, view: object) -> bytes:
    text = _environment().get_template(template).render(view=view)
    lines = [line.rstrip() for line in text.splitlines()]
    kept = [line for number, line in enumerate(lines) if line or (number and lines[number - 1])]
    return ("\n".join(kept).strip("\n") + "\n").encode()


def render(bundle: Bundle) -> dict[PurePosixPath, bytes]:
    """A page for each protocol and machine, a diagram for each machine, an index, and the rules that were split."""
    rules = [rule for protocol in bundle.protocols for rule in protocol.all_rules()]
    rules += [rule for machine in bundle.machines for rule in machine.all_rules()]
    index = IndexView(
        [(p.title, snake(p.name), len(p.messages)) for p in bundle.protocols],
        [(m.title, snake(m.name), m.role.value) for m in bundle.machines],
        len(rules),
        split_rules(rules),
    )
    files = {FOLDER / "README.md": _print("index.md.j2", index)}
    if index.splits:
        files[FOLDER / "split_rules.md"] = _print("split_rules.md.j2", index)
    for protocol in bundle.protocols:
        page = protocol_page(protocol, bundle.machines)
        files[FOLDER / f"{snake(protocol.name)}.md"] = _print("protocol.md.j2", page)
    for machine in bundle.machines:
        name = snake(machine.name)
        files[FOLDER / f"{name}.md"] = _print("machine.md.j2", machine_page(machine))
        files[FOLDER / f"{name}.svg"] = draw(machine).encode()
    return files
