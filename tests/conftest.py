"""Profiles of the property tests, fixtures for shared builds, and the table of folder times."""

from __future__ import annotations

import fcntl
import gc
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from campaigns import CAMPAIGN, SEED
from folder_times import FolderTimes, load_budget
from soak_plugin import SoakPlugin

ROOT = Path(__file__).parents[1]
_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
# The examples are the same in each run; `make soak` uses random ones.
settings.register_profile("quick", print_blob=True, derandomize=True, max_examples=10, **_COMMON)
settings.register_profile("test", print_blob=True, derandomize=True, **_COMMON)
settings.register_profile("soak", print_blob=True, max_examples=20_000, **_COMMON)
settings.load_profile(CAMPAIGN)

# A shell starts background jobs with SIGINT ignored, and processes that tests interrupt would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Hundreds of processes import the same modules, so compiled modules are kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# Programs built by Cargo run only briefly and are not debugged.
os.environ |= {
    "CARGO_INCREMENTAL": "0",
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0",
}
# The same for pyzmq, which is compiled for its adapter: CMake's build type.
os.environ["SKBUILD_CMAKE_BUILD_TYPE"] = "None"
# Spark is started often and runs for seconds. So Java uses only its fast compiler, and loads Spark's classes
# from the archive that `make tools` writes. Without the archive it loads them one by one.
SHARED = ROOT / "build" / "spark.jsa"
os.environ["ZEPS_TESTS_JAVA"] = f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:SharedArchiveFile={SHARED}"
os.environ["PYSPARK_SUBMIT_ARGS"] = f"--driver-java-options '{os.environ['ZEPS_TESTS_JAVA']}' pyspark-shell"

#: `built(name, build)` returns a folder that `build` has filled. It is built once per run, by the first worker that
#: requests the name.
Built = Callable[[str, Callable[[Path], object]], Path]


#: Folders with the longest tests, which start first, so that the run does not end with one worker running a long test.
LONGEST = (
    "tests/pipeline",
    "tests/codegen/targets/go",
    "tests/conformance/adapters",
    "tests/codegen/targets",
    "tests/system",
    "tests/conformance/sockets",
    "tests/conformance",
    "tests/client",
    "tests/broker",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--budget", action="store_true", help="print the time of each folder against tests/budget.toml"
    )


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--budget") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FolderTimes(load_budget(Path(__file__).parent / "budget.toml")))
    if "ZEPS_TESTS_PASSED" in os.environ:
        passed = Path(os.environ["ZEPS_TESTS_PASSED"])
        worker = hasattr(config, "workerinput")
        before = passed.with_suffix(".before")
        config.pluginmanager.register(SoakPlugin(None if worker else passed, before, SEED))


def pytest_collection() -> None:
    """Collection creates millions of objects and frees few, so collecting garbage meanwhile is in vain."""
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run tests of one file that share a build in one worker, so that no other worker waits for the build."""
    for item in items:
        if "built" in getattr(item, "fixturenames", ()) and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(f"{item.path.parent.name}-{item.path.stem}"))
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    """Index of the item's folder in LONGEST."""
    return next(
        (turn for turn, start in enumerate(LONGEST) if item.nodeid.startswith(f"{start}/")), len(LONGEST)
    )


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Folders with long builds, built once for all tests and workers. Tests must not change them."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # the parent of the workers' own folders

    def find(name: str, build: Callable[[Path], object]) -> Path:
        folder, done = shared / "built" / name, shared / "built" / f"{name}.done"
        folder.parent.mkdir(exist_ok=True)
        with (folder.parent / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)  # remains of a failed build
                folder.mkdir()
                build(folder)
                done.touch()
        return folder

    return find


@pytest.fixture(scope="session")
def wheel(built: Built) -> Path:
    """The wheel of this tree."""

    def build(out: Path) -> None:
        options = ["-m", "build", "--wheel", "--no-isolation", "--outdir"]
        command = [sys.executable, *options, out, ROOT]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr

    (path,) = built("wheel", build).glob("zeps-*.whl")
    return path
