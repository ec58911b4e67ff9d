"""The suite's own answers: the oracle agrees with the vectors and with its examples."""

from __future__ import annotations

from pathlib import Path

from campaigns import sized

from zeps_conformance.codec.driver_protocol import Decode, Encode, Trace, parse_answer, parse_example
from zeps_conformance.codec.examples import Examples
from zeps_conformance.codec.oracle import Oracle
from zeps_conformance.codec.shrink import candidates
from zeps_conformance.model.definitions import load_models

ROOT = Path(__file__).parents[3]
ORACLE = Oracle(*load_models(ROOT / "generated" / "model.json"))


def test_it_gives_the_answers_of_the_vectors() -> None:
    """The generator, which shares no code with the suite, computed the vectors."""
    lines = (ROOT / "generated" / "vectors" / "requests.tsv").read_text(encoding="utf-8").splitlines()
    for line in lines:
        name, request, answer = line.split("\t")
        example = parse_example(bytes.fromhex(request))
        assert example.request().hex() == request
        assert ORACLE.answer(example).hex() == answer, name


def test_examples_follow_from_the_seed() -> None:
    examples, same_seed, other_seed = (Examples(ORACLE, seed) for seed in (1, 1, 2))
    first = [examples.next() for _ in range(300)]
    assert first == [same_seed.next() for _ in range(300)]
    assert first != [other_seed.next() for _ in range(300)]


def test_examples_are_of_every_kind_and_come_to_every_end() -> None:
    examples = Examples(ORACLE, 0)
    codes: set[str] = set()
    outcomes: set[str] = set()
    accepted = set()
    for _ in range(4000):
        example = examples.next()
        answer = parse_answer(example, ORACLE.answer(example))
        codes |= {getattr(answer, "code", "")}
        outcomes |= {step.outcome for step in getattr(answer, "steps", ())}
        accepted |= {
            (type(example), getattr(answer, "message", "")) for _ in [0] if not hasattr(answer, "code")
        }
    assert codes >= {
        *(
            "truncated",
            "trailing",
            "bad-signature",
            "unknown-message",
            "bad-constant",
            "bad-text",
            "too-long",
        ),
    }
    assert outcomes >= set("tnhxve")  # a `*` row handles every other event, so that `u` does not occur here
    messages = {name for codec in ORACLE.codecs.values() for name in codec.names}
    assert {name for kind, name in accepted if kind is Decode} == messages


def test_what_is_made_smaller_is_smaller() -> None:
    examples = Examples(ORACLE, 5)
    for _ in range(sized(40, 1000)):
        example = examples.next()
        assert isinstance(example, Decode | Encode | Trace)
        for smaller in candidates(ORACLE, example):
            assert len(smaller.request()) <= len(example.request())
