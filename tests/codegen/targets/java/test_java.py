"""The Java project: no warnings, documented, formatted, its own tests pass, and its answers agree with the models."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

import pytest
from driver_processes import Process
from java_tools import BRIEF, DOCUMENTED, GENERATED, compile_java, junit, sources
from programs import BUNDLE, GOLDEN, HELPERS, ROOT, examples, execute, models, run, sent, vectors_of, write

from zeps_codegen.load import load_bundle
from zeps_codegen.package import Package
from zeps_codegen.targets import java, vectors
from zeps_codegen.targets.java.format import java_format

HERE = Path(__file__).parent
NATIVE = HERE / "native"
CORNERS = HERE / "corners"
RESOURCES = GENERATED / "src" / "test" / "resources"
#: Every kind of field and dispatch; and machines with edge cases, whose tests are written in Java.
PROJECTS = {
    "golden": sorted(GOLDEN.glob("*/*.xml")),
    "corners": models(HELPERS / "corners", HELPERS / "features"),
}
BY_HAND = (NATIVE, CORNERS, ROOT / "examples" / "clients" / "java", ROOT / "benchmarks" / "codec_java")


def execute_tests(classes: Path, *options: str, machine: Sequence[str] = BRIEF) -> None:
    """Runs the tests among `classes`, all of which must pass, in a virtual machine with the options `machine`."""
    launch = ["java", *machine, "-jar", junit(), "execute", "--class-path", classes]
    said = run([*launch, *options, "--disable-banner", "--details=summary"])
    assert "0 tests failed" in said
    assert "0 tests skipped" in said
    assert "0 tests found" not in said


@pytest.fixture
def classes(built: Callable[..., Path]) -> Path:
    """The compiled classes of the committed project and of the native tests."""
    return built("java-classes", lambda folder: compile_java(folder, sources(GENERATED, NATIVE), junit()))


def test_the_native_tests_pass(classes: Path) -> None:
    # with the optimising compiler, because two texts have a billion characters
    optimising = ("-XX:+UseSerialGC",)
    execute_tests(classes, f"--class-path={RESOURCES}", "--scan-class-path", machine=optimising)


def test_maven_builds_and_tests_it(tmp_path: Path) -> None:
    project = tmp_path / "java"
    shutil.copytree(GENERATED, project)
    said = run(["mvn", "-B", "-ntp", "package"], project, MAVEN_OPTS=" ".join(BRIEF))
    assert "Failures: 0, Errors: 0, Skipped: 0" in said
    with ZipFile(project / "target" / "zeps-wire-0.1.0.jar") as jar:
        names = jar.namelist()
    assert "META-INF/LICENSE" in names
    assert not any("/driver/" in name or name.endswith(".tsv") for name in names)


def test_the_example_of_the_readme_runs_to_completion(classes: Path, tmp_path: Path) -> None:
    source, attach = tmp_path / "Example.java", b"\xaa\xa5\x01\x04ZEPS\0\x01\x06"
    source.write_text(
        examples((GENERATED / "README.md").read_text(encoding="utf-8"), "java")[0], encoding="utf-8"
    )
    compile_java(tmp_path / "example", [source], classes)
    frames = [attach + b"st", attach + b"stocks", b"\xaa\xa5\x08", b"\xaa\xa5\x0a"]
    done = execute(
        ["java", *BRIEF, "-cp", f"{tmp_path / 'example'}:{classes}", "Example"], stdin=sent(frames)
    )
    assert (done.returncode, done.stderr) == (0, b"truncated: ATTACH.stream at byte 10\n")
    assert done.stdout == sent(b"\xaa\xa5" + bytes([number]) for number in (2, 9, 11))


def test_a_package_has_the_names_of_its_project(tmp_path: Path) -> None:
    names = {"java.package": "com.acme.feed", "java.group": "com.acme"}
    acme = Package("acme-feed", version="2.1.0", names=names, license_text="Free.", authors=("A & B",))
    files = java.render(load_bundle(PROJECTS["corners"]), formatted=False, package=acme)
    project = write(files, tmp_path) / java.FOLDER
    assert all(b"zeps.wire" not in text for path, text in files.items() if path.suffix != ".tsv")
    pom = (project / "pom.xml").read_text(encoding="utf-8")
    for line in ("<groupId>com.acme</groupId>", "<version>2.1.0</version>", "<name>A &amp; B</name>"):
        assert line in pom
    assert (project / "LICENSE").read_text(encoding="utf-8") == "Free."
    tests = [path for path in sources(project / "src" / "test") if path.name != "VectorsTest.java"]
    compile_java(tmp_path / "out", [*sources(project / "src" / "main"), *tests])
    requests = project / "src/test/resources/com/acme/feed/driver/requests.tsv"
    _, request, answer = vectors_of(requests.read_bytes())[0]
    driver = Process(["java", *BRIEF, "-cp", tmp_path / "out", "com.acme.feed.driver.Driver"])
    assert driver.answers([request]) == [answer]


def test_everything_is_documented_without_a_warning(tmp_path: Path) -> None:
    brief = [f"-J{option}" for option in BRIEF]
    options = ["-quiet", "-encoding", "UTF-8", "-Xdoclint:all", DOCUMENTED, "-Werror", "-d", tmp_path]
    run(["javadoc", *brief, *options, *sources(GENERATED / "src" / "main")])


@pytest.fixture(scope="module", params=PROJECTS)
def project(request: pytest.FixtureRequest, built: Callable[..., Path]) -> tuple[str, Path]:
    """One of PROJECTS, compiled: `main`, and `tests` with those of machines' corners."""
    return request.param, built(f"java-{request.param}", lambda folder: _build(request.param, folder))


def _build(name: str, folder: Path) -> None:
    source = write(java.render(load_bundle(PROJECTS[name]), formatted=False), folder) / java.FOLDER
    main = folder / "main"
    compile_java(main, sources(source / "src" / "main"), documented=True)
    tests = sources(source / "src" / "test", *([CORNERS] if name == "corners" else []))
    compile_java(folder / "tests", tests, main, junit())


def test_other_models_answer_every_vector(project: tuple[str, Path]) -> None:
    name, folder = project
    command = ["java", *BRIEF, "-cp", f"{folder / 'main'}:{folder / 'tests'}", "zeps.wire.driver.Driver"]
    cases = vectors_of(vectors.render(load_bundle(PROJECTS[name]))[vectors.FOLDER / "requests.tsv"])
    answers = Process(command).answers([request for _, request, _ in cases])
    for (what, _, answer), given in zip(cases, answers, strict=True):
        assert given == answer, what


@pytest.mark.parametrize("project", ["corners"], indirect=True)
def test_corners_of_machines_and_of_frames(project: tuple[str, Path]) -> None:
    packages = ("corners", "cornersserver", "featuresserver")
    selected = [f"--select-package=zeps.wire.{name}" for name in packages]
    execute_tests(project[1] / "tests", f"--class-path={project[1] / 'main'}", *selected)


def test_what_is_written_by_hand_has_the_formatter_s_form() -> None:
    runtime = ROOT / "codegen" / "zeps_codegen" / "targets" / "java" / "runtime"
    paths = sources(*BY_HAND, runtime)
    texts = {PurePosixPath(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    assert java_format(texts) == texts


def test_rendering_is_deterministic() -> None:
    assert java.render(BUNDLE, formatted=False) == java.render(BUNDLE, formatted=False)
