"""The C package: built without warnings, linted, and run with sanitizers; native/ has programs that use it."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from cmake_tools import SANITIZED, build, ctest, survives
from programs import BUNDLE, GOLDEN, HELPERS, ROOT, examples, execute, models, run, sent, write

from zeps_codegen.ir import Bundle, Dispatch, Field, FieldType, Message, Protocol, Text
from zeps_codegen.load import load_bundle
from zeps_codegen.package import Package
from zeps_codegen.targets.c import FOLDER, render
from zeps_codegen.targets.c.target import clang_format

PACKAGE = ROOT / FOLDER
RUNTIME = ROOT / "codegen" / "zeps_codegen" / "targets" / "c" / "runtime"
NATIVE = Path(__file__).parent / "native"
VECTORS = PACKAGE / "tests" / "requests.tsv"
#: Models of programs in native/ that are not the committed ones.
MODELS = {
    "features": [GOLDEN / "features" / "features.xml"],
    "tails": [HELPERS / "known" / f"{name}.xml" for name in ("tails", "tails_server", "greeting")],
    "corners": [HELPERS / "corners" / f"{name}.xml" for name in ("corners", "corners_server")],
}
_ROW = Field("row", FieldType.LIST, 1, items=Field("item", FieldType.NUMBER))
_LINE = Field("line", FieldType.LIST, 1, items=Field("word", FieldType.STRING, 1, text=Text.UTF8))
_PAGE = Field("page", FieldType.LIST, 1, items=_LINE)
_TABLE = (Field("rows", FieldType.LIST, 1, items=_ROW), Field("pages", FieldType.LIST, 1, items=_PAGE))
NESTED = Protocol("nested", "Nested", Dispatch.OCTET, 0, 1, (Message("TABLE", 7, _TABLE),))
#: The name of the committed package.
COMMITTED = Package(names={"c.prefix": "wire", "c.model_prefix": ""})
STRICT = "-std=c99 -Wall -Wextra -Werror -pedantic"
#: The bugprone checks, except that for adjacent parameters of one type.
CHECKS = "-*,bugprone-*,-bugprone-easily-swappable-parameters"
CONFIG = "{CheckOptions: {bugprone-signed-bitwise.IgnorePositiveIntegerLiterals: true}}"


@pytest.fixture(scope="module")
def sanitized(built: Callable[..., Path]) -> Path:
    """The package, its driver, and the program that uses it, built with ASan and UBSan."""
    return built("c-sanitized", lambda folder: build_native(folder, ["zeps"], PACKAGE))


def build_native(folder: Path, programs: Iterable[str], package: Path, *options: str) -> None:
    """Builds programs of native/ and the package that they use, with ASan and UBSan."""
    chosen = (f"-DPACKAGE={package}", f"-DPROGRAMS={';'.join(programs)}", "-DZEPS_WIRE_FLAGS=-Werror")
    build(NATIVE, folder, *SANITIZED, *chosen, *options)


def test_every_file_is_clean_c99_and_clean_cpp() -> None:
    include = ["-I", PACKAGE / "include", "-I", PACKAGE / "driver", "-I", PACKAGE / "src"]
    for path in sorted(PACKAGE.rglob("*.c")):
        run(["gcc", *STRICT.split(), "-O2", "-c", *include, path, "-o", os.devnull])
    for path in sorted((PACKAGE / "include").rglob("*.h")):
        run(["gcc", *STRICT.split(), "-fsyntax-only", *include, "-x", "c", path])
        strict = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++"]
        run(["g++", *strict, *include, "-include", path, os.devnull])


def test_clang_tidy_finds_nothing() -> None:
    sources = [*sorted(PACKAGE.rglob("*.c")), *sorted((ROOT / "examples" / "clients" / "c").glob("*.c"))]
    flags = ["-std=c99", f"-I{PACKAGE / 'include'}", f"-I{PACKAGE / 'driver'}", f"-I{PACKAGE / 'src'}"]
    rules = [f"--checks={CHECKS}", f"--config={CONFIG}", "--warnings-as-errors=*", "--header-filter=.*"]
    run(["clang-tidy", "--quiet", *rules, *sources, "--", *flags])


def test_what_is_written_by_hand_has_the_formatters_form() -> None:
    written = [*RUNTIME.rglob("*.[ch]"), *NATIVE.glob("*.[ch]")]
    written += [*(ROOT / "examples" / "clients" / "c").glob("*.[ch]")]
    written += [*(ROOT / "benchmarks" / "codec_c").glob("*.[ch]")]
    sources = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8") for path in written}
    assert clang_format(sources) == sources


def test_it_holds_under_sanitizers(sanitized: Path) -> None:
    ctest(sanitized)
    said = run([sanitized / "package" / "zeps_wire_vectors", VECTORS])
    assert re.fullmatch(r"\d+ vectors, 0 wrong\n", said)


def test_a_vector_that_does_not_hold_is_told(sanitized: Path, tmp_path: Path) -> None:
    file = tmp_path / "requests.tsv"
    file.write_text("right\t4f\t3f17756e6b6e6f776e206b696e64206f662072657175657374\nwrong\t4f\t00\nodd\t4\n")
    done = execute([sanitized / "package" / "zeps_wire_vectors", file])
    assert done.returncode == 1
    assert b"not a vector: odd" in done.stdout
    assert done.stdout.endswith(b"3 vectors, 2 wrong\n")


def test_the_driver_survives_any_bytes(sanitized: Path) -> None:
    survives(sanitized / "package" / "zeps_wire_driver", VECTORS, 6000)


def test_a_request_that_is_too_large_ends_the_driver(sanitized: Path) -> None:
    done = execute([sanitized / "package" / "zeps_wire_driver"], stdin=b"\x04\0\0\x01")
    assert (done.returncode, done.stdout) == (2, b"")


def test_text_is_looked_at_alike_octet_by_octet(tmp_path: Path) -> None:
    options = ("-DZEPS_WIRE_TESTS=OFF", "-DCMAKE_C_FLAGS=-DWIRE_PORTABLE")
    build_native(tmp_path, ["zeps"], PACKAGE, *options)
    ctest(tmp_path)


def test_other_models_have_their_vectors_and_their_users(tmp_path: Path) -> None:
    bundle = load_bundle([path for paths in MODELS.values() for path in paths])
    build_native(tmp_path / "build", MODELS, written(bundle, tmp_path))
    ctest(tmp_path / "build")


def test_models_of_several_frames_and_of_what_hosts_do(tmp_path: Path) -> None:
    """Includes a protocol that is defined here, since no model has lists of lists."""
    features = [path for path in models(HELPERS / "features") if path.name.startswith("feat")]
    bundle = load_bundle([*models(GOLDEN / "frames"), *features])
    bundle = replace(bundle, protocols=(*bundle.protocols, NESTED))
    package = written(bundle, tmp_path)
    build_native(tmp_path / "build", ["filled", "frames", "nested"], package, "-DZEPS_WIRE_TESTS=OFF")
    ctest(tmp_path / "build")


def written(bundle: Bundle, folder: Path, package: Package = COMMITTED) -> Path:
    """The package of a bundle."""
    return write(render(bundle, formatted=False, package=package), folder) / FOLDER


def test_it_can_be_installed_and_found(tmp_path: Path) -> None:
    """Uses pkg-config, and CMake, which checks the version."""
    build(PACKAGE, tmp_path / "build", "-DZEPS_WIRE_TESTS=OFF", "-DCMAKE_BUILD_TYPE=None")
    run(["cmake", "--install", tmp_path / "build", "--prefix", tmp_path / "there"])
    (pkg_config_file,) = (tmp_path / "there").rglob("zeps_wire.pc")
    flags = run(
        ["pkg-config", "--cflags", "--libs", "zeps_wire"], PKG_CONFIG_PATH=str(pkg_config_file.parent)
    )
    source = tmp_path / "uses.c"
    body = "zeps_message message; return zeps_decode(&message, NULL, 0, NULL) == WIRE_OK;"
    source.write_text(f'#include "zeps_wire/zeps.h"\nint main(void) {{ {body} }}\n')
    run(["gcc", "-std=c99", source, *flags.split(), "-o", tmp_path / "uses"])
    run([tmp_path / "uses"])
    lines = [
        "cmake_minimum_required(VERSION 3.16)",
        "project(consumer LANGUAGES C)",
        "find_package(zeps_wire 0.1 REQUIRED)",
        "find_package(zeps_wire 0.2 QUIET)",
        "if(zeps_wire_FOUND)",
        'message(FATAL_ERROR "another version is taken for this one")',
        "endif()",
        "find_package(zeps_wire 0.1 REQUIRED)",
        "add_executable(uses uses.c)",
        "target_link_libraries(uses zeps_wire::zeps_wire)",
    ]
    (tmp_path / "CMakeLists.txt").write_text("\n".join(lines))
    build(tmp_path, tmp_path / "consumer", f"-DCMAKE_PREFIX_PATH={tmp_path / 'there'}")


def test_two_packages_share_a_program(tmp_path: Path) -> None:
    """Two packages need distinct names of files, CMake targets and symbols of the runtime."""
    acme = Package("acme-rain", "1.2.3", license_text="As you like.")
    weather = load_bundle([GOLDEN / "weather" / "weather.xml"])
    package = written(weather, tmp_path, acme)
    assert (package / "LICENSE").read_text() == "As you like."
    assert not [path for path in package.rglob("*") if "zeps_wire" in path.name]
    lines = [
        "cmake_minimum_required(VERSION 3.16)",
        "project(consumer LANGUAGES C)",
        f"add_subdirectory({PACKAGE} one)",
        f"add_subdirectory({package} other)",
        "add_executable(uses uses.c)",
        "target_link_libraries(uses zeps_wire::zeps_wire acme_rain::acme_rain)",
    ]
    (tmp_path / "CMakeLists.txt").write_text("\n".join(lines))
    (tmp_path / "uses.c").write_text(
        """#include "acme_rain/weather.h"
