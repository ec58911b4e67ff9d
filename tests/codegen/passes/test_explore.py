"""Client and server together: injected faults are found, each with a replayable trace; valid models pass."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from campaigns import SOAK, sized
from generated_machines import DisagreementError, Players, package_of
from hypothesis import given, settings
from hypothesis import strategies as st
from model_mutants import findings as mutant_findings
from model_mutants import mutants
from toys import toy

from zeps_codegen.diagnostics import Diagnostic, Location, Locations, Severity
from zeps_codegen.ir import Bundle, Send
from zeps_codegen.load import load_bundle
from zeps_codegen.passes.abstraction import Abstraction
from zeps_codegen.passes.composition import Explorer, Finding, Result
from zeps_codegen.passes.explore import ANYTHING, Composition, check_composition, explore
from zeps_codegen.passes.traces import (
    ReplayError,
    pairs,
    parse_trace,
    render_line,
    render_text,
    render_trace,
    replay,
)

MODELS = Path(__file__).parents[1] / "source" / "models"
CLIENT = """
    idle ask() -> waiting: send ASK
    waiting ANSWER -> idle
"""
ONCE = """
    idle ask() -> waiting: send ASK
    waiting ANSWER -> done
"""
SERVER = "idle ASK: send ANSWER"


@pytest.fixture(scope="module")
def seen(zeps: Bundle) -> tuple[list[Finding], list[Result]]:
    """All findings about the real models at bound 2, and the results of the explorations."""
    return explore(zeps)


def warnings(bundle: Bundle, where: Locations | None = None, bound: int = 2) -> list[Diagnostic]:
    """The findings of `check_composition`, without remarks."""
    return [item for item in check_composition(bundle, where, bound) if item.severity is not Severity.INFO]


def codes(bundle: Bundle, bound: int = 2) -> list[str]:
    return sorted({item.code for item in warnings(bundle, bound=bound)})


def only(bundle: Bundle, kind: str) -> Finding:
    """The only finding of that kind, after a replay of its trace."""
    (finding,) = [item for item in explore(bundle)[0] if item.kind == kind]
    replay(bundle, finding.trace)
    return finding


# Injected faults


def test_a_sound_pair_passes() -> None:
    assert codes(toy(CLIENT, SERVER)) == []


def test_unspecified_reception() -> None:
    bundle = toy(ONCE, "idle ASK: send ANSWER; send MORE")
    finding = only(bundle, "unspecified")
    assert (finding.actor, finding.state, finding.event) == ("client", "done", "MORE")
    assert [step.state_after for step in finding.trace][-1] is None
    assert replay(bundle, finding.trace).unspecified
    assert "ZC702" in codes(bundle)


def test_a_state_that_waits_for_its_own_host_takes_no_message() -> None:
    client = "idle ask() -> waiting: send ASK\nwaiting ask() -> asked: send ASK\nasked ANSWER -> waiting"
    server = "idle ASK -> looking\nlooking found -> idle: send ANSWER"
    assert codes(toy(client + "\nwaiting ANSWER -> idle", server)) == []
    listening = server + "\nlooking OTHER"
    assert "ZC702" in codes(toy(client + "\nwaiting ANSWER -> idle", listening))


def test_a_guard_that_fails_leaves_a_message_without_a_row() -> None:
    client = "idle ask(): send ASK\nidle ANSWER[n > 0]: n := n - 1"
    assert only(toy(client, SERVER), "unspecified").event == "ANSWER"
    counted = client.replace(": send ASK", ": n := n + 1; send ASK")
    assert codes(toy(counted, SERVER)) == []


def test_deadlock_when_both_wait() -> None:
    bundle = toy(
        "idle ask() -> waiting: send ASK\nwaiting ANSWER -> idle", "idle ASK -> done\ndone GO: send ANSWER"
    )
    finding = only(bundle, "deadlock")
    assert finding.detail == "client in waiting, server in done"
    assert len(finding.trace) == 2
    end = replay(bundle, finding.trace)
    assert (end.to_server, end.to_client) == ((), ())


def test_deadlocks_that_differ_in_the_server_are_different_findings() -> None:
    """With shortest traces, which are found by another search."""
    bundle = toy(
        "idle ask() -> waiting: send ASK\nwaiting ANSWER -> idle",
        "idle ASK -> looking\nlooking good -> done\nlooking bad -> dead\n"
        "done GO: send ANSWER\ndead GO: send ANSWER",
    )
    details = [finding.detail for finding in explore(bundle)[0] if finding.kind == "deadlock"]
    assert sorted(details) == ["client in waiting, server in dead", "client in waiting, server in done"]


def test_two_that_have_ended_are_no_deadlock() -> None:
    assert codes(toy("idle leave() -> off: send BYE; end", "idle BYE -> off: end")) == []


def test_a_crossing_that_neither_expects() -> None:
    """Both may begin, and neither expects the other's message: found only with two channels."""
    client = "idle begin() -> asked: send A\nasked A-OK -> idle\nidle B: send B-OK"
    server = "idle begin() -> asked: send B\nasked B-OK -> idle\nidle A: send A-OK"
    reported = {(item.actor, item.state, item.event) for item in explore(toy(client, server))[0]}
    assert {("client", "asked", "B"), ("server", "asked", "A")} <= reported
    patient = "\nasked {0}: send {0}-OK"
    assert codes(toy(client + patient.format("B"), server + patient.format("A"))) == []


