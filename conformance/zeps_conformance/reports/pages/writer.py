"""Writes the pages: an index, and pages for columns, cases, causes and findings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from zeps_conformance.common.json_files import write_text
from zeps_conformance.common.results import RunResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.reports.badge import badge
from zeps_conformance.reports.cells import Cell
from zeps_conformance.reports.page import render
from zeps_conformance.reports.pages.views import PageOptions, PageSet
from zeps_conformance.reports.requirements import SPECIFICATIONS, specification_files, specification_text

__all__ = ["LIMIT_BYTES", "write_pages"]

LIMIT_BYTES = 2_000_000
WIRE_LINES = 400  # as many as a result has
MANIFEST = "pages.txt"
PAGE = re.compile(rf"({SPECIFICATIONS}/)?[a-z][a-z0-9.-]*\.(html|svg|css|js)")


def write_pages(runs: Sequence[RunResult], folder: Path, options: PageOptions | None = None) -> list[Path]:
    """Writes the pages of `runs` into `folder`, and deletes pages that an earlier call wrote there and this one does
    not. Returns the paths. Raises ValueError without runs or for a malformed id of a case, OSError if writing fails.
    """
    if not runs:
        raise ValueError("pages need at least one run")
    written = []
    for name, text in _files(PageSet(runs, options or PageOptions())):
        if not PAGE.fullmatch(name):
            raise ValueError(f"{name!r} cannot be the name of a page: malformed id")
        write_text(folder / name, text)
        written.append(name)
    _delete_old(folder, set(written))
    write_text(folder / MANIFEST, "".join(f"{name}\n" for name in sorted(written)))
    return [folder / name for name in written]


def _files(pages: PageSet) -> Iterator[tuple[str, str]]:
    """Yields name and text of each file."""
    for name in ("pages.css", "pages.js"):
        yield name, _resource(name)
    for name in specification_files():
        yield f"{SPECIFICATIONS}/{name}", specification_text(name)
    common: dict[str, Any] = {"pages": pages}
    for name in ("index", "rules", "disagreements"):
        yield f"{name}.html", render(f"pages/{name}.html.j2", **common)
    if pages.trend is not None:
        yield "trend.html", render("pages/trend.html.j2", **common)
    for table in pages.tables:
        yield pages.profile_page(table.profile), render("pages/profile.html.j2", table=table, **common)
    for column in pages.columns:
        yield pages.column_page(column), render("pages/column.html.j2", column=column, **common)
        yield pages.badge_file(column), badge(column.run)
    for rows in pages.cases.values():
        yield pages.case_page(rows[0].case.id), render("pages/case.html.j2", rows=rows, **common)
    for cause in pages.causes:
        yield pages.cause_page(cause), render("pages/cause.html.j2", cause=cause, **common)
    for cell in pages.cells:
        if cell.case.verdict is not Verdict.PASS or cell.case.is_finding:
            yield pages.finding_page(cell), _finding(cell, common)


def _finding(cell: Cell, common: dict[str, Any]) -> str:
    """Renders the page of a cell, with as much of its wire log as the limit allows."""
    lines = WIRE_LINES
    while True:
        text = render("pages/finding.html.j2", cell=cell, lines=lines, **common)
        if len(text.encode()) <= LIMIT_BYTES or lines <= 1:
            return text
        lines //= 2


def _resource(name: str) -> str:
    if name == "pages.css":
        return render("style.css.j2") + render("pages/pages.css.j2")
    return resources.files("zeps_conformance.reports.pages").joinpath(name).read_text(encoding="utf-8")


def _delete_old(folder: Path, written: set[str]) -> None:
    """Deletes the pages in the list of an earlier call that are not in `written`."""
    manifest = folder / MANIFEST
    if manifest.is_file():
        for name in manifest.read_text(encoding="utf-8").splitlines():
            if name not in written and PAGE.fullmatch(name):
                (folder / name).unlink(missing_ok=True)
