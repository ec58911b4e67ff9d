"""Tests of `make bench-compare`: its statistics, its verdict, and that each version runs its own code."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import bench_compare
import report
from bench_compare import Figures, Measure, interval, main, ranks
from versions import Version, checked_out, working_tree

ROOT = Path(__file__).parents[2]


def confidence(count: int, low: int, high: int) -> float:
    """Probability that the values of these ranks enclose the median, computed by enumeration."""
    below = [sum(sides) for sides in product((0, 1), repeat=count)]
    return sum(low < number <= high for number in below) / len(below)


@pytest.mark.parametrize("count", range(6, 15))
def test_the_interval_is_the_narrowest_with_95_percent(count: int) -> None:
    low, high = ranks(count)
    assert confidence(count, low, high) >= 0.95
    assert confidence(count, low + 1, high - 1) < 0.95


def test_of_eleven_runs_all_but_the_two_outermost_count() -> None:
    assert interval([float(value) for value in (7, 1, 11, 3, 5, 9, 2, 10, 4, 8, 6)]) == (2.0, 10.0)


@pytest.mark.parametrize("count", range(6))
def test_few_runs_give_no_interval(count: int) -> None:
    with pytest.raises(ValueError, match="the minimum is 6"):
        ranks(count)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone of the repository, with its own commit as the base `same`, and the base `lost`, which does not exist."""
    monkeypatch.setattr(report, "RESULTS", tmp_path / "results")
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "")  # bench_compare sets it for its children
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(clone)], check=True)
    head = subprocess.run(
        ["git", "-C", str(clone), "rev-parse", "HEAD"], capture_output=True, text=True, check=True
    )
    (clone / "benchmarks" / "bases.toml").write_text(
        f'[same]\ncommit = "{head.stdout.strip()}"\nabout = "the same code"\n'
        f'[lost]\ncommit = "{"0" * 40}"\nabout = "a commit that is not there"\n'
    )
    return clone


def synthetic(factor: float, noise: float) -> Measure:
    """A measure whose rates vary by `noise` and, with the load, by half; the working tree's are times `factor`."""
    chance = random.Random(11)
    turn = 0
    load = 1.0

    def measure(version: Version) -> Figures:
        nonlocal turn, load
        if turn % 2 == 0:
            load = chance.uniform(0.5, 1.0)
        turn += 1
        own = factor if version.name == "this" else 1.0
        return {
            "rate": (1e6 * load * own * chance.uniform(1 - noise, 1 + noise), "1/s"),
            "other": (1.0, "1/s"),
        }

    return measure


@pytest.mark.parametrize(
    ("factor", "noise", "code"),
    [
        (1.0, 0.0, 0),
        (1.0, 0.1, 0),
        (1.5, 0.1, 0),
        (0.97, 0.02, 0),
        (0.8, 0.02, 1),
        (0.8, 0.1, 1),
        (0.9, 0.02, 1),
    ],
)
def test_a_slowdown_fails_and_noise_does_not(
    repository: Path, capsys: pytest.CaptureFixture[str], factor: float, noise: float, code: int
) -> None:
    assert main(["same"], [synthetic(factor, noise)], repository) == code
    captured = capsys.readouterr()
    assert ("MISSED" in captured.out) == bool(code)
    assert "11 alternating runs" in (repository.parent / "results" / "compare_same.md").read_text()
    assert captured.err.count("run ") == 11


def test_versions_take_turns_and_each_is_first_as_often() -> None:
    asked: list[str] = []

    def measure(version: Version) -> Figures:
        asked.append(version.name)
        return {"rate": (1.0, "1/s")}

    base, this = (Version(name, "", Path(), Path()) for name in ("base", "this"))
    bench_compare.compare([measure], base, this, 6)
    assert asked == ["base", "this", "this", "base"] * 3


def one_sided(version: Version) -> Figures:
    """Figures of a version: `old` is equal in both; only the working tree also has `new`, at half the rate."""
    figures = {"old": (2.0, "1/s")}
    return figures if version.name == "base" else {**figures, "new": (1.0, "1/s")}


