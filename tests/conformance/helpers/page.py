"""A parsed HTML report."""

from __future__ import annotations

from html.parser import HTMLParser


class Page(HTMLParser):
    """The anchors of a page, the links to anchors and to other files. Checks that tags are closed in order."""

    VOID = ("meta", "input", "br")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: set[str] = set()
        self.outside: set[str] = set()
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value}
        self.ids += [values["id"]] if "id" in values else []
        for target in (values[name] for name in ("src", "href") if name in values):
            if not target.startswith("#"):
                self.outside.add(target)
            elif target != "#":
                self.links.add(target[1:])
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag
