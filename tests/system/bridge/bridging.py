"""An exchange seen from a plain AMQP client, and bridges as processes."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import AMQPError, UnroutableError
from rabbit import PATIENCE, Rabbit

__all__ = ["PROBE", "BridgeProcess", "Exchange"]

PROBE = b"is it bound?"


class Exchange:
    """An exchange of RabbitMQ, seen from a plain AMQP client."""

    def __init__(self, rabbit: Rabbit, name: str, kind: str) -> None:
        self.rabbit = rabbit
        self.name = name
        self.channel: BlockingChannel = rabbit.channel()
        self.channel.exchange_declare(name, kind, durable=True)

    def publish(self, key: str, body: bytes, **options: object) -> None:
        self.channel.basic_publish(self.name, key, body, **options)  # type: ignore[arg-type]

    def routes(self, key: str) -> bool:
        """Returns whether a queue is bound for this key; bound queues get a probe."""
        try:
            self.channel.basic_publish(self.name, key, PROBE, mandatory=True)
        except UnroutableError:
            return False
        return True

    def settled(self, key: str, *, bound: bool = True) -> None:
        """Waits until a queue is bound for this key, or none is."""
        limit = time.monotonic() + PATIENCE
        while self.routes(key) != bound:
            assert time.monotonic() < limit, f"{key!r} is {'not ' * bound}bound"
            time.sleep(0.02)

    def close(self) -> None:
        with contextlib.suppress(AMQPError):  # the server may have been killed meanwhile
            self.channel.connection.close()


class BridgeProcess:
    """`zeps bridge` in a process of its own."""

    def __init__(self, log: Path, *options: str) -> None:
        self._log = log
        count = max(1, options.count("--downstream")) + options.count("--upstream-bind")
        with log.open("ab") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "zeps_cli", "bridge", *options],
                stdout=subprocess.PIPE,
                stderr=file,
            )
        assert self.process.stdout is not None
        said = b""
        while said.count(b"\n") < count:
            assert select.select([self.process.stdout], [], [], PATIENCE)[0], self.text()
            more = os.read(self.process.stdout.fileno(), 4096)
            assert more, self.text()
            said += more
        self.endpoints = [line.partition(" ")[2] for line in said.decode().splitlines()]

    def stop(self) -> int:
        """Sends SIGTERM; returns the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(PATIENCE)

    def end(self) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)
        assert self.process.stdout is not None
        self.process.stdout.close()

    def text(self) -> str:
        return self._log.read_text()
