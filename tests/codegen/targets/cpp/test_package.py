"""The C++ package: built without warnings, linted, and run with sanitizers; native/ has programs that use it."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from built_models import joined
from campaigns import sized
from cmake_tools import SANITIZED, SANITIZERS, build, ctest, survives
from programs import GOLDEN, HELPERS, ROOT, examples, execute, models, run, sent, write
from random_draws import drawn
from random_machines import machines
from random_protocols import protocols

from zeps_codegen.ir import Bundle, FieldType, Protocol
from zeps_codegen.load import load_bundle
from zeps_codegen.package import Package
from zeps_codegen.targets import model_json, vectors
from zeps_codegen.targets.cpp import FOLDER, render
from zeps_codegen.targets.cpp.target import clang_format
from zeps_wire import zeps

#: Of requests to the driver of several models.
EXAMPLES = sized(4000, 120_000)
#: Random protocols and machines: test_random_models.py has more, without sanitizers.
RANDOM_PROTOCOLS, RANDOM_MACHINES = sized(2, 5), sized(1, 3)
PACKAGE = ROOT / FOLDER
NATIVE = Path(__file__).parent / "native"
RUNTIME_TEST = NATIVE / "runtime_test.cpp"
VECTORS = PACKAGE / "tests" / "requests.tsv"
FEATURES = GOLDEN / "features" / "features.xml"
#: Models of programs in native/ that are not the committed ones.
MODELS = {
    "features": [FEATURES],
    "tails": [HELPERS / "known" / f"{name}.xml" for name in ("tails", "tails_server", "greeting")],
    "corners": [HELPERS / "corners" / f"{name}.xml" for name in ("corners", "corners_server")],
    "growing": [],
    "frames": [GOLDEN / "frames" / f"{name}.xml" for name in ("frames", "frames_server")],
}
WRITTEN = (
    ROOT / "codegen" / "zeps_codegen" / "targets" / "cpp" / "runtime",
    NATIVE,
    ROOT / "examples" / "clients" / "cpp",
    ROOT / "benchmarks" / "codec_cpp",
)
STRICT = "-std=c++17 -Wall -Wextra -Werror -pedantic -Wconversion -Wsign-conversion -Wshadow -fno-exceptions"
#: Several sources are compiled as one, because half of the time is spent on the headers.
UNITY = ("-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0")
INSTRUMENTED = (*SANITIZED, *UNITY, f"-DCMAKE_CXX_FLAGS={STRICT}")
#: The bugprone checks, except that for adjacent parameters of one type.
CHECKS = "-*,bugprone-*,-bugprone-easily-swappable-parameters"


@pytest.fixture(scope="module")
def sanitized(built: Callable[..., Path]) -> Path:
    """The package and the programs that use it, built with ASan and UBSan."""
    return built(
        "cpp-sanitized", lambda folder: build_native(folder, "codec_test;machine_test;runtime_test", PACKAGE)
    )


def build_native(folder: Path, tests: str, package: Path) -> None:
    """Builds programs of native/, and the package that they use, without warnings, with ASan and UBSan."""
    chosen = (f"-DZEPS_PACKAGE={package}", f"-DZEPS_TESTS={tests}", "-DZEPS_WIRE_CPP_TESTS=ON")
    build(NATIVE, folder, *INSTRUMENTED, *chosen)


def test_every_header_is_clean_by_itself() -> None:
    """Only headers: the other tests build the sources without warnings."""
    include = [f"-I{PACKAGE / 'include'}", f"-I{PACKAGE / 'driver'}"]
    for path in sorted((PACKAGE / "include").rglob("*.hpp")):
        run(["g++", *STRICT.split(), "-fsyntax-only", *include, "-include", path, "-xc++", os.devnull])


def test_every_source_is_built() -> None:
    listed = (PACKAGE / "CMakeLists.txt").read_text(encoding="utf-8").split()
    for path in PACKAGE.rglob("*.cpp"):
        assert {str(path.relative_to(PACKAGE)), f"{path.relative_to(PACKAGE)})"} & {*listed}, path


def test_clang_tidy_finds_nothing(tmp_path: Path) -> None:
    """Sources of one program are checked as one, because most of the time is spent on the headers."""
    client = ROOT / "examples" / "clients" / "cpp"
    programs = [(PACKAGE / "src").rglob("*.cpp"), (PACKAGE / "driver").glob("*.cpp"), client.glob("*.cpp")]
    programs += [iter([path]) for path in (*(PACKAGE / "tests").glob("*.cpp"), RUNTIME_TEST)]
    units = []
    for number, sources in enumerate(programs):
        units.append(tmp_path / f"{number}.cpp")
        lines = [f'#include "{path}"  // NOLINT(bugprone-suspicious-include)\n' for path in sorted(sources)]
        units[-1].write_text("".join(lines), encoding="utf-8")
    rules = [f"--checks={CHECKS}", "--warnings-as-errors=*", f"--header-filter=^{ROOT}/.*"]
    flags = ["-std=c++17", f"-I{PACKAGE / 'include'}", f"-I{PACKAGE / 'driver'}"]
    run(["clang-tidy", "--quiet", *rules, *units, "--", *flags])


def test_clang_warns_of_views_of_locals(tmp_path: Path) -> None:
    (tmp_path / "dangling.cpp").write_text(
        '#include "zeps_wire/zeps.hpp"\n#include <vector>\n'
        "zeps_wire::Octets dangling() { std::vector<std::uint8_t> octets(3); return zeps_wire::Octets(octets); }\n"
    )
    flags = [f"-I{PACKAGE / 'include'}", "-std=c++17"]
    checks = f"--checks={CHECKS},clang-diagnostic-*"
    said = execute(["clang-tidy", checks, tmp_path / "dangling.cpp", "--", *flags]).stdout
    assert b"[clang-diagnostic-return-stack-address]" in said


def test_what_is_written_by_hand_has_the_formatters_form() -> None:
    paths = [path for folder in WRITTEN for suffix in ("*.cpp", "*.hpp") for path in folder.rglob(suffix)]
    sources = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in paths}
    assert clang_format(sources) == sources


def test_the_native_tests_hold_under_sanitizers(sanitized: Path) -> None:
    ctest(sanitized)


def test_the_vectors_hold_under_sanitizers(sanitized: Path) -> None:
    said = run([sanitized / "zeps_wire" / "zeps_wire_cpp_vectors_test", VECTORS])
    assert said.endswith(" vectors, 0 wrong\n")


def test_a_vector_that_does_not_hold_is_told(sanitized: Path, tmp_path: Path) -> None:
    file = tmp_path / "requests.tsv"
    file.write_text("wrong\t4f\t00\n")
    command = [sanitized / "zeps_wire" / "zeps_wire_cpp_vectors_test", file]
    done = execute(command)
    assert (done.returncode, done.stdout) == (1, b"1 vectors, 1 wrong\n")
    file.write_text("")
    assert execute(command).returncode == 1


def test_text_is_looked_at_alike_where_there_is_no_sse2(tmp_path: Path) -> None:
    sources = [RUNTIME_TEST, *sorted((PACKAGE / "src" / "runtime").glob("*.cpp"))]
    program = tmp_path / "runtime_test"
    flags = [*STRICT.split(), *SANITIZERS.split(), "-U__SSE2__", f"-I{PACKAGE / 'include'}"]
    run(["g++", *flags, *sources, "-o", program])
    run([program])


def test_the_driver_survives_any_bytes(sanitized: Path) -> None:
    survives(sanitized / "zeps_wire" / "zeps_wire_cpp_driver", VECTORS, 6000)


def test_a_request_that_is_too_large_ends_the_driver(sanitized: Path) -> None:
    driver = sanitized / "zeps_wire" / "zeps_wire_cpp_driver"
    assert execute([driver], stdin=(64 << 20 | 1).to_bytes(4, "big")).returncode == 2


@pytest.fixture(scope="module")
def prefix(built: Callable[..., Path]) -> Path:
    """The folder in which the package is installed."""

    def install(folder: Path) -> None:
        hasty = ("-DCMAKE_BUILD_TYPE=None", *UNITY, "-DZEPS_WIRE_CPP_TESTS=OFF")
        build(PACKAGE, folder / "build", *hasty, f"-DCMAKE_CXX_FLAGS={STRICT}")
        run(["cmake", "--install", folder / "build", "--prefix", folder / "prefix"])

    return built("cpp-installed", install) / "prefix"


def flags_of(prefix: Path) -> list[str]:
    """The compiler's flags for the package that is installed there, as pkg-config tells them."""
    config = next(prefix.rglob("zeps_wire_cpp.pc"))
    flags = run(["pkg-config", "--cflags", "--libs", "zeps_wire_cpp"], PKG_CONFIG_PATH=str(config.parent))
    return flags.split()


