"""Clients and servers in zproto's own language: expected findings of `check`, and no false ones."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from zeps_codegen.diagnostics import Diagnostic
from zeps_codegen.ir import EventKind, Send
from zeps_codegen.load import load_all
from zeps_codegen.passes.explore import check_composition
from zeps_codegen.passes.session_grammar import check_session_grammar

CODEC = """<class name="talk"><message name="ASK"/><message name="ANSWER"/><message name="SORRY"/></class>"""


#: Returns the findings of `check` about a client, a server and a codec.
Check = Callable[..., list[Diagnostic]]


@pytest.fixture
def check(tmp_path: Path) -> Check:
    def findings(client: str, server: str, codec: str = CODEC) -> list[Diagnostic]:
        paths = [tmp_path / "talk.xml"]
        paths[0].write_text(codec, encoding="utf-8")
        for role, body in (("client", client), ("server", server)):
            if body:
                path = tmp_path / f"{role}.xml"
                head = f'<class name="{role}" script="zproto_{role}_c" protocol_class="talk">'
                path.write_text(f"{head}\n{body}\n</class>", encoding="utf-8")
                paths.append(path)
        loaded = load_all(paths)
        assert loaded.bundle is not None, loaded.diagnostics
        return [
            *loaded.diagnostics,
            *check_session_grammar(loaded.bundle, loaded.locations),
            *check_composition(loaded.bundle, loaded.locations),
        ]

    return findings


def codes(diagnostics: list[Diagnostic]) -> set[str]:
    return {item.code for item in diagnostics}


CLIENT = """<state name="start">
<event name="ask" next="waiting"><action name="send" message="ASK"/></event><event name="*"/></state>
<state name="waiting"><event name="ANSWER" next="start"/><event name="SORRY" next="start"/></state>
<method name="ask"/>"""


def test_what_only_a_star_takes_is_not_brought_by_the_host(check: Check) -> None:
    """`ready` occurs only where the server looks something up; the star of `start` must not handle it anywhere."""
    server = """<state name="start" inherit="defaults"><event name="ASK" next="looking up">
    <action name="look up"/></event></state>
    <state name="looking up" inherit="defaults"><event name="ready" next="start">
    <action name="send" message="ANSWER"/></event></state>
    <state name="defaults"><event name="*" next="start"><action name="send" message="SORRY"/></event></state>"""
    assert not codes(check(CLIENT, server)) & {"ZC702", "ZC704"}


def test_what_a_timer_brings_may_be_left_to_a_star(check: Check) -> None:
    server = """<state name="start"><event name="ASK" next="open"><action name="send" message="ANSWER"/></event></state>
    <state name="open"><event name="ASK"><action name="send" message="ANSWER"/></event>
    <event name="*"><action name="send" message="SORRY"/></event></state>
    <state name="never"><event name="expired" next="start"/></state>"""
    client = CLIENT.replace('<event name="*"/>', '<event name="ANSWER"/>')
    diagnostics = [item for item in check(client, server) if item.code == "ZC702"]
    assert "expired(), sends SORRY" in diagnostics[0].hint


def test_what_the_application_sends_in_any_state_arrives(check: Check) -> None:
    server = """<state name="start"><event name="ASK"><action name="send" message="ANSWER"/></event>
    <event name="SORRY"/></state>"""

    def never_taken(client: str) -> list[int]:
        diagnostics = check(client, server)
        return [
            item.line for item in diagnostics if item.code == "ZC707" and item.file.endswith("server.xml")
        ]

    assert never_taken(CLIENT) == [3]
    assert never_taken(f'{CLIENT}<send message="SORRY"/>') == []
    assert never_taken(f'{CLIENT}<send><message name="SORRY" method="apologise"/></send>') == []


def test_what_the_application_sends_is_a_method_of_every_state(tmp_path: Path) -> None:
    (tmp_path / "talk.xml").write_text(
        '<class name="talk"><message name="ASK"><field name="what" type="msg"/></message></class>'
    )
    path = tmp_path / "client.xml"
    path.write_text(
        """<class name="client" script="zproto_client_c" protocol_class="talk">
        <state name="start" inherit="defaults"><event name="connect" next="open"/></state>
        <state name="open" inherit="defaults"/><state name="defaults"><event name="*" next="start"/></state>
        <method name="connect"/>
        <send><message name="ASK" method="ask it"/><message name="ASK"/></send></class>"""
    )
    loaded = load_all([path])
    assert loaded.bundle is not None
    (client,) = loaded.bundle.machines
    calls = [(event.name, event.message) for event in client.events if event.kind is EventKind.METHOD]
    assert calls == [("connect", None), ("ask it", "ASK"), ("send ask", "ASK")]
    sent = [row for row in client.transitions if row.event in ("ask it", "send ask")]
    assert {(row.steps, row.next) for row in sent} == {((Send("ASK", forward=True),), None)}
    rows = [(row.state, row.event) for row in sent]
    assert rows == list(product(("start", "open"), ("ask it", "send ask")))


WAITING = {"ZC701", "ZC702", "ZC704", "ZC705", "ZC708"}


def test_a_session_begins_with_the_clients_first_message(check: Check) -> None:
    """A session does not exist before the client's first message: `shutdown` cannot end it earlier."""
    server = """<state name="start"><event name="ASK" next="open"><action name="send" message="ANSWER"/></event>
    <event name="shutdown"><action name="terminate"/></event></state>
    <state name="open"><event name="ASK"><action name="send" message="ANSWER"/></event></state>"""
    assert not codes(check(CLIENT, server)) & WAITING


