"""An exchange seen from a plain AMQP client, and bridges as processes."""

from __future__ import annotations

import contextlib
from pathlib import Path

from pika.adapters.blocking_connection import BlockingChannel
from pika.exceptions import AMQPError, UnroutableError
from rabbit import PATIENCE, Rabbit
from zeps_process import ZepsProcess, eventually

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
        eventually(f"{'' if bound else 'un'}binding of {key!r}", lambda: self.routes(key) == bound, PATIENCE)

    def close(self) -> None:
        with contextlib.suppress(AMQPError):  # the server may have been killed meanwhile
            self.channel.connection.close()


class BridgeProcess(ZepsProcess):
    """A running `zeps bridge`; `endpoints` are those for subscribers and publishers."""

    def __init__(self, log: Path, *options: str) -> None:
        count = max(1, options.count("--downstream")) + options.count("--upstream-bind")
        super().__init__(log, "bridge", *options, ready_lines=count)
        self.endpoints = [line.partition(" ")[2] for line in self.start()]
