"""The Promela target and spin: the same situations and verdicts as our own explorer, and traces that replay."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from built_models import DRIVERS, DROPPED, PATHS, grouped, mutant
from campaigns import SOAK
from driver_processes import Process
from toys import toy

from zeps_codegen.cli import main
from zeps_codegen.ir import Binary, Bundle, Literal, Name, Type
from zeps_codegen.load import load_bundle
from zeps_codegen.passes.explore import ANYTHING, NOBODY_GIVES_UP, UNDISTURBED, Composition
from zeps_codegen.passes.session_grammar import explore_grammar, grammar_automaton
from zeps_codegen.passes.traces import Trace, pairs, parse_trace, render_trace, replay
from zeps_codegen.playback import PlaybackError, playbacks
from zeps_codegen.spin import QUESTIONS, Question, SpinError, Verdict
from zeps_codegen.spin import ask as ask_spin
from zeps_codegen.targets.errors import UnsupportedByTarget
from zeps_codegen.targets.promela import promela_source, render
from zeps_conformance.codec.campaign import DriverCommand

ANYTHING_GOES, NOBODY, GRAMMAR = QUESTIONS
#: The capacity of channels for a full exploration of our models; one more message takes fifty times as long.
BOUND = 3 if SOAK else 2
#: Tests that ask the same questions run in one worker, where each is answered once.
same_questions = pytest.mark.xdist_group("spin-zeps")
ask = functools.cache(ask_spin)


@pytest.fixture(scope="module")
def zeps() -> Bundle:
    return load_bundle(PATHS)


@pytest.fixture(scope="module")
def dropped(built: Callable[..., Path]) -> tuple[Bundle, Trace]:
    """A mutant, and spin's trace to a fault of it, computed once for all languages."""

    def find(folder: Path) -> None:
        changed = mutant(DROPPED, folder)
        trace = next(verdict.trace for verdict in verdicts(changed, [NOBODY]) if verdict.fault)
        (folder / "trace.json").write_text(render_trace(trace), encoding="utf-8")

    folder = built("spin-counterexample", find)
    trace = parse_trace((folder / "trace.json").read_text(encoding="utf-8"))
    return load_bundle([folder / path.name for path in PATHS]), trace


def verdicts(bundle: Bundle, questions: Sequence[Question]) -> Iterator[Verdict]:
    for question in questions:
        yield ask(*pairs(bundle)[0], 2, question.defines)


# --- agreement with our own explorer


@same_questions
@pytest.mark.parametrize("bound", [1, 2])
def test_spin_sees_the_situations_that_the_check_sees_and_no_other(zeps: Bundle, bound: int) -> None:
    composition = Composition(*pairs(zeps)[0])
    regimes = ((ANYTHING, ()), (NOBODY_GIVES_UP, ("GIVE_UP=0",)), (UNDISTURBED, ("GIVE_UP=0", "REFUSE=0")))
    for regime, defines in regimes:
        ours = composition.explorer(regime, bound, reduce=False).run()
        theirs = ask(*pairs(zeps)[0], bound, defines)
        assert (theirs.situations, theirs.complete, theirs.fault) == (ours.states, True, "")
        assert theirs.rows == (ours.rows["client"], ours.rows["server"])


@same_questions
def test_spin_follows_the_session_grammar_alike(zeps: Bundle) -> None:
    protocol, client, server = pairs(zeps)[0]
    automaton, _ = grammar_automaton(protocol)
    assert automaton is not None
    ours, _ = explore_grammar(protocol, client, server, automaton, 2, reduce=False)
    theirs = ask(protocol, client, server, 2, GRAMMAR.defines)
    assert (theirs.situations, theirs.complete, theirs.fault) == (ours.states, True, "")


@same_questions
@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_the_whole_session_is_explored_and_nothing_is_wrong(zeps: Bundle, question: Question) -> None:
    verdict = ask(*pairs(zeps)[0], BOUND, question.defines)
    assert (verdict.complete, verdict.fault) == (True, "")
    assert verdict.situations > (100_000 if SOAK else 5_000)


