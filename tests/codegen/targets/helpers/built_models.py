"""Models whose packages are generated and built in separate folders, and their drivers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from campaigns import sized
from driver_processes import Process
from model_mutants import MODELS, mutants
from programs import ROOT, models, vectors_of
from random_bundles import bundles
from random_draws import drawn

from zeps_codegen.generate import TARGETS, generate
from zeps_codegen.ir import Bundle
from zeps_codegen.load import load_bundle
from zeps_codegen.targets import vectors
from zeps_conformance.codec.campaign import Campaign, DriverCommand
from zeps_conformance.codec.compare import difference
from zeps_conformance.codec.driver_protocol import parse_example
from zeps_conformance.codec.drivers import Build, discover
from zeps_conformance.codec.oracle import Oracle
from zeps_conformance.codec.report import format_outcome
from zeps_conformance.model.definitions import load_models

RELEASE, NONE = "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_BUILD_TYPE=None"
#: Replacements of a recipe's words for tests with few requests, for which optimisation would take too long. Without
#: optimisation Clang compiles C++ in two thirds of GCC's time; other tests build the packages with GCC.
HASTE = {
    "c": {RELEASE: (NONE,)},
    "cpp": {
        RELEASE: (
            NONE,
            "-DCMAKE_UNITY_BUILD=ON",
            "-DCMAKE_UNITY_BUILD_BATCH_SIZE=0",
            "-DCMAKE_CXX_COMPILER=clang++",
        )
    },
    "java": {"javac": ("javac", "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC")},
}


def _hasty(build: Build) -> Build:
    """The recipe without optimisation."""
    known = HASTE.get(build.language, {})
    commands = (tuple(word for old in command for word in known.get(old, (old,))) for command in build.build)
    return replace(build, build=tuple(commands))


#: How to build the driver of each language.
DRIVERS = {build.language: _hasty(build) for build in discover(ROOT / "conformance" / "drivers")}
COMPILED = sorted(set(DRIVERS) & {target.name for target in TARGETS} - {"python"})
EXAMPLES = sized(400, 2000)
CORPUS = Path(__file__).parents[2] / "corpus"
PATHS = [ROOT / "protocol" / name for name in MODELS]
"""The models of ZEPS: protocol, server and client."""
DROPPED = "zeps_client open.SUBSCRIBE-OK[pending > 0]: deleted"
"""A mutant in which spin finds a fault; its code is built with the other models."""


def handmade(*folders: str | Path) -> Bundle:
    """The models of some folders as one bundle; a name refers to a folder of `helpers`."""
    helpers = Path(__file__).parent
    return load_bundle(sorted(models(*(helpers / folder for folder in folders))))


def joined(*bundles: Bundle) -> Bundle:
    """The protocols and machines of several bundles, whose names must differ."""
    protocols = tuple(protocol for bundle in bundles for protocol in bundle.protocols)
    return Bundle(protocols, tuple(machine for bundle in bundles for machine in bundle.machines))


def mutant(name: str, folder: Path) -> Bundle:
    """The models of ZEPS with the change called `name`; their files are written to `folder`."""
    chosen = next(item for item in mutants() if item.name == name)
    for path in PATHS:
        text = chosen.text if path.name == chosen.file else path.read_bytes()
        (folder / path.name).write_bytes(text)
    return load_bundle([folder / path.name for path in PATHS])


def random_bundle() -> Bundle:
    """A random model, the same in each run: two protocols with several fields, and a machine with several rows."""

    def is_rich(bundle: Bundle) -> bool:
        fields = [
            field
            for protocol in bundle.protocols
            for message in protocol.messages
            for field in message.fields
        ]
        return len(fields) > 8 and all(len(machine.transitions) > 4 for machine in bundle.machines)

    return drawn(bundles(), 1, is_rich)[0]


def grouped(languages: Sequence[str]) -> list[ParameterSet]:
    """Parameters for tests that share a language's driver; compiled languages are slow."""
    slow = [pytest.mark.slow]
    return [
        pytest.param(
            language, marks=[pytest.mark.xdist_group(f"helpers-{language}"), *slow * (language in COMPILED)]
        )
        for language in languages
    ]


def build_driver(bundle: Bundle, build: Build, folder: Path) -> DriverCommand:
    """Generates a language's package in `folder`, and builds its driver there."""
    generate(bundle, folder, [build.language], formatted=False)
    package = folder / "generated" / build.language
    words = build.made(package, folder / "build" / build.language, lambda _text: None)
    return DriverCommand(build.language, words)


class Model:
    """A model in a folder, with its oracle."""

    def __init__(self, bundle: Bundle, folder: Path) -> None:
        self.bundle, self.folder = bundle, folder
        generate(bundle, folder, ["model"])
        self.path = folder / "generated" / "model.json"
        self.oracle = Oracle(*load_models(self.path))
        self.vectors = vectors_of(vectors.render(bundle)[vectors.FOLDER / "requests.tsv"])
        self.random: list[str] = []
        """The names of the protocols that are random, if others are not."""

    def build(self, build: Build) -> DriverCommand:
        """The driver of a language's package."""
        return build_driver(self.bundle, build, self.folder)

    def judge(self, command: DriverCommand, seed: int, protocols: Sequence[str] = ()) -> None:
        """Checks the driver's answers for the vectors and for a campaign, which is over `protocols` only, if given."""
        self.judge_vectors(command)
        self.judge_campaign(command, seed, protocols)

    def judge_vectors(self, command: DriverCommand) -> None:
        """Checks the driver's answers for all vectors."""
        answers = Process(command.words).answers([request for _, request, _ in self.vectors])
        for (name, request, expected), seen in zip(self.vectors, answers, strict=True):
            mismatch = difference(self.oracle, parse_example(request), expected, seen)
            assert mismatch is None, f"{command.name}: {name}: {mismatch}: {request.hex()}"

    def judge_campaign(self, command: DriverCommand, seed: int, protocols: Sequence[str] = ()) -> None:
        """Checks that the driver and the suite's codec agree on random requests, of `protocols` only, if given."""
        oracle = Oracle(*load_models(self.path), protocols)
        outcome = Campaign(oracle, [command]).run(EXAMPLES, seed)
        assert outcome.finding is None, format_outcome(oracle, outcome)
