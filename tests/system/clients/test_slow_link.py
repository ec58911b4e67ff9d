"""Messages that take longer than the heartbeats: a message under way is a sign of life (ZEPS-PING-15)."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from attacker_links import frames, opening
from campaigns import SOAK
from harness import PATIENCE, Peer
from relay import Relay

from zeps_broker.core.settings import Settings
from zeps_broker.service.config import Config
from zeps_broker.service.embedded import EmbeddedBroker
from zeps_broker.transport.options import Engine, RouterOptions
from zeps_client import ALL, Client
from zeps_client.settings import Options
from zeps_wire import zeps

MakeRelay = Callable[..., Relay]


@dataclass(frozen=True)
class Link:
    """A link, a message for it, and the settings of broker and clients."""

    message_bytes: int
    bytes_per_second: int
    broker: Settings
    client: Options


SHORT = Settings(client_timeout_seconds=1.0, heartbeat_seconds=0.3, stop_seconds_max=0.5, rate_min=20_000)
LINKS = {"short": Link(120_000, 40_000, SHORT, {"heartbeat": 0.2, "rate_min": 20_000})}
if SOAK:
    LINKS["default"] = Link(16 << 20, 100_000, Settings(), {})


@pytest.mark.parametrize("engine", ["native", "libzmq"])
@pytest.mark.parametrize("name", LINKS)
def test_a_message_that_takes_long_passes_in_one_session(name: str, engine: Engine, relay: MakeRelay) -> None:
    """One message goes up while another comes down."""
    link = LINKS[name]
    up, down = b"u" * link.message_bytes, b"d" * link.message_bytes
    patience = 2 * link.message_bytes / link.bytes_per_second + PATIENCE
    config = Config(core=link.broker, transport=RouterOptions(engine=engine))
    with EmbeddedBroker(config=config) as broker:
        with Client(broker.endpoint, "down") as near:
            near.publish("k", down)
            near.flush(PATIENCE)
        far = relay(broker.endpoint, bytes_per_second=link.bytes_per_second).endpoint
        with (
            Client(far, "up", reattach=False, **link.client) as publisher,
            Client(far, "down", reattach=False, **link.client) as subscriber,
        ):
            publisher.publish("k", up)
            subscriber.subscribe("", ALL, timeout=PATIENCE)
            assert subscriber.receive(patience).body == down
            publisher.flush(patience)
        with Client(broker.endpoint, "up") as near:
            near.subscribe("", ALL, timeout=PATIENCE)
            assert near.receive(PATIENCE).body == up
        assert broker.figures()["expired"] == 0


@pytest.mark.parametrize("engine", ["native", "libzmq"])
def test_a_reader_says_nothing_while_a_message_comes(
    engine: Engine, relay: MakeRelay, connect: Callable[..., Peer]
) -> None:
    """The broker's PINGs wait in the queue behind the message."""
    with EmbeddedBroker(config=Config(core=SHORT, transport=RouterOptions(engine=engine))) as broker:
        far = relay(broker.endpoint, bytes_per_second=40_000).endpoint
        reader, publisher = connect(far, "s"), connect(broker.endpoint, "s")
        reader.subscribe(credit=1 << 20)
        reader.barrier()
        publisher.publish("k", bytes(120_000))
        assert reader.expect(zeps.Deliver).body == bytes(120_000)
        reader.barrier()


@pytest.mark.parametrize("engine", ["native", "libzmq"])
def test_a_message_that_hardly_advances_is_no_sign_of_life(engine: Engine) -> None:
    """libzmq's engine allows 0.5 s for the longest frame."""
    config = Config(core=SHORT, transport=RouterOptions(engine=engine, frame_bytes_max=10_000))
    publish = frames(zeps.Publish("k", bytes(9000)))
    with EmbeddedBroker(config=config) as broker:
        port = int(broker.endpoint.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as peer:
            peer.settimeout(PATIENCE)
            peer.sendall(opening())
            heard = b""
            while b"READY" not in heard:  # before that libzmq takes no message
                heard += peer.recv(4096)
            peer.sendall(frames(zeps.Attach("s")))
            while zeps.AttachOk().encode() not in heard:
                heard += peer.recv(4096)
            sent = 0
            while not broker.figures()["expired"]:
                assert sent < PATIENCE
                peer.sendall(publish[sent : sent + 1])
                sent += 1
                time.sleep(1.0)
