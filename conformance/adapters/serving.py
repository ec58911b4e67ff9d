"""Adapters in Python: requests on stdin, answers on stdout (``README.md``). Uses the standard library only."""

from __future__ import annotations

import contextlib
import itertools
import json
import queue
import sys
from collections.abc import Mapping
from typing import Any

__all__ = ["FREE", "Adapter", "Answer", "EventQueue", "Request", "Unsupported", "serve"]

Request = Mapping[str, Any]
Answer = dict[str, object]

FREE = "tcp://127.0.0.1:*"  # the endpoint for a free port


class Unsupported(Exception):  # noqa: N818
    """A feature that the implementation lacks by design; the text names it."""


class EventQueue:
    """Events of one client, which any thread may add."""

    def __init__(self) -> None:
        self._events: queue.SimpleQueue[Answer] = queue.SimpleQueue()

    def put(self, event: Answer) -> None:
        self._events.put(event)

    def take(self, timeout: float) -> list[Answer]:
        """Removes and returns all events, oldest first; waits at most `timeout` seconds for the first."""
        events: list[Answer] = []
        try:
            events.append(self._events.get(timeout=timeout) if timeout else self._events.get_nowait())
            while True:
                events.append(self._events.get_nowait())
        except queue.Empty:
            return events


class Adapter:
    """Executes a request by the method ``op_<op>``, which returns the answer without ``ok``; ``exit`` sets `ended`."""

    def __init__(self) -> None:
        self.proxies: dict[str, Any] = {}
        self.ended = False
        self._numbers = itertools.count(1)

    def answer(self, line: bytes) -> Answer:
        """Executes the request in `line`, a JSON object. Every error is returned as an answer, also of a bad line."""
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise TypeError("a request must be a JSON object")
            operation = getattr(self, f"op_{request['op']}", None)
            if operation is None:
                raise ValueError(f"unknown op {request['op']!r}")
            return {"ok": True, **operation(request)}
        except Exception as error:
            return {"ok": False, **self.explain(error)}

    def explain(self, error: Exception) -> Answer:
        """Returns the members of the answer that reports `error`: ``unsupported`` or ``error`` with its text."""
        if isinstance(error, Unsupported):
            return {"unsupported": str(error)}
        if isinstance(error, KeyError):
            return {"error": f"unknown name or missing member: {error.args[0]}"}
        return {"error": f"{type(error).__name__}: {error}"}

    def start_proxy(self, connect: str | None) -> Any:
        """Starts a proxy that connects to the endpoint `connect`, or listens for publishers if that is None; the result
        has the endpoints `frontend` (None if it connects) and `backend`, and a method `stop`.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Stops every proxy. Raises the first error of one after that."""
        with contextlib.ExitStack() as stops:
            for proxy in reversed(self.proxies.values()):
                stops.callback(proxy.stop)

    def op_proxy(self, request: Request) -> Answer:
        if (request["frontend"], request["backend"]) != ("XSUB", "XPUB"):
            raise Unsupported("a proxy other than from XSUB to XPUB")
        proxy = self.start_proxy(request.get("connect"))
        name = f"p{next(self._numbers)}"
        self.proxies[name] = proxy
        return {"proxy": name, "frontend": proxy.frontend, "backend": proxy.backend}

    def op_proxy_close(self, request: Request) -> Answer:
        self.proxies.pop(request["proxy"]).stop()
        return {}

    def op_exit(self, _: Request) -> Answer:
        self.ended = True
        return {}


def serve(adapter: Adapter) -> None:
    """Answers the requests on stdin, until ``exit``, the end of input or an error; then closes the adapter."""
    try:
        for line in sys.stdin.buffer:
            print(json.dumps(adapter.answer(line)), flush=True)
            if adapter.ended:
                break
    finally:
        adapter.close()
