"""``zeps-conform learn``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from zeps_conformance.broker.options import Options
from zeps_conformance.commands.common_options import (
    UsageError,
    add_path,
    add_value,
    count,
    seconds,
    status_line,
)
from zeps_conformance.common.json_files import read_json, write_json, write_text
from zeps_conformance.common.results import WireLine
from zeps_conformance.common.wirelog import WireLog
from zeps_conformance.learning.broker_inputs import BROKER_INPUTS
from zeps_conformance.learning.broker_model import broker_machine
from zeps_conformance.learning.broker_words import BrokerWords
from zeps_conformance.learning.drawing import DrawingError, dot_text, has_dot, svg
from zeps_conformance.learning.learner import Effort, Learned, NonDeterminismError, Run, Teacher, learn
from zeps_conformance.learning.mealy import (
    ANY,
    Difference,
    Mealy,
    Output,
    Word,
    find_difference,
    format_output,
)
from zeps_conformance.learning.patterns import BROKER_PATTERNS, BugPattern, Witness, find_witnesses
from zeps_conformance.learning.socket_inputs import LEARNED_TYPES, inputs_of, socket_words
from zeps_conformance.learning.socket_model import model_words, socket_machine
from zeps_conformance.learning.socket_patterns import patterns_of
from zeps_conformance.learning.socket_words import QUIET, SocketWords
from zeps_conformance.learning.suites import complete_suite
from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.reports.machines import DrawnMachine, machines_html
from zeps_conformance.reports.terminal import format_wire
from zeps_conformance.runs.columns import profile_of
from zeps_conformance.sockets.adapter import load_implementation
from zeps_conformance.sockets.context import Settings, ZmtpProtocol
from zeps_conformance.wire.zmtp_codec import packaged_wire

__all__ = ["add_learn"]

FORMAT = "zeps-conform-machine/1"
WIRE_SHOWN = 60  # lines

#: Opens a broker for the command's arguments; yields its options and its name (empty: the endpoint).
OpenBroker = Callable[[argparse.Namespace], AbstractContextManager[tuple[Options, str]]]

EPILOG = """\
exit codes: 0 no difference from the model's machine and no bug pattern, 1 a difference, a bug pattern, different
answers to equal inputs, or not complete within --time, 2 usage error, 130 interrupted

The result holds for the inputs of the machine, one connection and one stream, and for brokers with at most as many
states as the model's machine and --extra-states more.

examples:
  zeps-conform learn tcp://127.0.0.1:5670
  zeps-conform learn --start broker.toml --html machine.html --json machine.json
  zeps-conform learn --implementation conformance/implementations/libzmq.toml --type XPUB --json libzmq.json
  zeps-conform learn --beside one.json two.json --html machines.html
