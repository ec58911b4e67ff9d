"""The glossary: its terms are sorted and distinct, and the files that it names exist."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROWS = re.findall(
    r"^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$", (ROOT / "docs/glossary.md").read_text(), re.MULTILINE
)[1:]


def test_terms_are_sorted_and_distinct() -> None:
    terms = [term for term, _ in ROWS]
    assert len(terms) > 50
    assert terms == sorted(set(terms), key=str.casefold)


def test_each_place_exists() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    files = [f"/{name}" for name in listed.stdout.splitlines()]
    places = [place for _, cell in ROWS for place in re.findall(r"`([^` ]+)`|\]\(([^)]+)\)", cell)]
    names = [(code or f"docs/{link}").replace("*", "") for code, link in places]
    assert [name for name in names if not any(f"/{name.split('.xml')[0]}" in file for file in files)] == []
