"""`zeps-codegen spin`: compares the results of the model checker spin with those of our own explorer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from .ir import Bundle, Machine, Protocol
from .passes.explore import explore
from .passes.session_grammar import explore_grammar, grammar_automaton
from .passes.traces import pairs, render_text, render_trace, replay
from .spin import QUESTIONS, Question, Verdict, ask

__all__ = ["second_opinion"]

CHECKED_BOUND_MAX = 2  # the explorer takes a minute for a greater bound
_OF_GRAMMAR = frozenset({"violation", "owed"})


def second_opinion(bundle: Bundle, bound: int, traces: Path | None, say: Callable[[str], object]) -> bool:
    """Runs spin on each protocol's client and server, with channels of `bound` messages, and reports with `say`. Writes
    each counterexample below `traces`, unless that is None. Returns whether spin completes every search without a fault
    and the explorer, at a bound of at most CHECKED_BOUND_MAX, agrees; True if no protocol has a client and a server.
    Raises SpinError, and UnsupportedByTarget for models that cannot be printed as Promela.
    """
    if not pairs(bundle):
        say("no protocol has a client and a server")
    content = True
    for protocol, client, server in pairs(bundle):
        checked = min(bound, CHECKED_BOUND_MAX)
        known = _kinds(bundle, protocol, client, server, checked)
        for question in QUESTIONS:
            if question.kinds == _OF_GRAMMAR and not protocol.grammar.strip():
                continue
            verdict = ask(protocol, client, server, bound, question.defines)
            content &= _report(protocol, question, verdict, bound, say)
            ours = bool(known & question.kinds)
            content &= _compare(ours, verdict, bound, checked, say)
            if verdict.fault:
                replay(bundle, verdict.trace, protocol.name)
                _keep(traces, protocol, verdict)
    return content


def _kinds(bundle: Bundle, protocol: Protocol, client: Machine, server: Machine, bound: int) -> set[str]:
    """The kinds of fault that our own explorer finds."""
    alone = Bundle((protocol,), (client, server))
    kinds = {item.kind for item in explore(alone, bound)[0]}
    automaton = grammar_automaton(protocol)[0] if protocol.grammar.strip() else None
    if automaton is not None and automaton.steps:
        result, _ = explore_grammar(protocol, client, server, automaton, bound)
        kinds |= {item.kind for item in result.findings} & _OF_GRAMMAR
    return kinds


def _report(
    protocol: Protocol, question: Question, verdict: Verdict, bound: int, say: Callable[[str], object]
) -> bool:
    where = f"{protocol.name}, {question.name}, at bound {bound}"
    if verdict.fault:
        say(f"{where}: {verdict.fault.replace('_', ' ')}\n{render_text(verdict.trace)}")
        return False
    seen = f"{verdict.situations:,} situations and {verdict.transitions:,} transitions"
    if not verdict.complete:
        say(f"{where}: stopped after {seen}; the search is incomplete")
        return False
    say(f"{where}: {seen}, no fault")
    return True


def _compare(ours: bool, verdict: Verdict, bound: int, checked: int, say: Callable[[str], object]) -> bool:
    """Reports and returns whether both tools agree, except on faults that spin finds at a greater bound."""
    if ours == bool(verdict.fault):
        say(f"  check, at bound {checked}, agrees")
        return True
    if not ours and checked < bound:
        say(f"  check does not find the fault at bound {checked}")
        return True
    say(f"  check, at bound {checked}, finds {'a fault' if ours else 'no fault'}")
    return False


def _keep(traces: Path | None, protocol: Protocol, verdict: Verdict) -> None:
    if traces is not None:
        traces.mkdir(parents=True, exist_ok=True)
        path = traces / f"spin-{protocol.name}-{verdict.fault}.json"
        path.write_text(render_trace(verdict.trace) + "\n", encoding="utf-8")
