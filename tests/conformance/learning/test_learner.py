"""Learning: machines in memory, brokers with planted faults, contradictions, and the command."""

from __future__ import annotations

import json
import random
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from mealy_machines import INPUTS, machines
from toy_broker import ToyBroker
from toy_mutants import MUTANTS

from zeps_conformance.cli import main
from zeps_conformance.learning.broker_inputs import BROKER_INPUTS
from zeps_conformance.learning.broker_model import broker_machine
from zeps_conformance.learning.drawing import differing_edges, dot_text
from zeps_conformance.learning.learner import Effort, NonDeterminismError, learn
from zeps_conformance.learning.mealy import SILENT, Mealy, Output, find_difference, minimise
from zeps_conformance.learning.patterns import BROKER_PATTERNS, find_witnesses
from zeps_conformance.learning.suites import complete_suite
from zeps_conformance.model.definitions import Model
from zeps_conformance.model.interpreter import Interpreter

IMPLEMENTATIONS = Path(__file__).parents[3] / "conformance" / "implementations"


class MachineRun:
    """A word that a machine in memory answers."""

    def __init__(self, machine: Mealy) -> None:
        self.machine, self.state = machine, 0

    def step(self, symbol: str) -> Output:
        output, self.state = self.machine.rows[self.state][symbol]
        return output

    def close(self) -> None:
        pass


class MachineTeacher:
    """A machine in memory, which counts its words."""

    final = frozenset(SILENT)

    def __init__(self, machine: Mealy) -> None:
        self.machine, self.words = machine, 0

    def begin(self) -> MachineRun:
        self.words += 1
        return MachineRun(self.machine)


class UnsteadyRun(MachineRun):
    """Answers DETACH by chance."""

    def step(self, symbol: str) -> Output:
        output = super().step(symbol)
        return () if output == ("DETACH-OK",) and UnsteadyRun.chance.random() < 0.5 else output

    chance = random.Random(1)


class UnsteadyTeacher(MachineTeacher):
    def begin(self) -> MachineRun:
        return UnsteadyRun(self.machine)


@settings(max_examples=50)
@given(machines(6))
def test_a_machine_is_learned_exactly_if_its_suite_is_known(machine: Mealy) -> None:
    small = minimise(machine)
    learned = learn(MachineTeacher(machine), INPUTS, Effort(walks=0), known=complete_suite(small, 0))
    assert learned.machine.size == small.size
    assert find_difference(learned.machine, small) is None
    assert learned.incomplete == ""


@settings(max_examples=50)
@given(machines(4), machines(4))
def test_an_implementation_within_the_bound_differs_if_its_machine_does(model: Mealy, other: Mealy) -> None:
    """The learned machine agrees with all words of the model's suite, which is complete for `other`."""
    small = minimise(model)
    extra = max(minimise(other).size - small.size, 0)
    learned = learn(MachineTeacher(other), INPUTS, Effort(walks=0), known=complete_suite(small, extra))
    expected = find_difference(small, other)
    found = find_difference(small, learned.machine)
    assert (found is None) == (expected is None)


def test_the_models_machine_is_learned_with_fewer_words_than_queries() -> None:
    machine = broker_machine()
    teacher = MachineTeacher(machine)
    learned = learn(teacher, BROKER_INPUTS, known=complete_suite(machine, 0))
    assert find_difference(machine, learned.machine) is None
    assert learned.words == teacher.words
    assert learned.cached > 0


def test_different_answers_to_equal_inputs_are_reported_with_both() -> None:
    with pytest.raises(NonDeterminismError) as raised:
        learn(UnsteadyTeacher(broker_machine()), BROKER_INPUTS)
    error = raised.value
    assert error.word[-1] == "DETACH"
    assert {error.first[-1], error.second[-1]} == {(), ("DETACH-OK",)}
    assert error.first[:-1] == error.second[:-1]


def test_a_run_out_of_time_is_incomplete() -> None:
    with pytest.raises(TimeoutError, match="--time"):
        learn(MachineTeacher(broker_machine()), BROKER_INPUTS, Effort(seconds=0.0))