ASKS = "idle ask() -> waiting: send ASK"
TOYS = {
    "sound": (f"{ASKS}\nwaiting ANSWER -> idle", "idle ASK: send ANSWER"),
    "unspecified": (f"{ASKS}\nwaiting OTHER -> idle", "idle ASK: send ANSWER"),
    "deadlock": (f"{ASKS}\nwaiting PING -> idle", "idle ASK -> gone\ngone PING -> idle"),
    "both ended": (f"{ASKS}\nwaiting ANSWER -> done", "idle ASK -> done: send ANSWER"),
    "terminated": (f"{ASKS}\nwaiting ANSWER: end", "idle ASK: send ANSWER; send ANSWER"),
    "unhandled": (
        "idle ask() -> waiting: send ASK; raise? oops\nwaiting ANSWER -> idle",
        "idle ASK: send ANSWER",
    ),
    "handled": (
        f"{ASKS}\nwaiting ANSWER -> idle\nwaiting SORRY -> idle",
        "idle ASK: raise? oops; send ANSWER\nidle oops: send SORRY",
    ),
    "read": (
        "idle ask() -> waiting: send ASK\nwaiting ANSWER -> idle: raise? no\nwaiting no -> done\nidle ANSWER",
        "idle ASK: send ANSWER\nidle tick() -> other\nother ASK -> idle: send ANSWER as no",
    ),
    "read wrongly": (
        "idle ask() -> waiting: send ASK\nwaiting ANSWER -> idle: raise? no\nwaiting no -> done\nidle ANSWER",
        "idle ASK: send ANSWER; send ANSWER as no",
    ),
    "read as what no row takes": (
        "idle ask() -> waiting: send ASK\nwaiting ANSWER -> idle: raise? no yes\nwaiting yes -> done",
        "idle ASK: send ANSWER as no",
    ),
    "odd": (f"{ASKS}\nwaiting ANSWER -> idle\nidle * -> idle", "idle ASK: send ANSWER; send ANSWER"),
    "burst": (f"{ASKS}\nwaiting ANSWER", "idle ASK: send ANSWER; send ANSWER; send ANSWER"),
    "counted": (
        "idle ask(): send ASK; n := n + 1\nidle ANSWER[n > 0]: n := n - 1",
        "idle ASK: send ANSWER",
    ),
    "counted wrongly": (
        "idle ask(): send ASK; n := n + 1\nidle ANSWER[n > 0]: n := n - 1",
        "idle ASK: send ANSWER\nidle tick: send ANSWER",
    ),
    "grows": (
        "idle ask()[n < 3]: send ASK; n := n + 1\nidle ask()[n >= 3] -> done\nidle ANSWER",
        "idle ASK: send ANSWER",
    ),
    "waits for its host": (
        f"{ASKS}\nwaiting ANSWER -> idle",
        "idle ASK -> busy\nbusy ready -> idle: send ANSWER",
    ),
    "gives up": (
        f"{ASKS}\nwaiting ANSWER -> idle\nwaiting expired -> idle\nidle ANSWER",
        "idle ASK: send ANSWER",
    ),
}
KINDS = {
    "unspecified_reception": "unspecified",
    "unhandled_raise": "unhandled",
    "deadlock": "deadlock",
    "unexpected": "odd",
}


@pytest.mark.parametrize("name", TOYS)
def test_spin_and_the_check_agree_about_small_machines(name: str) -> None:
    bundle = toy(*TOYS[name])
    composition = Composition(*pairs(bundle)[0])
    for question, regime in ((ANYTHING_GOES, ANYTHING), (NOBODY, NOBODY_GIVES_UP)):
        ours = composition.explorer(regime, 2, reduce=False).run()
        kinds = {item.kind for item in ours.findings} & set(KINDS.values())
        kinds &= question.kinds
        theirs = ask(*pairs(bundle)[0], 2, question.defines)
        if kinds:
            assert KINDS[theirs.fault] in kinds
            replay(bundle, theirs.trace)
            shortest = min(len(item.trace) for item in ours.findings if item.kind in kinds)
            assert len(theirs.trace) == shortest
        else:
            assert (theirs.fault, theirs.situations) == ("", ours.states)


def test_an_answer_that_the_grammar_demands_and_nobody_sends() -> None:
    bundle = toy(f"{ASKS}\nwaiting ANSWER -> idle", "idle ASK", grammar="talk = *( C:ASK S:ANSWER )")
    verdict = ask(*pairs(bundle)[0], 2, GRAMMAR.defines)
    assert verdict.fault == "owed"
    assert [step.event for step in verdict.trace] == ["ask", "ASK"]
    replay(bundle, verdict.trace)


# --- injected faults

CAUGHT = {
    "zeps_server open.DETACH: without action DETACH-OK": "no_word",
    "zeps_server detaching.DETACH-OK: deleted": "no_word",
    "zeps_server open.PING: without action PING-OK": "no_word",
    "zeps_server open.deliver[credit >= size(DELIVER)]: without its guard": "unexpected",
    DROPPED: "unexpected",
}


