"""Adapter of zeps_client: ``python adapter.py sync`` or ``python adapter.py asyncio``."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import sys
import threading
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from adapters.serving import Adapter, Answer, EventQueue, Request, serve
from zeps_client import AsyncClient, Client
from zeps_client.errors import ClientError, Closed, PublishLost, Timeout
from zeps_client.events import (
    Attached,
    Event,
    Failed,
    Lost,
    Message,
    Missing,
    PublishesLost,
    Refused,
    StreamReset,
)

FEATURES = ("deliveries", "publish", "subscribe", "close", "gaps", "refusals", "losses", "republish", "rate")
#: Settings of a client by the name of the suite's option, and the factor of its value.
OPTIONS = {
    "heartbeat": ("heartbeat", 0.001),
    "attach_timeout": ("attach_timeout", 0.001),
    "window": ("window", 1),
    "rate": ("rate_min", 1),
}


def report(event: Event) -> Answer | None:
    """Returns the adapter's event for one of the client, None if the suite does not need it."""
    match event:
        case Attached():
            return {"event": "connected"}
        case Missing(first, last, code):
            return {"event": "gap", "first": first, "last": last, "code": code}
        case StreamReset(known, end):
            return {"event": "gap", "first": end + 1, "last": known, "code": "beyond-end"}
        case Refused(reason, pattern):
            return {"event": "refused", "reason": reason, "pattern": pattern}
        case Lost(reason):
            return {"event": "lost", "reason": reason}
        case PublishesLost(reason=reason):
            return {"event": "unpublished", "reason": reason}
        case Failed(error):
            return {"event": "failed", "reason": str(error)}
    return None


class Hosted:
    """A client of either kind, and its events in order."""

    def __init__(self) -> None:
        self.events = EventQueue()

    def on_event(self, event: Event) -> None:
        if (line := report(event)) is not None:
            self.events.put(line)

    def delivered(self, message: Message) -> None:
        digest = hashlib.sha256(message.body).hexdigest()
        size = len(message.body)
        self.events.put(
            {
                "event": "delivered",
                "sequence": message.sequence,
                "key": message.key,
                "size": size,
                "sha256": digest,
            }
        )

    def subscribe(self, pattern: str, latest: int) -> None:
        """Requests a subscription, without waiting for the answer."""
        raise NotImplementedError

    def publish(self, key: str, body: bytes) -> None:
        """Publishes a message. Raises Timeout if the buffer is full."""
        raise NotImplementedError

    def close(self, timeout: float) -> None:
        """Begins to close, with an event at the end."""
        raise NotImplementedError


class HostedSync(Hosted):
    """A :class:`Client`, with one thread that receives."""

    def __init__(self, endpoint: str, stream: str, settings: dict[str, Any]) -> None:
        super().__init__()
        self._client = Client(endpoint, stream, on_event=self.on_event, **settings)
        threading.Thread(target=self._receive, daemon=True).start()

    def subscribe(self, pattern: str, latest: int) -> None:
        with contextlib.suppress(Timeout):
            self._client.subscribe(pattern, latest, timeout=0.0)

    def publish(self, key: str, body: bytes) -> None:
        self._client.publish(key, body, timeout=0.0)

    def close(self, timeout: float) -> None:
        threading.Thread(target=self._close, args=(timeout,), daemon=True).start()

    def _close(self, timeout: float) -> None:
        with contextlib.suppress(PublishLost):
            self._client.close(timeout)
        self.events.put({"event": "closed"})

    def _receive(self) -> None:
        with contextlib.suppress(ClientError):
            for message in self._client:
                self.delivered(message)


class HostedAsync(Hosted):
    """An :class:`AsyncClient` on the adapter's event loop."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, endpoint: str, stream: str, settings: dict[str, Any]
    ) -> None:
        super().__init__()
        self._loop = loop
        self._tasks: set[asyncio.Task[None]] = set()
        self._client = self._call(self._open(endpoint, stream, settings))

    async def _open(self, endpoint: str, stream: str, settings: dict[str, Any]) -> AsyncClient:
        client = AsyncClient(endpoint, stream, on_event=self.on_event, **settings)
        self._start(self._receive(client))
        return client

    def subscribe(self, pattern: str, latest: int) -> None:
        with contextlib.suppress(Timeout):
            self._call(self._client.subscribe(pattern, latest, timeout=0.0))

    def publish(self, key: str, body: bytes) -> None:
        self._call(self._client.publish(key, body, timeout=0.0))

    def close(self, timeout: float) -> None:
        self._loop.call_soon_threadsafe(lambda: self._start(self._close(timeout)))

    def _call(self, coroutine: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(10.0)

    def _start(self, coroutine: Any) -> None:
        task = asyncio.ensure_future(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _close(self, timeout: float) -> None:
        with contextlib.suppress(PublishLost):
            await self._client.close(timeout)
        self.events.put({"event": "closed"})

    async def _receive(self, client: AsyncClient) -> None:
        with contextlib.suppress(Closed, ClientError):
            async for message in client:
                self.delivered(message)


class ClientAdapter(Adapter):
    """Clients, by the suite's names for them."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self._kind = kind
        self._clients: dict[str, Hosted] = {}
        self._make: Callable[[str, str, dict[str, Any]], Hosted] = HostedSync
        if kind == "asyncio":
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, daemon=True).start()
            self._make = lambda endpoint, stream, settings: HostedAsync(loop, endpoint, stream, settings)

    def op_hello(self, _: Request) -> Answer:
        name = f"zeps_client ({self._kind})"
        return {"name": name, "version": version("zeps"), "types": ["CLIENT"], "features": FEATURES}

    def op_open(self, request: Request) -> Answer:
        settings = {
            OPTIONS[name][0]: value * OPTIONS[name][1]
            for name, value in request["options"].items()
            if name in OPTIONS
        }
        client = self._make(request["endpoint"], request["stream"], settings)
        self._clients[request["client"]] = client
        if request["pattern"] is not None:
            client.subscribe(request["pattern"], request["latest"])
        return {}

    def op_subscribe(self, request: Request) -> Answer:
        self._clients[request["client"]].subscribe(request["pattern"], request["latest"])
        return {}

    def op_publish(self, request: Request) -> Answer:
        try:
            self._clients[request["client"]].publish(request["key"], bytes.fromhex(request["body"]))
        except Timeout:
            return {"again": True}
        return {}

    def op_events(self, request: Request) -> Answer:
        return {"events": self._clients[request["client"]].events.take(request["timeout"] / 1000)}

    def op_close(self, request: Request) -> Answer:
        self._clients[request["client"]].close(request["timeout"] / 1000)
        return {}

    def op_drop(self, request: Request) -> Answer:
        self._clients.pop(request["client"]).close(0.0)
        return {}


if __name__ == "__main__":
    serve(ClientAdapter(sys.argv[1]))
