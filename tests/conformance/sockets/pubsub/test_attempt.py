"""Verdicts on an implementation, and how each is reached: libzmq, and faulty adapters over it."""

from __future__ import annotations

import json
import select
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from implementations import LIBZMQ, ROOT, attempt, bad, made
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.runs.profiles import PROFILES
from zeps_conformance.sockets.adapter import Adapter
from zeps_conformance.sockets.context import Opposite, Settings, ZmtpProtocol
from zeps_conformance.sockets.pubsub import NEGATIVE, V3_0, PubSubTrial
from zeps_conformance.wire.zmtp_codec import packaged_wire


@pytest.fixture
def libzmq() -> Iterator[Adapter]:
    with Adapter(LIBZMQ) as adapter:
        yield adapter


def changed_model(folder: Path, change: Any) -> ZmtpProtocol:
    """Returns the protocol of a model file that `change` has modified."""
    packaged = ROOT / "generated/model.json"
    document = json.loads(packaged.read_text(encoding="utf-8"))
    change(document)
    path = folder / "model.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return ZmtpProtocol(packaged_wire(path), PROFILES["zmtp-pub"].rulebook(path))


def with_level(rule_id: str, level: str) -> Any:
    def change(document: Any) -> None:
        for part in (*document["protocols"], *document["machines"]):
            for owner in (part, *part.get("messages", ())):
                for rule in owner.get("rules", ()):
                    if rule["id"] == rule_id:
                        rule["level"] = level

    return change


def twice(t: PubSubTrial) -> None:
    t.step("A subscribes twice and cancels once.")
    a = t.subscriber("A")
    a.subscribe(b"x")
    a.subscribe(b"x")
    a.cancel(b"x")
    a.barrier()
    t.app.send(b"x1")
    a.expect_message(b"x1", libzmq="one cancellation ends both")


def test_a_pass_is_narrated_and_logged(libzmq: Adapter) -> None:
    def passes(t: PubSubTrial) -> None:
        t.step("A subscribes; the application sends.")
        a = t.subscriber("A", V3_0)
        a.subscribe(b"x")
        a.barrier()
        t.app.send(b"x", b"\xff")
        a.expect_message(b"x", b"\xff")

    result = attempt(made(passes), libzmq)
    assert result.verdict is Verdict.PASS
    assert [step.text for step in result.steps] == [
        "A subscribes; the application sends.",
        "After: other peers are not affected, and a new peer is served.",
    ]
    lines = [(line.connection, line.direction, line.text, line.hex) for line in result.wire]
    assert ("A", ">", "SUBSCRIPTION topic='x'", "00020178") in lines
    assert ("app", "-", "send 'x' + '\\xff'", "") in lines
    assert ("A", "<", "message '\\xff'", "0001ff") in lines


def test_a_broken_must_is_a_failure(libzmq: Adapter) -> None:
    def fails(t: PubSubTrial) -> None:
        t.subscriber("A").expect_message(b"never sent", rule="ZMTP-S-9")

    result = attempt(made(fails), libzmq)
    assert (result.verdict, result.rule) == (Verdict.FAIL, "ZMTP-S-9")
    assert (result.expected, result.seen) == ("A receives 'never sent'", "nothing")


def test_a_broken_should_is_a_warning(libzmq: Adapter) -> None:
    def warns(t: PubSubTrial) -> None:
        t.check(False, "this", "that", "ZMTP-N-8")

    assert attempt(made(warns), libzmq).verdict is Verdict.WARN


def test_what_libzmq_does_is_a_deviation(libzmq: Adapter) -> None:
    result = attempt(made(twice, "ZMTP-S-11"), libzmq)
    assert result.verdict is Verdict.DEVIATION
    assert result.seen == "nothing: one cancellation ends both"
    assert result.is_finding


