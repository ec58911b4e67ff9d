"""The example client of each language with the real broker."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from example_programs import Client, finish
from harness import SHORT, BrokerProcess, Peer, eventually
from relay import Relay

from zeps_wire import zeps

ATTACH_OK = b"\xaa\xa5\x02"
Launch = Callable[..., BrokerProcess]
SMALL_SEGMENTS = "[journal]\nsegment_bytes = 4096\n"


def published(connect: Callable[..., Peer], broker: BrokerProcess, count: int, size: int = 1000) -> None:
    """Publishes `count` messages in blocks of 50."""
    peer = connect(broker.endpoint, "stream")
    for start in range(0, count, 50):
        for number in range(start, min(start + 50, count)):
            peer.publish(f"other/{number}", bytes(size))
        peer.barrier()
    peer.close()


def test_it_receives_what_it_publishes(client: Client, launch: Launch) -> None:
    """With a broker that pings often: more messages than the first credit covers, and then more."""
    broker = launch(config=SHORT)
    code, lines, errors = client.run(broker.endpoint, "stream", "2000")
    assert (code, lines) == (0, ["received 2000 messages, sequences 1..2000"]), errors
    code, lines, errors = client.run(broker.endpoint, "stream", "3")
    assert (code, lines) == (0, ["received 3 messages, sequences 2001..2003"]), errors


def test_what_it_publishes_is_there_for_others(
    client: Client, launch: Launch, connect: Callable[..., Peer]
) -> None:
    broker = launch()
    assert client.run(broker.endpoint, "stream", "5")[0] == 0
    peer = connect(broker.endpoint, "stream")
    peer.subscribe("demo/", credit=2**32)
    assert [(m.sequence, m.key) for m in peer.deliveries(5)] == [(n, f"demo/{n}") for n in range(1, 6)]


def test_a_refused_attach_is_reported(client: Client, launch: Launch) -> None:
    code, _, errors = client.run(launch().endpoint, "", "1")
    assert code == 1
    assert "the broker refused: stream-name " in errors


def test_a_wrong_command_line_is_reported(client: Client) -> None:
    for arguments in ([], ["tcp://127.0.0.1:1", "stream", "many"], ["tcp://127.0.0.1:1", "s", "1", "", "-1"]):
        assert client.run(*arguments)[0] == 2


def test_a_refused_pattern_is_reported_and_the_session_goes_on(
    client: Client, launch: Launch, relay: Callable[..., Relay]
) -> None:
    """It subscribes to every key instead, in the same session."""
    wire = relay(launch(config='[streams."re.*"]\nmatch = "regex"\n').endpoint)
    code, lines, errors = client.run(wire.endpoint, "re.x", "5", "demo/(")
    assert code == 0, errors
    assert lines[0].startswith("refused demo/(: bad-pattern ")
    assert lines[1:] == ["received 5 messages, sequences 1..5"]
    assert (wire.connections, wire.answered.count(ATTACH_OK)) == (1, 1)


def test_it_resumes_after_what_is_no_longer_retained(
    client: Client, launch: Launch, connect: Callable[..., Peer], relay: Callable[..., Relay]
) -> None:
    broker = launch(config=f"{SMALL_SEGMENTS}retain_bytes = 200000\n")
    published(connect, broker, 1000)
    eventually("retention", lambda: broker.log("segment-dropped"))
    wire = relay(broker.endpoint)
    code, lines, errors = client.run(wire.endpoint, "stream", "5", "", "10")
    assert code == 0, errors
    match = re.fullmatch(r"missing 11 (\d+) not-retained", lines[0])
    assert match, lines
    assert 11 < int(match[1]) < 1000
    # messages published meanwhile may remove more
    assert all(re.fullmatch(r"missing \d+ \d+ (not-retained|retention)", line) for line in lines[1:-1])
    assert lines[-1] == "received 5 messages, sequences 1001..1005"
    assert wire.answered.count(ATTACH_OK) == 1


def test_a_stream_that_ends_earlier_than_it_knows_was_reset(
    client: Client, launch: Launch, connect: Callable[..., Peer], relay: Callable[..., Relay]
) -> None:
    broker = launch()
    published(connect, broker, 7, 1)
    wire = relay(broker.endpoint)
    code, lines, errors = client.run(wire.endpoint, "stream", "3", "demo/", "1000")
    assert (code, lines) == (0, ["reset 7", "received 3 messages, sequences 8..10"]), errors
    code, lines, errors = client.run(wire.endpoint, "empty", "3", "demo/", "1")
    assert (code, lines) == (0, ["reset 0", "received 3 messages, sequences 1..3"]), errors
    assert wire.answered.count(ATTACH_OK) == 2


def test_a_gap_in_a_session_is_reported(
    client: Client, launch: Launch, connect: Callable[..., Peer], tmp_path: Path
) -> None:
    """Of a journal that is damaged while it is not in use: the messages that no subscriber got."""
    broker = launch(config=SMALL_SEGMENTS)
    published(connect, broker, 200)
    assert broker.stop() == 0
    segments = sorted((tmp_path / "data" / "stream").glob("*.segment"))
    damaged = segments[len(segments) // 2]
    content = bytearray(damaged.read_bytes())
    content[len(content) // 2 :] = b"\xff" * (len(content) - len(content) // 2)
    damaged.write_bytes(content)
    broker.start()
    code, lines, errors = client.run(broker.endpoint, "stream", "3", "")
    assert code == 0, errors
    *missing, received = lines
    assert received == "received 3 messages, sequences 201..203"
    matches = [re.fullmatch(r"missing (\d+) (\d+) damage", line) for line in missing]
    reported = {number for match in matches if match for number in range(int(match[1]), int(match[2]) + 1)}
    delivered = {number for number in range(1, 204) if number not in reported}
    assert reported
    assert all(matches), lines
    peer = connect(broker.endpoint, "stream")
    peer.subscribe(credit=2**32)
    answers = [peer.receive() for _ in range(len(delivered) + len(missing))]
    assert {answer.sequence for answer in answers if isinstance(answer, zeps.Deliver)} == delivered


@pytest.mark.parametrize(
    "end",
    [
        "an ending code",
        "an unknown code",
        "a closed connection",
        "a mute connection",
        "no code, a closed connection",
    ],
)
def test_it_attaches_again_after_the_end_of_its_session(
    client: Client, launch: Launch, relay: Callable[..., Relay], end: str
) -> None:
    """The broker removes the session, the native engine also its connection; then the published messages arrive."""
    engine = "native" if end.startswith("no code") else "libzmq"
    broker = launch(config=f'{SHORT}rate_min = 1e12\nstats_seconds = 0.2\n[transport]\nengine = "{engine}"\n')
    wire = relay(
        broker.endpoint, gate=True, cuts=end == "a closed connection", mutes=end == "a mute connection"
    )
    if end == "an unknown code":
        wire.edit = lambda data: data.replace(b"no-session ", b"other-code ")
    process = client.start(wire.endpoint, "stream", "5")
    eventually("expiry", lambda: any(record["expired"] for record in broker.log("stats")))
    wire.open_gate()
    code, lines, errors = finish(process)
    assert code == 0, errors
    assert lines == ["received 5 messages, sequences 1..5"], errors
    assert end.startswith("no code") or re.search("the session is lost: (no-session|other-code) ", errors)
    assert wire.answered.count(ATTACH_OK) == 2
    assert (wire.connections > 1) == end.endswith("connection")
