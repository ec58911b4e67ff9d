"""Adapter of libzmq through pyzmq, as ``../README.md`` describes. It reports results and errors unchanged."""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import zmq

sys.path.insert(0, str(Path(__file__).parents[2]))  # -I excludes it

from adapters.serving import FREE, Adapter, Answer, Request, Unsupported, serve

Socket = zmq.Socket[bytes]

PROXY_END_S = 2.0

TYPES = {"PUB": zmq.PUB, "XPUB": zmq.XPUB, "SUB": zmq.SUB, "XSUB": zmq.XSUB}
OPTIONS = {
    "sndhwm": zmq.SNDHWM,
    "rcvhwm": zmq.RCVHWM,
    "linger": zmq.LINGER,
    "verbose": zmq.XPUB_VERBOSER,
    "heartbeat_ivl": zmq.HEARTBEAT_IVL,
    "heartbeat_timeout": zmq.HEARTBEAT_TIMEOUT,
    "heartbeat_ttl": zmq.HEARTBEAT_TTL,
    "handshake_ivl": zmq.HANDSHAKE_IVL,
    "maxmsgsize": zmq.MAXMSGSIZE,
    "reconnect_ivl": zmq.RECONNECT_IVL,
    "nodrop": zmq.XPUB_NODROP,
}


class ThreadedProxy:
    """zmq_proxy_steerable(3) in a thread, which owns both sockets. `frontend` is None if that socket connects."""

    def __init__(self, context: zmq.Context[Socket], frontend: Socket, backend: Socket, bound: bool) -> None:
        self.frontend = frontend.getsockopt_string(zmq.LAST_ENDPOINT) if bound else None
        self.backend = backend.getsockopt_string(zmq.LAST_ENDPOINT)
        address = f"inproc://proxy-{id(self)}"
        self._control = context.socket(zmq.PAIR)
        self._control.bind(address)
        self._context = context
        self._thread = threading.Thread(target=self._run, args=(frontend, backend, address), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stops the proxy, which closes its sockets. Raises TimeoutError if it does not stop within 2 s."""
        try:
            self._control.send(b"TERMINATE", zmq.NOBLOCK)
            self._thread.join(PROXY_END_S)
        finally:
            self._control.close(linger=0)
        if self._thread.is_alive():
            raise TimeoutError(f"the proxy does not stop within {PROXY_END_S:g} s")

    def _run(self, frontend: Socket, backend: Socket, address: str) -> None:
        with frontend, backend, self._context.socket(zmq.PAIR) as control:
            control.connect(address)
            zmq.proxy_steerable(frontend, backend, None, control)


class LibzmqAdapter(Adapter):
    """Sockets and proxies, by the suite's names for them."""

    def __init__(self) -> None:
        super().__init__()
        self.context: zmq.Context[Socket] = zmq.Context(io_threads=1)
        self.sockets: dict[str, Socket] = {}

    def explain(self, error: Exception) -> Answer:
        """Returns libzmq's own text for its errors, as ``unsupported`` for ENOTSUP; other errors as the base class."""
        if isinstance(error, zmq.ZMQError):
            return {"unsupported" if error.errno == zmq.ENOTSUP else "error": str(error)}
        return super().explain(error)

    def close(self) -> None:
        """Drops queued messages of open sockets, and waits for those of closed sockets, at most their linger time."""
        for proxy in self.proxies.values():
            with contextlib.suppress(zmq.ZMQError, TimeoutError):  # then closing the context stops it
                proxy.stop()
        for socket in self.sockets.values():
            socket.close(linger=0)
        self.context.term()

    def op_hello(self, _: Request) -> Answer:
        return {
            "name": "libzmq",
            "version": zmq.zmq_version(),
            "details": f"pyzmq {zmq.pyzmq_version()}",
            "types": [*TYPES, "PROXY"],
        }

    def op_open(self, request: Request) -> Answer:
        if request["socket"] in self.sockets:
            raise ValueError(f"socket {request['socket']} is open already")
        self.sockets[request["socket"]] = self._make(request["type"], request.get("options", {}))
        return {}

    def _make(self, kind: str, options: Mapping[str, int]) -> Socket:
        if kind not in TYPES:
            raise Unsupported(f"type {kind}")
        if unknown := set(options) - set(OPTIONS):
            raise Unsupported(f"option {', '.join(sorted(unknown))}")
        socket = self.context.socket(TYPES[kind])
        try:
            for name, value in {"linger": 0, **options}.items():
                socket.setsockopt(OPTIONS[name], int(value))
        except BaseException:
            socket.close(linger=0)
            raise
        return socket

    def op_bind(self, request: Request) -> Answer:
        return {"endpoint": _bind(self.sockets[request["socket"]])}

    def op_unbind(self, request: Request) -> Answer:
        self.sockets[request["socket"]].unbind(request["endpoint"])
        return {}

    def op_connect(self, request: Request) -> Answer:
        self.sockets[request["socket"]].connect(request["endpoint"])
        return {}

    def op_disconnect(self, request: Request) -> Answer:
        self.sockets[request["socket"]].disconnect(request["endpoint"])
        return {}

    def op_subscribe(self, request: Request) -> Answer:
        self._change_subscription(request, zmq.SUBSCRIBE, b"\x01")
        return {}

    def op_unsubscribe(self, request: Request) -> Answer:
        self._change_subscription(request, zmq.UNSUBSCRIBE, b"\x00")
        return {}

    def _change_subscription(self, request: Request, option: int, head: bytes) -> None:
        socket, topic = self.sockets[request["socket"]], bytes.fromhex(request["topic"])
        if socket.type == zmq.XSUB:
            socket.send(head + topic, zmq.NOBLOCK)
        else:
            socket.setsockopt(option, topic)

    def op_send(self, request: Request) -> Answer:
        parts = [bytes.fromhex(part) for part in request["parts"]]
        if not parts:
            raise ValueError("a message needs at least one part")
        try:
            self.sockets[request["socket"]].send_multipart(parts, zmq.NOBLOCK)
        except zmq.Again:
            return {"again": True}
        return {}

    def op_recv(self, request: Request) -> Answer:
        socket = self.sockets[request["socket"]]
        socket.poll(request["timeout"], zmq.POLLIN)
        try:
            return {"parts": [part.hex() for part in socket.recv_multipart(zmq.NOBLOCK)]}
        except zmq.Again:
            return {"parts": None}

    def op_close(self, request: Request) -> Answer:
        self.sockets.pop(request["socket"]).close()
        return {}

    def start_proxy(self, connect: str | None) -> ThreadedProxy:
        frontend, backend = self._make("XSUB", {}), self._make("XPUB", {})
        try:
            if connect:
                frontend.connect(connect)
            else:
                _bind(frontend)
            _bind(backend)
            return ThreadedProxy(self.context, frontend, backend, bound=not connect)
        except BaseException:
            frontend.close()
            backend.close()
            raise


def _bind(socket: Socket) -> str:
    socket.bind(FREE)
    return socket.getsockopt_string(zmq.LAST_ENDPOINT)


if __name__ == "__main__":
    serve(LibzmqAdapter())
