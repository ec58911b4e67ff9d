"""Client and server together: does anything go wrong that neither machine shows by itself?

The theory. Each machine is a table; together, joined by two channels that keep order and hold `bound`
messages, they are a graph of situations, which is finite once the data is small (:mod:`.abstraction` says
what is left out) and is looked at as a whole (:mod:`.composition`). Any call of the application and any event
of the host may come at any time in a state that has a row for it, a host action may raise what its row says
it raises, and whoever sends into a full channel waits. Three questions are asked, each under its own
conditions.

1. *Everything goes wrong that can* (timers fire at any moment, actions refuse):
   - a message arrives, and the state has no row for it: unspecified reception (ZC702). A `*` row is one;
   - an action raises an event that no row takes (ZC703);
   - nothing can happen any more, and something should (ZC701). If only full channels are in the way, it is a
     remark (ZC710): any two hosts that block while they send can block each other, at any bound;
   - a state in which a machine never is (ZC706), a row that is never taken (ZC707): dead wood, or a fault
     elsewhere. Rows of `*` and of malformed input are for peers that do not keep to the protocol; but where
     messages can arrive, bad ones can, so a machine with such rows needs them in each such state (ZC714).
2. *Nobody gives up* (a timer never makes a machine leave a state): then the two understand each other, and a
   message that only `*` takes, and that makes a machine leave its state, shows that they do not (ZC704). With
   timers this may happen, because nothing on the wire tells an answer from a late answer; it is counted
   (ZC711).
3. *Nobody gives up or refuses*: from every situation, each machine can get on: leave the state that it is in,
   if not at once, then in some future. Where it cannot, it waits for a message that will never come (ZC705), or
   that nobody owes it (ZC708). And if its peer vanishes, its timers bring it back (ZC709). :mod:`.waiting`
   explains.

What is not proved: anything beyond the bound and the limit of numbers; anything about time, or about loss of
messages (a lost connection is `expired` and a new session to the machines); that something good happens, only
that it can.
"""

from __future__ import annotations

from collections.abc import Callable

from ..diagnostics import Code, Diagnostic, Locations, Severity, counted, define
from ..ir import Bundle, EventKind, Host, Machine, Protocol, Send
from .abstraction import Abstraction
from .composition import Explorer, Finding, Result, situations_max
from .local import LocalMachine, Regime
from .sides import Packets, Side
from .traces import pairs, render_line
from .waiting import find_orphans, find_waiting

__all__ = ["Composition", "check_composition", "explore"]

DEADLOCK = define("ZC701", Severity.ERROR, "client and server wait for each other")
UNSPECIFIED = define("ZC702", Severity.ERROR, "a message arrives in a state that has no row for it")
UNHANDLED_RAISE = define("ZC703", Severity.ERROR, "an action raises an event that no row takes")
UNEXPECTED = define("ZC704", Severity.ERROR, "a message that only `*` takes arrives though nobody gave up")
WAITING = define("ZC705", Severity.ERROR, "a machine can wait for ever for a message that nobody will send")
UNANSWERED = define("ZC708", Severity.WARNING, "a machine expects an answer, and its peer owes none")
ORPHAN = define(
    "ZC709", Severity.WARNING, "a state from which no timer brings a machine back if its peer vanishes"
)
NEVER_IN_STATE = define(
    "ZC706", Severity.WARNING, "a state in which a machine never is while its peer takes part"
)
NEVER_TAKEN = define("ZC707", Severity.WARNING, "a row that is never taken while the peer takes part")
STANDSTILL = define("ZC710", Severity.INFO, "two full channels, and both sides waiting to send")
STAR_COUNT = define("ZC711", Severity.INFO, "pairs of a state and a message that only `*` takes")
SUMMARY = define("ZC712", Severity.INFO, "what of client and server was looked at")
BAD_INPUT = define(
    "ZC714", Severity.WARNING, "a state that takes messages, and has no row for malformed ones"
)
READ_BY_NOBODY = define(
    "ZC715", Severity.WARNING, "a message is read as an event that no action of its receiver's raises for it"
)
LIMIT = define("ZC713", Severity.WARNING, "more to look at than the check may take")

SHORTEST_STATES_MAX = 200_000

BAD_INPUT_EVENTS = frozenset({"malformed"})
ANYTHING = Regime(excluded=BAD_INPUT_EVENTS)
NOBODY_GIVES_UP = Regime(give_up=False)
UNDISTURBED = Regime(give_up=False, refuse=False)
_CONDITIONS = ("if anything may go wrong", "if no timer ends a state", "if also no action refuses")

