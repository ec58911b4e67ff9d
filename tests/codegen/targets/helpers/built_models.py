"""Models whose packages are generated and built in separate folders, and their drivers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from _pytest.mark.structures import ParameterSet
from campaigns import sized
from driver_processes import ROOT, Process
from recipes import hasty

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

DRIVERS = {
    build.language: replace(build, build=tuple(hasty(build.language, one) for one in build.build))
    for build in discover(ROOT / "conformance" / "drivers")
}
COMPILED = sorted(set(DRIVERS) & {target.name for target in TARGETS} - {"python"})
EXAMPLES = sized(400, 2000)
CORPUS = Path(__file__).parents[2] / "corpus"


def handmade(*folders: str | Path) -> Bundle:
    """The models of some folders as one bundle; a name refers to a folder of `helpers`."""
    helpers = Path(__file__).parent
    return load_bundle(sorted(path for folder in folders for path in (helpers / folder).glob("*.xml")))


def grouped(languages: Sequence[str]) -> list[ParameterSet]:
    """Parameters for tests that share a language's driver; compiled languages are slow."""
    slow = [pytest.mark.slow]
    return [
        pytest.param(one, marks=[pytest.mark.xdist_group(f"helpers-{one}"), *slow * (one in COMPILED)])
        for one in languages
    ]


class Model:
    """A model in a folder, with its oracle."""

    def __init__(self, bundle: Bundle, folder: Path) -> None:
        self.bundle, self.folder = bundle, folder
        generate(bundle, folder, ["model"])
        self.path = folder / "generated" / "model.json"
        self.oracle = Oracle(*load_models(self.path))
        text = vectors.render(bundle)[vectors.FOLDER / "requests.tsv"].decode()
        lines = [line.split("\t") for line in text.splitlines()]
        self.vectors = [(name, bytes.fromhex(q), bytes.fromhex(a)) for name, q, a in lines]

    def build(self, build: Build) -> DriverCommand:
        """The driver of a language's package."""
        generate(self.bundle, self.folder, [build.language], formatted=False)
        package = self.folder / "generated" / build.language
        words = build.made(package, self.folder / "build" / build.language, lambda _text: None)
        return DriverCommand(build.language, words)

    def judge(self, command: DriverCommand, seed: int, protocols: Sequence[str] = ()) -> None:
        """Checks the driver's answers for the vectors and for a campaign, which is over `protocols` only, if given."""
        self.judge_vectors(command)
        self.judge_campaign(command, seed, protocols)

    def judge_vectors(self, command: DriverCommand) -> None:
        """Checks the driver's answers for all vectors."""
        answers = Process(command.words).answers([request for _, request, _ in self.vectors])
        for (name, request, wanted), seen in zip(self.vectors, answers, strict=True):
            found = difference(self.oracle, parse_example(request), wanted, seen)
            assert found is None, f"{command.name}: {name}: {found}: {request.hex()}"

    def judge_campaign(self, command: DriverCommand, seed: int, protocols: Sequence[str] = ()) -> None:
        """Checks that the driver and the suite's codec agree on random requests, of `protocols` only, if given."""
        oracle = Oracle(*load_models(self.path), protocols)
        outcome = Campaign(oracle, [command]).run(EXAMPLES, seed)
        assert outcome.finding is None, format_outcome(oracle, outcome)