"""


@dataclass(frozen=True, slots=True)
class Subject:
    """An implementation to learn. `model` returns the expected machine for a learned one. `known` are words that every
    hypothesis is tested with; `begin` starts a word whose frames are logged; `describe` formats a frame of it.
    """

    name: str
    teacher: Teacher
    inputs: tuple[str, ...]
    model: Callable[[Mealy], Mealy]
    patterns: Sequence[BugPattern]
    known: Sequence[Word]
    begin: Callable[[WireLog], Run]
    describe: Callable[[WireLine], str]


def add_learn(commands: Any, running: argparse.ArgumentParser, open_broker: OpenBroker) -> None:
    """Adds the command ``learn``. `running` has the options that select an implementation, which `open_broker` uses."""
    parser = commands.add_parser(
        "learn",
        parents=[running],
        help="learn the state machine of a broker or of a connection to a socket",
        description="Learn the Mealy machine of a broker over the wire, compare it with the machine that is derived "
        "from the model, replay the shortest difference, and search it for bug patterns. With --implementation and "
        "--type PUB, XPUB, SUB or XSUB, learn the machine of a connection to a socket.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    states = "test the machine for implementations with N further states (default: %(default)s)"
    add_value(parser, "--extra-states", count, states, 0)
    add_value(
        parser, "--walks", count, "test each hypothesis with N random words (default: %(default)s)", 100
    )
    quiet = (
        "seconds of silence that end an answer of a socket before its handshake is complete; more if the answers vary "
        "on a busy machine (default: %(default)g)"
    )
    add_value(parser, "--quiet", seconds, quiet, QUIET)
    add_value(parser, "--time", seconds, "maximum seconds for learning (default: no limit)")
    add_path(parser, "--model", "read the protocol from this model.json (default: the one in the package)")
    add_path(
        parser, "--beside", "machines that learn --json wrote, for the page", "JSON", nargs="+", default=[]
    )
    group = parser.add_argument_group("files, in addition to the report")
    add_path(group, "--json", "write the machine as JSON")
    add_path(group, "--dot", "write the machine as text for Graphviz")
    add_path(group, "--svg", "write the machine as a drawing, if Graphviz is installed")
    add_path(
        group,
        "--html",
        "write a page with the model's machine, the learned one and those of --beside side by side; drawings need "
        "Graphviz, else the page has their text",
    )
    parser.set_defaults(command=lambda arguments: _learn(arguments, open_broker), complete=False)


def _learn(arguments: argparse.Namespace, open_broker: OpenBroker) -> int:
    if arguments.svg is not None and not has_dot():
        raise UsageError("--svg needs Graphviz (command dot): install it, or write --dot FILE")
    beside = [_load(path) for path in arguments.beside]
    if arguments.endpoint is None and arguments.start is None and arguments.implementation is None and beside:
        if arguments.html is None:
            raise UsageError("--beside without an implementation draws a page: give --html FILE")
        _write_page(arguments.html, None, beside)
        return 0
    with _subject(arguments, open_broker) as subject:
        try:
            learned = _learned(subject, arguments)
        except NonDeterminismError as error:
            _print_contradiction(subject, error)
            return 1
        model = subject.model(learned.machine)
        difference = find_difference(model, learned.machine)
        witnesses = find_witnesses(learned.machine, subject.patterns)
        machine = _named(learned.machine, model)
        _write_files(arguments, subject, model, replace(learned, machine=machine), beside)
        _print_result(subject, model, learned, difference, witnesses)
        if difference is not None:
            _replay(subject, difference.word, difference.right)
        elif witnesses:
            _replay(subject, witnesses[0].word, witnesses[0].outputs)
    return 1 if difference is not None or witnesses or learned.incomplete else 0


@contextmanager
def _subject(arguments: argparse.Namespace, open_broker: OpenBroker) -> Iterator[Subject]:
    opened = (
        _broker_subject(arguments, open_broker) if arguments.implementation is None else _socket(arguments)
    )
    with opened as subject:
        yield subject


@contextmanager
def _socket(arguments: argparse.Namespace) -> Iterator[Subject]:
    if arguments.endpoint is not None or arguments.start is not None:
        raise UsageError("ENDPOINT and --start name a broker: not allowed with --implementation")
    implementation = load_implementation(arguments.implementation)
    types = [socket_type for socket_type in implementation.types if socket_type in LEARNED_TYPES]
    if arguments.type not in types:
        raise UsageError(
            f"--type is required, one of {', '.join(types) or 'none: it has no socket of publish-subscribe'}"
        )
    protocol = ZmtpProtocol(
        packaged_wire(arguments.model), profile_of(arguments.type).rulebook(arguments.model)
    )
    settings = Settings(timeout=arguments.timeout or Settings().timeout, seed=arguments.seed)
    with SocketWords(implementation, arguments.type, protocol, settings, arguments.quiet) as words:
        yield Subject(
            f"{implementation.name} {arguments.type}",
            words,
            inputs_of(arguments.type),
            lambda machine: socket_machine(arguments.type, arguments.model, _is_older(machine)),
            patterns_of(arguments.type),
            [*socket_words(arguments.type), *model_words(arguments.type, arguments.model)],
            words.begin,
            lambda line: "",
        )


@contextmanager
def _broker_subject(arguments: argparse.Namespace, open_broker: OpenBroker) -> Iterator[Subject]:
    with open_broker(arguments) as (options, name):
        codec = Interpreter(load_model(arguments.model))
        words = BrokerWords(codec, options)

        def describe(line: WireLine) -> str:
            return codec.render(bytes.fromhex(line.hex)) if line.kind == "message" else ""

        yield Subject(
            name or options.endpoint.text,
            words,
            BROKER_INPUTS,
            lambda machine: broker_machine(arguments.model),
            BROKER_PATTERNS,
            complete_suite(broker_machine(arguments.model), arguments.extra_states),
            words.begin,
            describe,
        )


def _learned(subject: Subject, arguments: argparse.Namespace) -> Learned:
    effort = Effort(
        extra_states=arguments.extra_states,
        walks=arguments.walks,
        seed=arguments.seed,
        seconds=arguments.time,
    )
    show = status_line()
    try:
        return learn(
            subject.teacher,
            subject.inputs,
            effort,
            lambda words, states: show(f"{words:,} sequences, {states} states", False),
            subject.known,
        )
    finally:
        if sys.stderr.isatty():
            print(file=sys.stderr)


def _is_older(machine: Mealy) -> bool:
    """Whether the socket announces version 3.0."""
    return "greeting 3.0" in machine.outputs(["greeting 3.1"])[0]


def _named(machine: Mealy, model: Mealy) -> Mealy:
    """Returns `machine` with the model's names of the states that the same words reach; other states have numbers."""
    names = {0: model.name(0)}
    pairs = [(0, 0)]
    for state, other in pairs:
        for symbol in machine.inputs:
            output, following = machine.rows[state][symbol]
            expected, other_following = model.rows[other][symbol]
            if following not in names and output == expected != ANY:
                names[following] = model.name(other_following)
                pairs.append((following, other_following))
    return replace(machine, names=tuple(names.get(state, str(state)) for state in range(machine.size)))


