"""The C package: built without a warning, linted, and run with sanitizers; what it is to its users in native/."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from zeps_codegen.ir import Bundle, Dispatch, Field, FieldType, Message, Protocol
from zeps_codegen.load import load_bundle
from zeps_codegen.targets import vectors
from zeps_codegen.targets.c import FOLDER, render
from zeps_codegen.targets.c.format import clang_format
from zeps_codegen.targets.errors import UnsupportedByTarget

ROOT = Path(__file__).parents[4]
PACKAGE = ROOT / FOLDER
RUNTIME = ROOT / "codegen" / "zeps_codegen" / "targets" / "c" / "runtime"
NATIVE = Path(__file__).parent / "native"
VECTORS = ROOT / "generated" / "vectors" / "requests.tsv"
TARGETS = ROOT / "tests" / "codegen" / "targets"
#: The models that programs of native/ need, if they are not the committed ones.
MODELS = {
    "features": [TARGETS / "golden" / "features" / "features.xml"],
    "tails": [
        TARGETS / "helpers" / "known" / f"{name}.xml" for name in ("tails", "tails_server", "greeting")
    ],
}
STRICT = "-std=c99 -Wall -Wextra -Werror -pedantic"
SANITIZERS = "-fsanitize=address,undefined -fno-sanitize-recover=all"
#: The bugprone set, but for the rule that two parameters of one type may not stand side by side.
CHECKS = "-*,bugprone-*,-bugprone-easily-swappable-parameters"
CONFIG = "{CheckOptions: {bugprone-signed-bitwise.IgnorePositiveIntegerLiterals: true}}"


def tool(name: str, package: str) -> str:
    """The command, beside this Python or on the path."""
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    assert found, f"{name} is missing: {package}"
    return found


def run(command: Sequence[str | Path], **options: object) -> str:
    """What the command says; it must succeed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{done.stdout}{done.stderr}"
    return str(done.stdout)


def build(source: Path, folder: Path, *options: str) -> None:
    cmake = tool("cmake", "apt-get install cmake")
    tool("cc", "apt-get install gcc")
    run([cmake, "-S", source, "-B", folder, *options])
    run([cmake, "--build", folder])


