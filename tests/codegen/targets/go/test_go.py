"""The generated Go module: formatted, clean, and right under its own test runner, the race detector and the fuzzer."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from campaigns import sized

from zeps_codegen.generate import generate
from zeps_codegen.load import load_bundle
from zeps_codegen.targets import formatting, go

ROOT = Path(__file__).parents[4]
PACKAGE = ROOT / go.FOLDER
HERE = Path(__file__).parent
GOLDEN = HERE.parent / "golden"
HELPERS = HERE.parent / "helpers"
STATICCHECK = "honnef.co/go/tools/cmd/staticcheck@v0.8.2"
#: Every Go module of the project.
MODULES = [
    PACKAGE,
    ROOT / "tests" / "codegen" / "targets" / "go" / "api",
    ROOT / "examples" / "clients" / "go",
    ROOT / "examples" / "brokers" / "go",
    ROOT / "benchmarks" / "codec_go",
]

#: Together: of two that begin side by side each would compile the standard library, for the race detector and again
#: for the fuzzer, which takes minutes on a busy machine.
pytestmark = [pytest.mark.xdist_group("go"), pytest.mark.timeout(1800)]


def run(folder: Path, *command: str, environment: Mapping[str, str] | None = None) -> str:
    """What the command says; it has to succeed."""
    assert shutil.which(command[0]), (
        f"{command[0]} is needed: install Go 1.23 or later (apt-get install golang)"
    )
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(command)} in {folder}\n{done.stdout}{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("module", MODULES, ids=lambda module: str(module.relative_to(ROOT)))
def test_it_is_formatted_and_clean(module: Path) -> None:
    assert run(module, "gofmt", "-l", ".") == ""
    run(module, "go", "vet", "./...")
    run(module, "go", "run", STATICCHECK, "./...")


@pytest.mark.slow
def test_vectors_and_codecs_under_the_race_detector() -> None:
    run(PACKAGE, "go", "test", "-race", "./...")


def test_the_api_as_anybody_would_use_it() -> None:
    run(MODULES[1], "go", "test", "-race", "./...")


@pytest.mark.parametrize("models", ["corners", "features"])
def test_what_drivers_cannot_look_at(models: str, tmp_path: Path) -> None:
    generate(load_bundle(sorted((HELPERS / models).glob("*.xml"))), tmp_path, ["go"], formatted=False)
    module = tmp_path / go.FOLDER
    tests = shutil.copytree(HERE / models, module / models, dirs_exist_ok=True).glob("*_test.go")
    assert run(module, "gofmt", "-l", *(str(one) for one in tests if one.name != "fuzz_test.go")) == ""
    run(module, "go", "vet", "./...")
    run(module, "go", "test", "-race", f"./{models}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("package", "target"), [("zeps", "FuzzDecode"), ("journal", "FuzzDecode"), ("driver", "FuzzHandle")]
)
def test_the_fuzzer_finds_nothing(package: str, target: str, tmp_path: Path) -> None:
    copy = shutil.copytree(PACKAGE, tmp_path / "go")  # what it finds is written beside the test
    # executions, not seconds: at a time's end go's coordinator may take its own deadline for a failure
    bounds = ("-fuzztime", f"{sized(30_000, 3_000_000)}x", "-parallel", "1")
    run(copy / package, "go", "test", "-run", "^$", "-fuzz", target, *bounds, ".")


@pytest.mark.slow
@pytest.mark.parametrize("model", sorted(path.name for path in GOLDEN.iterdir() if path.is_dir()))
def test_every_kind_of_field_and_dispatch(model: str, tmp_path: Path) -> None:
    generate(load_bundle(sorted((GOLDEN / model).glob("*.xml"))), tmp_path, ["go", "vectors"])
    run(tmp_path / go.FOLDER, "go", "vet", "./...")
    run(tmp_path / go.FOLDER, "go", "test", "./...")


def test_without_its_formatter_it_says_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = load_bundle(sorted((GOLDEN / "weather").glob("*.xml")))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(formatting.FormatterError, match="gofmt is needed"):
        go.render(bundle)
    assert go.render(bundle, formatted=False)
