"""Traffic of the suite's own cases: recorded over real sockets, written as pcapng, and judged like the run."""

from __future__ import annotations

import io
import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from captured import CODEC, STARTED, WIRE, check, pcapng_of, violations
from runs import MODEL, ZEPS1
from toy_broker import STREAMS, ToyBroker
from toy_mutants import MUTANTS

from zeps_conformance.broker.options import Options
from zeps_conformance.captures.checker import Checked, Scope, check_capture
from zeps_conformance.captures.pcap_reader import CaptureReader, Packet
from zeps_conformance.captures.source import open_capture
from zeps_conformance.captures.synthetic import write_case
from zeps_conformance.cli import main
from zeps_conformance.common import traffic as traffic_module
from zeps_conformance.common.kept_findings import keep_findings, traffic_of
from zeps_conformance.common.results import CaseResult, RunResult
from zeps_conformance.common.traffic import Chunk, End, RecordedConnection, Traffic
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.runs.runner import Plan, fresh_nonce, run
from zeps_conformance.wire.endpoint import parse_endpoint

ROOT = Path(__file__).parents[3]
DISSECTOR = ROOT / "generated/wireshark/zeps.lua"
TOY = ROOT / "tests/conformance/helpers/toy.toml"
SCOPE = Scope(regex=STREAMS.regex)

#: Mutants whose violation the referee sees, each with a case that provokes it and the rule.
PLANTED = [
    ("FillIgnoresCredit", "subscribe.fill-under-credit", "ZEPS-CREDIT-5"),
    ("CreditStartsAtSomething", "credit.starts-at-zero", "ZEPS-CREDIT-1"),
    ("LiveAndReplayedDiffer", "subscribe.prefix-live", "ZEPS-DELIVER-2"),
    ("GapNamesOneTooMany", "gaps.retention-announced", "ZEPS-GAP-2"),
    ("GapNamesWhatWasDelivered", "gaps.retention-announced", "ZEPS-GAP-4"),
    ("NotRetainedNamesLatest", "gaps.not-retained", "ZEPS-RETAIN-2"),
    ("LatestIgnored", "subscribe.after-n", "ZEPS-SUBSCRIBE-3"),
    ("UnionDeliversTwice", "subscribe.union-live", "ZEPS-SUBSCRIBE-6"),
    ("AnswersAfterTheMessages", "subscribe.answered-first", "ZEPS-SUBSCRIBE-1"),
    ("MatchesAnywhere", "subscribe.prefix", "ZEPS-SUBSCRIBE-15"),
    ("AttachKeepsSubscriptions", "opening.again-forgets-subscriptions", "ZEPS-SUBSCRIBE-10"),
    ("SequenceFromZero", "sequence.from-one", "ZEPS-SEQUENCE-1"),
    ("ReasonWithoutCode", "sessions.none-for-ping", "ZEPS-INVALID-8"),
    ("EmptyStreamHasAnotherCode", "opening.empty-stream", "ZEPS-ATTACH-5"),
    ("UnexpectedEndsTheSession", "closing.detach-ok-unasked", "ZEPS-INVALID-9"),
    ("OwnRoutingIdAccepted", "sessions.own-routing-id", "ZEPS-SESSION-5"),
    ("PingWithoutSessionAnswered", "sessions.none-for-ping", "ZEPS-SESSION-1"),
    ("DetachKeepsDelivering", "closing.ends-delivery", "ZEPS-DETACH-6"),
]


def recorded(broker: ToyBroker, *cases: str) -> RunResult:
    """Runs cases against a broker that is not started yet, and records their traffic."""
    with broker:
        options = Options(
            parse_endpoint(broker.endpoint),
            timeout=10.0,
            client_timeout=20.0,
            nonce=fresh_nonce(),
            streams=STREAMS,
            record=True,
        )
        return run(ZEPS1, MODEL, options, ZEPS1.cases(cases), Plan(jobs=4, retries=0))


def judged(case: CaseResult, folder: Path) -> tuple[Checked, list[Packet]]:
    """Writes the traffic of a case; returns the judgement and the packets of the file."""
    path = write_case(case, folder)
    assert path == folder / f"{case.id}.pcapng"
    data = path.read_bytes()
    return check(data, SCOPE), list(CaptureReader("test", io.BytesIO(data)).packets())


def payload(packet: Packet) -> bytes:
    return packet.data[40:]


def frames_in(data: bytes) -> list[str]:
    """Returns the frames of ZEPS in a packet, which holds whole frames of ZMTP."""
    rendered, at = [], 0
    while at < len(data):
        frame = WIRE.take_frame(data[at:])
        rendered.append(CODEC.render(frame.body))
        at += len(frame.encoded)
    return rendered


@pytest.fixture(scope="module")
def passing(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RunResult]:
    """A folder with the traffic of four sections' cases, which pass, and their result."""
    folder = tmp_path_factory.mktemp("pcap")
    result = recorded(ToyBroker(CODEC, 20.0), "credit.*", "closing.*", "sessions.*", "text.*")
    for case in result.cases:
        write_case(case, folder)
    return folder, result