#include "zeps_wire/zeps.h"
int main(void) {
    acme_rain_error error;
    acme_rain_weather_message weather;
    zeps_message message;
    return acme_rain_weather_decode(&weather, NULL, 0, &error) == ACME_RAIN_OK ||
           zeps_decode(&message, NULL, 0, NULL) == WIRE_OK;
}
"""
    )
    build(tmp_path, tmp_path / "build", f"-DCMAKE_C_FLAGS={STRICT}")
    run([tmp_path / "build" / "uses"])


def test_two_packages_with_one_model_share_a_program(tmp_path: Path) -> None:
    """Both in one translation unit, and linked."""
    weather = load_bundle(models(GOLDEN / "weather"))
    lines = ["cmake_minimum_required(VERSION 3.16)", "project(consumer LANGUAGES C)"]
    for name in ("acme-rain", "other-rain"):
        package = written(weather, tmp_path / name, Package(name))
        lines += [f"set({name.upper().replace('-', '_')}_TESTS ON)", f"add_subdirectory({package} {name})"]
    lines += ["add_executable(uses uses.c)", "target_link_libraries(uses acme_rain other_rain)"]
    (tmp_path / "CMakeLists.txt").write_text("\n".join(lines))
    (tmp_path / "uses.c").write_text(
        """#include "acme_rain/weather.h"