@pytest.mark.parametrize("name", CAUGHT)
def test_a_planted_fault_gives_a_counterexample_that_replays(name: str, zeps: Bundle, tmp_path: Path) -> None:
    """Asks the question that finds the fault; `make soak` asks all."""
    changed = mutant(name, tmp_path)
    questions = QUESTIONS if SOAK else (GRAMMAR if CAUGHT[name] == "no_word" else NOBODY,)
    counterexamples = [verdict for verdict in verdicts(changed, questions) if verdict.fault]
    assert CAUGHT[name] in {verdict.fault for verdict in counterexamples}
    for verdict in counterexamples:
        replay(changed, verdict.trace)
        parts = playbacks(changed, verdict.trace)
        assert sum(len(part.steps) for part in parts) >= len(verdict.trace)


def test_the_original_does_not_do_what_a_counterexample_says(
    zeps: Bundle, dropped: tuple[Bundle, Trace]
) -> None:
    changed, trace = dropped
    playbacks(changed, trace)
    with pytest.raises(PlaybackError):
        playbacks(zeps, trace)


@pytest.mark.parametrize("language", grouped(sorted(DRIVERS)))
def test_a_counterexample_runs_on_the_code_of_every_language(
    language: str, dropped: tuple[Bundle, Trace], driver: DriverCommand
) -> None:
    """The driver is built for the changed models, with others."""
    changed, trace = dropped
    parts = playbacks(changed, trace)
    assert {part.machine for part in parts} == {"zeps_client", "zeps_server"}
    answers = Process(driver.words).answers([part.request for part in parts])
    assert answers == [part.answer for part in parts]


def test_credit_becomes_bytes_again(zeps: Bundle) -> None:
    """A sample of our explorer's situations can be replayed with real frames."""
    explorer = Composition(*pairs(zeps)[0]).explorer(ANYTHING, 2, reduce=False)
    explorer.run()
    played = 0
    for index in range(0, explorer.situations, 100 if SOAK else 500):
        for part in playbacks(zeps, explorer.trace(index)):
            played += len(part.steps)
    assert played > 1000


# --- the generated model, and the command


def test_every_pair_has_a_model(zeps: Bundle) -> None:
    files = render(zeps)
    assert [path.name for path in files] == ["zeps.pml"]
    assert render(Bundle(zeps.protocols)) == {}


def test_names_that_promela_has_are_spelled_otherwise() -> None:
    bundle = toy("timeout do() -> else: send N\nelse SKIP -> timeout", "init N: send SKIP")
    assert ask(*pairs(bundle)[0], 1).fault == ""


def test_a_number_that_spin_cannot_hold_is_refused(zeps: Bundle) -> None:
    bundle = toy("idle ask()[n < 3]: send ASK\nidle ANSWER", "idle ASK: send ANSWER")
    client = bundle.machines[0]
    guard = Binary("<", Name("n", "variable", Type.NUMBER), Literal(2**40, Type.NUMBER), Type.BOOLEAN)
    rows = tuple(replace(row, guard=guard) if row.guard else row for row in client.transitions)
    with pytest.raises(UnsupportedByTarget, match="31 bits"):
        promela_source(bundle.protocols[0], replace(client, transitions=rows), bundle.machines[1])


def test_the_command_says_what_is_wrong_and_keeps_the_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = mutant(DROPPED, tmp_path)
    models = [str(tmp_path / path.name) for path in PATHS]
    assert main(["spin", *models, "--bound", "1", "--traces", str(tmp_path / "traces")]) == 1
    said = capsys.readouterr().out
    assert "zeps, no timer gives up, at bound 1: unexpected" in said
    assert said.count("agrees") == 3
    (path,) = (tmp_path / "traces").iterdir()
    replay(changed, parse_trace(path.read_text(encoding="utf-8")))


def test_the_command_is_content_with_our_models(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["spin", *map(str, PATHS), "--bound", str(BOUND - 1)]) == 0
    said = capsys.readouterr().out
    assert said.count("no fault") == said.count("agrees") == 3


def test_a_missing_tool_says_what_to_install(zeps: Bundle, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(SpinError, match="apt-get install spin"):
        ask(*pairs(zeps)[0], 1)
    assert main(["spin", *map(str, PATHS), "--bound", "1"]) == 2
