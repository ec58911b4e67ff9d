"""Adapter for RabbitMQ: ``rabbitmq_adapter.py QUEUE COMMAND ENDPOINT STREAM``; QUEUE is classic, quorum or stream. A
publisher confirm confirms a message.
"""

from __future__ import annotations

import secrets
import sys
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import pika
from pika.adapters.blocking_connection import BlockingChannel, BlockingConnection
from pika.exceptions import AMQPError

sys.path.insert(0, str(Path(__file__).parents[1]))

from durability.lines import batches, id_of

PERSISTENT = pika.BasicProperties(delivery_mode=2)
PATIENCE = 30.0


def parameters(endpoint: str) -> pika.ConnectionParameters:
    address = urlsplit(endpoint)
    return pika.ConnectionParameters(
        address.hostname or "",
        address.port or 0,
        heartbeat=0,
        blocked_connection_timeout=20,
        socket_timeout=20,
    )


def declare(channel: BlockingChannel, kind: str, stream: str) -> None:
    channel.queue_declare(stream, durable=True, arguments={"x-queue-type": kind})


class _Publisher:
    """Publishes lines of standard input as they arrive, and prints the confirms."""

    def __init__(self, endpoint: str, stream: str) -> None:
        self._stream = stream
        self._unconfirmed: dict[int, str] = {}
        self._returned: set[str] = set()
        self._published = 0
        self._ended = False
        self.failed = ""
        self._connection = pika.SelectConnection(
            parameters(endpoint),
            on_open_callback=lambda connection: connection.channel(on_open_callback=self._opened),
            on_open_error_callback=lambda _, error: self._fail(error),
            on_close_callback=lambda _, error: self._fail(error),
        )

    def run(self) -> None:
        self._connection.ioloop.start()

    def _fail(self, error: object) -> None:
        if not self._ended or self._unconfirmed:
            self.failed = repr(error)
        self._connection.ioloop.stop()

    def _opened(self, channel: pika.channel.Channel) -> None:
        channel.add_on_close_callback(lambda _, error: self._fail(error))
        # RabbitMQ confirms a message without a queue, after it has returned it.
        channel.add_on_return_callback(lambda _, method, properties, body: self._returned.add(id_of(body)))
        channel.confirm_delivery(self._answered, callback=lambda _: None)
        loop = self._connection.ioloop

        def feed() -> None:
            for bodies in batches():
                done = threading.Event()
                loop.add_callback_threadsafe(lambda b=bodies, d=done: self._publish(channel, b, d))
                done.wait()
                while len(self._unconfirmed) > 1000:
                    time.sleep(0.005)
            loop.add_callback_threadsafe(self._end)

        threading.Thread(target=feed, daemon=True).start()

    def _publish(self, channel: pika.channel.Channel, bodies: list[bytes], done: threading.Event) -> None:
        for body in bodies:
            self._published += 1
            self._unconfirmed[self._published] = id_of(body)
            channel.basic_publish("", self._stream, body, PERSISTENT, mandatory=True)
        done.set()

    def _answered(self, frame: pika.frame.Method) -> None:
        method = frame.method
        last = method.delivery_tag
        tags = [tag for tag in self._unconfirmed if tag <= last] if method.multiple else [last]
        for identifier in map(self._unconfirmed.pop, tags):
            stored = method.NAME == "Basic.Ack" and identifier not in self._returned
            print("confirmed" if stored else "refused", identifier)
        sys.stdout.flush()
        self._close_if_done()

    def _end(self) -> None:
        self._ended = True
        self._close_if_done()

    def _close_if_done(self) -> None:
        if self._ended and not self._unconfirmed and self._connection.is_open:
            self._connection.close()


def publish(kind: str, endpoint: str, stream: str) -> None:
    publisher = _Publisher(endpoint, stream)
    publisher.run()
    if publisher.failed:
        raise ConnectionError(publisher.failed)


def read(kind: str, endpoint: str, stream: str) -> None:
    with BlockingConnection(parameters(endpoint)) as connection:
        channel = connection.channel()
        channel.confirm_delivery()
        declare(channel, kind, stream)
        channel.basic_qos(prefetch_count=500)
        marker = f"end {secrets.token_hex(8)}".encode()
        channel.basic_publish("", stream, marker, PERSISTENT)
        arguments = {"x-stream-offset": "first"} if kind == "stream" else {}
        for method, _, body in channel.consume(stream, arguments=arguments, inactivity_timeout=PATIENCE):
            if method is None:
                raise ConnectionError("the marker at the end did not arrive")
            channel.basic_ack(method.delivery_tag)
            if body == marker:
                break
            if not body.startswith(b"end "):
                print("message", body.decode("ascii", "replace").replace("\n", " "))
        print("end")


def prepare(kind: str, endpoint: str, stream: str) -> None:
    with BlockingConnection(parameters(endpoint)) as connection:
        declare(connection.channel(), kind, stream)


def main() -> int:
    kind, command, endpoint, stream = sys.argv[1:5]
    commands = {"prepare": prepare, "publish": publish, "read": read}
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            commands[command](kind, endpoint, stream)
        except (AMQPError, OSError) as error:
            # The server accepts connections before its queues are available.
            if command != "publish" and time.monotonic() < deadline:
                time.sleep(0.2)
                continue
            print(repr(error), file=sys.stderr)
            return 3
        return 0


if __name__ == "__main__":
    sys.exit(main())