def ctest(folder: Path) -> None:
    said = run([tool("ctest", "apt-get install cmake"), "--test-dir", folder, "--output-on-failure"])
    assert "100% tests passed" in said


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package built with ASan and UBSan."""
    folder = tmp_path_factory.mktemp("sanitized")
    flags = f"-DCMAKE_C_FLAGS=-O1 -g {SANITIZERS}"
    build(PACKAGE, folder, "-DZEPS_WIRE_FLAGS=-Werror", "-DCMAKE_BUILD_TYPE=Debug", flags)
    return folder


def test_every_file_is_clean_c99_and_clean_cpp() -> None:
    cc, cxx = tool("gcc", "apt-get install gcc"), tool("g++", "apt-get install g++")
    include = ["-I", PACKAGE / "include", "-I", PACKAGE / "driver", "-I", PACKAGE / "src"]
    for path in sorted(PACKAGE.rglob("*.c")):
        run([cc, *STRICT.split(), "-O2", "-fsyntax-only", *include, path])
    for path in sorted((PACKAGE / "include").rglob("*.h")):
        run([cc, *STRICT.split(), "-fsyntax-only", *include, "-x", "c", path])
        run(
            [
                cxx,
                "-std=c++17",
                "-Wall",
                "-Wextra",
                "-Werror",
                "-fsyntax-only",
                *include,
                "-include",
                path,
                "-x",
                "c++",
                os.devnull,
            ]
        )


def test_clang_tidy_finds_nothing() -> None:
    tidy = tool("clang-tidy", "pip install clang-tidy")
    sources = [*sorted(PACKAGE.rglob("*.c")), *sorted((ROOT / "examples" / "clients" / "c").glob("*.c"))]
    flags = ["-std=c99", f"-I{PACKAGE / 'include'}", f"-I{PACKAGE / 'driver'}", f"-I{PACKAGE / 'src'}"]
    rules = [f"--checks={CHECKS}", f"--config={CONFIG}", "--warnings-as-errors=*", "--header-filter=.*"]
    run([tidy, "--quiet", *rules, *sources, "--", *flags])


def test_what_is_written_by_hand_has_the_formatters_form() -> None:
    written = [*RUNTIME.rglob("*.[ch]"), *NATIVE.glob("*.[ch]")]
    written += [*(ROOT / "examples" / "clients" / "c").glob("*.[ch]")]
    written += [*(ROOT / "benchmarks" / "codec_c").glob("*.[ch]")]
    sources = {str(path): path.read_text(encoding="utf-8") for path in written}
    assert clang_format(sources) == sources


def test_the_vectors_hold_under_sanitizers(sanitized: Path) -> None:
    ctest(sanitized)
    said = run([sanitized / "zeps-vectors", VECTORS])
    assert re.fullmatch(r"\d+ vectors, 0 wrong\n", said)


def test_the_vectors_of_what_is_rare_hold_too(tmp_path: Path) -> None:
    bundle = load_bundle(MODELS["tails"])
    file = tmp_path / "requests.tsv"
    file.write_bytes(vectors.render(bundle)[vectors.FOLDER / "requests.tsv"])
    flags = f"-DCMAKE_C_FLAGS=-O1 -g {SANITIZERS}"
    build(written(bundle, tmp_path), tmp_path / "build", "-DZEPS_WIRE_FLAGS=-Werror", flags)
    assert re.fullmatch(r"\d+ vectors, 0 wrong\n", run([tmp_path / "build" / "zeps-vectors", file]))


def test_a_vector_that_does_not_hold_is_told(sanitized: Path, tmp_path: Path) -> None:
    file = tmp_path / "requests.tsv"
    file.write_text(
        "right\t4f\t3f1b6e6f207265717565737420626567696e73206c696b652074686973\nwrong\t4f\t00\nodd\t4\n"
    )
    done = subprocess.run([sanitized / "zeps-vectors", file], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "not a vector: odd" in done.stdout
    assert done.stdout.endswith("3 vectors, 2 wrong\n")


def test_the_driver_survives_any_octets(sanitized: Path) -> None:
    """Requests cut, changed and joined at random: one answer each, and no word from the sanitizers."""
    seed = [bytes.fromhex(line.split("\t")[1]) for line in VECTORS.read_text().splitlines()]
    requests = [_damaged(seed, number) for number in range(4000)]
    stdin = b"".join(len(one).to_bytes(4, "big") + one for one in requests)
    done = subprocess.run([sanitized / "zeps-driver"], input=stdin, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    at = answers = 0
    while at < len(done.stdout):
        at += 4 + int.from_bytes(done.stdout[at : at + 4], "big")
        answers += 1
    assert (at, answers) == (len(done.stdout), len(requests))


def _damaged(seed: list[bytes], number: int) -> bytes:
    """A request with something wrong about it; the same for the same number."""
    one, other = seed[number * 7919 % len(seed)], seed[number * 104729 % len(seed)]
    at = number * 31 % (len(one) + 1)
    match number % 4:
        case 0:
            return one[:at]
        case 1:
            return one[:at] + other[number * 17 % (len(other) + 1) :]
        case 2:
            return one[:at] + bytes([number & 0xFF]) + one[at + 1 :]
        case _:
            return one[:at] + b"\xff\xff\xff\xff" + one[at + 4 :]


def test_a_request_that_is_too_large_ends_the_driver(sanitized: Path) -> None:
    done = subprocess.run(
        [sanitized / "zeps-driver"], input=b"\x04\0\0\x01", capture_output=True, check=False
    )
    assert done.returncode == 2
    assert done.stdout == b""


@pytest.mark.parametrize(
    ("program", "defined"), [("zeps", ""), ("zeps", "-DWIRE_PORTABLE"), ("features", ""), ("tails", "")]
)
def test_what_it_is_to_its_users(program: str, defined: str, tmp_path: Path) -> None:
    package = written(load_bundle(MODELS[program]), tmp_path) if program in MODELS else PACKAGE
    flags = f"-DCMAKE_C_FLAGS=-O1 -g {SANITIZERS} {defined}"
    options = [
        f"-DPACKAGE={package}",
        f"-DPROGRAM={program}",
        "-DZEPS_WIRE_FLAGS=-Werror",
        "-DZEPS_WIRE_TESTS=OFF",
    ]
    build(NATIVE, tmp_path / "build", *options, "-DCMAKE_BUILD_TYPE=Debug", flags)
    ctest(tmp_path / "build")


def written(bundle: Bundle, folder: Path) -> Path:
    """The package of a bundle."""
    for path, content in render(bundle, formatted=False).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder / FOLDER


def test_it_can_be_installed_and_found(tmp_path: Path) -> None:
    cmake, config = tool("cmake", "apt-get install cmake"), tool("pkg-config", "apt-get install pkg-config")
    build(PACKAGE, tmp_path / "build", "-DZEPS_WIRE_TESTS=OFF")
    run([cmake, "--install", tmp_path / "build", "--prefix", tmp_path / "there"])
    (found,) = (tmp_path / "there").rglob("zeps_wire.pc")
    flags = run(
        [config, "--cflags", "--libs", "zeps_wire"], env={**os.environ, "PKG_CONFIG_PATH": str(found.parent)}
    )
    source = tmp_path / "uses.c"
    body = "zeps_message message; return zeps_decode(&message, NULL, 0, NULL) == WIRE_OK;"
    source.write_text(f'#include "zeps_wire/zeps.h"\nint main(void) {{ {body} }}\n')
    run(["gcc", "-std=c99", source, *flags.split(), "-o", tmp_path / "uses"])
    run([tmp_path / "uses"])


def test_the_same_models_give_the_same_files() -> None:
    bundle = load_bundle(sorted((ROOT / "protocol").glob("*.xml")))
    assert render(bundle) == render(bundle)


def test_messages_of_several_frames_are_refused() -> None:
    message = Message("PARCEL", 1, (Field("content", FieldType.FRAME),))
    bundle = Bundle((Protocol("toy", "Toy", Dispatch.OCTET, 0, 1, (message,)),))
    with pytest.raises(UnsupportedByTarget, match=r"PARCEL\.content"):
        render(bundle, formatted=False)


def test_lists_of_lists_are_refused() -> None:
    inner = Field("item", FieldType.LIST, 1, items=Field("item", FieldType.NUMBER))
    message = Message("NESTED", 1, (Field("lists", FieldType.LIST, 1, items=inner),))
    bundle = Bundle((Protocol("toy", "Toy", Dispatch.OCTET, 0, 1, (message,)),))
    with pytest.raises(UnsupportedByTarget, match=r"NESTED\.lists"):
        render(bundle, formatted=False)
