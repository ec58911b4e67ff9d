"""Client and server together: faults that neither machine shows by itself.

The theory. Each machine is a table. Together, joined by two ordered channels of `bound` messages, they are a graph of
situations, which is finite after the abstraction of data (:mod:`.abstraction` lists what it leaves out) and is explored
completely, up to a limit of situations; ZC713 says if it is reached (:mod:`.composition`). A call of the application or
an event of the host may come at any time in a state that has a row for it, a host action may raise the events that its
row declares, and a machine that sends into a full channel waits. Three questions are asked, each under its own
conditions.

1. *Everything may fail* (timers fire at any moment, actions fail):
   - a message arrives, and no row of the state handles it: unspecified reception (ZC702). A `*` row counts;
   - an action raises an event that no row takes (ZC703);
   - if the peer vanishes, a machine's timers do not return it to its initial state (ZC709);
   - no step is possible, though the session has not ended (ZC701). If only full channels are the cause, it is a
     remark (ZC710): any two hosts that block while they send can block each other, at any bound;
   - a state that a machine never enters (ZC706), a row that is never taken (ZC707): dead code, or a fault elsewhere.
     Rows of `*` and of malformed input are for peers that violate the protocol; but malformed messages can arrive
     wherever messages can, so a machine with rows for them needs one in each of these states (ZC714).
2. *No timer gives up* (a timer never makes a machine leave a state): then both machines agree on the session, and a
  message that only `*` handles, and that makes a machine leave its state, shows a disagreement (ZC704). With timers
  this may happen, because on the wire an answer looks like a late answer; it is counted (ZC711).
3. *No timer gives up and no action fails*: from every situation, each machine has a future in which it leaves its
  state. If it has none, it waits for a message that will never come (ZC705), or that the peer does not owe it (ZC708).
  :mod:`.waiting` explains this and ZC709.

What is not proved: properties beyond the bound and the limit of numbers; properties of time, or of loss of messages
(for the machines, a lost connection is `expired` and a new session); that progress happens, only that it is possible.
"""

from __future__ import annotations

from collections.abc import Callable

from ..diagnostics import Code, Diagnostic, Locations, counted, error, remark, warning
from ..ir import Bundle, EventKind, Host, Machine, Protocol, Send
from .abstraction import Abstraction
from .composition import SHORTEST_STATES_MAX, Explorer, Finding, Result, situations_max, with_traces_of
from .local import LocalMachine, Regime
from .sides import Packets, Side
from .traces import pairs
from .waiting import find_orphans, find_waiting

__all__ = ["Composition", "check_composition", "explore"]

DEADLOCK = error("ZC701", "client and server wait for each other")
UNSPECIFIED = error("ZC702", "a message arrives that no row of the state handles")
UNHANDLED_RAISE = error("ZC703", "an action raises an event that no row takes")
UNEXPECTED = error("ZC704", "a message that only `*` handles arrives though no timer gave up")
WAITING = error("ZC705", "a machine can wait for ever for a message that is never sent")
UNANSWERED = warning("ZC708", "a machine expects an answer, but its peer does not owe one")
ORPHAN = warning(
    "ZC709", "a state from which no timer returns a machine to its initial state if its peer vanishes"
)
NEVER_IN_STATE = warning("ZC706", "a state that a machine never enters in a session with its peer")
NEVER_TAKEN = warning("ZC707", "a row that is never taken in a session with the peer")
STANDSTILL = remark("ZC710", "two full channels while both sides wait to send")
STAR_COUNT = remark("ZC711", "pairs of a state and a message that only `*` handles")
SUMMARY = remark("ZC712", "how much of client and server was explored")
BAD_INPUT = warning("ZC714", "a state that receives messages, but has no row for malformed messages")
READ_BY_NOBODY = warning(
    "ZC715", "a message is read as an event that no action of its receiver raises for it"
)
LIMIT = warning("ZC713", "the check stopped at its limit of situations")

BAD_INPUT_EVENTS = frozenset({"malformed"})
ANYTHING = Regime(excluded=BAD_INPUT_EVENTS)
NOBODY_GIVES_UP = Regime(give_up=False)
UNDISTURBED = Regime(give_up=False, refuse=False)
_CONDITIONS = ("if everything may fail", "if no timer ends a state", "if also no action fails")

