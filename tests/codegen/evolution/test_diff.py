"""`diff` for one change at a time; every kind of change has a case."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from zeps_codegen.cli import main
from zeps_codegen.evolution import CODES, Effect, compare, read_source
from zeps_codegen.load import load_bundle
from zeps_codegen.targets import model_json

ROOT = Path(__file__).parents[3]

PROTOCOL = """\
<class name="post" title="Post" signature="1" dispatch="signature" version="2" text="printable">
    <define name="LIMIT" value="7">Most letters</define>
    <enumeration name="colour">
        <member name="red" value="1"/>
        <member name="blue" value="2"/>
    </enumeration>
    <message name="HELLO" id="1">
        <field name="magic" type="string" value="POST"/>
        <field name="name" type="string" max="20"/>
        <field name="age" type="number" size="2"/>
        <field name="colour" type="number" size="1" enumeration="colour"/>
    </message>
    <message name="WELCOME" id="2"/>
    <message name="LETTER" id="3" until="4">
        <field name="size" type="number" size="4" max="100"/>
        <field name="text" type="octets" length="size"/>
        <field name="marks" type="list" of="number" size="2"/>
        <field name="spare" type="octets" size="2" reserved="true"/>
    </message>
    <message name="BYE" id="4"/>
    <message name="REPORT" id="7" extensible="true">
        <field name="first" type="number" size="4"/>
        <field name="last" type="number" size="4"/>
        <relation holds="first &lt;= last"/>
        <field name="level" type="number" default="3"/>
    </message>
    <message name="NOTE" id="6" extensible="true"/>
</class>
"""
SERVER = """\
<class name="post_server" title="Post server" protocol_class="post" role="server">
    <variable name="letters" type="number" size="4" value="0"/>
    <event name="expired"/>
    <event name="refused"/>
    <method name="stop"><field name="reason" type="string"/></method>
    <state name="start">
        <event name="HELLO" next="open"><action name="greet"/><action name="send" message="WELCOME"/></event>
        <event name="refused"/>
        <event name="*"/>
    </state>
    <state name="open">
        <event name="LETTER" guard="letters &lt; 7">
            <assign variable="letters" value="letters + 1"/><action name="keep" raises="refused"/>
        </event>
        <event name="BYE" next="start"><action name="send" message="BYE"/></event>
        <event name="expired" next="start"/>
        <event name="stop" next="start"/>
        <event name="refused"/>
        <event name="*"/>
    </state>
