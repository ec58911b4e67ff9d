"""The session grammar against the machines: injected faults are found, valid models pass."""

from __future__ import annotations

from dataclasses import replace

import pytest
from toys import toy

from zeps_codegen.diagnostics import Diagnostic, Location, Locations, Severity
from zeps_codegen.ir import Bundle
from zeps_codegen.passes.automaton import Automaton
from zeps_codegen.passes.session_grammar import check_session_grammar, explore_grammar, grammar_automaton
from zeps_codegen.passes.traces import pairs, replay

CLIENT = """
    idle ask() -> waiting: send ASK
    waiting ANSWER -> idle
    waiting NO -> idle
"""
SERVER = """
    idle ASK: raise? refuse; send ANSWER
    idle refuse: send NO
"""
GRAMMAR = "toy = *( C:ASK ( S:ANSWER / S:NO ) )\n"


def warnings(bundle: Bundle) -> list[Diagnostic]:
    """The findings of the comparison, without remarks."""
    return [item for item in check_session_grammar(bundle) if item.severity is not Severity.INFO]


def codes(bundle: Bundle) -> list[str]:
    return [item.code for item in warnings(bundle)]


def test_machines_that_keep_to_the_grammar_pass() -> None:
    assert codes(toy(CLIENT, SERVER, GRAMMAR)) == []


def test_a_grammar_without_the_refusal_is_broken() -> None:
    bundle = toy(CLIENT, SERVER, "toy = *( C:ASK S:ANSWER )\n")
    diagnostics = check_session_grammar(bundle)
    assert [item.code for item in diagnostics] == ["ZC604"]
    assert "S:NO where the grammar has S:ANSWER" in diagnostics[0].message
    assert "server receives ASK, raised refuse, sends NO" in diagnostics[0].hint


def test_a_violation_has_a_trace_that_replays_and_is_no_prefix() -> None:
    bundle = toy(CLIENT, SERVER.replace("send ANSWER", "send ANSWER; send ANSWER"), GRAMMAR)
    automaton, _ = grammar_automaton(bundle.protocols[0])
    assert automaton is not None
    result, _ = explore_grammar(*pairs(bundle)[0], automaton)
    finding = next(item for item in result.findings if item.kind == "violation")
    seen = replay(bundle, finding.trace).observed
    assert not automaton.is_prefix(seen)
    assert automaton.is_prefix(seen[:-1])


def test_fifo_lets_the_server_see_late_what_the_client_said_early() -> None:
    """The client terminates at once, but its earlier messages arrive after the server's last message."""
    client = """
        on say(): send WORD
        on BYE -> off: send BYE-OK
        off *
    """
    server = """
        on WORD
        on leave -> leaving: send BYE
        leaving BYE-OK -> off
        leaving *
        off *
    """
    strict = "toy = *C:WORD [ S:BYE C:BYE-OK ]\n"
    assert codes(toy(client, server, strict)) == ["ZC604"]
    assert codes(toy(client, server, strict.replace("S:BYE ", "S:BYE *C:WORD "))) == []


def test_an_answer_that_is_missing_is_owed() -> None:
    bundle = toy(CLIENT, "idle ASK", "toy = *( C:ASK S:ANSWER )\n", ["NO"])
    diagnostics = check_session_grammar(bundle)
    assert [item.code for item in diagnostics] == ["ZC605"]
    assert "server is silent: the grammar requires S:ANSWER" in diagnostics[0].message


def test_a_word_that_the_client_owes() -> None:
    client = "idle HELLO\nidle ask(): send ASK"
    server = "idle greet -> greeted: send HELLO\nidle ASK\ngreeted ASK"
    assert codes(toy(client, server, "toy = [ S:HELLO C:ASK *C:ASK ]\n")) == ["ZC604"]  # ASK before HELLO
    never = "idle HELLO\nidle *"
    assert codes(toy(never, server, "toy = [ S:HELLO C:ASK *C:ASK ]\n")) == ["ZC605"]


def test_who_terminates_before_a_session_owes_nothing_and_who_terminates_within_one_does() -> None:
    client, grammar = "idle ask() -> asked: send ASK\nasked ANSWER\nasked NO", "toy = C:ASK S:ANSWER\n"
    server = "idle ASK -> done: send ANSWER"
    assert codes(toy(client + "\nidle quit(): end", server, grammar, ["NO"])) == []
    assert codes(toy(client, server + "\nidle quit(): end", grammar, ["NO"])) == []
    assert codes(toy(client, "idle ASK: end", grammar, ["NO"])) == ["ZC605"]


@pytest.mark.parametrize(
    "grammar",
    [
        "toy = *( C:ASK answer )\nanswer = S:ANSWER / S:NO\n",
        "toy = *( C:ASK answer )\nanswer = S:ANSWER\nanswer =/ S:NO\n",
        "toy = [ 1*( c:ask ( s:answer | s:no ) ) ]\n",
        "toy = *( P:ASK ( P:ANSWER / P:NO ) )\n",
        "toy = *( ask ( answer / no ) )\n",
    ],
)
def test_the_dialects_mean_the_same(grammar: str) -> None:
    assert codes(toy(CLIENT, SERVER, grammar)) == []


