"""Profile zmtp-router: its cases, and the results of the suite's engine, libzmq and null peers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from zeps_conformance.broker.options import Options
from zeps_conformance.cli import main
from zeps_conformance.common.case import Needs, Polarity
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.nulls import NULLS
from zeps_conformance.nulls.peers import NULL_PEERS, NullPeer
from zeps_conformance.runs.profiles import PROFILES
from zeps_conformance.runs.runner import Plan, run
from zeps_conformance.sockets.router.services import SERVICES
from zeps_conformance.wire.endpoint import parse_endpoint
from zeps_conformance.wire.router_server import Remote, RouterServer
from zeps_conformance.wire.zmtp_codec import Frame
from zeps_conformance.wire.zmtp_engine import Engine, ZmtpError

ROOT = Path(__file__).parents[4]
PROFILE = PROFILES["zmtp-router"]

#: Cases in which libzmq's ROUTER violates a SHOULD.
LIBZMQ_WARNED = {
    "zmtp-router.handshake.first-ready-as-message",
    "zmtp-router.handshake.all-at-once-3-0",
    "zmtp-router.socket-types.error-first",
    "zmtp-router.socket-types.error-first-without-a-type",
    *(
        f"zmtp-router.versions.two-zero-{name}"
        for name in ("pair", "pub", "sub", "pull", "push", "revision-2")
    ),
    *(
        f"zmtp-router.commands.malformed-{name}"
        for name in ("empty", "empty-name", "empty-name-and-data", "name-beyond-the-frame", "length-alone")
    ),
}


def judged(tmp_path: Path, name: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Returns the exit status of a run against an implementation that the suite starts, and its report."""
    report = tmp_path / "report.json"
    implementation = ROOT / f"conformance/implementations/{name}.toml"
    times = ["--timeout", "9", "--patience", "15", "--retries", "1"]
    command = ["run", "--start", str(implementation), "--profile", PROFILE.name, "--json", str(report)]
    status = main([*command, *times, *arguments])
    return status, json.loads(report.read_text(encoding="utf-8"))


def ids(report: dict[str, Any], verdict: Verdict) -> set[str]:
    return {case["id"] for case in report["cases"] if case["verdict"] == verdict.value}


# The catalogue


def test_no_case_checks_a_rule_that_binds_other_sockets() -> None:
    ruled = {rule for case in PROFILE.cases() for rule in case.rules}
    assert not ruled & set(PROFILE.beside)


def test_what_is_shared_with_publishers_is_the_same_function() -> None:
    theirs = {case.id.partition(".")[2]: case.function for case in PROFILES["zmtp-pub"].cases()}
    mine = {case.id.partition(".")[2]: case.function for case in PROFILE.cases()}
    shared = [name for name, function in mine.items() if theirs.get(name) is function]
    assert len(shared) > 100


# Judged implementations


def test_the_brokers_own_engine_passes_every_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, report = judged(tmp_path, "zeps")
    assert status == 0, capsys.readouterr().out
    assert not ids(report, Verdict.WARN), capsys.readouterr().out
    assert ids(report, Verdict.UNSUPPORTED) == {f"zmtp-router.framing.parts-3-{minor}" for minor in (0, 1)}


def test_libzmq_differs_where_it_is_known_to(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    baseline = ROOT / "conformance/baselines/libzmq-router.toml"
    status, report = judged(tmp_path, "libzmq-router", "--service", "echo", "--baseline", str(baseline))
    assert status == 0, capsys.readouterr().out
    assert len(ids(report, Verdict.DEVIATION)) == 3
    assert ids(report, Verdict.WARN) - LIBZMQ_WARNED == set()
    assert not ids(report, Verdict.UNSUPPORTED)


@pytest.mark.parametrize("service", SERVICES)
@pytest.mark.parametrize("kind", NULL_PEERS)
def test_null_peers_earn_nothing(kind: str, service: str) -> None:
    cases = [case for case in PROFILE.cases() if case.needs is Needs.NOTHING]
    some = [case for case in cases if case.polarity is Polarity.NEGATIVE][::3]
    some += [case for case in cases if case.polarity is Polarity.POSITIVE][::3]
    with NullPeer(kind) as null:
        options = Options(parse_endpoint(null.endpoint), timeout=0.2, service=service)
        result = run(PROFILE, PROFILE.rulebook(), options, some, Plan(jobs=32, retries=0))
    earned = [case.id for case in result.cases if case.verdict in (Verdict.PASS, Verdict.OBSERVED)]
    assert earned == []


def test_the_model_that_is_given_is_the_services_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = json.loads((ROOT / "generated/model.json").read_text(encoding="utf-8"))
    (zeps,) = (protocol for protocol in document["protocols"] if protocol["name"] == "zeps")
    for message in zeps["messages"]:
        message["id"] += 100
    path = tmp_path / "model.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    with NULLS["accept-everything"](Interpreter(load_model(path))) as broker:
        arguments = [
            "run",
            broker.endpoint,
            "--profile",
            PROFILE.name,
            "--case",
            "barrier.*",
            "--timeout",
            "1",
        ]
        assert main([*arguments, "--model", str(path)]) == 0, capsys.readouterr().out
        assert main([*arguments, "--retries", "0"]) == 1


# Routers of the tests


class EchoRouter(RouterServer):
    """Returns every message."""

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        remote.send(*parts)


class AnswersOneFrame(EchoRouter):
    """Does not answer messages of several frames."""

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        if len(parts) == 1:
            super().received(remote, parts)


class StrictEngine(Engine):
    """Sends its READY after the peer's, and only if the peer does not begin its identity by zero."""

    kept = b""

    def _greet(self) -> bool:
        greeted = super()._greet()
        self.kept = bytes(self.answers)
        self.answers.clear()
        return greeted

    def accept_ready(self, ready: Frame) -> dict[str, bytes]:
        properties = super().accept_ready(ready)
        if properties.get("identity", b"").startswith(b"\0"):
            raise ZmtpError("an identity that begins with zero")
        self.answers += self.kept
        return properties


class RefusesIdentities(EchoRouter):
    """Refuses an invalid identity before it sends READY."""

    def opened(self, remote: Remote) -> None:
        remote.engine = StrictEngine(b"ROUTER", identity=None)
        super().opened(remote)


class TruncatesOldFrames(EchoRouter):
    """Answers by 15 bytes that end within a frame of version 1.0."""

    def opened(self, remote: Remote) -> None:
        remote.outbox += bytes(10) + b"\x09\0abc"

    def advanced(self, remote: Remote, byte_count: int) -> None:
        raise BlockingIOError  # what the peer sends is not read


@pytest.mark.parametrize(
    ("kind", "case_id", "verdict", "rule"),
    [
        (EchoRouter, "crowd.half-open", Verdict.PASS, ""),
        (AnswersOneFrame, "crowd.half-open", Verdict.FAIL, ""),
        (RefusesIdentities, "metadata.identity", Verdict.PASS, ""),
        (TruncatesOldFrames, "versions.one-zero", Verdict.FAIL, "ZMTP-F-13"),
    ],
)
def test_verdicts_on_small_routers(
    kind: type[RouterServer], case_id: str, verdict: Verdict, rule: str
) -> None:
    with kind() as router:
        options = Options(parse_endpoint(router.endpoint), timeout=1.0, service="echo")
        cases = PROFILE.cases([case_id])
        (result,) = run(PROFILE, PROFILE.rulebook(), options, cases, Plan(jobs=1, retries=0)).cases
    assert (result.verdict, result.rule) == (verdict, rule), (result.expected, result.seen, result.reason)
