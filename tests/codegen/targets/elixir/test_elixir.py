"""The generated Mix project: formatted, free of warnings, and right under its own tests and Dialyzer."""

from __future__ import annotations

import dataclasses
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from programs import GOLDEN, HELPERS, ROOT, examples, execute, models, sent
from programs import run as run_in

from zeps_codegen.generate import generate
from zeps_codegen.ir import Constant, Dispatch, Enumeration, Field, FieldType, Message, Protocol
from zeps_codegen.load import load_bundle
from zeps_codegen.package import Package
from zeps_codegen.targets import elixir

PACKAGE = ROOT / elixir.FOLDER
HERE = Path(__file__).parent
PROGRAM = """
defmodule Program.MixProject do
  use Mix.Project
  def project, do: [app: :program, version: "1.0.0", deps: [DEPENDENCY, {:acme_rain, path: "../acme"}]]
end
"""
TWO = """
{:ok, frame} = ZepsWire.Zeps.encode(%ZepsWire.Zeps.Ping{})
{:ok, message} = ZepsWire.Zeps.decode(frame)
{:error, error} = AcmeRain.Weather.decode("")
IO.puts("#{message.__struct__.name()} #{error.code} #{inspect(error.__struct__)}")
"""
ANALYSE = """
for warning <- :dialyzer.run(init_plt: ~c"PLT", files_rec: [~c"BEAMS"]), do: IO.puts(:dialyzer.format_warning(warning))
"""
NAMES = [
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
]
"""Names that Elixir or the generated code uses itself."""

pytestmark = [pytest.mark.xdist_group("elixir"), pytest.mark.timeout(900)]


def run(folder: Path, *command: str | Path) -> str:
    """Runs the command, which must succeed, in `folder`; returns its output."""
    return run_in(command, folder, MIX_ENV="test")


def mix(folder: Path) -> str:
    """The project is formatted, compiles without a warning, and passes its tests, whose output is returned."""
    steps = ("format --check-formatted", "compile --warnings-as-errors", "test")
    return run(folder, "mix", "do", *", ".join(steps).split())


@pytest.fixture
def beams(built: Callable[..., Path]) -> Path:
    """The compiled modules of the committed project, which mix has tested."""

    def build(folder: Path) -> None:
        mix(Path(shutil.copytree(PACKAGE, folder, dirs_exist_ok=True)))

    return built("elixir", build) / "_build" / "test" / "lib" / "zeps_wire" / "ebin"


@pytest.mark.slow
def test_the_committed_project(beams: Path) -> None:
    modules = re.findall(
        r"^defmodule ([\w.]+) do", "".join(path.read_text() for path in PACKAGE.rglob("*.ex")), re.M
    )
    assert {f"Elixir.{name}" for name in modules} <= {path.stem for path in beams.glob("*.beam")}


def names_that_elixir_has_itself() -> list[Protocol]:
    """A protocol in which everything has such a name, and small ones that are called like modules."""

    def protocol(name: str, names: Sequence[str]) -> Protocol:
        texts = tuple(Field(word, FieldType.STRING, 1) for word in names)
        colour = Field("colour", FieldType.NUMBER, 1, enumeration="colour")
        constants = tuple(Constant(word, number) for number, word in enumerate(names))
        messages = (
            Message("STRING", 1, (*texts, colour)),
            Message("KERNEL", 2, texts),
            Message("COLOUR", 3, ()),
        )
        enumerations = (Enumeration("colour", constants),)
        return Protocol(name, name, Dispatch.OCTET, 0, 1, messages, constants, enumerations)

    modules = ("decoder", "string", "driver", "process", "text")
    return [protocol("machine", NAMES), *(protocol(module, NAMES[-2:]) for module in modules)]


@pytest.mark.slow
def test_other_models(tmp_path: Path) -> None:
    """Every kind of field and dispatch, odd names, and what drivers do not show, such as errors, timers, processes."""
    golden = models(*(GOLDEN / name for name in ("frames", "tails", "weather")))
    known = load_bundle([*golden, *models(HELPERS / "features")])
    (features,) = load_bundle([GOLDEN / "features" / "features.xml"]).protocols
    kinds = dataclasses.replace(features, name="kinds")  # another has its name
    protocols = (*known.protocols, kinds, *names_that_elixir_has_itself())
    generate(dataclasses.replace(known, protocols=protocols), tmp_path, ["elixir"])
    package = tmp_path / elixir.FOLDER
    shutil.copytree(HERE / "features", package / "test", dirs_exist_ok=True)
    assert "13 tests, 0 failures" in mix(package)


@pytest.mark.slow
def test_the_readmes_example_is_a_server(beams: Path, tmp_path: Path) -> None:
    """It answers ATTACH, PING and DETACH."""
    _, example, _ = examples((PACKAGE / "README.md").read_text(), "elixir")
    (tmp_path / "server.exs").write_text(example)
    frames = [b"\xaa\xa5\x01\x04ZEPS\0\x01\x04demo", b"\xaa\xa5\x08", b"\xaa", b"\xaa\xa5\x0a"]
    done = execute(["elixir", "-pa", beams, tmp_path / "server.exs"], stdin=sent(frames))
    answers = sent(b"\xaa\xa5" + bytes([number]) for number in (2, 9, 11))
    assert (done.returncode, done.stdout) == (0, answers)
    assert b"truncated" in done.stderr


@pytest.mark.slow
def test_a_program_depends_on_two_packages(tmp_path: Path) -> None:
    """On the committed one as its README says, and on one of another name."""
    acme = Package("acme-rain", "1.2.3", license_text="As you like.")
    weather = load_bundle([GOLDEN / "weather" / "weather.xml"])
    generate(weather, tmp_path, ["elixir"], formatted=False, package=acme)
    package = (tmp_path / elixir.FOLDER).rename(tmp_path / "acme")
    assert (package / "LICENSE").read_text() == "As you like."
    assert 'version: "1.2.3"' in (package / "mix.exs").read_text()
    shutil.copytree(PACKAGE, tmp_path / "package")
    readme = (PACKAGE / "README.md").read_text()
    (dependency,) = re.findall(r"^{:zeps_wire, path: .*}$", readme, re.MULTILINE)
    program = tmp_path / "program"
    program.mkdir()
    (program / "mix.exs").write_text(
        PROGRAM.replace("DEPENDENCY", dependency.replace("PATH/TO/THIS/FOLDER", "../package"))
    )
    (program / "two.exs").write_text(TWO)
    assert run(program, "mix", "run", "two.exs").endswith("PING truncated AcmeRain.DecodeError\n")


@pytest.mark.slow
def test_dialyzer_finds_nothing(beams: Path) -> None:
    known = ROOT / "build" / "elixir.plt"
    assert known.exists(), "make tools writes it"
    program = ANALYSE.replace("PLT", str(known)).replace("BEAMS", str(beams))
    assert run(beams, "elixir", "-e", program) == ""
