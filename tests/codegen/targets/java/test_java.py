"""The Java project: no warning, documented, formatted, its own tests pass, and it answers as the models say."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

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
#: Every kind of field and dispatch, and machines at their corners.
OTHERS = [
    path
    for folder in (
        *(GOLDEN / name for name in ("features", "frames", "tails", "weather")),
        HELPERS / "corners",
    )
    for path in sorted(folder.glob("*.xml"))
]
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


@pytest.fixture(scope="module")
def other_models(built: Callable[..., Path]) -> Path:
    """The project of OTHERS, which is one, compiled: `main`, and `tests` with those of its machines' corners."""
    return built("java-other-models", _build_other_models)


def _build_other_models(folder: Path) -> None:
    project = write(java.render(load_bundle(OTHERS), formatted=False), folder)
    main = folder / "main"
    compile_java(main, sources(project / "src" / "main"), documented=True)
    compile_java(folder / "tests", sources(project / "src" / "test", CORNERS), main, junit())


def test_other_models_answer_every_vector(other_models: Path) -> None:
    classes = f"{other_models / 'main'}:{other_models / 'tests'}"
    command = ["java", *BRIEF, "-cp", classes, "zeps.wire.driver.Driver"]
    lines = vectors.render(load_bundle(OTHERS))[vectors.FOLDER / "requests.tsv"].decode().splitlines()
    wanted = [line.split("\t") for line in lines]
    answers = ask_driver(command, [bytes.fromhex(request) for _, request, _ in wanted])
    for (name, _, answer), given in zip(wanted, answers, strict=True):
        assert given.hex() == answer, name


def test_corners_of_machines_and_of_frames(other_models: Path) -> None:
    packages = [f"--select-package=zeps.wire.{name}" for name in ("corners", "cornersserver")]
    execute(other_models / "tests", f"--class-path={other_models / 'main'}", *packages)


def test_what_is_written_by_hand_has_the_formatter_s_form() -> None:
    runtime = ROOT / "codegen" / "zeps_codegen" / "targets" / "java" / "runtime"
    paths = sources(*BY_HAND, runtime)
    found = {path.relative_to(ROOT): path.read_text(encoding="utf-8") for path in paths}
    assert java_format(found) == found


def test_rendering_is_deterministic() -> None:
    bundle = load_bundle(sorted((ROOT / "protocol").glob("*.xml")))
    made = java.render(bundle, formatted=False)
    assert java.render(bundle, formatted=False) == made
