"""The machine: complete test suites that are derived from the model's machine of a session."""

from __future__ import annotations

from zeps_conformance.broker.peer import ConnectionLostError
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.cases.registration import case
from zeps_conformance.cases.zeps1.refusals import NEGATIVE
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.learning.broker_model import broker_machine
from zeps_conformance.learning.broker_rules import MACHINE_RULES, violated_rule
from zeps_conformance.learning.broker_suite import Failing, first_failing
from zeps_conformance.learning.broker_words import BrokerWords
from zeps_conformance.learning.mealy import format_output
from zeps_conformance.learning.suites import complete_suite

LIMIT = 120.0  # seconds
WORD_LIMIT = 20.0  # seconds for one sequence
AT_ONCE_MAX = 8  # sequences at a time, with a slow broker


@case(
    "A broker answers every sequence of commands of the complete test suite as the model's machine does",
    *MACHINE_RULES,
    polarity=NEGATIVE,
    limit=LIMIT,
)
def complete(t: BrokerTrial) -> None:
    machine, extra = broker_machine(), t.options.extra_states
    suite = complete_suite(machine, extra)
    words = BrokerWords(t.codec, t.options)

    def progress() -> None:
        t.within(t.options.timeout)
        t.renew(WORD_LIMIT)
        t.keep_alive()

    t.step(
        f"On a connection and a stream of its own for each of {len(suite)} sequences, A sends inputs of the machine's "
        f"{len(machine.inputs)}, each followed by barriers; the answers are those of the machine."
    )
    try:
        failing = first_failing(machine, suite, words, progress, min(round(t.options.pace), AT_ONCE_MAX))
    except ConnectionLostError as error:
        raise FailureError("the broker accepts a connection for each sequence", str(error)) from error
    if failing is not None:
        t.step(f"A sends the failing sequence again: {', '.join(failing.word)}.")
        raise _failure(t, words, failing)
    t.observe(
        f"one of {machine.size} states answers as the model's does, up to {extra} more states of the broker",
        f"{len(suite)} sequences with {sum(map(len, suite))} inputs, at most {max(map(len, suite))} in a sequence",
    )


def _failure(t: BrokerTrial, words: BrokerWords, failing: Failing) -> FailureError:
    """Runs a failing word again, with its frames in the case's log. Returns its failure."""
    inputs = ", ".join(failing.word)
    seen = format_output(failing.seen[-1])
    try:
        again = words.run(failing.word, t.log)
    except ConnectionLostError as error:
        seen += f"; not repeated: {error}"
    else:
        if again[-1] != failing.seen[-1]:
            seen += f"; when repeated, {format_output(again[-1])}"
    rule = violated_rule(broker_machine(), failing.word, failing.seen[-1])
    return FailureError(f"{format_output(failing.expected[-1])} after {inputs}", seen, rule)
