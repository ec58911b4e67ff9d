"""The generated Go module: formatted, vetted, and tested by its own tests, the race detector and the fuzzer."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from campaigns import sized
from programs import GOLDEN, HELPERS, ROOT, examples, execute, models, sent
from programs import run as run_in

from zeps_codegen.generate import generate
from zeps_codegen.ir import Bundle, Dispatch, Field, FieldType, Message, Protocol
from zeps_codegen.load import load_bundle
from zeps_codegen.package import Package
from zeps_codegen.targets import go

PACKAGE = ROOT / go.FOLDER
HERE = Path(__file__).parent
#: The golden models, with every kind of field and dispatch.
KINDS = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
STATICCHECK = ROOT / "build" / "bin" / "staticcheck"
#: The committed module's path.
OURS = "zeps.example/wire"
TWO = """package main

import (
	"errors"
	"fmt"

	"acme.example/rain"
	"acme.example/rain/weather"
	"zeps.example/wire/zeps"
)

func main() {
	frame, err := new(zeps.Ping).Encode()
	if err != nil {
		panic(err)
	}
	message, err := zeps.Decode(frame)
	if err != nil {
		panic(err)
	}
	_, err = weather.Decode(nil)
	fmt.Println(message.MessageName(), errors.Is(err, rain.Truncated))
}
"""
#: Every Go module of the project.
MODULES = [
    PACKAGE,
    PACKAGE / "driver",
    ROOT / "tests" / "codegen" / "targets" / "go" / "api",
    ROOT / "examples" / "clients" / "go",
    ROOT / "examples" / "brokers" / "go",
    ROOT / "benchmarks" / "codec_go",
]

#: Combined, because parallel runs would each compile what is not in Go's caches yet.
pytestmark = [pytest.mark.xdist_group("go"), pytest.mark.timeout(1800)]


def run(folder: Path, *command: str) -> str:
    """Runs the command, which must succeed, in `folder`; returns its output."""
    return run_in(command, folder)


def run_tests(folder: Path, *arguments: str) -> None:
    """Runs tests of the module in `folder`, which is vetted elsewhere."""
    run(folder, "go", "test", "-vet=off", *arguments)


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(ROOT)))
def test_it_is_formatted_and_clean(module: Path) -> None:
    assert run(module, "gofmt", "-l", ".") == ""
    run(module, "go", "vet", "./...")
    run(module, str(STATICCHECK), "./...")


@pytest.mark.slow
def test_vectors_and_codecs_under_the_race_detector() -> None:
    for module in MODULES[:2]:
        run_tests(module, "-race", "./...")


def test_the_api_as_anybody_would_use_it() -> None:
    run_tests(MODULES[2], "-race", "./...")


@pytest.mark.parametrize("name", ["corners", "features"])
def test_what_drivers_cannot_look_at(name: str, tmp_path: Path) -> None:
    generate(load_bundle(models(HELPERS / name)), tmp_path, ["go"], formatted=False)
    module = tmp_path / go.FOLDER
    shutil.copytree(HERE / name, module / name, dirs_exist_ok=True)
    assert run(HERE / name, "gofmt", "-l", ".") == ""
    run(module, "go", "vet", "./...")
    run_tests(module, f"./{name}")


def test_names_that_generated_code_has_itself(tmp_path: Path) -> None:
    """Names of protocols, messages and fields that the driver, decoders or constructors use themselves."""
    number = Field("count", FieldType.NUMBER, 1, derived=True)
    measured = Field("octets", FieldType.OCTETS, 0, length="count")
    names = ("m", "w", "wire", "rest", "found", "next", "code", "frame", "size", "append_to", "string", "len")
    texts = [Field(name, FieldType.STRING, 1) for name in names]
    tail = Field("tail", FieldType.NUMBER, 1, default=1)
    others = (
        Message("NEW-REPORT", 2, (Field("state", FieldType.LIST, 1, items=replace(texts[0], name="item")),)),
        Message("MESSAGE", 3, ()),
    )
    # a package does not refer to its own name, so the names of fields are looked at in one
    report = Message("REPORT", 1, (number, measured, *texts, tail), extensible=True)
    short = replace(report, fields=(number, measured, texts[0], tail))
    called = ("kind", "value", "machine", "protocol", "message", "string", "take", "wire", "host", "testing")
    protocols = (
        Protocol(name, name, Dispatch.OCTET, 0, 1, (short if turn else report, *others))
        for turn, name in enumerate(called)
    )
    bundle = Bundle(tuple(protocols))
    generate(bundle, tmp_path, ["go"], formatted=False)
    for module in (tmp_path / go.FOLDER, tmp_path / go.FOLDER / "driver"):
        run(module, "go", "vet", "./...")
    run_tests(tmp_path / go.FOLDER / "driver", "./...")


def test_the_readmes_example_is_a_server(tmp_path: Path) -> None:
    """The example answers ATTACH, PING and DETACH."""
    (example,) = examples((PACKAGE / "README.md").read_text(), "go")
    (tmp_path / "main.go").write_text(example)
    (tmp_path / "go.mod").write_text(
        f"module example\n\ngo 1.21\n\nrequire {OURS} v0.0.0\n\nreplace {OURS} => {PACKAGE}\n"
    )
    run(tmp_path, "go", "build", "-o", "server", ".")
    frames = [b"\xaa\xa5\x01\x04ZEPS\0\x01\x04demo", b"\xaa\xa5\x08", b"\xaa\xa5\x0a", b"\xaa"]
    done = execute([tmp_path / "server"], stdin=sent(frames))
    assert done.stdout == sent(b"\xaa\xa5" + bytes([number]) for number in (2, 9, 11))
    assert b"truncated" in done.stderr


def test_two_modules_share_a_program(tmp_path: Path) -> None:
    """Two modules need distinct paths; the runtime's package is named after the end of the path."""
    acme = Package("acme-rain", "1.2.3", license_text="As you like.")
    generate(load_bundle([GOLDEN / "weather" / "weather.xml"]), tmp_path, ["go"], package=acme)
    module = tmp_path / go.FOLDER
    assert (module / "LICENSE").read_text() == "As you like."
    assert "package rain\n" in (module / "errors.go").read_text()
    run(module, "go", "vet", "./...")
    run_tests(module / "driver", "./...")
    program = tmp_path / "program"
    program.mkdir()
    (program / "go.mod").write_text(
        f"module example\n\ngo 1.21\n\nrequire (\n{OURS} v0.0.0\nacme.example/rain v0.0.0\n)\n\n"
        f"replace (\n{OURS} => {PACKAGE}\nacme.example/rain => {module}\n)\n"
    )
    (program / "main.go").write_text(TWO)
    assert run(program, "go", "run", ".") == "PING true\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "target"), [("zeps", "FuzzDecode"), ("journal", "FuzzDecode"), ("driver", "FuzzHandle")]
)
def test_the_fuzzer_finds_nothing(package: str, target: str, tmp_path: Path) -> None:
    copy = shutil.copytree(PACKAGE, tmp_path / "go")  # the fuzzer writes a failing input beside the test
    # executions, not seconds: at a time's end go's coordinator may take its own deadline for a failure
    bounds = ("-fuzztime", f"{sized(30_000, 3_000_000)}x", "-parallel", "1")
    run(copy / package, "go", "test", "-run", "^$", "-fuzz", target, *bounds, ".")


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One module for all golden models, vetted, whose driver's tests have passed."""
    folder = tmp_path_factory.mktemp("golden")
    generate(load_bundle(models(*(GOLDEN / name for name in KINDS))), folder, ["go"])
    for module in (folder / go.FOLDER, folder / go.FOLDER / "driver"):
        run(module, "go", "vet", "./...")
    run_tests(folder / go.FOLDER / "driver", "./...")
    return folder / go.FOLDER


@pytest.mark.slow
@pytest.mark.parametrize("model", KINDS)
def test_every_kind_of_field_and_dispatch(model: str, golden: Path) -> None:
    packages = [f"./{path.stem.replace('_', '')}" for path in models(GOLDEN / model)]
    run_tests(golden, *packages)