# Output ------------------------------------------------------------------------------------------------------


def _print_result(
    subject: Subject,
    model: Mealy,
    learned: Learned,
    difference: Difference | None,
    witnesses: Sequence[Witness],
) -> None:
    machine = learned.machine
    print(subject.name)
    print(
        f"{machine.size} states, {len(machine.inputs)} inputs · {learned.words:,} sequences with {learned.inputs:,} "
        f"inputs, {learned.cached:,} more from the cache · {learned.seconds:.1f} s"
    )
    if learned.incomplete:
        print(f"INCOMPLETE: {learned.incomplete}; the machine is the last hypothesis")
    if difference is not None:
        print(f"DIFFERENCE from the model's machine, which has {model.size} states:")
        _print_steps(("input", "model", subject.name), difference.word, difference.left, difference.right)
    elif model.is_open_ended:
        print(f"agrees with the model's machine with {model.size} states, where that defines the output")
    else:
        print(f"bisimilar to the model's machine with {model.size} states")
    for witness in witnesses:
        print(f"BUG PATTERN {witness.pattern.rule}: {witness.pattern.title}")
        _print_steps(("input", "output"), witness.word, witness.outputs)
    if not witnesses:
        print(f"none of {len(subject.patterns)} bug patterns")


def _print_contradiction(subject: Subject, error: NonDeterminismError) -> None:
    print(f"{subject.name}\nNOT DETERMINISTIC: equal inputs had different answers")
    _print_steps(("input", "at first", "later"), error.word, error.first, error.second)
    if subject.inputs != BROKER_INPUTS:
        print("If the machine is busy, an answer may be late: repeat with a greater --quiet")


def _print_steps(titles: Sequence[str], word: Word, *columns: Sequence[Output]) -> None:
    rows = [tuple(titles)]
    rows += [(symbol, *(format_output(column[at]) for column in columns)) for at, symbol in enumerate(word)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(titles))]
    for row in rows:
        print(("  " + "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True))).rstrip())


def _replay(subject: Subject, word: Word, learned: Sequence[Output]) -> None:
    """Runs `word` again, and prints its last frames and whether the answers are those that were learned."""
    log = WireLog()
    run, seen = subject.begin(log), list[Output]()
    try:
        seen += [run.step(symbol) for symbol in word]
    finally:
        run.close()
    print("replayed:" if seen == list(learned) else "replayed, with other answers than before:")
    lines = [replace(line, text=line.text or subject.describe(line)) for line in log.lines[-WIRE_SHOWN:]]
    print("\n".join(f"    {line}" for line in format_wire(lines)))


def _write_files(
    arguments: argparse.Namespace,
    subject: Subject,
    model: Mealy,
    learned: Learned,
    beside: Sequence[DrawnMachine],
) -> None:
    if arguments.json is not None:
        document = {
            "format": FORMAT,
            "name": subject.name,
            "words": learned.words,
            "incomplete": learned.incomplete,
            "machine": learned.machine.to_json(),
        }
        write_json(arguments.json, document)
    text = dot_text(learned.machine, subject.name, model)
    if arguments.dot is not None:
        write_text(arguments.dot, text)
    try:
        if arguments.svg is not None:
            write_text(arguments.svg, svg(text))
        if arguments.html is not None:
            notes = [f"learned with {learned.words:,} sequences", *filter(None, [learned.incomplete])]
            column = DrawnMachine(subject.name, learned.machine, notes)
            _write_page(arguments.html, model, [column, *beside])
    except DrawingError as error:
        raise UsageError(str(error)) from error


def _write_page(path: Path, model: Mealy | None, columns: Sequence[DrawnMachine]) -> None:
    first = [] if model is None else [DrawnMachine("the model", model, ["derived from model.json"])]
    write_text(path, machines_html("State machines", [*first, *columns]))


def _load(path: Path) -> DrawnMachine:
    document = read_json(path)
    try:
        if document["format"] != FORMAT:
            raise ValueError(f"its format is not {FORMAT}")
        machine = Mealy.from_json(document["machine"])
        notes = [f"learned with {document['words']:,} sequences", *filter(None, [document["incomplete"]])]
        return DrawnMachine(str(document["name"]), machine, notes)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{path}: not a file of learn --json: {error}") from error
