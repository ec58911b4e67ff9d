"""Tests of `make soak`: its parts, seeds and continuation, with real runs of pytest in a temporary repository."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from soak import load_parts

ROOT = Path(__file__).parents[2]

CONFTEST = f"""
import os, sys
from pathlib import Path
sys.path.insert(0, {str(ROOT / "tests" / "helpers")!r})
from soak_plugin import SoakPlugin

def pytest_configure(config):
    passed = Path(os.environ["ZEPS_TESTS_PASSED"])
    worker = hasattr(config, "workerinput")
    config.pluginmanager.register(SoakPlugin(None if worker else passed, passed.with_suffix(".before"), 1))
"""
TESTS = """
import os, time
from pathlib import Path
import pytest

def ran(name):
    with Path("ran").open("a") as file:
        file.write(f"{name} {os.environ['ZEPS_SEED']}\\n")

@pytest.mark.parametrize("number", [1, 12])
def test_passes(number):
    ran(f"passes-{number}")

def test_needs_the_file():
    ran("needs")
    assert Path("build/file").exists()

def test_waits():
    ran("waits")
    while Path("build/wait").exists():
        time.sleep(0.01)
"""
PARTS = """
[one]
about = "the tests"
tests = ["tests"]
[two]
about = "other tests"
tests = ["others"]
"""


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with two parts; the first fails until build/file exists."""
    for folder in ("tests", "others", "build"):
        (tmp_path / folder).mkdir()
    (tmp_path / ".gitignore").write_text("build/\n__pycache__/\n.pytest_cache/\nran\n")
    (tmp_path / "tests" / "soak.toml").write_text(PARTS)
    (tmp_path / "tests" / "conftest.py").write_text(CONFTEST)
    (tmp_path / "tests" / "test_one.py").write_text(TESTS)
    (tmp_path / "others" / "test_two.py").write_text("def test_two(): pass\n")
    identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "first"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    return tmp_path


def soak(repository: Path, *arguments: str, jobs: int = 0) -> subprocess.Popen[str]:
    call = f"import sys; sys.path.insert(0, {str(ROOT / 'tests')!r}); from pathlib import Path; import soak; "
    call += "sys.exit(soak.main(sys.argv[2:], Path(sys.argv[1])))"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.Popen(
        [sys.executable, "-c", call, str(repository), "--jobs", str(jobs), *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finished(process: subprocess.Popen[str]) -> tuple[int, str]:
    output, errors = process.communicate(timeout=120)
    return process.returncode, output + errors


def ran(repository: Path) -> list[str]:
    """Tests that ran since the last call, with their seeds."""
    try:
        return sorted((repository / "ran").read_text().splitlines())
    except FileNotFoundError:
        return []
    finally:
        (repository / "ran").unlink(missing_ok=True)


def test_failed_tests_are_repeated_with_their_seed_and_passed_ones_are_not(repository: Path) -> None:
    code, output = finished(soak(repository, "one", jobs=2))
    assert code == 1
    seed = re.findall(r"make soak PART=one SEED=(\d+)", output)[0]
    assert "repeat with: ZEPS_CAMPAIGN=soak" in output
    assert "tests/test_one.py::test_needs_the_file" in output
    assert ran(repository) == [f"{name} {seed}" for name in ("needs", "passes-1", "passes-12", "waits")]
    (repository / "build" / "file").touch()
    assert finished(soak(repository))[0] == 0
    assert ran(repository) == [f"needs {seed}"]
    code, output = finished(soak(repository))
    assert (code, "all parts have passed" in output) == (0, True)


def test_a_part_that_passed_begins_anew_when_it_is_named(repository: Path) -> None:
    (repository / "build" / "file").touch()
    seeds = []
    for _ in range(2):
        assert finished(soak(repository, "one"))[0] == 0
        lines = ran(repository)
        assert len(lines) == 4
        seeds.append(lines[0].split()[1])
    assert seeds[0] != seeds[1]
    assert finished(soak(repository, "one", "--seed", "5"))[0] == 0
    assert ran(repository)[0] == "needs 5"


def test_other_code_begins_anew(repository: Path) -> None:
    (repository / "build" / "file").touch()
    assert finished(soak(repository))[0] == 0
    ran(repository)
    (repository / "others" / "test_two.py").write_text("def test_two(): assert 1\n")
    assert finished(soak(repository))[0] == 0
    assert len(ran(repository)) == 4


def test_an_interrupted_part_continues(repository: Path) -> None:
    (repository / "build" / "file").touch()
    (repository / "build" / "wait").touch()
    process = soak(repository, "one", jobs=2)
    passed = repository / "build" / "soak" / "one.passed"
    begun = repository / "ran"
    while process.poll() is None and not (
        passed.exists() and len(passed.read_text().splitlines()) == 3 and "waits" in begun.read_text()
    ):
        time.sleep(0.01)
    os.killpg(process.pid, signal.SIGINT)
    code, output = finished(process)
    assert (code, "run the same command to continue" in output) == (130, True), output
    before = ran(repository)
    (repository / "build" / "wait").unlink()
    assert finished(soak(repository, "one"))[0] == 0
    assert ran(repository) == [line for line in before if line.startswith("waits")]


def test_an_unknown_part_is_a_usage_error(repository: Path) -> None:
    code, output = finished(soak(repository, "three"))
    assert (code, "unknown part three; parts: one, two" in output) == (2, True)


def test_every_test_is_in_exactly_one_part() -> None:
    """A soak would not run a test file that is not in a part."""
    parts = [path for part in load_parts(ROOT / "tests" / "soak.toml").values() for path in part.tests]
    for file in ROOT.glob("tests/**/test_*.py"):
        name = file.relative_to(ROOT).as_posix()
        homes = [part for part in parts if name == part or name.startswith(f"{part}/")]
        assert len(homes) == 1, f"{name} is in {homes}: see tests/soak.toml"
