"""Pages in Chromium at two widths: no errors, no horizontal scrolling, filters in the address, and without scripts."""

from __future__ import annotations

import functools
import http.server
import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from lxml import html
from made_runs import failed, made_case, made_run, one_of_each

from zeps_conformance.common.results import WireLine
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.reports.pages.views import PageOptions
from zeps_conformance.reports.pages.writer import write_pages
from zeps_conformance.reports.trend import compare_runs

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("site")]

PAGES = (
    "index.html",
    "profile-zmtp-pub.html",
    "implementation-one-pub.html",
    "case-zmtp-pub.made.fails.html",
    "cause-zmtp-g-11-13af07e4.html",
    "finding-one-pub-zmtp-pub.made.fails.html",
    "rules.html",
    "disagreements.html",
    "trend.html",
)
#: Loads each page in a frame of each width, with and without scripts, and writes what it measures as the page's text.
HARNESS = """<!DOCTYPE html><meta charset="utf-8"><title>harness</title><body><script>
const load = (address, width, sandbox) => new Promise((resolve) => {
  const frame = document.createElement("iframe");
  frame.width = width; frame.height = 900;
  if (sandbox) frame.sandbox = "allow-same-origin";
  frame.addEventListener("load", () => resolve(frame));
  frame.src = address;
  document.body.append(frame);
});
const isVisible = (row) => row.offsetParent !== null;
const visible = (page) => [...page.querySelectorAll("tr[data-cells]")].filter(isVisible).length;
(async () => {
  const measured = [];
  for (const name of PAGES) for (const width of [1280, 400]) for (const sandbox of [false, true]) {
    const frame = await load(name, width, sandbox);
    const page = frame.contentDocument, root = page.documentElement;
    measured.push({ name, width, sandbox, inner: root.clientWidth, scroll: root.scrollWidth, rows: visible(page),
      controls: page.querySelectorAll("form.filters > *").length, text: page.body.innerText.length });
    frame.remove();
  }
  const filtered = await load("index.html?verdict=fail&impl=one", 1280, false);
  const rows = visible(filtered.contentDocument);
  const select = filtered.contentDocument.querySelector("select[name=verdict]");
  const asked = select.value;
  select.value = "warn";
  select.dispatchEvent(new Event("input", { bubbles: true }));
  const after = visible(filtered.contentDocument);
  const address = filtered.contentWindow.location.search;
  document.body.textContent = JSON.stringify({ measured, rows, asked, after, address });
})();
</script></body>"""


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        """Does not log."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pages with long words and many columns."""
    folder = tmp_path_factory.mktemp("pages")
    runs = [one_of_each()]
    runs[0].cases[1].wire.append(WireLine(0.1, "a-connection", ">", "message", "m" * 900, "ab" * 128, 4096))
    for number in range(12):
        cases = [
            made_case("passes", Verdict.PASS),
            failed("fails", "w" * 300 if number % 2 else "it answers"),
        ]
        runs.append(made_run(cases, f"an-implementation-with-a-long-name-{number}"))
    earlier = [made_run([made_case("fails", Verdict.PASS)])]
    write_pages(
        runs, folder, PageOptions(compare_runs(runs, earlier), address="https://example.org/" + "x" * 200)
    )
    (folder / "harness.html").write_text(HARNESS.replace("PAGES)", f"{json.dumps(PAGES)})"), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[str]:
    """The address of a server of the pages."""
    handler = functools.partial(QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as serving:
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{serving.server_address[1]}"
        serving.shutdown()


def browse(address: str, profile: Path) -> tuple[html.HtmlElement, list[str]]:
    """Returns the document after scripts ran, and the lines of the console."""
    chromium = shutil.which("chromium")
    assert chromium, "Chromium is needed: apt-get install chromium"
    command = [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,1000"]
    command += [
        f"--user-data-dir={profile}",
        "--virtual-time-budget=30000",
        "--enable-logging=stderr",
        "--dump-dom",
    ]
    done = subprocess.run([*command, address], capture_output=True, text=True, timeout=120, check=True)
    return html.fromstring(done.stdout), [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def test_pages_fit_and_filter(server: str, tmp_path: Path) -> None:
    document, console = browse(f"{server}/harness.html", tmp_path)
    assert [
        line for line in console if "Blocked script execution" not in line and "sandbox" not in line
    ] == []
    seen = json.loads(document.findtext("body"))
    assert len(seen["measured"]) == 4 * len(PAGES)
    for page in seen["measured"]:
        assert page["scroll"] <= page["inner"] <= page["width"], page
        assert page["text"] > 200, page
        assert not (page["sandbox"] and page["controls"]), page
    with_scripts = {
        (page["name"], page["width"]): page["rows"] for page in seen["measured"] if not page["sandbox"]
    }
    without = {(page["name"], page["width"]): page["rows"] for page in seen["measured"] if page["sandbox"]}
    assert with_scripts == without
    assert with_scripts["index.html", 1280] > 8
    assert seen["asked"] == "fail"
    assert (seen["rows"], seen["after"]) == (2, 1)
    assert seen["address"] == "?impl=one&verdict=warn"


def test_a_file_is_filtered_by_its_address(folder: Path, tmp_path: Path) -> None:
    address = f"{(folder / 'implementation-one-pub.html').as_uri()}?verdict=deviation"
    document, console = browse(address, tmp_path)
    assert console == []
    rows = document.xpath("//tr[@data-cells]")
    visible = [row.get("data-cells") for row in rows if row.get("hidden") is None]
    assert len(rows) == 11
    assert visible == ["one/PUB/deviation"]
    assert document.xpath("//output/text()") == ["1 of 11"]
