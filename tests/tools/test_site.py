"""The documentation site that `make site` builds has no broken links and does not need a network."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("site")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built without a network."""
    folder = tmp_path_factory.mktemp("site")
    closed = "http://127.0.0.1:1"
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", "http_proxy": closed, "https_proxy": closed}
    options = ("--quiet", "--strict", "--site-dir", str(folder))
    mkdocs = [str(Path(sys.executable).with_name("mkdocs")), "build", *options]
    for command in (["tools/site"], mkdocs):
        subprocess.run(command, cwd=ROOT, env=environment, check=True)
    return folder


def links(page: Path) -> Iterator[tuple[str, str]]:
    """References of the page: the element's name and the address."""
    for element, attribute, address, _ in html.parse(page).getroot().iterlinks():
        if attribute in ("href", "src"):
            yield str(element.tag), address


def test_every_link_leads_to_a_file_and_an_anchor(site: Path) -> None:
    pages = {page: html.parse(page).getroot() for page in site.rglob("*.html") if page.name != "404.html"}
    anchors = {page: {*root.xpath("//@id"), *root.xpath("//a/@name")} for page, root in pages.items()}
    broken = []
    for page in pages:
        for _, address in links(page):
            parts = urlsplit(address)
            if parts.scheme or not (parts.path or parts.fragment):
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            anchor = unquote(parts.fragment)
            if not target.is_file() or (anchor and target in anchors and anchor not in anchors[target]):
                broken.append(f"{page.relative_to(site)}: {address}")
    assert not broken
    assert len(pages) > 30


def test_no_page_loads_anything_from_elsewhere(site: Path) -> None:
    loaded = ("script", "img", "link", "iframe")
    remote = [
        f"{page.relative_to(site)}: {address}"
        for page in site.rglob("*.html")
        for tag, address in links(page)
        if tag in loaded and urlsplit(address).scheme in ("http", "https")
    ]
    assert not remote


def test_rules_and_cases_link_to_one_another(site: Path) -> None:
    rules = (site / "generated/docs/zeps-rfc.html").read_text()
    case = re.search(r'href="([^"]*)#zeps1\.opening\.grants"', rules)
    assert case is not None
    assert 'id="zeps-attach-1"' in rules
    assert not list((ROOT / "build/site-source").rglob("*-rfc.html"))  # MkDocs makes these of the pages
    assert "zeps-rfc.html#zeps-attach-1" in (site / "generated/docs" / case[1]).read_text()


@pytest.mark.parametrize("width", [1280, 400])
def test_a_browser_searches(site: Path, tmp_path: Path, width: int) -> None:
    chromium = shutil.which("chromium")
    assert chromium, "Chromium is needed: apt-get install chromium"
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--window-size={width},900"]
    command += [f"--user-data-dir={tmp_path}", "--virtual-time-budget=20000", "--dump-dom"]
    address = f"{(site / 'index.html').as_uri()}?q=low+gear"
    completed = subprocess.run([*command, address], capture_output=True, text=True, timeout=120, check=True)
    results = html.fromstring(completed.stdout).xpath('//a[contains(@class, "md-search-result__link")]/@href')
    assert any("docs/architecture.html" in str(result) for result in results), results