</class>
"""

AGE = 'name="age" type="number" size="2"'
SPARE = 'type="octets" size="2" reserved="true"'
RELATION = '<relation holds="first &lt;= last"/>'
BYE = '<message name="BYE" id="4"/>'
END = '"true"/>\n    </message>'  # of LETTER
# (old text, new text, expected codes)
WIRE = [
    ('dispatch="signature"', 'dispatch="octet"', "dispatch-changed"),
    ('signature="1"', 'signature="2"', "signature-changed"),
    ('version="2"', 'version="1"', "version-lowered"),
    ('version="2"', 'version="3"', "version-raised"),
    ('"LIMIT" value="7"', '"LIMIT" value="8"', "constant-changed"),
    ('<define name="LIMIT" value="7">Most letters</define>', "", "constant-removed"),
    ("<enumeration", '<define name="NEW" value="1"/><enumeration', "constant-added"),
    ('<member name="blue" value="2"/>', "", "member-removed"),
    ('"blue" value="2"', '"blue" value="3"', "member-changed"),
    ("</enumeration>", '<member name="green" value="3"/></enumeration>', "member-added"),
    ('<member name="blue"', '<member name="azure"', "member-renamed"),
    (BYE, "", "message-removed"),
    ('id="4"/>', 'id="4" until="1"/>', "message-ended"),
    ('until="4"', 'until="5"', "until-changed"),
    ('until="4"', "", "until-changed"),
    ('until="4"', 'until="3"', "until-shortened"),
    ('name="BYE"', 'name="LEAVE"', "message-renamed"),
    ('name="BYE" id="4"', 'name="BYE" id="5"', "id-changed"),
    ('id="4"/>', 'id="4" since="2"/>', "since-changed"),
    ("</class>", '<message name="NEW" id="9" since="2"/></class>', "message-undated"),
    (
        BYE,
        BYE.replace("BYE", "NEW")[:-2] + "><field name='n' type='uuid'/></message>",
        "message-removed id-reused",
    ),
    (f"<field {AGE}/>", "", "field-removed"),
    (AGE, AGE.replace("age", "height"), "field-renamed"),
    (END, '"true"/><field name="new" type="uuid"/></message>', "field-added"),
    (END, '"true"/><field name="new" type="rest"/></message>', "field-rest-added"),
    (END, '"true"/><field name="new" type="hash" count="rest"/></message>', "field-rest-added"),
    (AGE, 'name="age" type="number" size="4"', "field-retyped"),
    (AGE, f'{AGE} signed="1"', "field-retyped"),
    (AGE, 'name="age" type="varint"', "field-retyped"),
    ('of="number" size="2"', 'of="number" size="4"', "field-retyped"),
    ('size="2" reserved="true"', 'size="3" reserved="true"', "field-retyped"),
    (SPARE, 'type="number" size="2" reserved="true"', ""),
    (' id="6" extensible="true"', ' id="6"', "message-closed"),
    ('name="HELLO" id="1"', 'name="HELLO" id="1" extensible="true"', "message-extensible"),
    ('default="3"/>', 'default="3"/><field name="note" type="string" default=""/>', "field-appended"),
    ('<field name="level" type="number" default="3"/>', "", "field-dropped"),
    ('default="3"', 'default="4"', "default-changed"),
    (' default="3"', "", "default-changed"),
    ('name="last" type="number" size="4"', 'name="last" type="number" size="4" default="1"', "default-added"),
    (RELATION, "", "relation-removed"),
    (RELATION, '<relation holds="first &lt; last"/>', "relation-added relation-removed"),
    (SPARE, 'type="octets" size="2"', "reserved-used"),
    (SPARE, 'type="number" size="2" max="9"', "reserved-used"),
    (SPARE, 'type="number" size="2" value="0"', "reserved-used"),
    (SPARE, 'type="number" size="2" value="1"', "field-retyped"),
    (f'name="spare" {SPARE}', 'name="stamp" type="number" size="2"', "reserved-used field-renamed"),
    (SPARE, 'type="number" size="2" enumeration="colour"', "field-retyped"),
    (SPARE, 'type="number" size="2" enumeration="colour" flags="true"', "reserved-used"),
    (AGE, f'{AGE} reserved="1"', "field-reserved"),
    ('value="POST"', 'value="MAIL"', "field-value-changed"),
    (' value="POST"', "", "field-value-changed"),
    ('max="20"', 'max="19"', "limit-narrowed"),
    ('max="20"', 'max="21"', "limit-widened"),
    (' max="20"', "", "limit-widened"),
    ('size="4" max="100"', 'size="4" max="99"', "limit-narrowed"),
    (' enumeration="colour"', "", "limit-widened"),
    (' enumeration="colour"', ' flags="colour"', "limit-widened"),
    (AGE, f'{AGE} enumeration="colour"', "limit-narrowed"),
    ('type="string" max="20"', 'type="string" max="20" text="vchar"', "text-narrowed"),
    ('type="string" max="20"', 'type="string" max="20" text="utf-8"', "text-widened"),
]
EXPIRED = '<event name="expired"/>\n'
LETTERS = '<variable name="letters" type="number" size="4"'
OPEN = '<state name="open">'
ASSIGN = '<assign variable="letters" value="letters + 1"/>'
LEAVE = '<event name="BYE" next'
STAR = '<event name="*"/>\n    </state>\n    <'  # the end of the state `start`
BEFORE = '<state name="before"><event name="stop" next="start"/></state>'
MACHINE = [
    ('role="server"', 'role="client"', "role-changed"),
    (OPEN, f'{OPEN}<timer event="expired" milliseconds="letters"/>', "timers-changed"),
    (OPEN, f'{OPEN}<timer event="refused" milliseconds="1000"/>', "timers-changed"),
    ('raises="refused"', 'raises="refused" then="expired"', "action-may-raise"),
    ('<state name="start">', f'{BEFORE}<state name="start">', "initial-state-changed state-added"),
    ('<event name="expired" next="start"/>', "", "event-not-accepted"),
    (EXPIRED, f'{EXPIRED}<event name="tick"/>', "event-added"),
    ('<method name="stop"><field name="reason" type="string"/>', '<method name="stop">', "event-changed"),
    ('"reason" type="string"', '"reason" type="string" max="3"', "event-changed"),
    (LETTERS, LETTERS.replace("4", "2"), "variable-changed"),
    (LETTERS, LETTERS.replace("4", "8"), "variable-widened"),
    ('value="0"/>', 'value="1"/>', "variable-changed"),
    (EXPIRED, f'<variable name="n" type="string"/>{EXPIRED}', "variable-added"),
    ('<event name="BYE" next="start"><action name="send" message="BYE"/></event>', "", "event-not-accepted"),
    ('<event name="*"/>\n    </state>\n</class>', "</state></class>", "event-not-accepted"),
    (STAR, f'<event name="BYE" next="open"/>{STAR}', "event-accepted"),
    (STAR, f'<event name="stop"/>{STAR}', "event-accepted"),
    ("letters &lt; 7", "letters &lt; 6", "guard-changed"),
    (' guard="letters &lt; 7"', "", "guard-widened"),
    (LEAVE, f'<event name="BYE" guard="letters &lt; 3"/>{LEAVE}', "guard-changed"),
    (LEAVE, f'<event name="LETTER" guard="letters == 9"/>{LEAVE}', "guard-widened"),
    ('<action name="send" message="WELCOME"/>', "", "answer-changed"),
    ('<action name="send" message="WELCOME"/>', '<action name="terminate"/>', "answer-changed"),
    ('<event name="BYE" next="start">', '<event name="BYE">', "next-changed"),
    ("letters + 1", "letters + 2", "assignment-changed"),
    ('<action name="greet"/>', '<action name="greet" raises="refused"/>', "action-may-raise"),
    ('<action name="greet"/>', '<action name="salute"/>', "actions-changed"),
]
#: Changes that take more than one replacement.
BY_HAND = {
    "protocol-removed", "protocol-added", "machine-removed", "machine-added", "message-added", "field-reordered",
    "state-removed", "event-removed", "variable-removed",
}  # fmt: skip


def write(folder: Path, protocol: str = PROTOCOL, server: str | None = SERVER) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "post.xml").write_text(protocol, encoding="utf-8")
    if server is not None:
        (folder / "post_server.xml").write_text(server, encoding="utf-8")
    return folder


def change_codes(old: Path, new: Path) -> set[str]:
    return {change.code for change in compare(read_source(str(old)), read_source(str(new)))}


def replaced(text: str, what: str, by: str) -> str:
    assert what in text
    return text.replace(what, by, 1)


def assert_changes(old: Path, new: Path, codes: str) -> None:
    """Asserts that `diff` finds exactly these codes, and that its exit code is 1 if one of them is breaking."""
    expected = set(codes.split())
    assert change_codes(old, new) == expected
    assert main(["diff", str(old), str(new)]) == any(CODES[code].effect is Effect.BREAK for code in expected)


@pytest.mark.parametrize(("what", "by", "codes"), WIRE)
def test_a_change_of_the_wire(tmp_path: Path, what: str, by: str, codes: str) -> None:
    new = write(tmp_path / "new", replaced(PROTOCOL, what, by), server=None)
    assert_changes(write(tmp_path / "old", server=None), new, codes)


@pytest.mark.parametrize(("what", "by", "codes"), MACHINE)
def test_a_change_of_a_machine(tmp_path: Path, what: str, by: str, codes: str) -> None:
    new = write(tmp_path / "new", server=replaced(SERVER, what, by))
    assert change_codes(write(tmp_path / "old"), new) == set(codes.split())


IDLE = '<event name="idle"><action name="send" message="BYE"/></event>'
SILENT = '<event name="idle"/>'
TIMED = SERVER.replace("<method", f"{SILENT}<method").replace(OPEN, OPEN + IDLE)
TIMER = '<timer event="idle" milliseconds="1000"/>'
DUE = TIMED.replace(IDLE, TIMER + IDLE)
NEW = "event-accepted event-added"
#: (the server before, after, expected codes): `idle` sends BYE in the state `open`.
TIMERS = [
    (SERVER, TIMED, NEW),
    (SERVER, DUE, f"{NEW} timer-effect-changed"),
    (SERVER, TIMED.replace(IDLE, f'{TIMER}{SILENT[:-2]} next="start"/>'), f"{NEW} timer-effect-changed"),
    (SERVER, TIMED.replace(IDLE, TIMER + SILENT), f"{NEW} timers-changed"),
    (TIMED, DUE, "timers-changed"),
    (DUE, TIMED, "timer-effect-changed"),
    (DUE, DUE.replace("1000", "2000"), "timers-changed"),
    (TIMED.replace(IDLE, TIMER + SILENT), TIMED.replace(IDLE, SILENT), "timers-changed"),
]


@pytest.mark.parametrize(("before", "after", "codes"), TIMERS, ids=range(len(TIMERS)))
def test_a_change_of_a_timer(tmp_path: Path, before: str, after: str, codes: str) -> None:
    old, new = write(tmp_path / "old", server=before), write(tmp_path / "new", server=after)
    assert_changes(old, new, codes)


def test_what_a_new_timer_does_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = write(tmp_path / "old"), write(tmp_path / "new", server=DUE)
    assert main(["diff", str(old), str(new)]) == 1
    said = capsys.readouterr().out.splitlines()
    timer = "was absent, is 1000 ms since entered in open; in open the timer adds: send BYE"
    assert said == [
        f"break timer-effect-changed: post_server: idle: {timer}",
        "compatible event-added: post_server: idle: the event of the host is added",
        "compatible event-accepted: post_server: open.idle: the state now has a row for it",
    ]


def test_every_kind_of_change_has_a_case() -> None:
    seen = {code for *_, codes in (*WIRE, *MACHINE, *TIMERS) for code in codes.split()}
    assert seen | BY_HAND == set(CODES)
    assert not seen & BY_HAND


def test_nothing_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = str(write(tmp_path))
    assert main(["diff", folder, folder]) == 0
    assert capsys.readouterr().out == ""


def test_spellings_of_one_thing_are_no_change(tmp_path: Path) -> None:
    old = write(tmp_path / "old", PROTOCOL.replace(AGE, 'name="id" type="uuid"'))
    new = write(tmp_path / "new", PROTOCOL.replace(AGE, 'name="id" type="octets" size="16"'))
    assert change_codes(old, new) == set()


@pytest.mark.parametrize("kind", ['type="list" of="number" size="2"', 'type="hash"', 'type="strings"'])
def test_a_count_that_comes_or_goes(tmp_path: Path, kind: str) -> None:
    def model(name: str, attributes: str) -> Path:
        field = f'name="all" {kind} {attributes}'
        return write(tmp_path / name, PROTOCOL.replace(f'name="spare" {SPARE}', field), server=None)

    plain, to_the_end = model("plain", ""), model("end", 'count="rest"')
    assert change_codes(plain, to_the_end) == change_codes(to_the_end, plain) == {"field-retyped"}
    assert change_codes(to_the_end, model("limited", 'count="rest" max="3"')) == {"limit-narrowed"}


def test_protocols_and_machines_come_and_go(tmp_path: Path) -> None:
    alone, both = write(tmp_path / "alone", server=None), write(tmp_path / "both")
    assert change_codes(alone, both) == {"machine-added"}
    assert change_codes(both, alone) == {"machine-removed"}
    other = write(tmp_path / "other", PROTOCOL.replace('name="post"', 'name="mail"'), server=None)
    assert change_codes(alone, other) == {"protocol-removed", "protocol-added"}


def test_a_message_of_a_new_version_is_compatible(tmp_path: Path) -> None:
    new = PROTOCOL.replace('version="2"', 'version="3"')
    new = new.replace("</class>", '<message name="NEW" id="9" since="3"/></class>')
    # the server's `*` handles the new message too: no other change is reported
    assert change_codes(write(tmp_path / "old"), write(tmp_path / "new", new)) == {
        "version-raised",
        "message-added",
    }


def test_fields_in_another_order(tmp_path: Path) -> None:
    age = f"<field {AGE}/>"
    name = '<field name="name" type="string" max="20"/>'
    new = PROTOCOL.replace(age, "").replace(name, age + name)
    assert change_codes(write(tmp_path / "old"), write(tmp_path / "new", new)) == {"field-reordered"}


def test_a_renamed_measure_is_followed(tmp_path: Path) -> None:
    new = PROTOCOL.replace('name="size" type', 'name="octets" type').replace('"size"/>', '"octets"/>')
    assert change_codes(write(tmp_path / "old"), write(tmp_path / "new", new)) == {"field-renamed"}


def test_a_name_on_the_wire_cannot_change(tmp_path: Path) -> None:
    by_name = PROTOCOL.replace('signature="1" dispatch="signature"', 'dispatch="name"')
    old = write(tmp_path / "old", by_name, server=None)
    renamed = write(tmp_path / "renamed", by_name.replace('"BYE"', '"LEAVE"'), server=None)
    assert "message-removed" in change_codes(old, renamed)
    numbered = write(tmp_path / "numbered", by_name.replace('id="4"', 'id="44"'), server=None)
    assert change_codes(old, numbered) == set()


def test_flags_that_lose_a_bit(tmp_path: Path) -> None:
    flags = PROTOCOL.replace(' enumeration="colour"', ' flags="colour"')
    assert change_codes(write(tmp_path / "old", flags), write(tmp_path / "new")) == {"limit-narrowed"}


def test_states_events_and_variables_that_go(tmp_path: Path) -> None:
    old = write(tmp_path / "old")
    server = SERVER.replace('<method name="stop"><field name="reason" type="string"/></method>', "")
    server = server.replace('<event name="stop" next="start"/>', "")
    new = write(tmp_path / "method", server=server)
    assert change_codes(old, new) == {"event-removed", "event-not-accepted"}
    server = SERVER
    for gone in (f'{LETTERS} value="0"/>', ' guard="letters &lt; 7"', ASSIGN):
        server = replaced(server, gone, "")
    new = write(tmp_path / "variable", server=server)
    assert change_codes(old, new) == {"variable-removed", "guard-widened", "assignment-changed"}
    cut = SERVER.index(OPEN)
    server = SERVER[:cut].replace('next="open"', "") + "</class>"
    new = write(tmp_path / "state", server=server)
    assert change_codes(old, new) == {"state-removed", "next-changed"}


def test_the_order_of_assignment_and_answer_counts(tmp_path: Path) -> None:
    protocol = PROTOCOL.replace('id="4"/>', 'id="4"><field name="n" type="number" size="4"/></message>')
    send = '<action name="send" message="BYE"><set field="n" value="letters"/></action>'
    plain = '<action name="send" message="BYE"/>'
    old = write(tmp_path / "old", protocol, SERVER.replace(plain, ASSIGN + send))
    new = write(tmp_path / "new", protocol, SERVER.replace(plain, send + ASSIGN))
    assert change_codes(old, new) == {"assignment-changed"}


# --- the command


def test_json_and_text_say_the_same(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = write(tmp_path / "old")
    new = write(tmp_path / "new", replaced(PROTOCOL, 'max="20"', 'max="19"'))
    assert main(["diff", str(old), str(new)]) == 1
    said = capsys.readouterr()
    assert said.out == "break limit-narrowed: post: HELLO.name: max was 20, is 19\n"
    assert "1 change is breaking, 0 are compatible" in said.err
    assert main(["diff", "--format", "json", str(old), str(new)]) == 1
    expected = {"code": "limit-narrowed", "effect": "break", "subject": "post: HELLO.name"}
    assert json.loads(capsys.readouterr().out) == [{**expected, "message": "max was 20, is 19"}]


def test_models_folders_and_model_json_are_read(tmp_path: Path) -> None:
    folder = write(tmp_path / "models")
    bundle = load_bundle(sorted(folder.glob("*.xml")))
    (tmp_path / "model.json").write_text(model_json.dump(bundle), encoding="utf-8")
    assert change_codes(folder, tmp_path / "model.json") == set()
    assert change_codes(folder / "post_server.xml", tmp_path / "model.json") == set()  # brings its protocol


def test_a_revision_of_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def git(*arguments: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "--quiet")
    write(tmp_path / "models")
    for name in ("notes/a.txt", "broken/a.xml", "broken/model.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("<class>")
    git("add", ".")
    git("commit", "--quiet", "-m", "models")
    write(tmp_path / "models", replaced(PROTOCOL, 'id="4"', 'id="5"'))
    monkeypatch.chdir(tmp_path)
    assert main(["diff", "HEAD:models", "models"]) == 1
    assert main(["diff", "HEAD:models", "HEAD:models/post_server.xml"]) == 0
    for wrong in ("HEAD:nowhere", "HEAD:models/nowhere.xml", "v99:models"):
        assert main(["diff", wrong, "models"]) == 2
    capsys.readouterr()
    for wrong, error in (
        ("HEAD:notes", "HEAD:notes does not contain *.xml files"),
        ("HEAD:broken", "HEAD:broken/a.xml:1: error"),
        ("HEAD:broken/model.json", "HEAD:broken/model.json: "),
    ):
        assert main(["diff", wrong, "models"]) == 2
        assert error in capsys.readouterr().err


@pytest.mark.parametrize("content", ["", "{}", '{"format": "zeps-model/1"}', "<class>"])
def test_what_cannot_be_read_is_a_wrong_use(
    tmp_path: Path, content: str, capsys: pytest.CaptureFixture[str]
) -> None:
    good = str(write(tmp_path / "good"))
    for name in ("model.json", "model.xml"):
        (tmp_path / name).write_text(content, encoding="utf-8")
        assert main(["diff", good, str(tmp_path / name)]) == 2
        assert main(["diff", str(tmp_path / name), good]) == 2
    (tmp_path / "empty").mkdir()
    assert main(["diff", str(tmp_path / "empty"), good]) == 2
    assert main(["diff", good, str(tmp_path / "nowhere")]) == 2
    assert "nowhere" in capsys.readouterr().err


def test_the_page_lists_every_kind_of_change() -> None:
    page = (ROOT / "docs" / "evolution.md").read_text(encoding="utf-8")
    for code in CODES.values():
        assert f"| `{code.name}` | {code.summary} |" in page
    breaking, compatible = page.split("## What is compatible")
    for code in CODES.values():
        assert f"`{code.name}` |" in (breaking if code.effect is Effect.BREAK else compatible)