def test_a_rule_that_leads_back_to_itself_is_named_with_its_circle() -> None:
    bundle = toy(CLIENT, SERVER, "toy = C:ASK answer\nanswer = S:ANSWER [ toy ] / S:NO\n")
    where = Locations({"grammar:toy": Location("toy.xml", 10)})
    (diagnostic,) = check_session_grammar(bundle, where)
    assert (diagnostic.code, diagnostic.file, diagnostic.line) == ("ZC601", "toy.xml", 11)
    assert "toy → answer → toy" in diagnostic.message


def test_bytes_have_no_place_in_it() -> None:
    diagnostics = check_session_grammar(toy(CLIENT, SERVER, 'toy = C:ASK ( S:ANSWER / S:NO ) %x00 "end"\n'))
    assert {item.code for item in diagnostics} == {"ZC602"}


@pytest.mark.parametrize("bounds", ["1001", "0*1001", "3*2", "2000*"])
def test_a_repetition_without_an_automaton_is_reported_with_its_line(bounds: str) -> None:
    bundle = toy(CLIENT, SERVER, f"toy = {bounds}( C:HELLO S:HELLO )\n")
    (diagnostic,) = check_session_grammar(bundle, Locations({"grammar:toy": Location("toy.xml", 10)}))
    assert (diagnostic.code, diagnostic.file, diagnostic.line) == ("ZC602", "toy.xml", 10)
    assert f"{'1001*1001' if bounds == '1001' else bounds} is not a repetition" in diagnostic.message


def test_a_message_named_only_where_no_session_comes_is_reported() -> None:
    bundle = toy(CLIENT, SERVER, GRAMMAR + "\nlost = S:BYE\n", ["BYE"])
    (diagnostic,) = [item for item in check_session_grammar(bundle) if item.code == "ZC603"]
    assert diagnostic.message.startswith("the grammar names BYE,")


def test_what_the_grammar_allows_and_nobody_does_is_reported() -> None:
    (diagnostic,) = warnings(toy(CLIENT, SERVER, "toy = *( C:ASK ( S:ANSWER / S:NO / S:BYE ) )\n", ["BYE"]))
    assert diagnostic.code == "ZC608"
    assert "allows S:BYE after C:ASK" in diagnostic.message


def test_without_machines_only_the_grammar_is_looked_at() -> None:
    bundle = replace(toy(CLIENT, SERVER, "toy = C:ASK toy\n"), machines=())
    assert codes(bundle) == ["ZC601"]
    assert check_session_grammar(replace(toy(CLIENT, SERVER), machines=())) == []


def test_the_comparison_stops_at_its_limit_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zeps_codegen.passes.session_grammar.situations_max", lambda bound: 1)
    assert codes(toy(CLIENT, SERVER, GRAMMAR)) == ["ZC607"]


def test_zeps_follows_its_grammar_and_uses_all_of_it(zeps: Bundle) -> None:
    protocol, client, server = next(item for item in pairs(zeps) if item[0].name == "zeps")
    automaton, diagnostics = grammar_automaton(protocol)
    assert automaton is not None
    assert diagnostics == []
    assert {symbol[2:] for symbol in automaton.alphabet()} == {message.name for message in protocol.messages}
    result, watcher = explore_grammar(protocol, client, server, automaton, bound=2)
    assert result.complete
    assert result.findings == [] or {item.kind for item in result.findings} <= {"standstill", "odd"}
    assert len(watcher.taken) == sum(len(row) for row in automaton.steps)


def zeps_automaton(zeps: Bundle) -> Automaton:
    automaton, _ = grammar_automaton(zeps.protocol("zeps"))
    assert automaton is not None
    return automaton


@pytest.mark.parametrize(
    "word",
    [
        "C:ATTACH S:ATTACH-OK C:SUBSCRIBE S:SUBSCRIBE-OK C:CREDIT S:DELIVER C:DETACH S:DETACH-OK",
        "C:PING S:INVALID C:ATTACH S:ATTACH-OK",
        "C:ATTACH S:ATTACH-OK S:DETACH C:PUBLISH C:PING C:DETACH-OK C:ATTACH S:ATTACH-OK",
        "C:ATTACH S:ATTACH-OK S:DETACH C:DETACH S:DETACH-OK",
        "C:ATTACH S:ATTACH-OK C:SUBSCRIBE S:INVALID C:SUBSCRIBE S:SUBSCRIBE-OK S:INVALID S:DELIVER",
    ],
)
def test_sessions_of_zeps(zeps: Bundle, word: str) -> None:
    assert zeps_automaton(zeps).accepts(word.split())


@pytest.mark.parametrize(
    "word",
    [
        "S:DELIVER",
        "C:PING S:PING-OK",
        "C:ATTACH S:ATTACH-OK C:PING S:DELIVER",
        "C:ATTACH S:ATTACH-OK C:DETACH S:DETACH-OK S:DELIVER",
        "C:ATTACH S:INVALID S:DELIVER",
        "C:ATTACH S:ATTACH-OK C:SUBSCRIBE S:DELIVER",
        "C:ATTACH S:ATTACH-OK C:CREDIT S:INVALID C:SUBSCRIBE S:PING-OK",
        "C:ATTACH S:ATTACH-OK S:DETACH S:DELIVER",
    ],
)
def test_what_is_no_session_of_zeps(zeps: Bundle, word: str) -> None:
    assert not zeps_automaton(zeps).is_prefix(word.split())
