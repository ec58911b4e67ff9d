"""The generated Mix project: formatted, free of warnings, and right under its own tests and Dialyzer."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from zeps_codegen.generate import generate
from zeps_codegen.ir import Bundle, Constant, Dispatch, Enumeration, Field, FieldType, Message, Protocol
from zeps_codegen.load import load_bundle
from zeps_codegen.package import Package
from zeps_codegen.targets import elixir, formatting

ROOT = Path(__file__).parents[4]
PACKAGE = ROOT / elixir.FOLDER
HERE = Path(__file__).parent
GOLDEN = HERE.parent / "golden"
HELPERS = HERE.parent / "helpers"
TWO = """
{:ok, frame} = ZepsWire.Zeps.encode(%ZepsWire.Zeps.Ping{})
{:ok, message} = ZepsWire.Zeps.decode(frame)
{:error, error} = AcmeRain.Weather.decode("")
IO.puts("#{message.__struct__.name()} #{error.code} #{inspect(error.__struct__)}")
"""
PROGRAM = """
defmodule Program.MixProject do
  use Mix.Project
  def project, do: [app: :program, version: "1.0.0", deps: [DEPENDENCY]]
end
"""

pytestmark = [pytest.mark.xdist_group("elixir"), pytest.mark.timeout(900)]


def run(folder: Path, *command: str | Path, told: bytes = b"") -> str:
    """What the command says on stdout; it has to succeed."""
    assert shutil.which(command[0]), (
        f"{command[0]} is needed: install Elixir 1.14 or later (apt-get install elixir)"
    )
    done = subprocess.run(
        command,
        cwd=folder,
        input=told,
        env={**os.environ, "MIX_ENV": "test"},
        capture_output=True,
        check=False,
    )
    said = done.stdout.decode(errors="replace")
    assert done.returncode == 0, f"{command} in {folder}\n{said}{done.stderr.decode(errors='replace')}"
    return said


def mix(folder: Path) -> None:
    """The project is formatted, compiles without a warning, and passes its tests."""
    run(folder, "mix", "format", "--check-formatted")
    run(folder, "mix", "compile", "--warnings-as-errors")
    run(folder, "mix", "test")


@pytest.mark.slow
def test_the_committed_project(tmp_path: Path) -> None:
    mix(Path(shutil.copytree(PACKAGE, tmp_path / "package")))


@pytest.mark.slow
def test_what_drivers_cannot_look_at(tmp_path: Path) -> None:
    """Errors, filling, failing and raising, timers, the callback for rows, and a machine as a process."""
    generate(load_bundle(sorted((HELPERS / "features").glob("*.xml"))), tmp_path, ["elixir"])
    package = tmp_path / elixir.FOLDER
    shutil.copytree(HERE / "features", package / "test", dirs_exist_ok=True)
    mix(package)


@pytest.mark.slow
@pytest.mark.parametrize("model", sorted(path.name for path in GOLDEN.iterdir() if path.is_dir()))
def test_every_kind_of_field_and_dispatch(model: str, tmp_path: Path) -> None:
    generate(load_bundle(sorted((GOLDEN / model).glob("*.xml"))), tmp_path, ["elixir"])
    mix(tmp_path / elixir.FOLDER)


@pytest.mark.slow
def test_names_that_elixir_has_itself(tmp_path: Path) -> None:
    names = (
        "end",
        "fn",
        "nil",
        "def",
        "if",
        "self",
        "send",
        "raise",
        "rest",
        "frame",
        "name",
        "plan",
        "topic",
        "2nd",
    )
    texts = [Field(name, FieldType.STRING, 1) for name in names]
    colours = Enumeration("colour", tuple(Constant(name, number) for number, name in enumerate(names)))
    number = Field("colour", FieldType.NUMBER, 1, enumeration="colour")
    messages = (
        Message("STRING", 1, (*texts, number)),
        Message("KERNEL", 2, tuple(texts)),
        Message("COLOUR", 3, ()),
    )
    constants = tuple(Constant(name, number) for number, name in enumerate(names))
    called = ("machine", "decoder", "string", "driver", "process", "text")
    bundle = Bundle(
        tuple(Protocol(one, one, Dispatch.OCTET, 0, 1, messages, constants, (colours,)) for one in called)
    )
    generate(bundle, tmp_path, ["elixir"])
    mix(tmp_path / elixir.FOLDER)


@pytest.mark.slow
def test_the_readmes_example_is_a_server(tmp_path: Path) -> None:
    """It answers ATTACH, PING and DETACH."""
    (example,) = re.findall(r"```elixir\n(defmodule.*?)```", (PACKAGE / "README.md").read_text(), re.DOTALL)
    (tmp_path / "server.exs").write_text(example)
    run(PACKAGE, "elixirc", "-o", tmp_path, "lib/**/*.ex")
    frames = [b"\xaa\xa5\x01\x04ZEPS\0\x01\x04demo", b"\xaa\xa5\x08", b"\xaa", b"\xaa\xa5\x0a"]
    asked = b"".join(len(one).to_bytes(4, "big") + one for one in frames)
    command = ["elixir", "-pa", tmp_path, tmp_path / "server.exs"]
    done = subprocess.run(list(map(str, command)), input=asked, capture_output=True, check=True)
    assert done.stdout == b"".join(b"\0\0\0\3\xaa\xa5" + bytes([one]) for one in (2, 9, 11))
    assert b"truncated" in done.stderr


@pytest.mark.slow
def test_the_readmes_dependency_compiles_in_another_program(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "package")
    readme = (PACKAGE / "README.md").read_text()
    (dependency,) = re.findall(r"^{:zeps_wire, path: .*}$", readme, re.MULTILINE)
    (tmp_path / "program").mkdir()
    (tmp_path / "program" / "mix.exs").write_text(
        PROGRAM.replace("DEPENDENCY", dependency.replace("PATH/TO/THIS/FOLDER", "../package"))
    )
    run(tmp_path / "program", "mix", "run", "-e", "{:ok, _} = ZepsWire.Zeps.encode(%ZepsWire.Zeps.Ping{})")


@pytest.mark.slow
def test_two_packages_share_a_program(tmp_path: Path) -> None:
    acme = Package("acme-rain", "1.2.3", license_text="As you like.")
    generate(load_bundle([GOLDEN / "weather" / "weather.xml"]), tmp_path, ["elixir"], package=acme)
    package = tmp_path / elixir.FOLDER
    assert (package / "LICENSE").read_text() == "As you like."
    assert 'version: "1.2.3"' in (package / "mix.exs").read_text()
    for folder in (package, PACKAGE):
        run(folder, "elixirc", "-o", tmp_path, "lib/**/*.ex")
    (tmp_path / "two.exs").write_text(TWO)
    assert run(tmp_path, "elixir", "-pa", tmp_path, "two.exs") == "PING truncated AcmeRain.DecodeError\n"


@pytest.mark.slow
def test_dialyzer_finds_nothing(tmp_path: Path) -> None:
    known = ROOT / "build" / "elixir.plt"
    assert known.exists(), "make tools writes it"
    libraries = Path(run(tmp_path, "elixir", "-e", "IO.write(:code.lib_dir(:elixir))")).parent
    environment = {**os.environ, "ERL_LIBS": str(libraries)}
    run(tmp_path, "elixirc", "-o", tmp_path / "beams", PACKAGE / "lib/**/*.ex")
    command: list[str | Path] = ["dialyzer", "--plt", known, "-r", tmp_path / "beams"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_without_its_formatter_it_says_what_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    bundle = load_bundle(sorted((GOLDEN / "weather").glob("*.xml")))
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(formatting.FormatterError, match="mix is needed"):
        elixir.render(bundle)
    assert elixir.render(bundle, formatted=False)