def test_an_implementation_that_does_not_answer_is_not_asked_again() -> None:
    silent = Mealy(("a", "b"), ({"a": (SILENT, 1), "b": ((), 0)}, {"a": (SILENT, 1), "b": (SILENT, 1)}))
    teacher = MachineTeacher(silent)
    learned = learn(teacher, silent.inputs, Effort(extra_states=1))
    assert find_difference(silent, learned.machine) is None
    assert teacher.words < learned.cached


@given(machines(4))
def test_a_machine_survives_its_json(machine: Mealy) -> None:
    again = Mealy.from_json(json.loads(json.dumps(machine.to_json())))
    assert (again.inputs, again.rows) == (machine.inputs, machine.rows)


def document_of_one_state(following: int) -> dict[str, object]:
    transitions = {"a": {"output": [], "next": following}}
    return {"inputs": ["a"], "states": [{"name": "0", "transitions": transitions}]}


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        {"inputs": 1, "states": []},
        {"inputs": ["a"], "states": []},
        {"inputs": ["a"], "states": [{}]},
        document_of_one_state(1),
        document_of_one_state(-1),
    ],
)
def test_a_document_of_another_kind_is_rejected(document: object) -> None:
    with pytest.raises(ValueError, match="not a machine"):
        Mealy.from_json(document)


def test_differing_edges_are_red() -> None:
    machine = broker_machine()
    rows = [dict(row) for row in machine.rows]
    rows[1]["PING-OK"] = (("PING-OK",), 1)
    other = Mealy(machine.inputs, tuple(rows), machine.names)
    assert differing_edges(other, machine) == {(1, "PING-OK")}
    red = [line for line in dot_text(other, "other", machine).splitlines() if "color=red" in line]
    assert len(red) == 1
    assert "PING-OK / PING-OK" in red[0]
    assert "color=red" not in dot_text(machine, "same", machine)


def test_the_models_machine_has_no_bug_pattern_and_the_rules_exist(model: Model) -> None:
    assert find_witnesses(broker_machine(), BROKER_PATTERNS) == []
    assert all(model.rule(pattern.rule) for pattern in BROKER_PATTERNS)


@pytest.mark.parametrize(
    ("state_word", "symbol", "output", "rule"),
    [
        ("", "PING", ("PING-OK",), "ZEPS-SESSION-1"),
        ("ATTACH SUBSCRIBE PUBLISH", "DETACH", ("DETACH-OK", "DELIVER*"), "ZEPS-DETACH-6"),
        ("", "ATTACH", ("ATTACH-OK", "ATTACH-OK"), "ZEPS-ATTACH-1"),
        ("", "malformed", ("INVALID malformed", "INVALID malformed"), "ZEPS-INVALID-1"),
        ("ATTACH", "PUBLISH", ("PING-OK",), "ZEPS-PUBLISH-1"),
        ("ATTACH", "PING-OK", ("INVALID unexpected",), "ZEPS-PING-OK-1"),
        ("ATTACH", "malformed", ("INVALID malformed", "PING-OK"), None),
        ("ATTACH", "PING", ("INVALID malformed",), "ZEPS-INVALID-9"),
        ("ATTACH SUBSCRIBE", "PUBLISH", ("DELIVER*",), "ZEPS-CREDIT-5"),
        ("ATTACH CREDIT", "PUBLISH", ("DELIVER*",), "ZEPS-SUBSCRIBE-10"),
        ("ATTACH SUBSCRIBE CREDIT", "PUBLISH", ("DELIVER* (again)",), "ZEPS-SUBSCRIBE-6"),
    ],
)
def test_a_planted_output_is_found_by_its_pattern(
    state_word: str, symbol: str, output: Output, rule: str | None
) -> None:
    machine = broker_machine()
    state = machine.after(state_word.split())
    rows = [dict(row) for row in machine.rows]
    rows[state][symbol] = (output, rows[state][symbol][1])
    witnesses = find_witnesses(Mealy(machine.inputs, tuple(rows)), BROKER_PATTERNS)
    if rule is None:
        assert witnesses == []
        return
    (witness,) = [witness for witness in witnesses if witness.pattern.rule == rule]
    assert witness.word == (*state_word.split(), symbol)


