"""Pages: links, sizes, addresses that stay, and what each kind of page contains."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html
from made_runs import failed, made_case, made_run, one_of_each

from zeps_conformance.common.results import RunResult, WireLine
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.reports.pages.views import PageOptions
from zeps_conformance.reports.pages.writer import LIMIT_BYTES, MANIFEST, write_pages
from zeps_conformance.reports.trend import compare_runs

LOADED = ("link", "script", "img", "iframe")


def two_runs() -> list[RunResult]:
    other = one_of_each()
    return [one_of_each(), made_run([*other.cases[:1], failed("fails", "it answers")], "two", "XPUB")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    runs = two_runs()
    runs[0].baseline_problems.append("zmtp-pub.made.old: the baseline expects fail, but the verdict is pass")
    earlier = [made_run([made_case("fails", Verdict.PASS), failed("passes")])]
    options = PageOptions(compare_runs(runs, earlier), lambda cell: Path("kept") / f"{cell.case.id}.json")
    write_pages(runs, folder, options)
    return folder


def pages(folder: Path) -> dict[Path, html.HtmlElement]:
    return {path: html.parse(path).getroot() for path in folder.rglob("*.html")}


def text_of(path: Path) -> str:
    """The text of a page, with single spaces."""
    return " ".join(html.parse(path).getroot().text_content().split())


def test_every_link_leads_to_a_page_and_an_anchor(folder: Path) -> None:
    parsed = pages(folder)
    anchors = {path: {*root.xpath("//@id"), *root.xpath("//a/@name")} for path, root in parsed.items()}
    broken = []
    for path, root in parsed.items():
        for element, attribute, address, _ in root.iterlinks():
            parts = urlsplit(address)
            if attribute not in ("href", "src") or parts.scheme == "data":
                continue
            if parts.scheme:
                assert element.tag not in LOADED, f"{path.name} loads {address}"
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file() or (parts.fragment and unquote(parts.fragment) not in anchors[target]):
                broken.append(f"{path.name}: {address}")
    assert not broken
    assert len(parsed) > 30


def test_ids_are_unique(folder: Path) -> None:
    for path, root in pages(folder).items():
        ids = root.xpath("//@id")
        assert len(ids) == len(set(ids)), path.name


def test_the_index_has_a_row_for_each_column_and_groups_by_severity(folder: Path) -> None:
    root = html.parse(folder / "index.html").getroot()
    (summary,) = root.xpath('//table[@class="summary"]')
    heads = ["".join(head.text_content().split("\u00ad")) for head in summary.xpath("./thead//th")]
    rows = [[" ".join(cell.text_content().split()) for cell in row] for row in summary.xpath("./tbody/tr")]
    assert [row[0] for row in rows] == ["one 4.3 PUB", "two 4.3 XPUB"]
    first = dict(zip(heads, rows[0], strict=True))
    expected = {
        "library": "lib 1.0",
        "cases": "11",
        "robustness": "1",
        "fail": "2",
        "blocked": "1",
        "unexpected": "5",
    }
    assert {name: first[name] for name in expected} == expected
    groups = root.xpath('//tr[@class="group"]/@id')
    assert groups == [
        "robustness",
        "must",
        "deviation",
        "flaky",
        "inconclusive",
        "should",
        "blocked",
        "observed",
    ]
    assert "the baseline expects fail, but the verdict is pass" in text_of(folder / "index.html")


def test_a_finding_quotes_the_requirement_and_can_be_reproduced(folder: Path) -> None:
    path = folder / "finding-one-pub-zmtp-pub.made.fails.html"
    text = text_of(path)
    command = (
        "zeps-conform run --implementation implementations/one.toml --type PUB --case zmtp-pub.made.fails"
    )
    for part in (
        "A peer that receives another mechanism than it has sent MUST close the connection.",
        command,
        "zeps-conform replay kept/zmtp-pub.made.fails.json",
        "expectedthe connection is closed",
        "seenit stays open",
        "A connects <at once>.",
        "00 ff",
        f"Details: {path.name}",
    ):
        assert part in text
    addresses = html.parse(path).getroot().xpath("//blockquote//a/@href")
    assert "https://rfc.zeromq.org/spec/37/#authentication-and-confidentiality" in addresses
    assert "specification/zmtp-rfc.html#zmtp-g-11" in addresses


def test_pages_show_robustness_blocked_cases_and_output(folder: Path) -> None:
    crash = text_of(folder / "finding-one-pub-zmtp-pub.made.crashes.html")
    assert "robustness: counts for no rule" in crash
    assert "Abort" in crash
    blocked = html.parse(folder / "finding-one-pub-zmtp-pub.made.waits.html").getroot()
    assert blocked.xpath('//p[contains(@class, "note")]/a/@href') == ["case-zmtp-pub.made.fails.html"]


def test_a_permalink_has_the_address_of_the_pages(tmp_path: Path) -> None:
    write_pages(two_runs(), tmp_path, PageOptions(address="https://example.org/pages/"))
    name = "finding-two-xpub-zmtp-pub.made.fails.html"
    assert f"Details: https://example.org/pages/{name}" in text_of(tmp_path / name)


def test_disagreements_and_trend_link_to_findings(folder: Path) -> None:
    disagreements = html.parse(folder / "disagreements.html").getroot()
    assert "finding-two-xpub-zmtp-pub.made.fails.html" in disagreements.xpath(
        '//a[contains(@class,"column")]/@href'
    )
    trend = text_of(folder / "trend.html")
    assert "new (1)" in trend
    assert "added (7)" in trend
    assert "gone (1)" in trend
    assert "Not in the earlier run: two-xpub" in trend


def test_names_stay_when_a_run_and_a_case_are_added(tmp_path: Path) -> None:
    run = made_run([failed("a")])
    before = {path.name for path in write_pages([run], tmp_path / "before")}
    more = made_run([made_case("0", Verdict.PASS), failed("a")])
    after = {
        path.name for path in write_pages([made_run([failed("z", "x")], "another"), more], tmp_path / "after")
    }
    assert before < after
    assert {"cause-zmtp-g-11-13af07e4.html", "finding-one-pub-zmtp-pub.made.a.html"} < before


def test_pages_of_an_earlier_call_are_deleted_and_other_files_kept(tmp_path: Path) -> None:
    write_pages([made_run([failed("a"), failed("b", "x")])], tmp_path)
    (tmp_path / "case-of-somebody.html").write_text("mine", encoding="utf-8")
    listed = (tmp_path / "pages.txt").read_text(encoding="utf-8")
    (tmp_path / "pages.txt").write_text(f"{listed}../outside.html\n/etc/passwd\n", encoding="utf-8")
    (tmp_path.parent / "outside.html").write_text("outside", encoding="utf-8")
    write_pages([made_run([failed("a")])], tmp_path)
    assert not (tmp_path / "case-zmtp-pub.made.b.html").exists()
    assert (tmp_path / "case-zmtp-pub.made.a.html").exists()
    assert (tmp_path / "case-of-somebody.html").exists()
    assert (tmp_path.parent / "outside.html").exists()


def test_a_case_id_cannot_leave_the_folder(tmp_path: Path) -> None:
    run = made_run([made_case("a", Verdict.PASS, id="zmtp-pub/../../../x.y.z")])
    with pytest.raises(ValueError, match="malformed id"):
        write_pages([run], tmp_path / "pages")
    with pytest.raises(ValueError, match="at least one run"):
        write_pages([], tmp_path)


@pytest.mark.slow
def test_every_page_of_a_large_matrix_is_small(tmp_path: Path) -> None:
    wire = [WireLine(0.1, "A", ">", "message", "m" * 9000, "ab" * 128, 4096) for _ in range(400)]
    runs = []
    for number in range(20):
        cases = [failed(f"c{index}", f"word{'x' * index}") for index in range(60)] if number < 2 else []
        cases += [made_case(f"p{index}", Verdict.PASS) for index in range(300)]
        runs.append(made_run(cases, f"implementation{number}"))
    runs[0].cases[0].wire = wire
    written = write_pages(runs, tmp_path)
    sizes = {path.name: path.stat().st_size for path in written}
    assert max(sizes.values()) <= LIMIT_BYTES == 2_000_000
    log = text_of(tmp_path / "finding-implementation0-pub-zmtp-pub.made.c0.html")
    assert "wire log, 400 lines, the last " in log


def test_pages_of_an_earlier_call_are_deleted_and_other_files_are_not(tmp_path: Path) -> None:
    write_pages(two_runs(), tmp_path)
    manifest = tmp_path / MANIFEST
    gone, other = tmp_path / "specification" / "gone-rfc.html", tmp_path / "specification" / "notes.txt"
    gone.touch()
    other.touch()
    manifest.write_text(
        manifest.read_text() + "specification/gone-rfc.html\nspecification/notes.txt\n../x.html\n"
    )
    write_pages(two_runs(), tmp_path)
    assert (gone.exists(), other.exists()) == (False, True)
    assert "gone-rfc" not in manifest.read_text()
