"""The Java project: no warning, documented, formatted, its own tests pass, and it answers as the models say."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest
from java_tools import BRIEF, DOCUMENTED, GENERATED, ROOT, compile_java, junit, run, sources, write
from recipes import ask_driver

from zeps_codegen.load import load_bundle
from zeps_codegen.targets import java, vectors
from zeps_codegen.targets.java.format import java_format

HERE = Path(__file__).parent
NATIVE = HERE / "native"
CORNERS = HERE / "corners"
GOLDEN = HERE.parent / "golden"
HELPERS = HERE.parent / "helpers"
VECTORS = ROOT / "generated" / "vectors" / "requests.tsv"
#: Every kind of field and dispatch; and machines at their corners, of which tests are written in Java.
PROJECTS = {
    "golden": sorted(GOLDEN.glob("*/*.xml")),
    "corners": [*sorted((HELPERS / "corners").glob("*.xml")), *sorted((HELPERS / "features").glob("*.xml"))],
}
BY_HAND = (NATIVE, CORNERS, ROOT / "examples" / "clients" / "java", ROOT / "benchmarks" / "codec_java")


def execute(classes: Path, *options: str) -> None:
    """Run the tests among `classes`, each of which has to pass."""
    # compiled well, unlike what is BRIEF: two texts are a billion characters long
    launch = ["java", "-XX:+UseSerialGC", f"-Dzeps.vectors={VECTORS}", "-jar", junit()]
    launch += ["execute", "--class-path", classes]
    said = run([*launch, *options, "--disable-banner", "--details=summary"])
    assert "0 tests failed" in said
    assert "0 tests skipped" in said
    assert "0 tests found" not in said


def test_the_native_tests_pass(tmp_path: Path) -> None:
    compile_java(tmp_path, sources(GENERATED, NATIVE), junit())
    execute(tmp_path, "--scan-class-path")


def test_maven_builds_and_tests_it(tmp_path: Path) -> None:
    project = tmp_path / "java"
    shutil.copytree(GENERATED, project)
    said = run(
        ["mvn", "-B", "-ntp", f"-Dzeps.vectors={VECTORS}", "package"], project, MAVEN_OPTS=" ".join(BRIEF)
    )
    assert "Failures: 0, Errors: 0, Skipped: 0" in said
    assert (project / "target" / "zeps-wire-1.0.0.jar").exists()


def test_everything_is_documented_without_a_warning(tmp_path: Path) -> None:
    brief = [f"-J{option}" for option in BRIEF]
    options = ["-quiet", "-encoding", "UTF-8", "-Xdoclint:all", DOCUMENTED, "-Werror", "-d", tmp_path]
    run(["javadoc", *brief, *options, *sources(GENERATED / "src" / "main")])


@pytest.fixture(scope="module", params=PROJECTS)
def project(request: pytest.FixtureRequest, built: Callable[..., Path]) -> tuple[str, Path]:
    """One of PROJECTS, compiled: `main`, and `tests` with those of machines' corners."""
    return request.param, built(f"java-{request.param}", lambda folder: _build(request.param, folder))


def _build(name: str, folder: Path) -> None:
    source = write(java.render(load_bundle(PROJECTS[name]), formatted=False), folder)
    main = folder / "main"
    compile_java(main, sources(source / "src" / "main"), documented=True)
    tests = sources(source / "src" / "test", *([CORNERS] if name == "corners" else []))
    compile_java(folder / "tests", tests, main, junit())


def test_other_models_answer_every_vector(project: tuple[str, Path]) -> None:
    name, folder = project
    command = ["java", *BRIEF, "-cp", f"{folder / 'main'}:{folder / 'tests'}", "zeps.wire.driver.Driver"]
    lines = vectors.render(load_bundle(PROJECTS[name]))[vectors.FOLDER / "requests.tsv"].decode().splitlines()
    wanted = [line.split("\t") for line in lines]
    answers = ask_driver(command, [bytes.fromhex(request) for _, request, _ in wanted])
    for (what, _, answer), given in zip(wanted, answers, strict=True):
        assert given.hex() == answer, what


@pytest.mark.parametrize("project", ["corners"], indirect=True)
def test_corners_of_machines_and_of_frames(project: tuple[str, Path]) -> None:
    packages = ("corners", "cornersserver", "featuresserver")
    selected = [f"--select-package=zeps.wire.{name}" for name in packages]
    execute(project[1] / "tests", f"--class-path={project[1] / 'main'}", *selected)


def test_what_is_written_by_hand_has_the_formatter_s_form() -> None:
    runtime = ROOT / "codegen" / "zeps_codegen" / "targets" / "java" / "runtime"
    paths = sources(*BY_HAND, runtime)
    found = {PurePosixPath(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    assert java_format(found) == found


def test_rendering_is_deterministic() -> None:
    bundle = load_bundle(sorted((ROOT / "protocol").glob("*.xml")))
    made = java.render(bundle, formatted=False)
    assert java.render(bundle, formatted=False) == made