def test_a_session_that_survives_its_end_is_found() -> None:
    """ZEPS-INVALID-2: the machine stays in its state after a malformed frame."""
    machine = broker_machine()
    opened = machine.after(["ATTACH"])
    rows = [dict(row) for row in machine.rows]
    rows[opened]["malformed"] = (("INVALID malformed",), opened)
    found = {
        w.pattern.rule: w.word for w in find_witnesses(Mealy(machine.inputs, tuple(rows)), BROKER_PATTERNS)
    }
    assert found["ZEPS-INVALID-2"][:2] == ("ATTACH", "malformed")


# The command -------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("broker", ["zeps", "go-memory"])
def test_a_real_broker_is_bisimilar(broker: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, document = tmp_path / "page.html", tmp_path / "machine.json"
    start = str(IMPLEMENTATIONS / f"{broker}.toml")
    arguments = ["learn", "--start", start, "--html", str(page), "--json", str(document), "--timeout", "20"]
    assert main([*arguments, "--dot", str(tmp_path / "machine.dot"), "--walks", "0"]) == 0
    assert "bisimilar to the model's machine" in capsys.readouterr().out
    machine = Mealy.from_json(json.loads(document.read_text(encoding="utf-8"))["machine"])
    assert find_difference(machine, broker_machine()) is None
    assert page.read_text(encoding="utf-8").count("<section>") == 2
    assert (tmp_path / "machine.dot").read_text(encoding="utf-8").startswith("digraph")


@pytest.mark.slow
def test_a_planted_fault_is_found_and_its_shortest_word_replayed(
    codec: Interpreter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = tmp_path / "machine.json"
    with MUTANTS["AttachKeepsCredit"](codec, 20.0) as broker:
        assert main(["learn", broker.endpoint, "--walks", "0", "--json", str(document)]) == 1
    text = capsys.readouterr().out
    word = ("ATTACH", "CREDIT", "ATTACH", "SUBSCRIBE", "PUBLISH")
    learned = Mealy.from_json(json.loads(document.read_text(encoding="utf-8"))["machine"])
    difference = find_difference(broker_machine(), learned)
    assert difference is not None
    assert len(difference.word) == len(word)
    assert sorted(difference.word) == sorted(word)
    assert difference.right[-1] == ("DELIVER*",)
    assert "BUG PATTERN ZEPS-CREDIT-5" in text
    replayed = text.partition("replayed:\n")[2]
    assert replayed.count("ATTACH-OK") == 2
    assert "DELIVER sequence=1" in replayed


def test_a_page_of_earlier_machines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = []
    for name in ("one", "two"):
        files.append(tmp_path / f"{name}.json")
        document = {
            "format": "zeps-conform-machine/1",
            "name": name,
            "words": 3,
            "incomplete": "",
            "machine": broker_machine().to_json(),
        }
        files[-1].write_text(json.dumps(document), encoding="utf-8")
    page = tmp_path / "page.html"
    assert main(["learn", "--beside", *map(str, files), "--html", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.count("<section>") == 2
    assert "Bisimilar to the first machine" in text
    assert main(["learn", "--beside", *map(str, files)]) == 2
    files[0].write_text("{}", encoding="utf-8")
    assert main(["learn", "--beside", *map(str, files), "--html", str(page)]) == 2
    assert "not a file of learn --json" in capsys.readouterr().err


@pytest.mark.slow
def test_without_graphviz_the_page_has_text_and_a_drawing_is_an_error(
    codec: Interpreter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("dot") is None
    page, drawing = tmp_path / "page.html", tmp_path / "machine.svg"
    with ToyBroker(codec, 20.0) as broker:
        assert main(["learn", broker.endpoint, "--walks", "0", "--html", str(page)]) == 0
        assert main(["learn", broker.endpoint, "--walks", "0", "--svg", str(drawing)]) == 2
    assert "digraph machine" in page.read_text(encoding="utf-8")
    assert "install it, or write --dot" in capsys.readouterr().err
    assert not drawing.exists()