def test_the_message_after_a_session_has_ended_begins_the_next(check: Check) -> None:
    server = """<state name="start"><event name="ASK" next="open"><action name="send" message="ANSWER"/>
    <action name="terminate"/></event></state>
    <state name="open"><event name="*"/></state>"""
    assert not codes(check(CLIENT, server)) & WAITING


def test_an_answer_that_no_session_owes_is_still_missed(check: Check) -> None:
    server = """<state name="start"><event name="ASK"><action name="terminate"/></event></state>"""
    assert codes(check(CLIENT, server)) & WAITING == {"ZC701", "ZC705"}


def test_each_session_is_a_word_of_the_grammar(check: Check) -> None:
    codec = CODEC.replace("<message", "<grammar>talk = C:ASK S:ANSWER</grammar><message", 1)
    server = (
        """<state name="start"><event name="ASK"><action name="send" message="ANSWER"/>{}</event></state>"""
    )
    assert "ZC604" in codes(check(CLIENT, server.format(""), codec))
    reported = codes(check(CLIENT, server.format('<action name="terminate"/>'), codec))
    assert not reported & {"ZC604", "ZC605"}
    assert "ZC606" in reported


def test_of_one_side_alone_nothing_is_said_about_messages_it_does_not_name(check: Check) -> None:
    server = (
        """<state name="start"><event name="ASK"><action name="send" message="ANSWER"/></event></state>"""
    )
    assert "ZC324" not in codes(check("", server))
    assert "ZC324" not in codes(check(CLIENT, ""))
    assert "ZC324" in codes(check(CLIENT.replace('<event name="SORRY" next="start"/>', ""), server))


def test_a_session_whose_client_has_terminated_waits_for_nobody(check: Check) -> None:
    server = """<state name="start"><event name="ASK" next="open"><action name="send" message="ANSWER"/></event></state>
    <state name="open"><event name="ASK"><action name="send" message="ANSWER"/></event>
    <event name="SORRY" next="start"/></state>"""
    client = CLIENT.replace('<event name="*"/>', '<event name="stop"><action name="terminate"/></event>')
    assert not codes(check(f'{client}<method name="stop"/>', server)) & WAITING
