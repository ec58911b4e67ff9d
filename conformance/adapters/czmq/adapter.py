"""Adapter of CZMQ through ctypes, as ``../README.md`` describes. It calls the functions of zsock, zmsg and zproxy."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from collections.abc import Mapping
from ctypes import POINTER, byref, c_char_p, c_int, c_size_t, c_void_p, string_at
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from adapters.serving import FREE, Adapter, Answer, Request, Unsupported, serve

czmq = ctypes.CDLL("libczmq.so.4", use_errno=True)
libzmq = ctypes.CDLL("libzmq.so.5", use_errno=True)
libzmq.zmq_setsockopt.argtypes = [c_void_p, c_int, c_char_p, c_size_t]

TYPES = {"PUB": 1, "SUB": 2, "XPUB": 9, "XSUB": 10}
#: The functions of zsock that set an option.
OPTIONS = {
    "sndhwm": "zsock_set_sndhwm",
    "rcvhwm": "zsock_set_rcvhwm",
    "linger": "zsock_set_linger",
    "verbose": "zsock_set_xpub_verboser",
    "heartbeat_ivl": "zsock_set_heartbeat_ivl",
    "heartbeat_timeout": "zsock_set_heartbeat_timeout",
    "heartbeat_ttl": "zsock_set_heartbeat_ttl",
    "handshake_ivl": "zsock_set_handshake_ivl",
    "maxmsgsize": "zsock_set_maxmsgsize",
    "reconnect_ivl": "zsock_set_reconnect_ivl",
    "nodrop": "zsock_set_xpub_nodrop",
}
EAGAIN = 11
SUBSCRIBE, UNSUBSCRIBE = 6, 7

for _name, _result, _arguments in (
    ("zsock_new", c_void_p, [c_int]),
    ("zsock_destroy", None, [POINTER(c_void_p)]),
    ("zsock_endpoint", c_char_p, [c_void_p]),
    ("zsock_set_subscribe", None, [c_void_p, c_char_p]),
    ("zsock_set_unsubscribe", None, [c_void_p, c_char_p]),
    ("zsock_resolve", c_void_p, [c_void_p]),
    ("zmsg_new", c_void_p, []),
    ("zmsg_addmem", c_int, [c_void_p, c_char_p, c_size_t]),
    ("zmsg_send", c_int, [POINTER(c_void_p), c_void_p]),
    ("zmsg_recv", c_void_p, [c_void_p]),
    ("zmsg_destroy", None, [POINTER(c_void_p)]),
    ("zmsg_first", c_void_p, [c_void_p]),
    ("zmsg_next", c_void_p, [c_void_p]),
    ("zframe_data", c_void_p, [c_void_p]),
    ("zframe_size", c_size_t, [c_void_p]),
    ("zactor_new", c_void_p, [c_void_p, c_void_p]),
    ("zactor_destroy", None, [POINTER(c_void_p)]),
    ("zsock_wait", c_int, [c_void_p]),
    ("zsys_handler_set", None, [c_void_p]),
):
    _function = getattr(czmq, _name)
    _function.restype, _function.argtypes = _result, _arguments
for _name in (*OPTIONS.values(), "zsock_set_sndtimeo", "zsock_set_rcvtimeo"):
    getattr(czmq, _name).restype = None
    getattr(czmq, _name).argtypes = [c_void_p, c_int]


class Failure(Exception):  # noqa: N818
    """An error that CZMQ returned."""


def call(name: str, *arguments: Any) -> None:
    """Calls a function that returns -1 for an error. Raises Failure then."""
    if getattr(czmq, name)(*arguments) == -1:
        raise Failure(f"{name}: {os.strerror(ctypes.get_errno())}")


class Proxy:
    """CZMQ's actor zproxy. It does not report endpoints, so that free ports are chosen before."""

    def __init__(self, connect: str | None) -> None:
        self.frontend = None if connect else f"tcp://127.0.0.1:{free_port()}"
        self.backend = f"tcp://127.0.0.1:{free_port()}"
        self._actor = c_void_p(czmq.zactor_new(ctypes.cast(czmq.zproxy, c_void_p), None))
        for words in (
            ("FRONTEND", "XSUB", f">{connect}" if connect else f"@{self.frontend}"),
            ("BACKEND", "XPUB", f"@{self.backend}"),
        ):
            call("zstr_sendx", self._actor, *(c_char_p(word.encode()) for word in words), None)
            if czmq.zsock_wait(self._actor) == -1:
                raise Failure("zproxy does not answer")

    def stop(self) -> None:
        """Stops the proxy, which closes its sockets."""
        czmq.zactor_destroy(byref(self._actor))