def test_a_raise_that_no_row_takes() -> None:
    bundle = toy(CLIENT, "idle ASK -> busy: raise? refuse; send ANSWER\nbusy done() -> idle")
    finding = only(bundle, "unhandled")
    assert finding.trace[-1].raised == ("refuse",)
    assert "ZC703" in codes(bundle)


READER = "idle ask() -> waiting: send ASK\nwaiting ANSWER -> idle: raise? no\nwaiting no"


def test_what_a_message_is_read_as_is_what_its_receiver_raises() -> None:
    """One of two answers ends the wait; with exchanged readings the client would wait for ever."""
    server = "idle ASK: send ANSWER{0}\nidle tick() -> other\nother tick() -> idle\nother ASK: send ANSWER{1}"
    assert "ZC705" in codes(toy(READER, server.format(" as no", "")))
    done = READER.replace("waiting no", "waiting no -> done")
    assert codes(toy(done, server.format(" as no", ""))) == []
    assert codes(toy(done, server.format("", ""))) == [], "nothing is known: it may raise or return"


def test_it_is_read_though_nobody_refuses() -> None:
    server = "idle ASK: send ANSWER as no"
    result = explore(toy(READER.replace("waiting no", "waiting no -> done"), server))[1][2]
    assert result.reached["client"] == {"idle", "waiting", "done"}


def test_a_reading_that_the_receiver_does_not_know() -> None:
    bundle = toy(READER, "idle ASK: send ANSWER as yes; send OTHER as no\nidle done() -> idle")
    (first, second) = [item for item in check_composition(bundle) if item.code == "ZC715"]
    assert first.message == "no action of toy_client raises yes for ANSWER"
    assert first.hint == "they may raise: no"
    assert second.hint == "they may raise: no event"


def test_a_reading_that_the_receiver_raises_after_the_row() -> None:
    bundle = toy(READER.replace("raise? no", "then? no"), "idle ASK: send ANSWER as no\nidle done() -> idle")
    assert "ZC715" not in codes(bundle)


def test_waiting_for_what_never_comes() -> None:
    """Only a timer frees the client; this is not a deadlock, because the server continues."""
    client = "idle ask() -> waiting: send ASK\nwaiting ANSWER -> idle\nwaiting expired -> idle\nidle ANSWER"
    server = "idle ASK\nidle tick() -> other\nother tick() -> idle\nother ASK: send ANSWER"
    finding = only(toy(client, server), "waiting")
    assert (finding.actor, finding.state) == ("client", "waiting")
    assert codes(toy(client, server.replace("idle ASK", "idle ASK: send ANSWER"))) == []