_KINDS: dict[str, tuple[Code, str]] = {
    "deadlock": (DEADLOCK, "client and server wait for each other: {detail}"),
    "unspecified": (
        UNSPECIFIED,
        "{event} arrives at the {actor} in the state {state}, which has no row for it",
    ),
    "unhandled": (UNHANDLED_RAISE, "in {state}, {event} of the {actor} raises an event that no row takes"),
    "odd": (UNEXPECTED, "{event} arrives at the {actor} in the state {state}, and only `*` takes it"),
    "waiting": (
        WAITING,
        "the {actor} can be left waiting in the state {state}, for a message that never comes",
    ),
    "unanswered": (
        UNANSWERED,
        "the {actor} can be left waiting in the state {state}: its timer runs, and nothing is on its way",
    ),
    "orphan": (ORPHAN, "if the peer vanishes, timers do not bring the {actor} back from the state {state}"),
    "standstill": (STANDSTILL, "both channels can be full while both sides wait to send: {detail}"),
}


class Composition:
    """The client and the server of one protocol, to be explored."""

    def __init__(self, protocol: Protocol, client: Machine, server: Machine, limit: int = 2) -> None:
        self.protocol, self.client, self.server = protocol, client, server
        self.abstraction = Abstraction(protocol, (client, server), limit)

    def explorer(
        self,
        regime: Regime,
        bound: int,
        *,
        reduce: bool = True,
        states_max: int | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Explorer:
        """An explorer of everything that may happen under `regime`, ready to run."""
        packets = Packets()
        return Explorer(
            Side("client", LocalMachine(self.client, self.abstraction, regime), packets),
            Side("server", LocalMachine(self.server, self.abstraction, regime), packets),
            bound,
            reduce=reduce,
            states_max=states_max,
            progress=progress,
        )

    def shortest(self, findings: list[Finding], regime: Regime, bound: int) -> list[Finding]:
        """The same findings with shortest traces, as far as they are found again among so many situations."""
        if not findings:
            return []
        explorer = self.explorer(regime, bound, reduce=False, states_max=SHORTEST_STATES_MAX)
        again = {_what(finding): finding for finding in explorer.run().findings}
        return [again.get(_what(finding), finding) for finding in findings]


def _what(finding: Finding) -> tuple[str, ...]:
    return (finding.kind, finding.actor, finding.state, finding.event)


def explore(
    bundle: Bundle, bound: int = 2, progress: Callable[[int], None] | None = None
) -> tuple[list[Finding], list[Result]]:
    """The findings about every client and server of the bundle, and what each exploration saw.

    For each pair there are three results: anything may go wrong, nobody gives up, nobody gives up or refuses.
    """
    findings: list[Finding] = []
    results: list[Result] = []
    for protocol, client, server in pairs(bundle):
        found, seen = _explore(Composition(protocol, client, server), bound, progress)
        findings += found
        results += seen
    return findings, results


def check_composition(
    bundle: Bundle,
    locations: Locations | None = None,
    bound: int = 2,
    keep: Callable[[Finding], None] | None = None,
) -> list[Diagnostic]:
    """Look at each protocol's client and server together, over channels of `bound` messages.

    `keep` is given each finding that has a trace.
    """
    where = locations or Locations()
    diagnostics: list[Diagnostic] = []
    for protocol, client, server in pairs(bundle):
        composition = Composition(protocol, client, server)
        findings, results = _explore(composition, bound, None)
        machines = {"client": client, "server": server}
        for finding in findings:
            if keep is not None:
                keep(finding)
        diagnostics += [_diagnostic(finding, machines[finding.actor], where) for finding in findings]
        if results[0].complete:
            diagnostics += [
                item for actor in machines for item in _unused(machines[actor], actor, results[0], where)
            ]
        for machine in machines.values():
            diagnostics += _open_to_bad_input(machine, where)
        diagnostics += _misread(client, server, where)
        diagnostics += _misread(server, client, where)
        diagnostics += _remarks(composition, results, bound, where)
    return diagnostics


def _explore(
    composition: Composition, bound: int, progress: Callable[[int], None] | None
) -> tuple[list[Finding], list[Result]]:
    findings: list[Finding] = []
    results = []
    for regime, kinds, reduce in (
        (ANYTHING, ("deadlock", "unspecified", "unhandled", "standstill"), True),
        (NOBODY_GIVES_UP, ("odd",), True),
        (UNDISTURBED, (), False),
    ):
        explorer = composition.explorer(
            regime, bound, reduce=reduce, states_max=situations_max(bound), progress=progress
        )
        result = explorer.run()
        results.append(result)
        found = _one_standstill([item for item in result.findings if item.kind in kinds])
        faults = [item for item in found if item.kind != "standstill"]
        findings += [item for item in found if item.kind == "standstill"]
        findings += composition.shortest(faults, regime, bound)
        if regime is UNDISTURBED and result.complete:
            findings += find_waiting(explorer)
        if regime is ANYTHING:
            findings += find_orphans(explorer)
    return findings, results


def _one_standstill(findings: list[Finding]) -> list[Finding]:
    """A standstill can come about in many pairs of states; one says it."""
    first = next((item for item in findings if item.kind == "standstill"), None)
    return [item for item in findings if item.kind != "standstill" or item is first]


def _diagnostic(finding: Finding, machine: Machine, where: Locations) -> Diagnostic:
    code, text = _KINDS[finding.kind]
    rows = [f"transition:{machine.name}.{row}" for row in finding.rows[:1]]
    place = where.find(
        *rows,
        f"event:{machine.name}.{finding.state}.{finding.event}",
        f"state:{machine.name}.{finding.state}",
    )
    message = text.format(
        actor=finding.actor, state=finding.state, event=finding.event, detail=finding.detail
    )
    return code.at(place.file, place.line, message, f"trace: {render_line(finding.trace)}")


def _unused(machine: Machine, actor: str, result: Result, where: Locations) -> list[Diagnostic]:
    """States and rows that the composition has no use for."""
    found = []
    reached = result.reached[actor]
    for state in machine.states:
        if state.name not in reached:
            place = where.find(f"state:{machine.name}.{state.name}")
            text = f"the {actor} is never in the state {state.name} while its peer takes part"
            found.append(NEVER_IN_STATE.at(place.file, place.line, text))
    replies = {event.name for event in machine.events if event.kind is EventKind.REPLY}
    for index, row in enumerate(machine.transitions):
        if (
            index in result.rows[actor]
            or row.covered_by_star
            or row.state not in reached
            or row.event in ANYTHING.excluded
            or row.event in replies
        ):
            continue
        place = where.find(f"transition:{machine.name}.{index}")
        guard = "" if row.guard is None else " (with this guard)"
        text = (
            f"the {actor} never takes {row.event}{guard} in the state {row.state} while its peer takes part"
        )
        found.append(NEVER_TAKEN.at(place.file, place.line, text))
    return found


def _open_to_bad_input(machine: Machine, where: Locations) -> list[Diagnostic]:
    """Malformed input can arrive wherever messages can; a machine that knows of it has to say so everywhere."""
    kinds = {event.name: event.kind for event in machine.events}
    ready = {row.state for row in machine.transitions if row.event in BAD_INPUT_EVENTS}
    listening = {row.state for row in machine.transitions if kinds.get(row.event) is EventKind.MESSAGE}
    found = []
    for state in machine.states if ready else ():
        if state.name in listening - ready:
            place = where.find(f"state:{machine.name}.{state.name}")
            text = f"bad input can arrive in the state {state.name}, which has no row for malformed"
            found.append(BAD_INPUT.at(place.file, place.line, text))
    return found


def _misread(sender: Machine, receiver: Machine, where: Locations) -> list[Diagnostic]:
    """A receiver that does not read the message so would go on as if it said nothing."""
    found = []
    for index, row in enumerate(sender.transitions):
        for step in row.steps:
            if not isinstance(step, Send) or step.read_as is None:
                continue
            raised = {
                name
                for other in receiver.transitions
                if other.event == step.message
                for action in other.steps
                if isinstance(action, Host)
                for name in action.raises
            }
            if step.read_as not in raised:
                place = where.find(f"transition:{sender.name}.{index}")
                text = f"no action of {receiver.name} raises {step.read_as} for {step.message}"
                hint = f"it may raise {', '.join(sorted(raised)) or 'nothing'}"
                found.append(READ_BY_NOBODY.at(place.file, place.line, text, hint))
    return found


def _remarks(
    composition: Composition, results: list[Result], bound: int, where: Locations
) -> list[Diagnostic]:
    found = []
    anything = results[0]
    for actor, machine in (("client", composition.client), ("server", composition.server)):
        star = anything.star[actor]
        if star:
            place = where.find(f"class:{machine.name}")
            leaving = ", ".join(f"{event} in {state}" for (state, event), leaves in star.items() if leaves)
            count = counted(len(star), "pair")
            text = f"{count} of a state and a message that arrives at the {actor} and that only `*` takes"
            hint = (
                f"when a timer has fired too early, these even change its state: {leaving}" if leaving else ""
            )
            found.append(STAR_COUNT.at(place.file, place.line, text, hint))
    summary = where.find(f"class:{composition.protocol.name}")
    counts = ", ".join(
        f"{result.states:,} situations and {result.transitions:,} transitions {condition}"
        for result, condition in zip(results, _CONDITIONS, strict=True)
    )
    text = f"{composition.client.name} with {composition.server.name} at bound {bound}: {counts}"
    found.append(SUMMARY.at(summary.file, summary.line, text))
    if not all(result.complete for result in results):
        text = f"stopped after {situations_max(bound):,} situations; what lies beyond was not looked at"
        found.append(LIMIT.at(summary.file, summary.line, text, "a smaller bound"))
    return found