@pytest.mark.slow
@pytest.mark.parametrize(("mutant", "case", "rule"), PLANTED)
def test_a_planted_violation_is_reported_with_its_rule_and_packet(
    mutant: str, case: str, rule: str, tmp_path: Path
) -> None:
    (result,) = recorded(MUTANTS[mutant](CODEC, 20.0), case).cases
    assert (result.verdict, result.rule) == (Verdict.FAIL, rule)
    checked, packets = judged(result, tmp_path)
    violation = violations(checked)[0]
    assert violation.rule == rule
    assert violation.seen in result.seen or result.seen in violation.seen or rule == "ZEPS-SESSION-5"
    shown = packets[violation.packet - 1]
    assert shown.outbound is False
    assert violation.frame in frames_in(payload(shown))


@pytest.mark.slow
def test_cases_that_pass_have_no_violations(passing: tuple[Path, RunResult]) -> None:
    folder, result = passing
    assert len(result.cases) > 30
    for case in result.cases:
        assert case.verdict is Verdict.PASS
        checked = check_file(folder / f"{case.id}.pcapng")
        assert violations(checked) == []
        assert sum(connection.is_zeps for connection in checked.connections) >= 1


def check_file(path: Path) -> Checked:
    with open_capture(path) as reader:
        return check_capture(reader, CODEC, WIRE, SCOPE)


@pytest.mark.slow
def test_wireshark_opens_and_dissects_it(passing: tuple[Path, RunResult]) -> None:
    folder, _ = passing
    path = folder / "zeps1.credit.adds-up.pcapng"
    checks = ["-o", "tcp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE"]
    fields = ["frame.number", "frame.comment", "zeps.message", "_ws.expert.message"]
    options = [part for name in fields for part in ("-e", name)]
    rows = tshark(path, *checks, "-T", "fields", *options)
    assert "step 1: " in rows
    assert "connection A, opened by the suite" in rows
    bad = "_ws.malformed or tcp.checksum.status == 0 or ip.checksum.status == 0 or zeps.malformed or tcp.analysis.flags"
    assert tshark(path, *checks, "-Y", bad) == ""
    checked = check_file(path)
    names = [name for row in rows.splitlines() for name in row.split("\t")[2].split(",") if name]
    assert len(names) == sum(sum(connection.messages) for connection in checked.connections)
    assert {"ATTACH", "ATTACH-OK", "SUBSCRIBE", "CREDIT", "DELIVER"} <= set(names)


@pytest.mark.slow
def test_wireshark_has_the_same_packet_numbers(tmp_path: Path) -> None:
    (case,) = recorded(MUTANTS["UnionDeliversTwice"](CODEC, 20.0), "subscribe.union-live").cases
    checked, _ = judged(case, tmp_path)
    violation = violations(checked)[0]
    path = tmp_path / f"{case.id}.pcapng"
    number = f"frame.number == {violation.packet}"
    assert "DELIVER" in tshark(path, "-Y", number, "-T", "fields", "-e", "zeps.message")
    (stream,) = [entry.connection.number for entry in checked.connections if entry.violations]
    assert tshark(path, "-Y", number, "-T", "fields", "-e", "tcp.stream").strip() == str(stream)


