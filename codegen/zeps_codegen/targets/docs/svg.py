"""Writes the shapes of a drawing as SVG, with the same text for the same drawing."""

from __future__ import annotations

from html import escape

__all__ = ["Drawing"]

_STYLE = (
    "text{font:12px 'DejaVu Sans Mono','Liberation Mono',Menlo,Consolas,monospace}"
    "text{fill:#1b1f24;white-space:pre}"
    ".t{font-weight:bold;font-size:13px;text-anchor:middle}"
    ".b{fill:#eef3fa;stroke:#3b5b86;stroke-width:1.2}"
    ".e{fill:none;stroke:#57606a;stroke-width:1.2}"
    ".r{stroke:#3b5b86;stroke-width:.6}"
)
_ARROW = (
    '<marker id="a" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 0 10 5 0 10z" fill="#57606a"/></marker>'
)


def _number(value: float) -> str:
    """The number with at most one decimal, so that the output does not depend on the computer."""
    text = f"{value:.1f}"
    return text.removesuffix(".0")


class Drawing:
    """A drawing: later shapes cover earlier ones. Positions are pixels from the upper left corner."""

    def __init__(self, width: float, height: float, title: str) -> None:
        w, h = _number(width), _number(height)
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {w} {h}" width="{w}" height="{h}">',
            f"<title>{escape(title)}</title>",
            f"<style>{_STYLE}</style>",
            f"<defs>{_ARROW}</defs>",
            f'<rect width="{w}" height="{h}" fill="#fff"/>',
        ]

    def box(self, x: float, y: float, width: float, height: float) -> None:
        size = f'width="{_number(width)}" height="{_number(height)}"'
        self._parts.append(f'<rect class="b" x="{_number(x)}" y="{_number(y)}" {size} rx="7"/>')

    def title(self, x: float, y: float, text: str) -> None:
        self._parts.append(f'<text class="t" x="{_number(x)}" y="{_number(y)}">{escape(text)}</text>')

    def block(self, x: float, y: float, lines: list[str], height: float) -> None:
        """Draws lines of text, each `height` pixels high, from the top `y` downwards; `x` is their left end."""
        for index, line in enumerate(lines):
            base = _number(y + (index + 1) * height - 4)
            self._parts.append(f'<text x="{_number(x)}" y="{base}">{escape(line, quote=False)}</text>')

    def rule(self, x: float, y: float, end: float) -> None:
        place = f'x1="{_number(x)}" y1="{_number(y)}" x2="{_number(end)}" y2="{_number(y)}"'
        self._parts.append(f'<line class="r" {place}/>')

    def arrow(self, points: list[tuple[float, float]]) -> None:
        path = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
        self._parts.append(f'<polyline class="e" points="{path}" marker-end="url(#a)"/>')

    def dot(self, x: float, y: float) -> None:
        self._parts.append(f'<circle cx="{_number(x)}" cy="{_number(y)}" r="5" fill="#57606a"/>')

    def text(self) -> str:
        """The whole drawing."""
        return "\n".join([*self._parts, "</svg>", ""])