def test_a_machine_whose_peer_terminated_waits_only_if_something_had_begun() -> None:
    client = "idle hello() -> up: send HELLO\nidle quit(): end\nup bye() -> idle: send BYE"
    server = "idle HELLO -> open\nopen BYE -> idle\nidle heartbeat: n := 0"
    assert "waiting" not in {item.kind for item in explore(toy(client, server))[0]}
    finding = only(toy(client + "\nup quit(): end", server), "waiting")
    assert (finding.actor, finding.state) == ("server", "open")
    asking = "idle ask(): send ASK\nidle ANSWER -> idle2\nidle2 ask() -> idle: send ASK"
    finding = only(toy(asking, "idle ASK: end"), "waiting")
    assert (finding.actor, finding.state) == ("client", "idle"), "it can still ask, and hears nothing"


def test_a_client_that_terminates_is_no_finding_about_the_server() -> None:
    bundle = load_bundle([MODELS / f"weather_{name}.xml" for name in ("proto", "server", "client")])
    assert [item for item in explore(bundle)[0] if item.kind == "waiting"] == []


def test_an_answer_that_only_the_peers_host_might_bring_by_chance() -> None:
    client = "idle ask() -> waiting: send ASK\nwaiting ANSWER -> idle\nwaiting expired -> idle\nidle ANSWER"
    server = "idle ASK\nidle chance: send ANSWER"
    finding = only(toy(client, server), "unanswered")
    assert (finding.actor, finding.state) == ("client", "waiting")
    looking = "idle ASK -> looking\nlooking found -> idle: send ANSWER"
    assert codes(toy(client, looking)) == []  # here the server's host is asked


def test_a_peer_that_vanishes_leaves_no_orphan_where_timers_help() -> None:
    client = "idle ask() -> waiting: send ASK\nwaiting ANSWER -> idle\nidle ANSWER"
    server = "idle ASK -> busy: send ANSWER\nbusy ASK: send ANSWER\nbusy heartbeat -> idle"
    assert codes(toy(client + "\nwaiting expired -> idle", server)) == []
    half = client + "\nwaiting expired -> tired\ntired ANSWER -> idle\ntired ask() -> waiting: send ASK"
    orphans = [item for item in explore(toy(half, server))[0] if item.kind == "orphan"]
    assert [(item.actor, item.state) for item in orphans] == [("client", "waiting"), ("client", "tired")]
    counted = server.replace("busy heartbeat", "busy heartbeat[n < 2]: n := n + 1\nbusy heartbeat[n >= 2]")
    assert codes(toy(client + "\nwaiting expired -> idle", counted)) == []


def test_an_unexpected_message_that_only_star_takes() -> None:
    client = "idle ask() -> waiting: send ASK\nwaiting ANSWER -> idle\nidle * -> idle\nwaiting * -> idle"
    bundle = toy(client, "idle ASK: send HINT; send ANSWER")
    assert {item.event for item in explore(bundle)[0] if item.kind == "odd"} == {"HINT", "ANSWER"}
    assert codes(toy(client.replace(" * -> idle", " *"), "idle ASK: send HINT; send ANSWER")) == []


def test_late_answers_after_a_timer_are_counted_not_blamed() -> None:
    client = """
        idle ask() -> waiting: send ASK
        waiting ANSWER -> idle
        waiting expired -> idle
        idle * -> idle
        waiting * -> idle
    """
    diagnostics = check_composition(toy(client, SERVER))
    assert {item.code for item in diagnostics} == {"ZC711", "ZC712"}
    (summary,) = (item.message for item in diagnostics if item.code == "ZC712")
    number = r"[\d,]+ situations and [\d,]+ transitions"
    said = f"{number} if everything may fail, {number} if no timer ends a state, {number} if also no action fails"
    assert re.fullmatch(rf"\w+ with \w+ at bound 2: {said}", summary)
    said = next(item.message for item in diagnostics if item.code == "ZC711")
    assert said == "1 pair of a state and a message that arrives at the client and that only `*` handles"


def test_states_and_rows_that_are_never_used() -> None:
    client = CLIENT + "waiting NO -> refused\nrefused ask() -> idle"
    lines = {"state:toy_client.refused": 7, "transition:toy_client.2": 5}
    where = Locations({key: Location("toy.xml", line) for key, line in lines.items()})
    reported = [(item.code, item.line) for item in warnings(toy(client, SERVER), where)]
    assert reported == [("ZC706", 7), ("ZC707", 5)]


