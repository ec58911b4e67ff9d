"""Edge cases of machines: filled messages, raised events, timers. The expected outcomes are written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from zeps_codegen.compose import encode_frames
from zeps_codegen.ir import Type
from zeps_codegen.load import load_bundle
from zeps_codegen.requests import (
    Advance,
    Arm,
    ArmRaise,
    Arrive,
    ArriveFrames,
    Call,
    Fill,
    Oracle,
    Put,
    Step,
    value_bytes,
    variable_bytes,
)
from zeps_codegen.simulate import Happened

FEATURES = Path(__file__).parents[1] / "targets" / "helpers" / "features"
BUNDLE = load_bundle(sorted(FEATURES.glob("*.xml")))
ORACLE = Oracle(BUNDLE)
PROTOCOL = BUNDLE.protocol("features")
OLD = BUNDLE.protocol("old")


def message(name: str, *values: object) -> bytes:
    (frame,) = encode_frames(PROTOCOL, PROTOCOL.message(name), list(values))  # type: ignore[arg-type]
    return frame


QUESTION = Arrive(message("QUESTION", 7, b"weather"))
BYE = message("BYE")


def fill(name: str, field: str, value: object) -> Fill:
    definition = next(candidate for candidate in PROTOCOL.message(name).fields if candidate.name == field)
    return Fill(name, field, value_bytes(definition, value))


class Running:
    """A machine, and the result of its last step."""

    def __init__(self, machine: str) -> None:
        self.simulation = ORACLE.simulation(machine)
        self.situation = self.simulation.initial()

    def do(self, *steps: Step) -> Happened:
        for step in steps:
            happened = ORACLE.step(self.simulation, self.situation, step)
            self.situation = happened.situation
        return happened

    def sees(self, *steps: Step) -> tuple[str, str, list[str]]:
        """Outcome, state and actions of the last step; a sent message is its bytes in hexadecimal."""
        happened = self.do(*steps)
        return (
            happened.outcome,
            happened.situation.state,
            [
                "+".join(frame.hex() for frame in action.frames) if action.name == "send" else action.name
                for action in happened.actions
            ],
        )


@pytest.fixture
def server() -> Running:
    return Running("features_server")


@pytest.fixture
def client() -> Running:
    return Running("features_client")


# --- messages that are filled


def test_a_filled_field_is_sent_once(client: Running) -> None:
    ask = Call("ask", (value_bytes(PROTOCOL.message("QUESTION").fields[1], b"why"),))
    assert client.sees(fill("QUESTION", "number", 5), ask) == ("t", "asking", ["aaa30100000005" + "03776879"])
    assert client.sees(Call("leave"), ask) == ("e", "asking", [""])


def test_the_last_value_that_is_filled_counts(client: Running) -> None:
    ask = Call("ask", (value_bytes(PROTOCOL.message("QUESTION").fields[1], b""),))
    steps = (fill("QUESTION", "number", 5), fill("QUESTION", "number", 6), ask)
    assert client.sees(*steps) == ("t", "asking", ["aaa3010000000600"])


def test_a_message_of_several_frames_is_filled(server: Running) -> None:
    steps = (fill("PARCEL", "cover", b"c"), fill("PARCEL", "contents", [b"1", b""]), Call("ask"))
    assert server.sees(*steps) == ("t", "waiting", ["aaa3030000+63+31+", "note"])
    assert server.sees(fill("PARCEL", "cover", b"c"), Call("ask")) == ("e", "waiting", ["", "note"])


def test_the_size_of_a_message_includes_all_its_frames(server: Running) -> None:
    def card(size: int) -> ArriveFrames:
        frames = encode_frames(PROTOCOL, PROTOCOL.message("CARD"), [1, bytes(size)])
        return ArriveFrames(tuple(frames))

    assert server.sees(card(195))[2] != ["note"]
    assert server.sees(card(196))[2] == ["note"]


def test_what_was_filled_is_gone_after_a_send_that_failed(server: Running) -> None:
    server.do(fill("PARCEL", "cover", b"c"), Call("ask"))
    assert server.sees(fill("PARCEL", "contents", [b"1"]), Call("ask")) == ("e", "waiting", ["", "note"])


def test_in_zproto_what_is_not_filled_is_zero_or_empty() -> None:
    old = Running("old_server")
    (hello,) = encode_frames(OLD, OLD.message("HELLO"), [b"me"])
    head = "aaa402" + "00000000" + "00" + "00000000" + "00000000" + "00" * 16 + "000000" + "00000000" * 2
    assert old.sees(Arrive(hello)) == ("t", "connected", ["register", head + "++"])


# --- events that actions raise


def test_a_raised_event_is_handled_after_the_row_in_the_state_reached(server: Running) -> None:
    outcome = server.sees(ArmRaise("look_up", "unknown"), QUESTION)
    assert outcome == ("t", "waiting", ["look_up", "note", "note", BYE.hex()])


def test_a_failure_is_handled_at_once_in_the_state_before(server: Running) -> None:
    assert server.sees(Arm("look_up", "unknown"), QUESTION) == ("t", "waiting", ["look_up", "note"])


def test_a_failure_discards_what_was_raised(server: Running) -> None:
    steps = (ArmRaise("look_up", "found"), Arm("look_up", "unknown"), QUESTION)
    assert server.sees(*steps) == ("t", "waiting", ["look_up", "note"])


def test_what_is_raised_last_counts(server: Running) -> None:
    steps = (ArmRaise("look_up", "found"), ArmRaise("note", "unknown"), QUESTION)
    assert server.sees(*steps) == ("t", "waiting", ["look_up", "note", "note", BYE.hex()])


def test_a_machine_that_has_ended_handles_nothing_that_is_raised(server: Running) -> None:
    assert server.sees(ArmRaise("note", "found"), Arrive(BYE)) == ("t", "ending", ["note"])
    assert server.situation.terminated


def test_only_internal_events_are_raised(server: Running) -> None:
    assert server.sees(ArmRaise("note", "ask"))[0] == "x"
    assert server.sees(Arm("note", "BYE"))[0] == "x"


# --- timers


def test_no_timer_runs_before_the_clock_is_shown(server: Running) -> None:
    assert server.situation.deadline is None
    server.do(QUESTION)
    assert server.situation.deadline is None
    assert server.sees(Advance(10_000))[0] == "n"
    assert server.situation.deadline == 10_200


def test_a_timer_counts_from_when_its_state_was_entered(server: Running) -> None:
    server.do(Advance(1000), Advance(1100), QUESTION)
    server.do(Advance(1150), fill("GROWN", "size", 1))
    assert dict(server.situation.deadlines) == {0: 1200, 2: 1600}


def test_a_timer_since_a_message_was_sent_goes_on_in_the_next_state(server: Running) -> None:
    server.do(Advance(0), Advance(150), QUESTION)
    assert server.situation.deadline == 200
    assert server.sees(Advance(199)) == ("n", "working", [])
    assert server.sees(Advance(200)) == ("t", "working", [BYE.hex(), "note"])
    assert server.situation.deadline == 400


def test_timers_fire_in_the_order_of_their_deadlines_each_once(server: Running) -> None:
    server.do(Put("beat", variable_bytes(Type.NUMBER, 90)), Advance(0))
    assert server.sees(Advance(100_000)) == ("t", "ending", ["aaa3075a", "note", "note"])
    assert server.situation.deadline is None


def test_a_message_that_is_received_starts_its_timer_anew(server: Running) -> None:
    server.do(
        Put("beat", variable_bytes(Type.NUMBER, 0)), Advance(0), Advance(2000), Arrive(message("GROWN", 1))
    )
    assert server.situation.deadline == 5000
    assert server.sees(Advance(4999))[0] == "n"
    assert server.sees(Advance(5000))[1] == "ending"


def test_a_timer_of_no_milliseconds_is_off(client: Running, server: Running) -> None:
    server.do(Put("patience", variable_bytes(Type.NUMBER, 0)), Put("beat", variable_bytes(Type.NUMBER, 0)))
    server.do(Advance(5), QUESTION)
    assert server.situation.deadline is None


def test_a_clock_that_goes_back_stands_still(server: Running) -> None:
    server.do(Advance(1000), Advance(10), QUESTION)
    assert dict(server.situation.deadlines)[2] == 1500


def test_an_event_that_is_raised_on_a_timer_counts_the_shorter_time(server: Running) -> None:
    """`expired` shortens its own timer and raises itself once; its timer restarts each time that it is due."""
    server.do(Put("beat", variable_bytes(Type.NUMBER, 0)), Advance(0), QUESTION)
    assert server.sees(ArmRaise("note", "expired"), Advance(500)) == ("t", "working", ["note", "note"])
    assert server.situation.deadline == 1000
    assert server.sees(Advance(1000)) == ("t", "working", ["note"])
    assert server.situation.deadline == 1300
