"""Adapter for MQTT brokers: QoS 1, and a persistent session for the reader. PUBACK confirms a message."""

from __future__ import annotations

import queue
import secrets
import sys
import threading
from pathlib import Path
from urllib.parse import urlsplit

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion

sys.path.insert(0, str(Path(__file__).parents[1]))

from durability.lines import batches, id_of

PATIENCE = 20.0


class AdapterError(Exception):
    """The broker does not answer, or the connection is lost."""


def connect(endpoint: str, name: str, inbox: queue.SimpleQueue[bytes] | None = None) -> Client:
    """Returns a connected client with the persistent session `name`, a temporary one if it is empty."""
    address = urlsplit(endpoint)
    client = Client(CallbackAPIVersion.VERSION2, name, clean_session=not name, reconnect_on_failure=False)
    connected = threading.Event()
    client.on_connect = lambda *_: connected.set()
    if inbox is not None:

        def receive(_: Client, __: object, message: MQTTMessage) -> None:
            inbox.put(bytes(message.payload))

        client.on_message = receive
    client.connect(address.hostname or "", address.port or 0, keepalive=60)
    client.loop_start()
    if not connected.wait(PATIENCE):
        raise AdapterError("the broker does not accept the connection")
    return client


def prepare(endpoint: str, stream: str) -> None:
    client = connect(endpoint, f"reader-{stream}")
    done = threading.Event()
    client.on_subscribe = lambda *_: done.set()
    client.subscribe(stream, qos=1)
    if not done.wait(PATIENCE):
        raise AdapterError("SUBACK did not arrive")
    client.disconnect()


def publish(endpoint: str, stream: str) -> None:
    client = connect(endpoint, "")
    lost = threading.Event()
    client.on_disconnect = lambda *_: lost.set()
    for bodies in batches():
        sent = [(id_of(body), client.publish(stream, body, qos=1)) for body in bodies]
        for name, info in sent:
            while not info.is_published():
                info.wait_for_publish(0.2)
                if lost.is_set():
                    raise AdapterError("the connection was lost")
            print("confirmed", name)
        sys.stdout.flush()


def read(endpoint: str, stream: str) -> None:
    inbox: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    client = connect(endpoint, f"reader-{stream}", inbox)
    marker = f"end {secrets.token_hex(8)}".encode()
    done = threading.Event()
    client.on_subscribe = lambda *_: done.set()
    client.subscribe(stream, qos=1)  # if the broker lost the session, there is nothing before the marker
    if not done.wait(PATIENCE):
        raise AdapterError("SUBACK did not arrive")
    client.publish(stream, marker, qos=1)
    while True:
        try:
            body = inbox.get(timeout=PATIENCE)
        except queue.Empty:
            raise AdapterError("the marker at the end did not arrive") from None
        if body == marker:
            break
        if not body.startswith(b"end "):
            print("message", body.decode("ascii", "replace").replace("\n", " "))
    print("end")
    sys.stdout.flush()
    client.disconnect()


def main() -> int:
    command, endpoint, stream = sys.argv[1:4]
    try:
        {"prepare": prepare, "publish": publish, "read": read}[command](endpoint, stream)
    except (AdapterError, OSError) as error:
        print(error, file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
