"""Flattening: inheritance, `*`, before and after, sends, guards."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeps_codegen.diagnostics import Severity
from zeps_codegen.ir import (
    Assign,
    Binary,
    Bundle,
    EventKind,
    Host,
    Literal,
    Machine,
    Name,
    Send,
    Size,
    Terminate,
    Type,
)
from zeps_codegen.load import load, load_bundle

ROOT = Path(__file__).parents[3]
MODELS = Path(__file__).parents[1] / "source" / "models"

CODEC = """<class name="p" signature="1">
<message name="ASK"><field name="what" type="string"/><field name="n" type="number" size="8"/></message>
<message name="ANSWER"/><message name="OH-NO"/></class>"""
RAW = """<class name="p" signature="1"><message name="RAW">
<field name="raw" type="string" text="octets"/><field name="body" type="chunk"/></message></class>"""


@pytest.fixture(scope="module")
def ours() -> Bundle:
    """The bundle of all our models."""
    return load_bundle(sorted((ROOT / "protocol").glob("*.xml")))


def model(tmp_path: Path, body: str, attributes: str, codec: str) -> Path:
    """Writes the machine `m` of the protocol `p`; returns its path."""
    (tmp_path / "p.xml").write_text(codec)
    path = tmp_path / "m.xml"
    path.write_text(f'<class name="m" protocol_class="p" {attributes}>{body}</class>')
    return path


def machine(tmp_path: Path, body: str, attributes: str = 'role="server"', codec: str = CODEC) -> Machine:
    return load_bundle([model(tmp_path, body, attributes, codec)]).machines[0]


def rows(item: Machine, state: str) -> list[tuple[str, str | None, bool, str | None]]:
    transitions = [row for row in item.transitions if row.state == state]
    return [(row.event, row.next, row.covered_by_star, row.inherited_from) for row in transitions]


def test_an_heirs_own_rows_win_and_inheritance_goes_all_the_way_up(tmp_path: Path) -> None:
    loaded_machine = machine(
        tmp_path,
        """<state name="start" inherit="middle"><event name="ASK" next="start"/></state>
        <state name="middle" abstract="1" inherit="top"><event name="ASK"/><event name="ANSWER"/></state>
        <state name="top" abstract="1"><event name="*"/><event name="ANSWER" next="start"/></state>""",
    )
    assert [state.name for state in loaded_machine.states] == ["start"]
    assert rows(loaded_machine, "start") == [
        ("ASK", "start", False, None),
        ("ANSWER", None, False, "middle"),
        ("OH-NO", None, True, "top"),
    ]


def test_a_machine_knows_the_models_version_and_no_other(tmp_path: Path) -> None:
    loaded_machine = machine(
        tmp_path,
        """<state name="start">
          <event name="ASK" guard="message.n &gt; 1">
            <action name="send" message="ASK"><set field="n" value="message.n"/></action>
          </event>
          <event name="*"/>
        </state>""",
        codec="""<class name="p" signature="1" version="2"><message name="GONE" until="1"/><message name="ASK">
        <field name="old" type="number" size="8" until="1"/><field name="n" type="number" size="8"/>
        </message></class>""",
    )
    assert [event.name for event in loaded_machine.events] == ["ASK"]
    assert rows(loaded_machine, "start") == [("ASK", None, False, None), ("ASK", None, True, None)]
    (sent,) = loaded_machine.transitions[0].steps
    assert isinstance(sent, Send)
    assert [name for name, _ in sent.fields] == ["n"]


def test_star_covers_every_event_in_zprotos_own_language(tmp_path: Path) -> None:
    body = """<state name="start" inherit="defaults"><event name="ASK" next="waiting"/></state>
        <state name="waiting" inherit="defaults"><event name="ready" next="start"/></state>
        <state name="defaults"><event name="expired" next="start"/><event name="*"/></state>
        <method name="stop"/>"""
    loaded_machine = machine(tmp_path, body, attributes="")
    covered = {
        state: [row.event for row in loaded_machine.transitions if row.state == state and row.covered_by_star]
        for state in ("start", "waiting")
    }
    assert covered == {
        "start": ["ANSWER", "OH-NO", "stop", "ready"],
        "waiting": ["ASK", "ANSWER", "OH-NO", "stop"],
    }
    ours = machine(tmp_path, body.replace('name="ready"', 'name="expired"'))
    assert {row.event for row in ours.transitions if row.covered_by_star} == {"ASK", "ANSWER", "OH-NO"}


def test_star_is_what_is_left_when_no_guard_of_a_message_holds(tmp_path: Path) -> None:
    loaded_machine = machine(
        tmp_path,
        """<variable name="n" type="number"/>
        <state name="start">
          <event name="*"/>
          <event name="ASK" guard="n == 1"/>
          <event name="ANSWER" guard="n == 1"/>
          <event name="ANSWER"/>
        </state>""",
    )
    assert rows(loaded_machine, "start") == [
        ("ASK", None, False, None),
        ("ANSWER", None, False, None),
        ("ANSWER", None, False, None),
        ("ASK", None, True, None),
        ("OH-NO", None, True, None),
    ]


def test_after_and_before_run_round_the_change_of_state_and_are_not_inherited(tmp_path: Path) -> None:
    loaded_machine = machine(
        tmp_path,
        """<state name="start" inherit="top">
          <after><action name="leave"/></after>
          <event name="ASK" next="the-end"><action name="Do It Now"/></event>
          <event name="ANSWER"><action name="stay"/></event>
          <event name="OH-NO" next="start"/>
        </state>
        <state name="the end">
          <before><action name="enter"/><action name="terminate"/></before>
          <event name="*"/>
        </state>
        <state name="top" abstract="1">
          <before><action name="never"/></before><after><action name="never"/></after><event name="*"/>
        </state>""",
    )
    ask, answer, oh_no = loaded_machine.transitions[:3]
    assert ask.steps == (Host("do_it_now"), Host("leave"), Host("enter"), Terminate())
    assert (ask.next, ask.before_at) == ("the_end", 2)
    assert (answer.steps, answer.next) == ((Host("stay"),), None)
    assert (oh_no.steps, oh_no.before_at) == ((Host("leave"),), 1)
    assert loaded_machine.host_actions() == ("do_it_now", "leave", "enter", "stay")


def test_a_send_is_forwarded_filled_in_or_empty(tmp_path: Path) -> None:
    loaded_machine = machine(
        tmp_path,
        """<variable name="n" type="number" value="7"/>
        <event name="pass on" message="ASK"/>
        <state name="start">
          <event name="ASK"><action name="send" message="ask"/><action name="send" message="oh no"/></event>
          <event name="pass on"><action name="send" message="ASK"/></event>
          <event name="ANSWER"><action name="send" message="ASK">
            <set field="n" value="n + 1"/><set field="what" value="'x'"/></action></event>
          <event name="*"/>
        </state>""",
    )
    ask, pass_on, answer = loaded_machine.transitions[:3]
    assert ask.steps == (Send("ASK", forward=True), Send("OH-NO"))
    assert pass_on.steps == (Send("ASK", forward=True),)
    value = Binary("+", Name("n", "variable", Type.NUMBER), Literal(1, Type.NUMBER), Type.NUMBER)
    assert answer.steps == (Send("ASK", (("what", Literal("x", Type.STRING)), ("n", value))),)


def test_text_of_any_octets_is_octets_and_so_is_what_it_is_compared_with(tmp_path: Path) -> None:
    loaded_machine = machine(
        tmp_path,
        """<variable name="token" type="octets"/>
        <state name="start"><event name="RAW" guard="message.raw == 'x'">
          <assign variable="token" value="message.raw"/><assign variable="token" value="'y'"/>
          <action name="send" message="RAW"><set field="raw" value="token"/><set field="body" value="'z'"/></action>
        </event></state>""",
        codec=RAW,
    )
    row = loaded_machine.transitions[0]
    raw, token = Name("raw", "message", Type.OCTETS), Name("token", "variable", Type.OCTETS)
    assert row.guard == Binary("==", raw, Literal("x", Type.OCTETS), Type.BOOLEAN)
    assert row.steps == (
        Assign("token", raw),
        Assign("token", Literal("y", Type.OCTETS)),
        Send("RAW", (("raw", token), ("body", Literal("z", Type.OCTETS)))),
    )


def test_an_event_and_a_message_may_differ_in_case_only(tmp_path: Path) -> None:
    loaded_machine = machine(
        tmp_path,
        """<event name="ask" message="ASK"/>
        <state name="start">
          <event name="ASK" next="start"/>
          <event name="ask" guard="message.n == size(ASK)"><action name="send" message="ANSWER"/></event>
          <event name="*"/>
        </state>""",
    )
    messages = [(name, EventKind.MESSAGE) for name in ("ASK", "ANSWER", "OH-NO")]
    assert [(item.name, item.kind) for item in loaded_machine.events] == [*messages, ("ask", EventKind.HOST)]
    by_message, by_host = loaded_machine.transitions[:2]
    assert (by_message.event, by_message.guard) == ("ASK", None)
    guard = Binary("==", Name("n", "message", Type.NUMBER), Size("ASK"), Type.BOOLEAN)
    assert (by_host.event, by_host.guard) == ("ask", guard)


def test_methods_are_events_with_parameters(tmp_path: Path) -> None:
    loaded_machine = machine(
        tmp_path,
        """<variable name="name" type="string"/>
        <method name="call me" return="status" immediate="1">
          <field name="nick" type="string"/><field name="age" type="number"/>
          <accept reply="SUCCESS"/>Sets the name.</method>
        <state name="start">
          <event name="call-me"><assign variable="name" value="message.nick"/></event>
          <event name="*"><action name="send" message="ANSWER"/></event>
        </state>""",
        'role="client"',
    )
    method = loaded_machine.methods[0]
    assert (method.name, method.returns, method.immediate, method.accepts) == (
        "call me",
        "status",
        True,
        ("SUCCESS",),
    )
    parameters = [(item.name, item.type.value, item.size) for item in method.parameters]
    assert parameters == [("nick", "string", 1), ("age", "number", 4)]
    assert loaded_machine.events[-1].kind is EventKind.METHOD
    assert loaded_machine.transitions[0].steps == (Assign("name", Name("nick", "message", Type.STRING)),)


def test_superstates_of_zproto_need_no_mark() -> None:
    server = load_bundle([MODELS / "weather_server.xml"]).machines[0]
    assert [state.name for state in server.states] == ["start", "have_station", "ready"]
    assert ("expired", "start", False, "timers") in rows(server, "ready")
    assert ("NOTHING", None, False, "defaults") in rows(server, "start")
    hosts = {event.name for event in server.events if event.kind is EventKind.HOST}
    assert hosts == {"ok", "not found", "expired"}


def test_the_machines_of_zeps(ours: Bundle) -> None:
    server = next(item for item in ours.machines if item.name == "zeps_server")
    assert server.initial == "start"
    for state in server.states:
        handled = {row.event for row in server.transitions if row.state == state.name}
        assert handled >= {message.name for message in ours.protocol("zeps").messages}
    client = next(item for item in ours.machines if item.name == "zeps_client")
    opening = next(row for row in client.transitions if (row.state, row.event) == ("start", "open"))
    assert opening.before_at == 1
    assert isinstance(opening.steps[-1], Send)
    star = [row for row in client.transitions if (row.state, row.event) == ("open", "SUBSCRIBE-OK")]
    assert [row.covered_by_star for row in star] == [False, True]


def test_the_reasons_that_the_server_gives_itself_are_read_as_their_codes_say(ours: Bundle) -> None:
    server = next(item for item in ours.machines if item.name == "zeps_server")
    enumerations = {
        item.name: {member.value for member in item.members} for item in ours.protocol("zeps").enumerations
    }
    sent = {
        (str(value.value).split()[0], step.read_as)
        for step in server.steps(Send)
        if step.message == "INVALID"
        for _, value in step.fields
        if isinstance(value, Literal)
    }
    assert {code for code, read_as in sent if read_as == "ended"} == {"stream-name", "no-session"}
    assert {code for code, read_as in sent if read_as is None} == {"unexpected"}
    assert {"stream-name", "no-session"} <= enumerations["ending code"]
    assert "unexpected" in enumerations["open code"]


@pytest.mark.parametrize(
    ("first", "second"), [("zeps_server.xml", "zeps_client.xml"), ("zeps_client.xml", "zeps_server.xml")]
)
def test_the_order_of_files_is_kept(first: str, second: str) -> None:
    bundle, _ = load([ROOT / "protocol" / first, ROOT / "protocol" / second])
    assert bundle is not None
    assert [f"{item.name}.xml" for item in bundle.machines] == [first, second]


def test_a_constant_field_is_its_constant_and_no_number_is_negative(tmp_path: Path) -> None:
    codec = """<class name="p" dispatch="octet"><define name="LOW" value="-4"/><message name="MARK" id="1">
    <field name="magic" type="octets" size="2" value="ok"/><field name="word" type="string" value="yes"/>
    <field name="raw" type="string" text="octets" value="no"/>
    <field name="bias" type="varint" signed="true" value="-7"/>
    <field name="n" type="number" signed="true"/></message></class>"""
    loaded_machine = machine(
        tmp_path,
        """<variable name="token" type="octets"/><variable name="word" type="string"/><variable name="n" type="number"/>
        <state name="start"><event name="MARK">
          <assign variable="token" value="message.magic"/><assign variable="token" value="message.raw"/>
          <assign variable="word" value="message.word"/><assign variable="n" value="message.bias"/>
          <assign variable="n" value="LOW"/><assign variable="n" value="0xFFFFFFFFFFFFFFFFFF"/>
          <assign variable="n" value="message.n"/>
        </event></state>""",
        codec=codec,
    )
    assert [step.value for step in loaded_machine.steps(Assign)] == [
        Literal("ok", Type.OCTETS),
        Literal("no", Type.OCTETS),
        Literal("yes", Type.STRING),
        Literal(0, Type.NUMBER),
        Literal(0, Type.NUMBER),
        Literal(2**64 - 1, Type.NUMBER),
        Name("n", "message", Type.NUMBER),
    ]


LISTED = """<class name="p" dispatch="octet"><message name="LISTED" id="1">
<field name="token" type="octets" size="4"/><field name="spare" type="number" reserved="true"/>
<field name="magic" type="number" value="3"/><field name="count" type="number"/>
<field name="many" type="list" of="number" count="count"/><field name="pairs" type="hash" count="rest"/>
</message><message name="PLAIN" id="2"/></class>"""


def findings(tmp_path: Path, body: str, codec: str = LISTED) -> list[tuple[str, str, str]]:
    path = model(tmp_path, f'<state name="s">{body}</state>', 'role="server"', codec)
    return [
        (diagnostic.code, diagnostic.message, diagnostic.hint)
        for diagnostic in load([path])[1]
        if diagnostic.severity is Severity.ERROR
    ]


def test_what_no_expression_can_be_is_forwarded_or_filled(tmp_path: Path) -> None:
    forwards = '<event name="LISTED"><action name="send" message="LISTED"/></event><event name="*"/>'
    assert findings(tmp_path, forwards) == []
    why = '<fill field="…"/> within the action: the host fills the field'
    plain = '<event name="PLAIN"><action name="send" message="LISTED">{}</action></event><event name="*"/>'
    assert findings(tmp_path, plain.format("")) == [
        ("ZC311", "LISTED is sent without a value for token, many, pairs", why)
    ]
    token = """<set field="token" value="'four'"/>"""
    assert findings(tmp_path, plain.format(token)) == [
        ("ZC311", "LISTED is sent without a value for many, pairs", why)
    ]
    pairs = findings(tmp_path, plain.format(token + """<set field="pairs" value="''"/>"""))
    how = '<fill field="…"/> if the host fills the field'
    assert ("ZC315", "pairs is a hash, which expressions cannot have", how) in pairs
    assert findings(tmp_path, plain.format(token + '<fill field="many"/><fill field="pairs"/>')) == []


GROWN = """<class name="p" dispatch="octet" text="utf-8"><message name="GROWN" id="1" extensible="true">
<field name="first" type="number" size="4"/><field name="level" type="number" default="3"/>
<field name="note" type="string" default="none"/><field name="mark" type="octets" size="2" default="ab"/>
</message><message name="EASY" id="2" extensible="true"><field name="level" type="number" default="3"/></message>
<message name="BIASED" id="3" extensible="true"><field name="bias" type="number" signed="true" default="-1"/></message>
</class>"""


def test_a_field_that_is_not_set_has_its_default(tmp_path: Path) -> None:
    level, note = ("level", Literal(3, Type.NUMBER)), ("note", Literal("none", Type.STRING))
    mark = ("mark", Literal("ab", Type.OCTETS))
    first = '<set field="first" value="1"/>'
    body = f"""<state name="start"><event name="EASY"><action name="send" message="GROWN">{first}</action>
    <action name="send" message="GROWN">{first}<set field="level" value="4"/><fill field="note"/></action></event>
    <event name="GROWN"><action name="send" message="EASY"/></event><event name="BIASED"/></state>"""
    loaded_machine = machine(tmp_path, body, codec=GROWN)
    first_value = ("first", Literal(1, Type.NUMBER))
    assert [step for row in loaded_machine.transitions for step in row.steps] == [
        Send("GROWN", (first_value, level, note, mark)),
        Send("GROWN", (first_value, ("level", Literal(4, Type.NUMBER)), mark), filled=("note",)),
        Send("EASY", (level,)),
    ]
    others = (
        '<event name="EASY"><action name="send" message="EASY"/><action name="send" message="{}"/></event>'
    )
    others += '<event name="*"/>'
    why = '<set field="…" value="…"/> within the action, or <fill field="…"/> if the host fills the field'
    for message, field in (("GROWN", "first"), ("BIASED", "bias")):
        text = f"{message} is sent without a value for {field}"
        assert findings(tmp_path, others.format(message), GROWN) == [("ZC311", text, why)]
    forwarding = machine(tmp_path, f'<state name="s">{others.format("EASY")}</state>', codec=GROWN)
    assert forwarding.transitions[0].steps == (Send("EASY", forward=True), Send("EASY", forward=True))


def test_what_is_reserved_is_neither_set_nor_read(tmp_path: Path) -> None:
    sets = '<event name="PLAIN"><action name="send" message="LISTED"><set field="spare" value="1"/></action></event>'
    assert "LISTED.spare is reserved and cannot be set" in [
        finding[1] for finding in findings(tmp_path, sets)
    ]
    guard = '<event name="LISTED" guard="message.spare == 3"/><event name="*"/>'
    text = "guard='message.spare == 3' reads spare, which is reserved and not part of message objects"
    assert findings(tmp_path, guard) == [("ZC403", text, "")]


def test_octets_are_remembered_compared_and_set(tmp_path: Path) -> None:
    loaded_machine = machine(
        tmp_path,
        """<variable name="token" type="octets"/>
        <state name="start"><event name="ALL" guard="message.fixed == token and token != message.body
            and token == message.raw and token != message.rest and token != ''">
            <assign variable="token" value="message.fixed"/><assign variable="token" value="message.rest"/>
            <action name="send" message="ALL"><set field="fixed" value="token"/><set field="body" value="token"/>
            <set field="raw" value="message.fixed"/><set field="rest" value="token"/></action>
        </event></state>""",
        codec="""<class name="p" dispatch="octet"><message name="ALL">
        <field name="fixed" type="octets" size="4"/><field name="body" type="chunk"/>
        <field name="raw" type="string" text="octets"/><field name="rest" type="rest"/></message></class>""",
    )
    assert (loaded_machine.variables[0].type, loaded_machine.variables[0].value) == (Type.OCTETS, "")
    first, second, sent = loaded_machine.transitions[0].steps
    assert first == Assign("token", Name("fixed", "message", Type.OCTETS))
    assert second == Assign("token", Name("rest", "message", Type.OCTETS))
    assert isinstance(sent, Send)
    assert {value.type for _, value in sent.fields if isinstance(value, Name)} == {Type.OCTETS}