def test_bad_input_can_arrive_wherever_messages_can() -> None:
    where = Locations({"state:toy_client.waiting": Location("toy.xml", 3)})
    deaf = CLIENT + "waiting NO -> idle\nidle malformed\nidle NO\nidle ANSWER"
    server = SERVER + "\nidle refuse(): send NO"
    assert [(item.code, item.line) for item in warnings(toy(deaf, server), where)] == [("ZC714", 3)]
    assert codes(toy(deaf + "\nwaiting malformed", server)) == []


def test_full_channels_on_both_sides_are_a_remark() -> None:
    bundle = toy(
        "on ask(): send ASK\non HINT: send THANKS", "on tick(): send HINT\non ASK: send HINT\non THANKS"
    )
    assert codes(bundle) == []
    finding = only(bundle, "standstill")
    end = replay(bundle, finding.trace)
    assert len(end.to_client) == 2
    assert len(end.to_server) == 2


def test_the_search_stops_at_its_limit_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zeps_codegen.passes.explore.situations_max", lambda bound: 1)
    assert codes(toy(CLIENT, SERVER)) == ["ZC713"]


def test_a_bundle_without_a_pair_has_nothing_to_say() -> None:
    bundle = toy(CLIENT, SERVER)
    assert check_composition(replace(bundle, machines=bundle.machines[:1])) == []


# Data


def test_credit_on_both_sides_gives_no_false_alarm() -> None:
    """Each side has its own count; a saturated copy on one side would cause a false alarm."""
    client = "on grant(): n := n + 1; send CREDIT\non DELIVER[n > 0]: n := n - 1"
    server = "on CREDIT: n := n + 1\non deliver[n > 0]: n := n - 1; send DELIVER"
    for bound in (1, 2, 3, 4):
        assert codes(toy(client, server), bound) == []
    greedy = server.replace("n := n - 1; ", "")
    assert only(toy(client, greedy), "unspecified").event == "DELIVER"


def test_a_counter_that_only_grows_is_exact_and_stays_small() -> None:
    client = "on tick()[n < 3]: n := n + 1; send A\non tick()[n >= 3] -> off: send B\noff *\non *"
    bundle = toy(client, "on A\non B -> on\non B")
    protocol, machine, _ = pairs(bundle)[0]
    abstraction = Abstraction(protocol, bundle.machines)
    assert abstraction.store(machine, "n", 3) == 3
    assert abstraction.store(machine, "n", 200) == 3
    assert explore(bundle)[1][0].cut == 0


def test_what_no_guard_reads_is_left_out() -> None:
    bundle = toy("on ask(): n := n + 1; send ASK", "on ASK: n := n + 1")
    protocol, machine, _ = pairs(bundle)[0]
    assert Abstraction(protocol, bundle.machines).variables(machine) == ()
    assert explore(bundle)[1][0].states == 3  # none, one or two ASKs on their way


# The reduction


CHANNEL_ROWS = st.sampled_from(
    ["a A: send B", "a A -> b", "a A: send B; send C", "b A -> a: send C", "b A", "a A -> b: send B"]
)
SERVER_TALK = st.sampled_from(
    ["a tick(): send B", "b tick() -> a: send C", "a tick() -> b", "b expired -> a"]
) | st.sampled_from(["a D", "b D -> a: send B"])
CLIENT_TALK = st.sampled_from(
    ["a go() -> b: send A", "b B -> a", "b C: send D", "a B", "a C -> b", "b go(): send D"]
) | st.sampled_from(["a go(): send A", "b C -> a", "a C: send A"])