_KINDS: dict[str, tuple[Code, str]] = {
    "deadlock": (DEADLOCK, "client and server wait for each other: {detail}"),
    "unspecified": (
        UNSPECIFIED,
        "{event} arrives at the {actor} in the state {state}, and no row handles it",
    ),
    "unhandled": (UNHANDLED_RAISE, "in {state}, {event} of the {actor} raises an event that no row takes"),
    "odd": (UNEXPECTED, "{event} arrives at the {actor} in the state {state}, and only `*` handles it"),
    "waiting": (
        WAITING,
        "the {actor} can wait for ever in the state {state} for a message that never comes",
    ),
    "unanswered": (
        UNANSWERED,
        "the {actor} can wait in the state {state} until its timer expires: no message is in transit",
    ),
    "orphan": (
        ORPHAN,
        "if the peer vanishes, no timer returns the {actor} from the state {state} to its initial state",
    ),
    "standstill": (STANDSTILL, "both channels can be full while both sides wait to send: {detail}"),
}


class Composition:
    """The client and the server of one protocol, for exploration; `limit` is that of their Abstraction."""

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
    ) -> Explorer:
        """Creates an explorer of everything that may happen under `regime`, over channels of `bound` messages."""
        packets = Packets()
        return Explorer(
            Side("client", LocalMachine(self.client, self.abstraction, regime), packets),
            Side("server", LocalMachine(self.server, self.abstraction, regime), packets),
            bound,
            reduce=reduce,
            states_max=states_max,
        )

    def shortest(self, findings: list[Finding], regime: Regime, bound: int) -> list[Finding]:
        """The same findings with shortest traces, as far as the search within SHORTEST_STATES_MAX repeats them."""
        if not findings:
            return []
        explorer = self.explorer(regime, bound, reduce=False, states_max=SHORTEST_STATES_MAX)
        return with_traces_of(findings, explorer.run().findings)


def explore(bundle: Bundle, bound: int = 2) -> tuple[list[Finding], list[Result]]:
    """The findings about each protocol's first client and first server, over channels of `bound` messages; and three
    results for each pair: everything may fail; no timer gives up; no timer gives up and no action fails.
    """
    findings: list[Finding] = []
    results: list[Result] = []
    for protocol, client, server in pairs(bundle):
        pair_findings, seen = _explore(Composition(protocol, client, server), bound)
        findings += pair_findings
        results += seen
    return findings, results


def check_composition(
    bundle: Bundle,
    locations: Locations | None = None,
    bound: int = 2,
    keep: Callable[[Finding], None] | None = None,
) -> list[Diagnostic]:
    """Checks each protocol's first client and first server together, over channels of `bound` messages. `keep` is
    called with each finding of the exploration, which has a trace.
    """
    where = locations or Locations()
    diagnostics: list[Diagnostic] = []
    for protocol, client, server in pairs(bundle):
        composition = Composition(protocol, client, server)
        findings, results = _explore(composition, bound)
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


def _explore(composition: Composition, bound: int) -> tuple[list[Finding], list[Result]]:
    findings: list[Finding] = []
    results = []
    for regime, kinds, reduce in (
        (ANYTHING, ("deadlock", "unspecified", "unhandled", "standstill"), True),
        (NOBODY_GIVES_UP, ("odd",), True),
        (UNDISTURBED, (), False),
    ):
        explorer = composition.explorer(regime, bound, reduce=reduce, states_max=situations_max(bound))
        result = explorer.run()
        results.append(result)
        kept = [item for item in result.findings if item.kind in kinds]
        findings += [item for item in kept if item.kind == "standstill"][:1]  # it can occur in many states
        faults = [item for item in kept if item.kind != "standstill"]
        findings += composition.shortest(faults, regime, bound)
        if regime is UNDISTURBED and result.complete:
            findings += find_waiting(explorer)
        if regime is ANYTHING:
            findings += find_orphans(explorer)
    return findings, results


def _diagnostic(finding: Finding, machine: Machine, where: Locations) -> Diagnostic:
    code, text = _KINDS[finding.kind]
    message = text.format(
        actor=finding.actor, state=finding.state, event=finding.event, detail=finding.detail
    )
    return finding.diagnostic(code, message, machine, where)