def test_another_mistake_than_libzmqs_is_a_failure(libzmq: Adapter) -> None:
    def other(t: PubSubTrial) -> None:
        known = ("it says two", 2)
        t.compare("it says", 1, 2, "ZMTP-N-8", known)

    def another(t: PubSubTrial) -> None:
        t.compare("it says", 1, 3, libzmq=("it says two", 2))

    assert attempt(made(other), libzmq).verdict is Verdict.WARN  # a SHOULD
    result = attempt(made(another), libzmq)
    assert (result.verdict, result.seen) == (Verdict.FAIL, "3")


def test_what_the_rules_leave_open_is_observed(libzmq: Adapter) -> None:
    def leaves_open(t: PubSubTrial) -> None:
        t.compare("it says", 1, 2)
        t.compare("and then", 3, 3)
        t.observed("it does as it likes")

    result = attempt(made(leaves_open, "ZMTP-S-14"), libzmq)
    assert (result.verdict, result.rule, result.level) == (Verdict.OBSERVED, "", "UNSPECIFIED")
    assert result.seen == "it says 1: no, 2; and then 3: yes; it does as it likes"
    assert not result.is_finding


@pytest.mark.parametrize(
    ("level", "verdict"),
    [
        ("MUST", Verdict.DEVIATION),
        ("SHOULD", Verdict.WARN),
        ("MAY", Verdict.OBSERVED),
        ("UNSPECIFIED", Verdict.OBSERVED),
    ],
)
def test_a_level_that_changes_in_the_model_changes_the_verdict(
    libzmq: Adapter, tmp_path: Path, level: str, verdict: Verdict
) -> None:
    says = changed_model(tmp_path, with_level("ZMTP-S-11", level))
    assert attempt(made(twice, "ZMTP-S-11"), libzmq, says=says).verdict is verdict


def test_an_octet_that_changes_in_the_model_changes_what_is_said(libzmq: Adapter, tmp_path: Path) -> None:
    def change(document: Any) -> None:
        (zmtp,) = (protocol for protocol in document["protocols"] if protocol["name"] == "zmtp")
        (subscription,) = (message for message in zmtp["messages"] if message["name"] == "SUBSCRIPTION")
        subscription["fields"][0]["value"] = 3

    def asks(t: PubSubTrial) -> None:
        t.subscriber("A", V3_0).barrier()

    says = changed_model(tmp_path, change)
    assert says.wire.subscribe(b"x", V3_0) == b"\x00\x02\x03x"
    result = attempt(made(asks), libzmq, settings=Settings(timeout=0.3), says=says)
    assert result.verdict is Verdict.FAIL  # for libzmq, %x03 is not a subscription


def test_an_option_that_is_not_offered_is_unsupported(libzmq: Adapter) -> None:
    def asks(t: PubSubTrial) -> None:
        t.open(no_such_option=1)

    result = attempt(made(asks), libzmq)
    assert result.verdict is Verdict.UNSUPPORTED
    assert "no_such_option" in result.reason


def test_a_refusal_of_the_library_is_a_failure(libzmq: Adapter) -> None:
    def asks(t: PubSubTrial) -> None:
        t.app.connect("nowhere://x")

    result = attempt(made(asks), libzmq)
    assert (result.verdict, result.expected) == (Verdict.FAIL, "the library accepts connect")


def test_a_crash_is_a_failure_of_the_case_that_caused_it() -> None:
    def crashes(t: PubSubTrial) -> None:
        t.app.send(b"fatal")

    with Adapter(bad("crashes")) as adapter:
        result = attempt(made(crashes, "ZMTP-S-14"), adapter)
    assert result.verdict is Verdict.FAIL  # although the rule leaves the rest open
    assert "assertion failed: message != fatal" in result.seen


def test_an_adapter_that_babbles_after_a_case_runs_no_other() -> None:
    def binds(t: PubSubTrial) -> None:
        t.app.bind()

    with Adapter(bad("babbles at the end")) as adapter:
        assert attempt(made(binds), adapter).verdict is Verdict.PASS
        assert adapter.retired


