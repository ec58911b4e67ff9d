"""The command check: its output, its options and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from captured import BROKER, CLIENT, WIRE, Dialogue, opened, packets_in, pcapng
from junitparser import JUnitXml

from zeps_conformance.cli import main

SCHEMA = Path(__file__).parents[3] / "conformance/zeps_conformance/reports/report.schema.json"
GOOD = opened().reading().delivered(1).end()
BAD = Dialogue(40_001, 0.001).greet().reading(30).delivered(1).delivered(2).end()
ENCRYPTED = Dialogue(40_002, 0.002).bytes(CLIENT, WIRE.greeting(mechanism=b"CURVE")).bytes(BROKER, b"x")
FOREIGN = (
    Dialogue(40_003, 0.003).bytes(CLIENT, b"GET / HTTP/1.1\r\n\r\n").bytes(BROKER, b"HTTP/1.1 200 OK\r\n")
)
WARNED = Dialogue(40_004, 0.004).greet().bytes(CLIENT, WIRE.frame(b"x", long=True))


def written(folder: Path, *dialogues: Dialogue) -> str:
    path = folder / "capture.pcapng"
    path.write_bytes(pcapng(packets_in(*dialogues)))
    return str(path)


def test_no_violation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", written(tmp_path, GOOD, FOREIGN, ENCRYPTED)]) == 0
    output = capsys.readouterr().out
    assert "  1 other TCP connection, without a greeting of ZMTP\n" in output
    assert "connection 0: 127.0.0.1:40000 - 127.0.0.1:5670, packets 1 to " in output
    assert "  ZEPS: 3 commands of the client, 3 of the broker\n" in output
    assert "  not judged: the client: encrypted, mechanism 'CURVE'\n" in output
    assert output.endswith("1 connection judged, 1 not judged · no violations\n")


def test_a_violation_in_the_greeting_of_an_encrypted_connection(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    greeting = bytearray(WIRE.greeting(mechanism=b"CURVE"))
    greeting[-1] = 1  # of the filler
    main(
        [
            "check",
            written(tmp_path, Dialogue(40_002, 0.002).bytes(CLIENT, bytes(greeting)).bytes(BROKER, b"x")),
        ]
    )
    output = capsys.readouterr().out
    assert "  not judged further: the client: encrypted, mechanism 'CURVE'\n" in output
    assert output.endswith("1 connection judged, 1 of them partly · 1 violation\n")


def test_a_violation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, GOOD, BAD)
    reports = [
        part for name in ("json", "junit", "sarif", "html") for part in (f"--{name}", str(tmp_path / name))
    ]
    assert main(["check", path, *reports]) == 1
    output = capsys.readouterr().out
    assert "VIOLATION by the broker in packet " in output
    assert "rule      ZEPS-CREDIT-5 (MUST) A broker MUST NOT send a DELIVER that is larger" in output
    assert "expected  nothing beyond the remaining credit, 13 bytes" in output
    assert "frame     DELIVER sequence=2 key='k' body=''" in output
    assert output.endswith("2 connections judged · 1 violation\n")
    document = json.loads((tmp_path / "json").read_text())
    jsonschema.validate(document, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert document["ok"] is False
    (case,) = [case for case in document["cases"] if case["verdict"] == "fail"]
    assert case["id"] == "zeps1.capture.connection-1.broker"
    assert case["rule"] == "ZEPS-CREDIT-5"
    assert ", in packet " in case["seen"]
    assert " of the broker's stream" in case["seen"]
    assert "ZEPS-CREDIT-5 is violated in packet " in case["steps"][0]["text"]
    suite = JUnitXml.fromfile(str(tmp_path / "junit"))
    assert (suite.tests, suite.failures) == (4, 1)
    assert "ZEPS-CREDIT-5" in (tmp_path / "sarif").read_text()
    assert "ZEPS-CREDIT-5" in (tmp_path / "html").read_text()


def test_a_warning_is_no_violation(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", written(tmp_path, WARNED)]) == 0
    output = capsys.readouterr().out
    assert "WARNING by the client in packet " in output
    assert "ZMTP-F-5 (SHOULD)" in output
    assert output.endswith("1 connection judged, 1 warning · no violations\n")


def test_a_part_that_cannot_be_judged_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    packets = packets_in(GOOD)
    del packets[-4]
    path = tmp_path / "x.pcapng"
    path.write_bytes(pcapng(packets))
    assert main(["check", str(path)]) == 0
    output = capsys.readouterr().out
    assert "partly judged: the capture lacks bytes from byte " in output
    assert output.endswith("1 connection judged, 1 of them partly · no violations\n")


@pytest.mark.parametrize(
    ("options", "status"),
    [
        ([], 1),
        (["--judge", "client"], 0),
        (["--judge", "broker"], 1),
        (["--judge", "both"], 1),
        (["--port", "40001"], 1),
        (["--port", "40000"], 0),
        (["--port", "40000", "--port", "5670"], 1),
        (["--profile", "zmtp-router"], 0),
    ],
)
def test_options(options: list[str], status: int, tmp_path: Path) -> None:
    assert main(["check", written(tmp_path, GOOD, BAD), *options]) == status


def test_a_cut_file_is_judged_and_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cut.pcapng"
    for dialogue, status in ((GOOD, 2), (BAD, 1)):
        path.write_bytes(pcapng(packets_in(dialogue))[:-1])
        assert main(["check", str(path)]) == status
        assert f"{path}: cut: the file ends within the record at byte " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"hello world", "is not a pcapng or pcap file"),
        (b'{"format": "other"}', "not a kept finding"),
        (b"{", "not JSON"),
        (pcapng([])[:-20] + b"broken", "cut: the file ends"),
        (b"\xd4\xc3\xb2\xa1" + bytes(16) + b"\x93\0\0\0" + bytes(8) + b"\1\0\0\0\1\0\0\0x", "link layer 147"),
    ],
)
def test_an_unreadable_file(
    content: bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.pcapng"
    path.write_bytes(content)
    assert main(["check", str(path)]) == 2
    captured = capsys.readouterr()
    assert message in captured.err + captured.out


def test_usage_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(tmp_path / "missing")]) == 2
    assert "missing: cannot be read: No such file or directory" in capsys.readouterr().err
    assert main(["check", written(tmp_path, GOOD), "--port", "65536"]) == 2
    assert "ports are at most 65535" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        main(["check", "--help"])
    assert left.value.code == 0