#include "other_rain/weather.h"
int main(void) {
    acme_rain_weather_message one;
    other_rain_weather_message other;
    return acme_rain_weather_decode(&one, NULL, 0, NULL) == ACME_RAIN_OK ||
           other_rain_weather_decode(&other, NULL, 0, NULL) == OTHER_RAIN_OK;
}
"""
    )
    programs = tmp_path / "programs"
    build(
        tmp_path,
        tmp_path / "build",
        f"-DCMAKE_C_FLAGS={STRICT}",
        f"-DCMAKE_RUNTIME_OUTPUT_DIRECTORY={programs}",
    )
    run([programs / "uses"])
    assert {"acme_rain_driver", "other_rain_driver"} < {path.name for path in programs.iterdir()}


def test_a_models_symbols_are_not_those_of_the_runtime() -> None:
    """The runtime has `acme_rain_read_begin` and `ACME_RAIN_ANY_OCTETS`."""
    for protocol, message in (("read", "BEGIN"), ("any", "OCTETS")):
        bundle = Bundle((Protocol(protocol, "", Dispatch.OCTET, 0, 1, (Message(message, 7, ()),)),))
        files = {str(path): text for path, text in render(bundle, False, Package("acme-rain")).items()}
        header = next(text for path, text in files.items() if path.endswith(f"/{protocol}.h")).decode()
        assert "} acme_rain_read_begin;" not in header
        assert "ACME_RAIN_ANY_OCTETS =" not in header
        assert "struct acme_rain_read_begin_ {" in header or "ACME_RAIN_ANY_OCTETS_ =" in header


def test_other_names_leave_the_models_text_alone() -> None:
    message = Message("wire_up", 7, (Field("wire_size", FieldType.STRING, 1, value="wire_text zeps_wire"),))
    bundle = Bundle((Protocol("wire_feed", "Feed", Dispatch.OCTET, 0, 1, (message,)),))
    files = {str(path): text for path, text in render(bundle, False, Package("acme-rain")).items()}
    source = next(text for path, text in files.items() if path.endswith("feed.c")).decode()
    assert all(text in source for text in ('"wire_feed"', '"wire_up"', '"wire_size"', "wire_text zeps_wire"))
    assert "acme_rain_schema" in source
    assert "wire_schema" not in source.replace("acme_rain_schema", "")


def test_the_readmes_example_is_a_server(tmp_path: Path) -> None:
    """The example answers ATTACH, PING and DETACH, and terminates."""
    (example,) = examples((PACKAGE / "README.md").read_text(), "c")
    (tmp_path / "example.c").write_text(example)
    sources = sorted((PACKAGE / "src").glob("*.c"))
    include = ["-I", PACKAGE / "include", "-I", PACKAGE / "src"]
    run(["gcc", *STRICT.split(), *include, tmp_path / "example.c", *sources, "-o", tmp_path / "example"])
    frames = [b"\xaa\xa5\x01\x04ZEPS\0\x01\x04demo", b"\xaa\xa5\x08", b"\xaa\xa5\x0a", b"\xaa"]
    done = execute([tmp_path / "example"], stdin=sent(frames))
    answers = sent(b"\xaa\xa5" + bytes([number]) for number in (2, 9, 11))
    assert (done.returncode, done.stdout) == (0, answers)


@pytest.mark.parametrize("tests", ["OFF", "ON"])
def test_it_shares_a_build_with_the_cpp_package(tests: str, tmp_path: Path) -> None:
    """A consumer that does not request the tests gets only the library."""
    lines = [
        "cmake_minimum_required(VERSION 3.16)",
        "project(consumer LANGUAGES C CXX)",
        f"set(ZEPS_WIRE_TESTS {tests} CACHE BOOL {chr(34)}{chr(34)})" if tests == "ON" else "",
        f"add_subdirectory({PACKAGE} c)",
        f"add_subdirectory({PACKAGE.parent / 'cpp'} cpp)",
        "if(TARGET zeps_wire_driver)",
        "set(found ON)",
        "else()",
        "set(found OFF)",
        "endif()",
        f"if(NOT found STREQUAL {tests})",
        'message(FATAL_ERROR "the driver is built: ${found}")',
        "endif()",
    ]
    (tmp_path / "CMakeLists.txt").write_text("\n".join(lines))
    run(["cmake", "-S", tmp_path, "-B", tmp_path / "build"])


def test_the_same_models_give_the_same_files() -> None:
    assert render(BUNDLE, formatted=False) == render(BUNDLE, formatted=False)