def test_a_negative_case_has_a_witness(libzmq: Adapter) -> None:
    def offends(t: PubSubTrial) -> None:
        t.step("A announces another mechanism.")
        a = t.dial("A")
        a.send_greeting(mechanism=b"CURVE")
        a.expect_closed()

    result = attempt(made(offends, polarity=NEGATIVE), libzmq)
    assert result.verdict is Verdict.PASS
    connections = {line.connection for line in result.wire if line.kind != "omitted"}
    assert connections == {"app", "A", "witness", "newcomer"}


def test_a_negative_case_without_a_witness_proves_nothing(libzmq: Adapter) -> None:
    def idles(t: PubSubTrial) -> None:
        t.step("Nothing.")

    result = attempt(made(idles, polarity=NEGATIVE), libzmq)
    assert result.verdict is Verdict.INCONCLUSIVE
    assert "does not have a witness" in result.reason


def test_whoever_harms_the_witness_fails(libzmq: Adapter) -> None:
    def harms(t: PubSubTrial) -> None:
        t.dial("A")
        next(connection for connection in t._connections if connection.name == "witness").reset()

    result = attempt(made(harms, "ZMTP-S-14", polarity=NEGATIVE), libzmq)
    assert (result.verdict, result.expected) == (Verdict.FAIL, "the witness was not affected")


def test_a_socket_that_the_case_closed_is_followed_by_a_fresh_one(libzmq: Adapter) -> None:
    def closes(t: PubSubTrial) -> None:
        t.app.bind()
        t.app.close()

    assert attempt(made(closes), libzmq).verdict is Verdict.PASS
    assert attempt(made(closes), libzmq, "SUB").verdict is Verdict.PASS


def test_a_case_that_takes_too_long_is_inconclusive(libzmq: Adapter) -> None:
    def dawdles(t: PubSubTrial) -> None:
        t.allow(-1000)
        t.subscriber("A")

    assert attempt(made(dawdles), libzmq).verdict is Verdict.INCONCLUSIVE


def test_a_probe_that_the_time_limit_shortens_shows_nothing(libzmq: Adapter) -> None:
    class Deaf:
        has_notices = False

        def send(self, *parts: bytes) -> bool:
            return True

    def asks(t: PubSubTrial) -> None:
        a = t.subscriber("A", opposite=cast("Opposite", Deaf()))
        t.allow(0.5 - t.case.limit)
        t.unsupported(a.probe(within=5.0))

    assert attempt(made(asks), libzmq).verdict is Verdict.INCONCLUSIVE


def test_a_connection_that_was_reset_can_be_shut_down(libzmq: Adapter) -> None:
    def shuts_down(t: PubSubTrial) -> None:
        a = t.dial("A")
        a.send_greeting(mechanism=b"PLAIN")
        poll = select.poll()
        poll.register(a._link, select.POLLRDHUP)
        assert poll.poll(10_000)
        a._link.send(b"x")  # the peer has closed: it is answered by a reset
        poll.register(a._link, 0)
        assert poll.poll(10_000)
        a.shut_down_sending()
        t.check(a.ends(0.0), "the connection was lost", "it is open")

    assert attempt(made(shuts_down), libzmq).verdict is Verdict.PASS


def test_sets_are_shown_in_order(libzmq: Adapter) -> None:
    def compares(t: PubSubTrial) -> None:
        t.compare("topics", {bytes((number,)) for number in range(40)}, set())

    result = attempt(made(compares), libzmq)
    assert result.expected.startswith("topics [b'\\x00', b'\\x01', b'\\x02'")
    assert result.seen == "nothing"


def test_memory_that_cannot_be_read_is_not_judged(libzmq: Adapter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zeps_conformance.sockets.adapter.resident", lambda pid: 0)  # not Linux

    def measures(t: PubSubTrial) -> None:
        t.step("Memory is measured.")
        t.check_memory(t.memory(), 1 << 20)

    result = attempt(made(measures), libzmq)
    assert [check.seen for check in result.steps[0].checks] == [
        "not measured: the implementation's process is not known or cannot be read"
    ]
