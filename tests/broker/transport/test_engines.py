"""Requirements of both transports, on real sockets and with libzmq clients: input, full queues, lost peers."""

from __future__ import annotations

import os
import socket
import tempfile
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from transport_helpers import LONG, Connect, Router, Start, answer_all, drain, fill, hello, items, join, take
from waiting import until
from zmq.auth import load_certificate

from zeps_broker.ports import Malformed, Output, Undelivered
from zeps_broker.transport.certificates import make_certificates
from zeps_broker.transport.engines import open_transport
from zeps_broker.transport.errors import TransportError
from zeps_broker.transport.libzmq_router import LibzmqRouter
from zeps_broker.transport.options import COMMAND_BYTES_MAX, ENGINES, CurveOptions, Engine, RouterOptions
from zeps_broker.transport.zmtp.router_transport import RouterTransport


@pytest.fixture(params=[*ENGINES, "native with CURVE"])
def variant(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def curve(variant: str, tmp_path: Path) -> CurveOptions:
    if "CURVE" not in variant:
        return CurveOptions()
    return CurveOptions(make_certificates(tmp_path, "broker")[1])


@pytest.fixture
def server_key(curve: CurveOptions) -> bytes | None:
    return None if curve.secret_key is None else load_certificate(curve.secret_key)[0]


@pytest.fixture
def start(variant: str, curve: CurveOptions, stack: ExitStack) -> Start:
    engine: Engine = "libzmq" if variant == "libzmq" else "native"

    def make(*endpoints: str, **options: object) -> Router:
        chosen = RouterOptions(engine=engine, curve=curve, **options)  # type: ignore[arg-type]
        router = open_transport(endpoints or ["tcp://127.0.0.1:*"], chosen)
        assert isinstance(router, RouterTransport if engine == "native" else LibzmqRouter)
        return stack.enter_context(closing(router))

    return make


def test_tcp_and_ipc_together(start: Start, connect: Connect, tmp_path: Path) -> None:
    abstract = f"ipc://@zeps-{os.getpid()}"  # the abstract names are those of the machine, so of all workers
    router = start("tcp://127.0.0.1:*", f"ipc://{tmp_path}/zeps", "tcp://lo:*", abstract)
    assert not any(endpoint.endswith("*") for endpoint in router.endpoints)
    assert len(router.endpoints) == 4
    answer_all(router, connect)


def test_messages_arrive_in_order_and_answers_go_back(start: Start, connect: Connect) -> None:
    router = start()
    client = connect(router.endpoints[0])
    frames = [b"%d" % number for number in range(300)]
    for frame in frames:
        client.send(frame)
    got = take(router, len(frames))
    peers = {peer for peer, _ in got}
    assert [frame for _, frame in got] == frames
    assert len(peers) == 1
    assert router.send([Output(list(peers), frames)]) == []
    assert [client.recv() for _ in frames] == frames


def test_an_output_goes_to_each_peer_in_the_order_of_outputs(start: Start, connect: Connect) -> None:
    router = start()
    clients = [connect(router.endpoints[0]) for _ in range(3)]
    peers = [hello(router, client) for client in clients]
    assert router.send([Output(peers, [b"1", b"2"], [1, 2]), Output(peers[:2], [b"3"])]) == []
    for client, expected in zip(clients, ([b"1", b"2", b"3"], [b"1", b"2", b"3"], [b"1", b"2"]), strict=True):
        assert [client.recv() for _ in expected] == expected


def test_nothing_arrives_is_no_messages(start: Start) -> None:
    assert start().receive(0.0) == []
    assert start().receive(0.01) == []


def test_wake_ends_a_receive(start: Start) -> None:
    router = start()
    router.wake()
    began = time.monotonic()
    assert router.receive(LONG) == []
    assert time.monotonic() - began < LONG
    for _ in range(100_000):
        router.wake()


@pytest.mark.parametrize("parts", [2, 3, 7])
def test_a_multipart_message_is_malformed_and_harms_nobody(
    start: Start, connect: Connect, parts: int
) -> None:
    router = start()
    other, victim = join(router, connect)
    client, peer = join(router, connect)
    named = victim if isinstance(victim, bytes) else b"victim"
    client.send_multipart([b"a", *[named, b"forged"] * parts][:parts])
    client.send(b"after")
    assert take(router, 2) == [
        (peer, Malformed(f"a message of {parts} parts; a command is a single part")),
        (peer, b"after"),
    ]
    assert hello(router, other) == victim


def test_an_empty_message_is_a_message(start: Start, connect: Connect) -> None:
    router = start()
    client = connect(router.endpoints[0])
    client.send(b"")
    ((_, frame),) = take(router, 1)
    assert frame == b""


def test_a_peer_that_chose_its_id_is_refused(start: Start, connect: Connect) -> None:
    router = start()
    client = connect(router.endpoints[0], routing_id=b"mine")
    client.send(b"hello")
    ((peer, got),) = take(router, 1)
    assert isinstance(got, Malformed)
    assert "routing id" in got.text
    router.send([Output([peer], [b"answer"])])
    assert client.recv() == b"answer"


def test_a_frame_longer_than_any_command_is_malformed(start: Start, connect: Connect) -> None:
    router = start()
    client = connect(router.endpoints[0])
    client.send(bytes(COMMAND_BYTES_MAX))
    client.send(bytes(COMMAND_BYTES_MAX + 1))
    client.send(bytes(64 << 20))
    got = [frame for _, frame in take(router, 3)]
    assert got[0] == bytes(COMMAND_BYTES_MAX)
    assert got[1:] == [
        Malformed(f"too-long: a frame of {size} bytes; the longest command has {COMMAND_BYTES_MAX}")
        for size in (COMMAND_BYTES_MAX + 1, 64 << 20)
    ]


def test_a_frame_beyond_the_limit_ends_its_connection_alone(start: Start, connect: Connect) -> None:
    router = start(frame_bytes_max=10_000)
    other, known = join(router, connect)
    client, peer = join(router, connect)
    client.send(bytes(10_001))
    output = Output([peer], [b"are you there?"])
    until(lambda: router.send([output]), lambda: router.receive(0.01), why="the connection is still there")
    assert hello(router, other) == known
    # Messages sent before the client has noticed the end are lost with the connection.
    arrived = until(lambda: items(router.receive(0.2)), lambda: client.send(b"again"))
    again, frame = arrived[0]
    assert frame == b"again"
    assert again != peer


def test_a_peer_that_does_not_read_refuses_and_the_rest_goes_on(start: Start, connect: Connect) -> None:
    router = start(send_messages_max=50, send_bytes_max=50_000)
    slow, quick = (connect(router.endpoints[0], rcvhwm=10) for _ in range(2))
    stuck, well = hello(router, slow), hello(router, quick)
    refusal, taken = fill(router, stuck)
    assert refusal.peer == stuck
    assert not refusal.gone
    outputs = [Output([stuck, well], [b"1", b"2"]), Output([well, stuck], [b"3"])]
    assert router.send(outputs) == [Undelivered(stuck, outputs[0], 0), Undelivered(stuck, outputs[1], 0)]
    assert drain(router, quick, 3) == [b"1", b"2", b"3"]
    assert drain(router, slow, taken) == [b"x" * 1000] * taken
    assert slow.poll(50) == 0


def test_what_a_full_pipe_refused_goes_on_where_it_stopped(start: Start, connect: Connect) -> None:
    router = start(send_messages_max=50, send_bytes_max=50_000)
    client, peer = join(router, connect, rcvhwm=10)
    frames = [b"%06d" % number * 100 for number in range(30_000)]
    got: list[bytes] = []
    at = refusals = 0
    while len(got) < len(frames):
        refused: list[Undelivered] = []
        while at < len(frames) and not refused:
            output = Output([peer], frames[at : at + 500])
            refused = router.send([output])
            at += refused[0].accepted if refused else len(output.frames)
        refusals += bool(refused)
        router.receive(0.0)
        while client.poll(1):
            got.append(client.recv())
    assert got == frames
    assert refusals


@pytest.mark.parametrize("size", [10, 20_000])
def test_a_peer_that_left_is_gone(start: Start, connect: Connect, size: int) -> None:
    router = start()
    client, peer = join(router, connect)
    client.close()
    output = Output([peer], [bytes(size)])
    refused = until(lambda: router.send([output, output]), why="the peer is still there")
    assert refused[-1].gone
    assert router.send([output, output]) == [Undelivered(peer, output, 0, True)] * 2
    assert router.writable() == []


def test_an_address_in_use(start: Start) -> None:
    endpoint = start().endpoints[0]
    with pytest.raises(TransportError, match=f"cannot listen on {endpoint}: the address is in use"):
        start(endpoint)


def test_close_lets_what_was_sent_leave_and_may_be_repeated(start: Start, connect: Connect) -> None:
    router = start()
    client, peer = join(router, connect)
    router.send([Output([peer], [b"last"] * 1000)])
    router.close(flush=LONG)
    router.close()
    assert [client.recv() for _ in range(1000)] == [b"last"] * 1000


@pytest.mark.parametrize(
    ("endpoint", "reason"),
    [
        ("tcp://203.0.113.1:*", "does not have this address"),
        ("ipc:///nowhere/at/all/zeps", "No such file"),
        ("ipc:///" + "x" * 200, "too long"),
    ],
)
def test_an_endpoint_that_cannot_be_bound_says_why(start: Start, endpoint: str, reason: str) -> None:
    with pytest.raises(TransportError) as caught:
        start(endpoint)
    assert endpoint in str(caught.value)
    assert reason in str(caught.value)


def test_a_temporary_path_is_removed_with_its_folder(
    start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))  # for libzmq
    router = start("ipc://*")
    path = Path(router.endpoints[0].removeprefix("ipc://"))
    assert path.is_socket()
    assert path.is_relative_to(folder)
    router.close()
    assert list(folder.iterdir()) == []


def test_a_socket_file_that_nobody_listens_on_is_taken_over(
    start: Start, connect: Connect, tmp_path: Path
) -> None:
    endpoint = f"ipc://{tmp_path}/zeps"
    with socket.socket(socket.AF_UNIX) as left_behind:
        left_behind.bind(f"{tmp_path}/zeps")
    router = start(endpoint)
    hello(router, connect(endpoint))
