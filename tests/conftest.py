"""Profiles of the property tests, what is built once for all, and the time that each folder takes."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent / "helpers"))

from campaigns import CAMPAIGN, SEED
from folder_times import FolderTimes, load_budget
from soak_plugin import SoakPlugin

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
# The same examples in each run; `make soak` looks for others.
settings.register_profile("quick", print_blob=True, derandomize=True, max_examples=10, **_COMMON)
settings.register_profile("test", print_blob=True, derandomize=True, **_COMMON)
settings.register_profile("soak", print_blob=True, max_examples=20_000, **_COMMON)
settings.load_profile(CAMPAIGN)

# A shell starts what runs in the background with SIGINT ignored, and what tests interrupt would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
# Processes by the hundred import the same modules: what the first compiles is kept.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
# What Cargo builds here runs for a moment, and nobody looks at it with a debugger.
os.environ |= {
    "CARGO_INCREMENTAL": "0",
    "CARGO_PROFILE_DEV_DEBUG": "0",
    "CARGO_PROFILE_RELEASE_OPT_LEVEL": "0",
}
# Nor is pyzmq, which is compiled for its adapter: CMake's build type.
os.environ["SKBUILD_CMAKE_BUILD_TYPE"] = "None"
# Spark is started often and runs for seconds: Java uses its quick compiler only, and loads Spark's classes from the
# file that `make tools` writes. Without that it loads them one by one.
SHARED = Path(__file__).parents[1] / "build" / "spark.jsa"
os.environ["ZEPS_TESTS_JAVA"] = f"-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:SharedArchiveFile={SHARED}"
os.environ["PYSPARK_SUBMIT_ARGS"] = f"--driver-java-options '{os.environ['ZEPS_TESTS_JAVA']}' pyspark-shell"

#: `built(name, build)` is a folder that `build` has filled: once in a run, by the first worker that asks for the name.
Built = Callable[[str, Callable[[Path], object]], Path]


#: What takes longest is begun first, so that no worker is left alone with it at the end. Most of the rest is short.
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


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of one file that share what is built go to one worker, so that no other waits for it."""
    for item in items:
        if "built" in getattr(item, "fixturenames", ()) and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(f"{item.path.parent.name}-{item.path.stem}"))
    items.sort(key=_turn)


def _turn(item: pytest.Item) -> int:
    """The item's place in LONGEST."""
    return next(
        (turn for turn, start in enumerate(LONGEST) if item.nodeid.startswith(f"{start}/")), len(LONGEST)
    )


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """What takes long to build is built once for all tests and workers. Tests leave it as it is."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent  # of the folders that the workers have to themselves

    def find(name: str, build: Callable[[Path], object]) -> Path:
        folder, done = shared / "built" / name, shared / "built" / f"{name}.done"
        folder.parent.mkdir(exist_ok=True)
        with (folder.parent / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not done.exists():
                shutil.rmtree(folder, ignore_errors=True)  # of a build that failed
                folder.mkdir()
                build(folder)
                done.touch()
        return folder

    return find
