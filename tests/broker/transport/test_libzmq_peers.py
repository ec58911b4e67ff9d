"""libzmq's peers cannot distinguish the native engine from libzmq's ROUTER: both give the same conversations.

The tests cover every kind of socket that may talk to a ROUTER, with and without an identity and heartbeats, started
before or after the ROUTER, and over a restart of the other side. Each engine must echo the peer's messages.
"""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
import zmq
from transport_helpers import LONG, Context, socket_of
from zmq.utils.monitor import recv_monitor_message

from zeps_broker.ports import Gone, Malformed, Output
from zeps_broker.transport.engines import open_transport
from zeps_broker.transport.options import Engine, RouterOptions

Client = zmq.Socket[bytes]

KINDS = {"DEALER": zmq.DEALER, "ROUTER": zmq.ROUTER, "REQ": zmq.REQ}
PINGS = {"heartbeat_ivl": 50, "heartbeat_timeout": 2000, "heartbeat_ttl": 3000}


@contextmanager
def echo(engine: Engine, endpoint: str) -> Iterator[None]:
    """A transport that returns each message of one frame, and answers malformed input with the reason."""
    router = open_transport([endpoint], RouterOptions(engine=engine))
    stopped = threading.Event()

    def serve() -> None:
        while not stopped.is_set():
            for peer, said in router.receive(0.2):
                if not isinstance(said, Gone):
                    answer = said.text.encode() if isinstance(said, Malformed) else said
                    router.send([Output([peer], [answer])])

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield
    finally:
        stopped.set()
        router.wake()
        thread.join(LONG)
        router.close()


@pytest.fixture
def endpoint() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"tcp://127.0.0.1:{free.getsockname()[1]}"


@pytest.fixture
def make(context: Context, stack: ExitStack) -> Callable[..., Client]:
    def build(kind: str, **options: object) -> Client:
        client = stack.enter_context(socket_of(context, KINDS[kind]))
        client.sndtimeo = client.rcvtimeo
        for name, value in options.items():
            setattr(client, name, value)
        return client

    return build


def ask(kind: str, client: Client, body: bytes) -> bytes:
    """Returns the answer to `body`, which a ROUTER sends to its only peer, named b"broker"."""
    if kind == "ROUTER":
        client.send_multipart([b"broker", body])
        name, answer = client.recv_multipart()
        assert name == b"broker"
        return answer
    client.send(body)
    return client.recv()


def dialled(make: Callable[..., Client], kind: str, endpoint: str, **options: object) -> Client:
    if kind == "ROUTER":
        options |= {"connect_routing_id": b"broker", "router_mandatory": 1}
    client = make(kind, **options)
    client.connect(endpoint)
    return client


@pytest.mark.parametrize("options", [{}, PINGS], ids=["plain", "heartbeats"])
@pytest.mark.parametrize("kind", ["DEALER", "ROUTER"])
def test_what_a_peer_sends_comes_back_whole_and_in_order(
    engine: Engine, endpoint: str, make: Callable[..., Client], kind: str, options: dict[str, object]
) -> None:
    with echo(engine, endpoint):
        client = dialled(make, kind, endpoint, **options)
        _wait_connected(client, kind)
        for size in (0, 1, 255, 256, 70_000):
            assert ask(kind, client, bytes([size % 251]) * size) == bytes([size % 251]) * size
        assert client.poll(300) == 0
        assert ask(kind, client, b"after a pause") == b"after a pause"


@pytest.mark.parametrize("options", [{}, PINGS], ids=["plain", "heartbeats"])
def test_a_req_is_told_that_its_delimiter_is_a_part_too_many(
    engine: Engine, endpoint: str, make: Callable[..., Client], options: dict[str, object]
) -> None:
    """REQ drops messages without a delimiter: it sees no answer, but stays connected, and a relaxed REQ retries."""
    with echo(engine, endpoint):
        req = dialled(make, "REQ", endpoint, req_relaxed=1, **options)
        for _ in range(3):
            req.send(b"request")
        assert req.poll(300) == 0
        assert _events(req, zmq.EVENT_DISCONNECTED, 200) == []


@pytest.mark.parametrize("kind", ["DEALER", "ROUTER"])
def test_an_identity_is_told_why_it_is_refused(
    engine: Engine, endpoint: str, make: Callable[..., Client], kind: str
) -> None:
    with echo(engine, endpoint):
        client = dialled(make, kind, endpoint, routing_id=b"mine")
        _wait_connected(client, kind)
        assert b"routing id" in ask(kind, client, b"hello")
        other = dialled(make, "DEALER", endpoint)
        assert ask("DEALER", other, b"hello") == b"hello"


@pytest.mark.parametrize("options", [{}, PINGS], ids=["plain", "heartbeats"])
def test_a_peer_may_be_there_first_and_comes_back_after_every_restart(
    engine: Engine, endpoint: str, make: Callable[..., Client], options: dict[str, object]
) -> None:
    client = dialled(make, "DEALER", endpoint, reconnect_ivl=20, reconnect_ivl_max=100, **options)
    client.send(b"early")
    with echo(engine, endpoint):
        assert client.recv() == b"early"
    for turn in range(3):
        with echo(engine, endpoint):
            _ask_until_answered(client, b"again %d" % turn)


def test_a_silent_peer_with_heartbeats_on_keeps_its_connection(
    engine: Engine, endpoint: str, make: Callable[..., Client]
) -> None:
    options = {"heartbeat_ivl": 100, "heartbeat_timeout": 1000, "heartbeat_ttl": 500}
    with echo(engine, endpoint):
        client = dialled(make, "DEALER", endpoint, **options)
        assert ask("DEALER", client, b"hello") == b"hello"
        assert _events(client, zmq.EVENT_DISCONNECTED, 1500) == []
        assert ask("DEALER", client, b"still here") == b"still here"


def test_many_peers_of_all_kinds_at_once(engine: Engine, endpoint: str, make: Callable[..., Client]) -> None:
    with echo(engine, endpoint):
        clients = [(kind, dialled(make, kind, endpoint)) for kind in ("DEALER", "ROUTER") * 10]
        for kind, client in clients:
            _wait_connected(client, kind)
        for turn in range(5):
            for number, (kind, client) in enumerate(clients):
                body = b"%d of %d" % (turn, number)
                client.send_multipart([b"broker", body] if kind == "ROUTER" else [body])
        for turn in range(5):
            for number, (_, client) in enumerate(clients):
                assert client.recv_multipart()[-1] == b"%d of %d" % (turn, number)


def _ask_until_answered(client: Client, body: bytes) -> None:
    """Messages sent before the end of the old connection is noticed may be lost with it."""
    limit = time.monotonic() + LONG
    answers: list[bytes] = []
    while body not in answers:
        assert time.monotonic() < limit
        client.send(body)
        while body not in answers and client.poll(300):
            answers.append(client.recv())


def _events(client: Client, kind: int, milliseconds: int) -> list[int]:
    """Returns the events of that kind that `client` reports within a time."""
    events: list[int] = []
    with client.get_monitor_socket(kind) as monitor:
        while monitor.poll(milliseconds):
            events.append(int(recv_monitor_message(monitor)["event"]))
        client.disable_monitor()
    return events


def _wait_connected(client: Client, kind: str) -> None:
    """A ROUTER may send when the connection is established: a mandatory ROUTER reports POLLOUT then."""
    if kind == "ROUTER":
        assert client.poll(int(LONG * 1000), zmq.POLLOUT)