@settings(max_examples=sized(50, 2000))
@given(
    st.lists(CLIENT_TALK, min_size=2, max_size=6, unique=True),
    st.lists(st.one_of(CHANNEL_ROWS, SERVER_TALK), min_size=2, max_size=6, unique=True),
    st.integers(1, 3),
)
def test_the_reduction_hides_nothing(client: list[str], server: list[str], bound: int) -> None:
    """Findings, states, rows and quiet situations are the same with and without the reduction."""
    bundle = toy("\n".join(sorted(client)), "\n".join(sorted(server)), messages=["A", "B", "C", "D"])
    seen = []
    for reduce in (True, False):
        explorer = Composition(*pairs(bundle)[0]).explorer(ANYTHING, bound, reduce=reduce)
        result = explorer.run()
        assert result.complete
        for finding in result.findings:
            replay(bundle, finding.trace)
        said = {(item.kind, item.actor, item.state, item.event, item.detail) for item in result.findings}
        seen.append((said, result.rows, result.reached, result.star, _quiet(explorer)))
    assert seen[0] == seen[1]


def _quiet(explorer: Explorer) -> set[tuple[str, str]]:
    quiet = [index for index in range(explorer.situations) if explorer.is_quiet(index)]
    client, server = (
        [side.state(explorer.local_of(side, index)) for index in quiet]
        for side in (explorer.client, explorer.server)
    )
    return set(zip(client, server, strict=True))


def test_the_shortest_trace_is_as_short_as_without_the_reduction() -> None:
    bundle = toy(CLIENT, "idle ASK: send ANSWER; send MORE\nidle tick(): send ANSWER\nidle tock()")
    composition = Composition(*pairs(bundle)[0])
    full = composition.explorer(ANYTHING, 2, reduce=False).run()
    shortest = {(item.event, item.state): len(item.trace) for item in full.findings}
    for finding in explore(bundle)[0]:
        if finding.kind == "unspecified":
            assert len(finding.trace) == shortest[finding.event, finding.state]


# Traces


def test_a_trace_is_json_and_text() -> None:
    bundle = toy(ONCE, "idle ASK: send ANSWER; send MORE")
    trace = only(bundle, "unspecified").trace
    text = render_trace(trace)
    assert parse_trace(text) == trace
    assert set(json.loads(text)[0]) == {
        *("actor", "event", "message", "inputs", "raised", "sends", "state_before", "state_after")
    }
    assert render_text(trace).splitlines()[0] == "  1. client ask(), sends ASK [idle → waiting]"
    assert render_line(trace).endswith("client receives MORE")
    assert "… 12 steps …" in render_line(trace * 13)


NOT_IN_TABLE = "the table does not have this step"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda trace: trace[1:], "the message at the head is nothing, not ASK"),
        (lambda trace: (trace[0], *trace), "client is in waiting, not in idle"),
        (lambda trace: (*trace, trace[-1]), "continues after an event that no row handles"),
        (lambda trace: (replace(trace[0], sends=()), *trace[1:]), NOT_IN_TABLE),
        (lambda trace: (replace(trace[0], state_after="idle"), *trace[1:]), NOT_IN_TABLE),
        (lambda trace: (replace(trace[0], actor="stranger"),), "unknown actor 'stranger'"),
    ],
)
def test_a_trace_that_was_tampered_with_does_not_replay(
    change: Callable[[tuple[object, ...]], tuple[object, ...]], says: str
) -> None:
    bundle = toy(ONCE, "idle ASK: send ANSWER; send MORE")
    trace = only(bundle, "unspecified").trace
    with pytest.raises(ReplayError, match=says):
        replay(bundle, change(trace))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "1", "[1]", "[{}]", '[{"actor": "client"}]'])
def test_what_is_no_trace_is_refused(text: str) -> None:
    with pytest.raises(ReplayError):
        parse_trace(text)


# The real models


@pytest.mark.slow
def test_zeps_is_clean(zeps: Bundle, seen: tuple[list[Finding], list[Result]]) -> None:
    findings, results = seen
    assert {item.kind for item in findings} <= {"standstill"}
    assert all(result.complete for result in results)
    assert codes(zeps, bound=1) in ([], ["ZC707"])  # some rows need two messages on their way