def _unused(machine: Machine, actor: str, result: Result, where: Locations) -> list[Diagnostic]:
    """Warnings about the states that the actor never entered, and the rows that it never took in the others."""
    diagnostics = []
    reached = result.reached[actor]
    for state in machine.states:
        if state.name not in reached:
            place = where.find(f"state:{machine.name}.{state.name}")
            text = f"the {actor} never enters the state {state.name} in a session with its peer"
            diagnostics.append(NEVER_IN_STATE.at(place.file, place.line, text))
    for index, row in enumerate(machine.transitions):
        if (
            index in result.rows[actor]
            or row.covered_by_star
            or row.state not in reached
            or row.event in ANYTHING.excluded
        ):
            continue
        place = where.find(f"transition:{machine.name}.{index}")
        guard = "" if row.guard is None else " (with this guard)"
        text = (
            f"the {actor} never takes {row.event}{guard} in the state {row.state} in a session with its peer"
        )
        diagnostics.append(NEVER_TAKEN.at(place.file, place.line, text))
    return diagnostics


def _open_to_bad_input(machine: Machine, where: Locations) -> list[Diagnostic]:
    """Finds states without a row for malformed input in which messages can arrive, if other states have one."""
    kinds = {event.name: event.kind for event in machine.events}
    ready = {row.state for row in machine.transitions if row.event in BAD_INPUT_EVENTS}
    listening = {row.state for row in machine.transitions if kinds.get(row.event) is EventKind.MESSAGE}
    diagnostics = []
    for state in machine.states if ready else ():
        if state.name in listening - ready:
            place = where.find(f"state:{machine.name}.{state.name}")
            text = f"malformed input can arrive in the state {state.name}, which has no row for it"
            diagnostics.append(BAD_INPUT.at(place.file, place.line, text))
    return diagnostics


def _misread(sender: Machine, receiver: Machine, where: Locations) -> list[Diagnostic]:
    """The findings about sends with a reading that no action of the receiver raises."""
    diagnostics = []
    for index, row in enumerate(sender.transitions):
        for step in row.steps:
            if not isinstance(step, Send) or step.read_as is None:
                continue
            actions = [other.steps for other in receiver.transitions if other.event == step.message]
            hosts = [action for steps in actions for action in steps if isinstance(action, Host)]
            raised = {name for action in hosts for name in (*action.raises, *action.then)}
            if step.read_as not in raised:
                place = where.find(f"transition:{sender.name}.{index}")
                text = f"no action of {receiver.name} raises {step.read_as} for {step.message}"
                hint = f"they may raise: {', '.join(sorted(raised)) or 'no event'}"
                diagnostics.append(READ_BY_NOBODY.at(place.file, place.line, text, hint))
    return diagnostics


def _remarks(
    composition: Composition, results: list[Result], bound: int, where: Locations
) -> list[Diagnostic]:
    diagnostics = []
    anything = results[0]
    for actor, machine in (("client", composition.client), ("server", composition.server)):
        star = anything.star[actor]
        if star:
            place = where.find(f"class:{machine.name}")
            leaving = ", ".join(f"{event} in {state}" for (state, event), leaves in star.items() if leaves)
            count = counted(len(star), "pair")
            text = f"{count} of a state and a message that arrives at the {actor} and that only `*` handles"
            hint = f"after a timer that fired too early, these change its state: {leaving}" if leaving else ""
            diagnostics.append(STAR_COUNT.at(place.file, place.line, text, hint))
    summary = where.find(f"class:{composition.protocol.name}")
    counts = ", ".join(
        f"{result.states:,} situations and {result.transitions:,} transitions {condition}"
        for result, condition in zip(results, _CONDITIONS, strict=True)
    )
    text = f"{composition.client.name} with {composition.server.name} at bound {bound}: {counts}"
    diagnostics.append(SUMMARY.at(summary.file, summary.line, text))
    if not all(result.complete for result in results):
        text = (
            f"stopped at a limit, at most {situations_max(bound):,} situations; the exploration is incomplete"
        )
        diagnostics.append(LIMIT.at(summary.file, summary.line, text, "a smaller bound"))
    return diagnostics
