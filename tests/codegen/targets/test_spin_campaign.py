"""spin and our own explorer search small random pairs of machines, and agree about each."""

from __future__ import annotations

import random

import pytest
from campaigns import seeds
from random_pairs import random_pair
from toys import toy

from zeps_codegen.ir import Bundle
from zeps_codegen.passes.composition import Result
from zeps_codegen.passes.explore import ANYTHING, NOBODY_GIVES_UP, Composition
from zeps_codegen.passes.session_grammar import explore_grammar, grammar_automaton
from zeps_codegen.passes.traces import pairs, replay
from zeps_codegen.spin import QUESTIONS, Question, ask
from zeps_codegen.targets.model_json import dump

EVERYTHING, NOBODY, GRAMMAR = QUESTIONS
BOUND = 1
SITUATIONS_MAX = 30_000
#: The explorer's names of the faults that spin reports.
KINDS = {
    "unspecified_reception": "unspecified",
    "unhandled_raise": "unhandled",
    "deadlock": "deadlock",
    "unexpected": "odd",
    "no_word": "violation",
    "owed": "owed",
}


def explored(bundle: Bundle, question: Question) -> Result | None:
    """The faults that our explorer finds under the question's conditions; None without a grammar to check."""
    protocol, client, server = pairs(bundle)[0]
    if question is not GRAMMAR:
        regime = ANYTHING if question is EVERYTHING else NOBODY_GIVES_UP
        explorer = Composition(protocol, client, server).explorer(
            regime, BOUND, reduce=False, states_max=SITUATIONS_MAX
        )
        return explorer.run()
    automaton = grammar_automaton(protocol)[0] if protocol.grammar else None
    if automaton is None:
        return None
    result, _ = explore_grammar(
        protocol, client, server, automaton, BOUND, reduce=False, states_max=SITUATIONS_MAX
    )
    return result


def compare(bundle: Bundle) -> None:
    """Asks both each question that the explorer completes; they agree on the length of the shortest path to a fault."""
    for question in QUESTIONS:
        ours = explored(bundle, question)
        if ours is None or not ours.complete:
            continue
        theirs = ask(*pairs(bundle)[0], BOUND, question.defines)
        shortest: dict[str, int] = {}
        for item in ours.findings:
            if item.kind in question.kinds:
                shortest[item.kind] = min(len(item.trace), shortest.get(item.kind, len(item.trace)))
        if not shortest:
            assert (theirs.fault, theirs.situations) == ("", ours.states), question.name
            assert theirs.rows == (ours.rows["client"], ours.rows["server"]), question.name
            continue
        assert len(theirs.trace) == shortest.get(KINDS.get(theirs.fault, "")), (
            question.name,
            theirs.fault,
            shortest,
        )
        replay(bundle, theirs.trace)


@pytest.mark.slow
@pytest.mark.parametrize("seed", seeds(6, 300))
def test_both_say_the_same_of_random_pairs(seed: int) -> None:
    bundle = random_pair(random.Random(seed))
    try:
        compare(bundle)
    except AssertionError as error:
        error.add_note(dump(bundle))
        raise


#: Pairs on which the two once disagreed.
KNOWN = {
    "a timer that changes nothing is not progress": toy(
        "idle heartbeat\nidle PING -> done", "idle PONG -> done"
    ),
    "an assignment that changes nothing is not progress": toy(
        "idle ask(): n := 0\nidle PING -> done", "idle PONG -> done"
    ),
    "a message that a full channel keeps from being answered": toy(
        "idle ask() -> asked: send ASK; send ASK\nasked SORRY -> idle",
        "idle ASK: send ANSWER; send ANSWER\nidle * -> idle: send SORRY; send SORRY",
    ),
    "what arrives at a machine that has ended": toy(
        "idle ask(): send ASK; end\nidle ANSWER -> done", "idle ASK: send ANSWER\nidle SORRY -> done"
    ),
    "a fault that was not asked about": toy(
        "idle ask() -> waiting: send ASK\nwaiting OTHER -> idle",
        "idle ASK: send ANSWER",
        grammar="talk = *( C:ASK S:ANSWER )",
    ),
}


@pytest.mark.parametrize("name", KNOWN)
def test_both_say_the_same_of_what_they_once_disagreed_about(name: str) -> None:
    compare(KNOWN[name])
