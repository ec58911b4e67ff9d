"""Null peers at an endpoint, with the same behaviours as the null adapters."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Self

from zeps_conformance.nulls.adapter import KINDS

__all__ = ["NULL_PEERS", "NullPeer"]

NULL_PEERS = tuple(KINDS)
"""The kinds of null peers."""


class NullPeer:
    """A server that listens at `endpoint` within its context, and handles each connection as `kind`, as a ROUTER. The
    end of the context does not close open connections.
    """

    def __init__(self, kind: str) -> None:
        self._behave = KINDS[kind]
        self._server = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.endpoint = "tcp://{}:{}".format(*self._server.getsockname())
        self._thread = threading.Thread(target=self._accept, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._thread.join()
        self._server.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                link, _ = self._server.accept()
                threading.Thread(target=self._serve, args=(link,), daemon=True).start()

    def _serve(self, link: socket.socket) -> None:
        with contextlib.suppress(OSError), link:
            self._behave(link, "ROUTER")