@pytest.mark.slow
def test_zeps_has_a_use_for_every_row_that_is_not_for_bad_input(
    zeps: Bundle, seen: tuple[list[Finding], list[Result]]
) -> None:
    anything = seen[1][0]
    for machine in zeps.machines:
        actor = machine.role.value
        assert anything.reached[actor] == {state.name for state in machine.states}
        unused = {
            (row.state, row.event)
            for index, row in enumerate(machine.transitions)
            if index not in anything.rows[actor] and not row.covered_by_star
        }
        assert {event for _, event in unused} == {"malformed"}


@pytest.mark.slow
def test_every_finding_about_zeps_replays(zeps: Bundle, seen: tuple[list[Finding], list[Result]]) -> None:
    for finding in seen[0]:
        assert replay(zeps, finding.trace, "zeps").client.state == finding.state


@pytest.mark.slow
def test_traces_of_zeps_run_on_the_generated_machines(zeps: Bundle) -> None:
    """The generated code agrees with the explorer in every 200th situation."""
    explorer = Composition(*pairs(zeps)[0]).explorer(ANYTHING, 2, reduce=False)
    explorer.run()
    played = 0
    for index in range(0, explorer.situations, 200):
        Players("zeps_wire", zeps).play(explorer.trace(index))
        played += 1
    assert played > 100


@pytest.mark.slow
def test_a_counterexample_of_a_mutant_runs_on_the_mutant_generated_and_not_on_the_original(
    zeps: Bundle, tmp_path: Path
) -> None:
    """A broker that answers SUBSCRIBE twice: the client does not expect the second answer."""
    server = next(machine for machine in zeps.machines if machine.role.value == "server")
    rows = tuple(
        replace(row, steps=(*row.steps, Send("SUBSCRIBE-OK")))
        if (row.state, row.event) == ("open", "SUBSCRIBE")
        else row
        for row in server.transitions
    )
    rows = tuple(replace(row, before_at=len(row.steps)) if row.next is None else row for row in rows)
    mutant = replace(
        zeps,
        machines=tuple(
            replace(machine, transitions=rows) if machine is server else machine for machine in zeps.machines
        ),
    )
    findings = explore(mutant, bound=1)[0]
    finding = next(item for item in findings if (item.kind, item.event) == ("odd", "SUBSCRIBE-OK"))
    replay(mutant, finding.trace)
    Players(package_of(mutant, tmp_path, "mutant_wire"), mutant).play(finding.trace)
    with pytest.raises(ReplayError):
        replay(zeps, finding.trace)
    with pytest.raises(DisagreementError):
        Players("zeps_wire", zeps).play(finding.trace)


# A few of the mutants of tests/codegen/passes/helpers/model_mutants.py; run it to see them all
CAUGHT = [
    "zeps_server start.ATTACH: deleted",
    "zeps_server start.*: deleted",
    "zeps_server open.SUBSCRIBE: deleted",
    "zeps_server open.PING: deleted",
    "zeps_server open.DETACH: deleted",
    "zeps_server open.CREDIT: without assign credit",
    "zeps_server open.deliver[credit >= size(DELIVER)]: without its guard",
    "zeps_server open.DETACH: without action DETACH-OK",
    "zeps_server open.DETACH: start → none",
    "zeps_server open.shutdown: detaching → none",
    "zeps_server detaching.DETACH-OK: deleted",
    "zeps_client attaching.ATTACH-OK: deleted",
    "zeps_client leaving.expired: deleted",
    "zeps_server open.expired: deleted",
    "zeps_client open.SUBSCRIBE-OK[pending > 0]: deleted",
    "zeps_client open.DELIVER[credit >= size(DELIVER)]: deleted",
    "zeps_client open.follow: without assign pending",
    "zeps_client open.DETACH: deleted",
    "zeps_client detaching.DETACH-OK: deleted",
    "zeps_client leaving.ATTACH-OK: deleted",
]
if SOAK:  # rows that are never taken, like the one for expired above; each takes seconds
    CAUGHT += ["zeps_server open.malformed: deleted", "zeps_client open.close: detaching → start"]


@pytest.mark.slow
@pytest.mark.parametrize("name", random.Random(1).sample(CAUGHT, len(CAUGHT)))
def test_a_change_that_matters_is_noticed(name: str) -> None:
    mutant = next(item for item in mutants() if item.name == name)
    assert mutant_findings(mutant) != []
