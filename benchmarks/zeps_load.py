"""Load for our broker, for the plain ROUTER loop and for the ceiling loop: raw ZMTP in batches."""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from marked_load import BODY, Sink
from processes import broker, pinned, server_cpu
from zeps_wire import zeps
from zmtp_load import Sink as Dealer
from zmtp_load import frame

__all__ = ["ceiling", "router", "zeps_broker"]


class _Broker:
    def __init__(self, endpoint: str, pid: int) -> None:
        self.pid = pid
        self._endpoint = endpoint

    def subscriber(self, topic: str) -> Sink:
        opening = [zeps.Subscribe(f"{topic}/", zeps.LATEST_NEW), zeps.Credit(1 << 62), zeps.Ping()]
        return Sink(self._attach(opening, [zeps.SubscribeOk(), zeps.PingOk()]))

    def publisher(self) -> socket.socket:
        sock = self._attach([], [])
        sock.settimeout(None)
        return sock

    def publication(self, key: str) -> bytes:
        return frame(zeps.Publish(key, BODY))

    def _attach(self, commands: list[zeps.Message], answers: list[zeps.Message]) -> socket.socket:
        dealer = Dealer(self._endpoint, zeps.Attach("bench"), *commands)
        dealer.expect(zeps.AttachOk(), *answers)
        return dealer.sock


class _Loop:
    """Load for a loop to which subscribers send `sub`. With `numbers` the publisher sends PUBLISH, which the loop
    converts to DELIVER; else it sends DELIVER.
    """

    def __init__(self, endpoint: str, pid: int, numbers: bool) -> None:
        self.pid = pid
        self._endpoint = endpoint
        self._numbers = numbers

    def subscriber(self, topic: str) -> Sink:
        del topic
        dealer = Dealer(self._endpoint, b"sub")
        dealer.expect(b"ok")
        return Sink(dealer.sock)

    def publisher(self) -> socket.socket:
        dealer = Dealer(self._endpoint)
        dealer.sock.settimeout(None)
        return dealer.sock

    def publication(self, key: str) -> bytes:
        return frame(zeps.Publish(key, BODY) if self._numbers else zeps.Deliver(1, key, BODY))


@contextmanager
def zeps_broker(_subscribers: int, sync: str, engine: str = "native") -> Iterator[_Broker]:
    with broker("--sync", sync, engine=engine) as (endpoint, pid):
        yield _Broker(endpoint, pid)


@contextmanager
def router(subscribers: int) -> Iterator[_Loop]:
    program = str(Path(__file__).with_name("router_loop.py"))
    with pinned([sys.executable, program, str(subscribers)], server_cpu()) as (endpoint, pid):
        yield _Loop(endpoint, pid, numbers=False)


@contextmanager
def ceiling(subscribers: int, sync: str) -> Iterator[_Loop]:
    program = str(Path(__file__).with_name("ceiling_loop.py"))
    with (
        TemporaryDirectory(prefix="zeps-bench-") as folder,
        pinned([sys.executable, program, str(subscribers), f"{folder}/log", sync], server_cpu()) as (
            endpoint,
            pid,
        ),
    ):
        yield _Loop(endpoint, pid, numbers=True)