class CzmqAdapter(Adapter):
    """Sockets and proxies, by the suite's names for them."""

    def __init__(self) -> None:
        super().__init__()
        czmq.zsys_handler_set(None)
        self.sockets: dict[str, tuple[str, c_void_p]] = {}

    def close(self) -> None:
        super().close()
        for _, handle in self.sockets.values():
            czmq.zsock_destroy(byref(handle))

    def op_hello(self, _: Request) -> Answer:
        major, minor, patch = c_int(), c_int(), c_int()
        czmq.zsys_version(byref(major), byref(minor), byref(patch))
        version = f"{major.value}.{minor.value}.{patch.value}"
        return {"name": "CZMQ", "version": version, "types": [*TYPES, "PROXY"]}

    def op_open(self, request: Request) -> Answer:
        if request["socket"] in self.sockets:
            raise ValueError(f"socket {request['socket']} is open already")
        kind = request["type"]
        if kind not in TYPES:
            raise Unsupported(f"type {kind}")
        options: Mapping[str, int] = request.get("options", {})
        if unknown := set(options) - set(OPTIONS):
            raise Unsupported(f"option {', '.join(sorted(unknown))}")
        handle = c_void_p(czmq.zsock_new(TYPES[kind]))
        czmq.zsock_set_sndtimeo(handle, 0)
        for name, value in {"linger": 0, **options}.items():
            getattr(czmq, OPTIONS[name])(handle, int(value))
        self.sockets[request["socket"]] = kind, handle
        return {}

    def op_bind(self, request: Request) -> Answer:
        _, handle = self.sockets[request["socket"]]
        call("zsock_bind", handle, b"%s", FREE.encode())
        return {"endpoint": czmq.zsock_endpoint(handle).decode()}

    def op_unbind(self, request: Request) -> Answer:
        call("zsock_unbind", self.sockets[request["socket"]][1], b"%s", request["endpoint"].encode())
        return {}

    def op_connect(self, request: Request) -> Answer:
        call("zsock_connect", self.sockets[request["socket"]][1], b"%s", request["endpoint"].encode())
        return {}

    def op_disconnect(self, request: Request) -> Answer:
        call("zsock_disconnect", self.sockets[request["socket"]][1], b"%s", request["endpoint"].encode())
        return {}

    def op_subscribe(self, request: Request) -> Answer:
        self._change_subscription(request, czmq.zsock_set_subscribe, b"\x01")
        return {}

    def op_unsubscribe(self, request: Request) -> Answer:
        self._change_subscription(request, czmq.zsock_set_unsubscribe, b"\x00")
        return {}

    def _change_subscription(self, request: Request, change: Any, head: bytes) -> None:
        kind, handle = self.sockets[request["socket"]]
        topic = bytes.fromhex(request["topic"])
        if kind == "XSUB":
            self._send(handle, [head + topic])
        elif b"\0" in topic:  # zsock_set_subscribe takes a string
            option = SUBSCRIBE if head == b"\x01" else UNSUBSCRIBE
            if libzmq.zmq_setsockopt(czmq.zsock_resolve(handle), option, topic, len(topic)) == -1:
                raise Failure(f"zmq_setsockopt: {os.strerror(ctypes.get_errno())}")
        else:
            change(handle, topic)

    def op_send(self, request: Request) -> Answer:
        parts = [bytes.fromhex(part) for part in request["parts"]]
        if not parts:
            raise ValueError("a message needs at least one part")
        return {} if self._send(self.sockets[request["socket"]][1], parts) else {"again": True}

    def _send(self, handle: c_void_p, parts: list[bytes]) -> bool:
        """Sends a message; returns False if the library would have blocked."""
        message = c_void_p(czmq.zmsg_new())
        for part in parts:
            czmq.zmsg_addmem(message, part, len(part))
        if czmq.zmsg_send(byref(message), handle) == 0:
            return True
        error = ctypes.get_errno()
        czmq.zmsg_destroy(byref(message))
        if error != EAGAIN:
            raise Failure(f"zmsg_send: {os.strerror(error)}")
        return False

    def op_recv(self, request: Request) -> Answer:
        _, handle = self.sockets[request["socket"]]
        czmq.zsock_set_rcvtimeo(handle, int(request["timeout"]))
        message = c_void_p(czmq.zmsg_recv(handle))
        if not message:
            return {"parts": None}
        parts = []
        frame = czmq.zmsg_first(message)
        while frame:
            parts.append(string_at(czmq.zframe_data(frame), czmq.zframe_size(frame)).hex())
            frame = czmq.zmsg_next(message)
        czmq.zmsg_destroy(byref(message))
        return {"parts": parts}

    def op_close(self, request: Request) -> Answer:
        _, handle = self.sockets.pop(request["socket"])
        czmq.zsock_destroy(byref(handle))
        return {}

    def start_proxy(self, connect: str | None) -> Proxy:
        return Proxy(connect)


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


if __name__ == "__main__":
    serve(CzmqAdapter())