def versions() -> tuple[Version, Version]:
    return Version("base", "", Path(), Path()), Version("this", "", Path(), Path())


def test_a_measure_of_only_the_working_tree_has_no_ratio() -> None:
    rows = {row.name: row for row in bench_compare.compare([one_sided], *versions(), 6)}
    assert (rows["old"].ratio, rows["old"].verdict()) == (1.0, "holds")
    assert (rows["new"].ratio, rows["new"].verdict()) == (None, "")
    assert rows["new"].detail == "not measured for base"


@pytest.mark.parametrize(("bar", "verdict"), [(0.45, "holds"), (0.55, "MISSED")])
def test_a_claim_names_the_measure_of_the_base_the_bar_and_the_reason(bar: float, verdict: str) -> None:
    claims = {"new": {"measure": "old", "bar": bar, "why": "it does more"}}
    rows = {row.name: row for row in bench_compare.compare([one_sided], *versions(), 6, claims)}
    assert (rows["new"].ratio, rows["new"].against) == (0.5, "old of base")
    assert (rows["new"].verdict(), rows["new"].detail) == (verdict, "it does more")
    assert rows["old"].verdict() == "holds"


def test_a_measure_of_only_the_base_is_an_error() -> None:
    base, this = versions()
    with pytest.raises(RuntimeError, match="new is measured only for this"):
        bench_compare.compare([one_sided], this, base, 6)


def test_claims_of_the_repository_have_reasons() -> None:
    bases = bench_compare.tomllib.loads((ROOT / "benchmarks" / "bases.toml").read_text())
    claims = [claim for base in bases.values() for claim in base.get("claims", {}).values()]
    assert claims
    assert all(claim["why"] and 0 < claim["bar"] < bench_compare.BAR for claim in claims)


@pytest.mark.parametrize("arguments", [[], ["other"], ["same", "--runs", "5"], ["same", "--run", "11"]])
def test_a_usage_error(repository: Path, arguments: Sequence[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments, [synthetic(1.0, 0.0)], repository)
    assert stopped.value.code == 2


def test_a_version_that_cannot_be_measured_is_an_error(
    repository: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["lost"], [synthetic(1.0, 0.0)], repository) == 2
    assert "fetch its whole history" in capsys.readouterr().err

    def dies(version: Version) -> Figures:
        raise RuntimeError(f"{version.command('zeps')} did not become ready")

    assert main(["same"], [dies], repository) == 2
    assert "did not become ready" in capsys.readouterr().err


def test_each_version_runs_its_own_code(repository: Path, tmp_path: Path) -> None:
    """Also if one version has a package or command that the other does not have."""
    bases = bench_compare.tomllib.loads((repository / "benchmarks" / "bases.toml").read_text())
    head = bases["same"]["commit"]
    (repository / "generated" / "python" / "zeps_wire" / "added.py").write_text("")
    project = repository / "pyproject.toml"
    scripts = "[project.scripts]"
    project.write_text(project.read_text().replace(scripts, f'{scripts}\nnew = "new:main"'))
    base = checked_out("same", head, repository, tmp_path / "bench")
    this = working_tree(repository, tmp_path / "bench")
    assert (base.commit, this.commit) == (head[:12], f"{head[:12]} with changes")
    for version, has_it in ((base, False), (this, True)):
        code = "import zeps_broker; print(zeps_broker.__file__); import zeps_wire.added"
        done = subprocess.run(
            [version.command("python"), "-c", code], capture_output=True, text=True, check=False
        )
        assert Path(done.stdout).is_relative_to(version.root)
        assert ("No module named 'zeps_wire.added'" not in done.stderr) == has_it
        assert Path(version.command("new")).exists() == has_it
        assert subprocess.run([version.command("zeps"), "--version"], check=False).returncode == 0
    again = checked_out("same", head, repository, tmp_path / "bench")
    assert again == base