def test_it_is_found_where_it_was_installed(prefix: Path, tmp_path: Path) -> None:
    source = tmp_path / "user.cpp"
    source.write_text(
        '#include "zeps_wire/zeps.hpp"\nint main() { return !encode(zeps_wire::zeps::Ping()); }\n'
    )
    run(["g++", "-std=c++17", source, *flags_of(prefix), "-o", tmp_path / "user"])
    run([tmp_path / "user"])
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(user LANGUAGES CXX)\nfind_package(zeps_wire_cpp 0.1 REQUIRED)\n"
        "add_executable(user user.cpp)\ntarget_link_libraries(user PRIVATE zeps_wire_cpp::zeps_wire_cpp)\n"
    )
    build(tmp_path, tmp_path / "again", f"-DCMAKE_PREFIX_PATH={prefix}")
    run([tmp_path / "again" / "user"])


def test_the_example_of_the_readme_is_a_server(prefix: Path, tmp_path: Path) -> None:
    (example,) = examples((PACKAGE / "README.md").read_text(encoding="utf-8"), "cpp")
    (tmp_path / "example.cpp").write_text(example)
    run(["g++", *STRICT.split(), tmp_path / "example.cpp", *flags_of(prefix), "-o", tmp_path / "example"])
    done = execute([tmp_path / "example"], stdin=sent([zeps.Attach("s").encode(), b"?"]))
    assert (done.returncode, done.stdout) == (0, sent([zeps.AttachOk().encode()]))
    assert done.stderr == b"bad-signature at byte 0\n"