def tshark(path: Path, *options: str) -> str:
    command = ["tshark", "-X", f"lua_script:{DISSECTOR}", "-r", str(path), *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    complaints = [line for line in done.stderr.splitlines() if not line.startswith("Running as user")]
    assert complaints == []
    return done.stdout


@pytest.mark.slow
def test_run_writes_captures_and_check_gives_the_same_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = "zeps1.credit.adds-up"
    folder, junit, report = tmp_path / "pcap", tmp_path / "report.xml", tmp_path / "report.json"
    assert main(["run", "--start", str(TOY), "--case", case, "--pcap", str(folder)]) == 0
    assert [path.name for path in folder.iterdir()] == [f"{case}.pcapng"]
    arguments = ["check", str(folder / f"{case}.pcapng"), "--junit", str(junit), "--json", str(report)]
    assert main(arguments) == 0
    assert "written by the suite" in capsys.readouterr().out
    parsed = RunResult.from_json(json.loads(report.read_text()))
    assert {found.verdict for found in parsed.cases} == {Verdict.PASS}
    assert all(found.id.endswith(".broker") for found in parsed.cases)


@pytest.mark.slow
def test_a_failing_case_is_kept_with_its_traffic_and_check_reports_the_same_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with MUTANTS["CreditIsNotSpent"](CODEC, 20.0) as broker:
        arguments = ["run", broker.endpoint, "--case", "credit.counts-octets", "--retries", "1"]
        folders = ["--keep", str(tmp_path / "kept"), "--pcap", str(tmp_path / "pcap")]
        assert main([*arguments, *folders, "--json", str(tmp_path / "run.json")]) == 1
    name = "zeps1.credit.counts-octets"
    kept, capture = tmp_path / f"kept/{name}.json", tmp_path / f"pcap/{name}.pcapng"
    rules = {}
    for path in (kept, capture):
        capsys.readouterr()
        report = tmp_path / f"{path.suffix[1:]}-report.json"
        assert main(["check", str(path), "--json", str(report)]) == 1
        assert "VIOLATION by the broker in packet " in capsys.readouterr().out
        parsed = RunResult.from_json(json.loads(report.read_text()))
        rules[path] = [(case.rule, case.seen) for case in parsed.findings]
    assert rules[kept] == rules[capture]
    run_result = RunResult.from_json(json.loads((tmp_path / "run.json").read_text()))
    assert {rule for rule, _ in rules[kept]} == {run_result.cases[0].rule} == {"ZEPS-CREDIT-5"}
    assert "traffic" not in (tmp_path / "run.json").read_text()
    assert main(["check", str(tmp_path / "run.json")]) == 2
    assert "a report has only the beginnings of frames" in capsys.readouterr().err


# --- recording


def traffic(*chunks: Chunk, end: End = End.BY_PEER, accepted: bool = False) -> Traffic:
    made = Traffic(STARTED)
    made.connections = [
        RecordedConnection("A", ("::1", 40_000), ("::1", 5670), accepted, 0.0, list(chunks), 9.0, end)
    ]
    return made


def test_traffic_survives_a_kept_file(tmp_path: Path) -> None:
    case = CaseResult("zeps1.a.b", "", "a", "positive", "nothing", [], "MUST", Verdict.FAIL, 0.0)
    case.traffic = traffic(Chunk(0.5, True, bytes(range(256))), Chunk(1.0, False, b""), accepted=True)
    result = RunResult("", "", "zeps1", "", "zeps", 1, "", 0, "", 0.0, [case])
    (path,) = keep_findings(result, result.cases, tmp_path, 5.0)
    read = traffic_of(path, json.loads(path.read_text()))
    assert read is not None
    assert read.to_json() == case.traffic.to_json()
    assert pcapng_of(read) == pcapng_of(case.traffic)


def traffic_with(**values: object) -> dict[str, object]:
    """Returns the JSON of traffic of one connection with other values."""
    connection = {
        "name": "A",
        "suite": ["127.0.0.1", 1],
        "peer": ["127.0.0.1", 2],
        "accepted": False,
        "opened": 0.0,
        "ended": 0.0,
        "end": "open",
        "chunks": [],
    }
    return {"started": 1.0, "cut": False, "connections": [connection | values]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"traffic": None}, "traffic must be a table"),
        ({"traffic": {}}, "invalid traffic: KeyError: 'started'"),
        ({"traffic": {"started": 1.0, "cut": False, "connections": [{}]}}, "invalid traffic: KeyError"),
        ({"format": "other"}, "unsupported format"),
        ({"traffic": traffic_with(peer=["x", 1])}, "invalid traffic: 'x' does not appear to be"),
        ({"traffic": traffic_with(peer=["127.0.0.1", 70_000])}, "invalid traffic: "),
        ({"traffic": traffic_with(opened=-2.0)}, "invalid traffic: "),
        ({"traffic": traffic_with(opened=float("inf"))}, "invalid traffic: "),
    ],
)
def test_a_damaged_kept_file_is_refused(
    change: dict[str, object], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "kept.json"
    path.write_text(json.dumps({"format": "zeps-conform-failure/1", "run": {}, **change}))
    assert main(["check", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"zeps-conform: error: {path}: ")
    assert message in error


def test_a_kept_file_without_traffic_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "kept.json"
    path.write_text(json.dumps({"format": "zeps-conform-failure/1", "run": {}}))
    assert main(["check", str(path)]) == 2
    assert "does not contain the traffic of its case" in capsys.readouterr().err


def test_the_recording_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic_module, "LIMIT", 10)
    made = traffic()
    (connection,) = made.connections
    made.add(connection, 0.1, True, b"123456")
    made.add(connection, 0.2, False, b"12345")
    made.add(connection, 0.3, True, b"1")
    assert made.cut
    assert [chunk.data for chunk in connection.chunks] == [b"123456"]
    assert b"the recording is cut here" in pcapng_of(made)


@pytest.mark.parametrize("end", list(End))
@pytest.mark.parametrize("accepted", [False, True])
def test_ends_of_connections(end: End, accepted: bool) -> None:
    made = traffic(Chunk(1.0, True, b"x" * 40_000), end=end, accepted=accepted)
    checked = check(pcapng_of(made))
    assert checked.packets == 5 + {End.OPEN: 0, End.RESET_BY_SUITE: 1, End.LOST: 1}.get(end, 3)
    assert checked.unreadable == {}


def test_a_local_socket_has_synthetic_addresses() -> None:
    made = traffic(Chunk(1.0, True, b"x"))
    made.connections[0] = replace(made.connections[0], suite=("", 0), peer=("", 0))
    (packet, *_) = CaptureReader("test", io.BytesIO(pcapng_of(made))).packets()
    assert packet.data[12:20] == bytes((127, 0, 0, 1)) * 2
