"""The machine of a connection to a socket: the toy implementation, with and without a defect, and libzmq."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest

from implementations import ADAPTER, protocol
from zeps_conformance.cli import main
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.learning.learner import Effort, learn
from zeps_conformance.learning.mealy import ANY, SILENT, Mealy, Output, find_difference
from zeps_conformance.learning.patterns import BugPattern, find_witnesses
from zeps_conformance.learning.socket_inputs import SOCKET_INPUTS, SUBSCRIBER_INPUTS, socket_words
from zeps_conformance.learning.socket_model import model_words, socket_machine
from zeps_conformance.learning.socket_patterns import SOCKET_PATTERNS, SUBSCRIBER_PATTERNS
from zeps_conformance.learning.socket_words import SocketWords
from zeps_conformance.sockets.adapter import Implementation, RefusedError
from zeps_conformance.sockets.context import Settings
from zeps_conformance.sockets.pubsub import PubSubTrial

HELPERS = Path(__file__).parents[1] / "helpers"
SETTINGS = Settings(timeout=10.0)
TOY = (sys.executable, str(HELPERS / "toy_pubsub.py"))
GREETED = ["greeting 3.1", "READY"]


def words_of(*command: str, socket_type: str = "XPUB") -> SocketWords:
    implementation = Implementation(Path("toy.toml"), "toy", command, ("PUB", "XPUB", "SUB", "XSUB"))
    return SocketWords(implementation, socket_type, protocol(), SETTINGS, quiet=0.5)


def outputs(words: SocketWords, word: list[str]) -> list[Output]:
    run = words.begin()
    try:
        return [run.step(symbol) for symbol in word]
    finally:
        run.close()


def strict_machine() -> Mealy:
    """States: before the greeting, before READY, open, subscribed, closed."""
    rows: list[dict[str, tuple[Output, int]]] = [
        dict.fromkeys(SOCKET_INPUTS, (("closed",), 4)) for _ in range(4)
    ]
    rows.append(dict.fromkeys(SOCKET_INPUTS, (("no answer",), 4)))
    rows[0] |= dict.fromkeys(("greeting 3.1", "greeting 3.0"), (("greeting 3.1", "READY"), 1))
    rows[0]["application sends"] = (("not sent",), 0)
    rows[1] |= {"READY": ((), 2), "application sends": ((), 1)}
    for state in (2, 3):
        rows[state] |= {"PING": (("PONG",), state), "unknown command": ((), state), "message": ((), state)}
        rows[state] |= dict.fromkeys(("SUBSCRIBE", "subscription"), ((), 3))
        rows[state] |= dict.fromkeys(("CANCEL", "cancellation"), ((), 2))
        rows[state]["application sends"] = (("message",) if state == 3 else (), state)
    return Mealy(SOCKET_INPUTS, tuple(rows))


def learned(words: SocketWords, *inputs: str) -> Mealy:
    """Learns the machine over the given inputs."""
    known = [*socket_words(words.type), *model_words(words.type)]
    known = [word for word in known if set(word) <= set(inputs)]
    return learn(words, inputs, Effort(walks=10), known=known).machine


@pytest.mark.slow
def test_the_toy_answers_words_as_the_rules_require() -> None:
    with words_of(*TOY) as words:
        subscribed = outputs(
            words, [*GREETED, "SUBSCRIBE", "application sends", "CANCEL", "application sends"]
        )
        assert subscribed[2:] == [
            ("application: subscription",),
            ("message",),
            ("application: cancellation",),
            (),
        ]
        assert outputs(words, [*GREETED, "PING", "message", "ERROR", "PING"])[2:] == [
            ("PONG",),
            ("application: message",),
            ("closed",),
            ("no answer",),
        ]
        assert outputs(words, ["greeting of PLAIN", "READY"])[1] == ("no answer",)
        assert outputs(words, ["application sends"]) == [("not sent",)]


def test_a_word_that_cannot_connect_closes_its_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise FailureError("a connection", "none")

    monkeypatch.setattr(PubSubTrial, "dial_to", refuse)
    with words_of(*TOY) as words:
        with pytest.raises(FailureError):
            words.begin()
        with pytest.raises(RefusedError):
            words.adapter().ask("bind", socket="app")


@pytest.mark.slow
def test_further_subscriptions_are_not_sent() -> None:
    with words_of(*TOY) as words:
        many = outputs(words, [*GREETED, "SUBSCRIBE", "subscription", "SUBSCRIBE", "CANCEL", "SUBSCRIBE"])
        assert [output == ("not sent",) for output in many[2:]] == [False, False, True, False, False]


@pytest.mark.slow
def test_the_learned_toy_has_no_bug_pattern_and_counts_subscriptions() -> None:
    with words_of(*TOY) as words:
        machine = learned(words, *GREETED, "SUBSCRIBE", "CANCEL", "PING", "ERROR", "application sends")
    assert find_witnesses(machine, SOCKET_PATTERNS) == []
    twice = [*GREETED, "SUBSCRIBE", "SUBSCRIBE", "CANCEL", "application sends"]
    assert machine.outputs(twice)[-1] == ("message",)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("defect", "further", "rule", "word"),
    [
        ("serves-before-ready", "SUBSCRIBE", "ZMTP-N-1", ("greeting 3.1", "SUBSCRIBE")),
        ("any-mechanism", "greeting of PLAIN", "ZMTP-G-11", ("greeting of PLAIN",)),
    ],
)
def test_a_defect_is_found_by_its_pattern(
    defect: str, further: str, rule: str, word: tuple[str, ...]
) -> None:
    with words_of(sys.executable, str(HELPERS / "toy_faults.py"), defect) as words:
        machine = learned(words, *GREETED, further)
    witnesses = find_witnesses(machine, SOCKET_PATTERNS)
    assert {witness.pattern.rule: witness.word for witness in witnesses} == {rule: word}


@pytest.mark.slow
def test_libzmqs_deviations_are_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """libzmq ignores ERROR after the handshake, and does not count subscriptions; that it keeps the connection after a
    malformed READY is allowed.
    """
    description, document = tmp_path / "libzmq.toml", tmp_path / "machine.json"
    command = json.dumps([sys.executable, str(ADAPTER)])
    description.write_text(f'kind = "adapter"\ncommand = {command}\ntypes = ["PUB"]\n', encoding="utf-8")
    arguments = [
        "learn",
        "--implementation",
        str(description),
        "--type",
        "PUB",
        "--walks",
        "10",
        "--quiet",
        "0.5",
    ]
    assert main([*arguments, "--json", str(document)]) == 1
    text = capsys.readouterr().out
    assert re.findall(r"BUG PATTERN (\S+):", text) == ["ZMTP-N-21"]
    machine = Mealy.from_json(json.loads(document.read_text(encoding="utf-8"))["machine"])
    twice = [*GREETED, "SUBSCRIBE", "SUBSCRIBE", "CANCEL", "application sends"]
    assert machine.outputs(twice)[-1] == ()


@pytest.mark.parametrize(
    ("word", "symbol", "output", "rule"),
    [
        ("greeting 3.1, READY", "ERROR", (), "ZMTP-N-21"),
        ("greeting 3.1", "SUBSCRIBE", ("application: subscription",), "ZMTP-N-1"),
        ("", "greeting of PLAIN", ("greeting 3.1", "READY"), "ZMTP-G-11"),
        ("greeting 3.1, READY", "message", ("PONG",), "ZMTP-H-3"),
        ("greeting 3.1, READY", "application sends", ("message",), "ZMTP-S-7"),
    ],
)
def test_a_planted_output_is_found_by_its_pattern(word: str, symbol: str, output: Output, rule: str) -> None:
    """In a machine that closes the connection after each invalid input, one output is changed."""
    machine, prefix = strict_machine(), word.split(", ") if word else []
    assert find_witnesses(machine, SOCKET_PATTERNS) == []
    rows = [dict(row) for row in machine.rows]
    state = machine.after(prefix)
    rows[state][symbol] = (output, state)
    witnesses = find_witnesses(Mealy(machine.inputs, tuple(rows)), SOCKET_PATTERNS)
    (found,) = [witness for witness in witnesses if witness.pattern.rule == rule]
    assert found.word == (*prefix, symbol)
    assert protocol().rulebook.rule(rule).id == rule


@pytest.mark.parametrize(
    "pattern", [*SOCKET_PATTERNS, *SUBSCRIBER_PATTERNS], ids=lambda pattern: pattern.title
)
def test_a_pattern_is_of_a_must(pattern: BugPattern) -> None:
    assert protocol().rulebook.rule(pattern.rule).level == "MUST"


# Subscribers -------------------------------------------------------------------------------------------------

SUBSCRIBED = "application subscribes"


def restricted(machine: Mealy, inputs: tuple[str, ...]) -> Mealy:
    """Returns the machine with only some of its inputs."""
    return Mealy(inputs, tuple({symbol: row[symbol] for symbol in inputs} for row in machine.rows))


def closing(machine: Mealy) -> Mealy:
    """Returns the machine of an implementation that closes the connection where the model leaves the output open."""
    silent = machine.size
    rows = [
        {
            symbol: (("closed",), silent) if output == ANY else (output, state)
            for symbol, (output, state) in row.items()
        }
        for row in machine.rows
    ]
    return Mealy(machine.inputs, (*rows, dict.fromkeys(machine.inputs, (SILENT, silent))))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("greeting", "forms"), [("3.1", ("SUBSCRIBE", "CANCEL")), ("3.0", ("subscription", "cancellation"))]
)
def test_a_subscriber_answers_words_as_the_rules_require(greeting: str, forms: tuple[str, str]) -> None:
    word = [
        SUBSCRIBED,
        f"greeting {greeting}",
        "READY",
        "message",
        "application cancels",
        "message",
        SUBSCRIBED,
    ]
    with words_of(*TOY, socket_type="SUB") as words:
        seen = outputs(words, [*word, SUBSCRIBED, "ERROR", "message"])
    assert seen[2:4] == [(forms[0],), ("application: message",)]
    assert seen[4:7] == [(forms[1],), (), (forms[0],)]
    assert seen[7:] == [("not sent",), ("closed",), SILENT]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("socket_type", "inputs"),
    [
        ("SUB", (*GREETED, "message", SUBSCRIBED, "application cancels")),
        ("XSUB", (*GREETED, "message", SUBSCRIBED)),
        ("PUB", (*GREETED, "PING", "SUBSCRIBE", "CANCEL", "application sends")),
        ("XPUB", (*GREETED, "message", "SUBSCRIBE", "application sends")),
    ],
)
def test_the_learned_toy_agrees_with_the_model(socket_type: str, inputs: tuple[str, ...]) -> None:
    with words_of(*TOY, socket_type=socket_type) as words:
        machine = learned(words, *inputs)
    assert find_difference(restricted(socket_machine(socket_type), inputs), machine) is None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("defect", "inputs", "word"),
    [
        ("no-pong", (*GREETED, "PING"), (*GREETED, "PING")),
        ("always-messages", (*GREETED, SUBSCRIBED), (*GREETED, SUBSCRIBED)),
        ("forgets", (*GREETED, SUBSCRIBED), ("greeting 3.1", SUBSCRIBED, "READY")),
    ],
)
def test_a_defect_of_a_subscriber_differs_from_the_model(
    defect: str, inputs: tuple[str, ...], word: tuple[str, ...]
) -> None:
    with words_of(sys.executable, str(HELPERS / "toy_faults.py"), defect, socket_type="SUB") as words:
        machine = learned(words, *inputs)
    difference = find_difference(restricted(socket_machine("SUB"), inputs), machine)
    assert difference is not None
    assert difference.word == word


@pytest.mark.parametrize("socket_type", ["PUB", "XPUB", "SUB", "XSUB"])
@pytest.mark.parametrize("older", [False, True])
def test_the_models_machine_has_no_bug_pattern(socket_type: str, older: bool) -> None:
    machine = socket_machine(socket_type, None, older)
    patterns = SOCKET_PATTERNS if socket_type.endswith("PUB") else SUBSCRIBER_PATTERNS
    assert find_witnesses(closing(machine), patterns) == []
    assert machine.outputs(["greeting 3.1"]) == [(f"greeting 3.{0 if older else 1}", "READY")]
    assert machine.is_open_ended
    assert older or all(ANY not in machine.outputs(word[:-1]) for word in model_words(socket_type))


@pytest.mark.parametrize(
    ("word", "symbol", "output", "rule"),
    [
        ("greeting 3.1, READY", "PING", ("SUBSCRIBE",), "ZMTP-U-7"),
        ("greeting 3.0, READY", SUBSCRIBED, ("SUBSCRIBE",), "ZMTP-S-1"),
        ("greeting 3.1, READY", SUBSCRIBED, ("subscription",), "ZMTP-S-3"),
        ("greeting 3.1, READY", "ERROR", (), "ZMTP-N-21"),
    ],
)
def test_a_planted_output_of_a_subscriber_is_found_by_its_pattern(
    word: str, symbol: str, output: Output, rule: str
) -> None:
    machine, prefix = socket_machine("SUB"), word.split(", ")
    assert machine.inputs == SUBSCRIBER_INPUTS
    rows = [dict(row) for row in machine.rows]
    state = machine.after(prefix)
    rows[state][symbol] = (output, state)
    changed = Mealy(machine.inputs, tuple(rows))
    assert rule in {witness.pattern.rule for witness in find_witnesses(changed, SUBSCRIBER_PATTERNS)}
    assert find_difference(machine, changed) is not None
    assert protocol().rulebook.rule(rule).id == rule