def test_a_package_has_names_of_its_own(tmp_path: Path) -> None:
    names = Package("acme-wire", "1.2.0-rc.1")
    bundle = load_bundle(MODELS["frames"])
    package = write(render(bundle, formatted=False, package=names), tmp_path) / FOLDER
    texts = [path.read_text(encoding="utf-8") for path in package.rglob("*") if path.is_file()]
    assert not any("zeps_wire" in text.lower() for text in texts)
    assert "VERSION 1.2.0 " in (package / "CMakeLists.txt").read_text(encoding="utf-8")
    source = package / "src" / "frames_server.cpp"
    run(["g++", *STRICT.split(), "-fsyntax-only", f"-I{package / 'include'}", source])
    assert (package / "include" / "acme_wire" / "runtime" / "codec.hpp").exists()


@pytest.fixture(scope="module")
def other_models(built: Callable[..., Path]) -> Path:
    """The package of MODELS and of random models, which is one, and its programs, built with ASan and UBSan."""
    return built("cpp-other-models", _build_other_models)


def _build_other_models(folder: Path) -> None:
    known = load_bundle([path for paths in MODELS.values() for path in paths])
    bundle = joined(known, _random_bundle(RANDOM_PROTOCOLS, RANDOM_MACHINES), _growing())
    write(model_json.render(bundle), folder)
    package = write(render(bundle, formatted=False), folder) / FOLDER
    (folder / "requests.tsv").write_bytes(vectors.render(known)[vectors.FOLDER / "requests.tsv"])
    tests = [f"{model}_test" for model in MODELS]
    build_native(folder / "build", ";".join(tests), package)


@pytest.mark.parametrize("model", MODELS)
def test_every_kind_of_field(model: str, other_models: Path) -> None:
    run([other_models / "build" / f"{model}_test"])


def test_vectors_of_other_models(other_models: Path) -> None:
    program = other_models / "build" / "zeps_wire" / "zeps_wire_cpp_vectors_test"
    assert run([program, other_models / "requests.tsv"]).endswith(" vectors, 0 wrong\n")


@pytest.mark.slow
def test_other_models_agree_with_the_suites_codec(other_models: Path, tmp_path: Path) -> None:
    """Random protocols and machines: no warning, no difference, no report of the sanitizers."""
    driver = other_models / "build" / "zeps_wire" / "zeps_wire_cpp_driver"
    model = other_models / "generated" / "model.json"
    options = ["--driver", driver, "--model", model, "--examples", str(EXAMPLES)]
    assert "no difference" in run(["zeps-conform", "codec", *options], tmp_path)


def _growing() -> Bundle:
    """The models `features` of `helpers`, called `growing`, because a golden model is called `features` too."""
    bundle = load_bundle([path for path in models(HELPERS / "features") if path.stem.startswith("features")])
    machines = [
        dataclasses.replace(machine, name=machine.name.replace("features", "growing"), protocol="growing")
        for machine in bundle.machines
    ]
    return Bundle((dataclasses.replace(bundle.protocols[0], name="growing"),), tuple(machines))


def _random_bundle(many_protocols: int, many_machines: int) -> Bundle:
    """The same random models every time, and ZEPS, which the random machines use."""
    known = load_bundle([ROOT / "protocol" / "zeps.xml"]).protocols
    drawn_protocols = drawn(protocols(), many_protocols, _is_rich)
    named = [
        dataclasses.replace(protocol, name=f"toy{number}") for number, protocol in enumerate(drawn_protocols)
    ]
    toys = drawn(machines(), many_machines, lambda machine: len(machine.transitions) > 2)
    others = [dataclasses.replace(machine, name=f"machine{number}") for number, machine in enumerate(toys)]
    return Bundle((*known, *named), tuple(others))


def _is_rich(protocol: Protocol) -> bool:
    """Whether its messages have distinct names, several fields and no limited frames, which the suite lacks."""
    names = {message.name for message in protocol.messages}
    fields = [field for message in protocol.messages for field in message.fields]
    limited = any(field.max is not None for field in fields if field.type in (FieldType.FRAME, FieldType.MSG))
    return len(names) == len(protocol.messages) and len(fields) > 2 and not limited


def test_what_is_generated_is_always_the_same() -> None:
    bundle = load_bundle([FEATURES])
    assert render(bundle, formatted=False) == render(bundle, formatted=False)
    assert set(render(bundle)) == set(render(bundle, formatted=False))
