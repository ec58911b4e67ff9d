"""Random whole models: the generated code in every language agrees with the IR.

Each model's packages are generated into a folder of their own and built by the recipe of the language's driver.toml;
then the driver has to give the answers of the model's vectors, and those of the suite's own codec to random requests.
For the compiled languages one random model is built together with those of `helpers`; `make soak` builds more.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from built_models import COMPILED, DRIVERS, Model, grouped, handmade
from campaigns import SOAK, sized
from driver_processes import Process
from hypothesis import Phase, example, given, settings
from hypothesis import strategies as st
from random_bundles import bundles

from zeps_codegen.ir import RAISES_MAX, Bundle
from zeps_codegen.requests import Arm, Call, machine_request
from zeps_codegen.requests import Oracle as GeneratorsOracle
from zeps_codegen.targets.model_json import dump
from zeps_conformance.codec.campaign import DriverCommand
from zeps_conformance.codec.driver_protocol import parse_example

PYTHON_MODELS, COMPILED_MODELS = sized(6, 300), 20


class Drawn:
    """A model whose repr is short, because hypothesis prints it; `in_a_folder` keeps a failing one in a file."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle = bundle

    def __repr__(self) -> str:
        return "a model"


#: Rare cases, and earlier findings of random models, as a model that every run tests first.
KNOWN = Drawn(handmade("known"))


@st.composite
def models(draw: st.DrawFn) -> Drawn:
    return Drawn(draw(bundles()))


def in_a_folder(drawn: Drawn, test: Callable[[Model], None]) -> None:
    """Runs `test` on the model; if that fails, keeps the model in a file, which a note of the error names."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            test(Model(drawn.bundle, Path(folder)))
        except Exception as error:
            kept = Path(tempfile.gettempdir()) / "zeps-random-model.json"
            kept.write_text(dump(drawn.bundle), encoding="utf-8")
            error.add_note(f"the model is kept: {kept}")
            raise


def few(count: int) -> settings:
    """Settings for `count` models. They are not minimised: that takes longer than reading the difference."""
    phases = (Phase.explicit, Phase.reuse, Phase.generate)
    return settings(max_examples=count, phases=phases, report_multiple_bugs=False)


@few(sized(10, 200))
@example(KNOWN)
@given(models())
def test_two_oracles_agree(drawn: Drawn) -> None:
    """The generator's and the suite's oracles, which share no code."""

    def test(model: Model) -> None:
        for name, request, answer in model.vectors:
            assert model.oracle.answer(parse_example(request)) == answer, (name, request.hex())

    in_a_folder(drawn, test)


@few(PYTHON_MODELS)
@example(KNOWN, 1)
@given(models(), st.integers(0, 2**32))
def test_python(drawn: Drawn, seed: int) -> None:
    in_a_folder(drawn, lambda model: model.judge(model.build(DRIVERS["python"]), seed))


@pytest.mark.parametrize("language", grouped(COMPILED))
def test_compiled_languages(language: str, helpers: Model, driver: DriverCommand) -> None:
    """A random model, which is built with those of `helpers`; `make soak` builds others."""
    helpers.judge_campaign(driver, 1, helpers.random)

    @few(COMPILED_MODELS)
    @given(models(), st.integers(0, 2**32))
    def test(drawn: Drawn, seed: int) -> None:
        in_a_folder(drawn, lambda model: model.judge(model.build(DRIVERS[language]), seed))

    if SOAK:
        test()


PROTOCOLS = (("known", "greeting", "tails", "topics", "signed"), ("features", "old"))
"""The models of `helpers` that are tested together."""


@pytest.mark.parametrize("language", grouped(sorted(DRIVERS)))
@pytest.mark.parametrize("protocols", PROTOCOLS, ids=lambda names: names[0])
def test_models_of_helpers(
    language: str, protocols: Sequence[str], helpers: Model, driver: DriverCommand
) -> None:
    helpers.judge_campaign(driver, 1, protocols)


@pytest.mark.parametrize("language", grouped(sorted(DRIVERS)))
def test_vectors_of_helpers(language: str, helpers: Model, driver: DriverCommand) -> None:
    """Includes the corpus, which is built with them."""
    helpers.judge_vectors(driver)


@pytest.mark.parametrize("language", grouped(sorted(DRIVERS)))
def test_failures_in_turn(language: str, helpers: Model, driver: DriverCommand) -> None:
    """RAISES_MAX events are handled; one more is an error, after which the machine continues."""
    begin = Call("begin")
    arms = [Arm(f"do_{number}", "oops") for number in range(1, 11)]
    traces = [machine_request("deep_server", [*arms[:count], begin, begin]) for count in range(11)]
    answers = Process(driver.words).answers(traces)
    oracle = GeneratorsOracle(helpers.bundle)
    for count, (trace, answer) in enumerate(zip(traces, answers, strict=True)):
        steps = [*arms[:count], begin, begin]
        assert answer == oracle.run("deep_server", steps), count
        assert answer == helpers.oracle.answer(parse_example(trace)), count
        outcome = answer[1:].split(b"\5start")[count][-1:]
        assert outcome == (b"t" if count <= RAISES_MAX else b"h"), count
