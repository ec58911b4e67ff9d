"""A scriptable broker on a real socket: a model broker behind a ROUTER, with a script in front.

The script gets every command first. Its result is sent instead of the model's answer, so that a test can misbehave.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import zmq
from model_broker import ModelBroker

from zeps_wire import zeps

Answer = Sequence[bytes | Sequence[bytes]]
"""Frames; a sequence of parts is one message of several parts."""
Script = Callable[[bytes, zeps.Message], "Answer | None"]
"""From a peer's id and its command to the output; None: use the model's answer."""


def silent(_peer: bytes, _message: zeps.Message) -> Answer:
    """A script that never answers."""
    return []


class ScriptedBroker:
    """A broker in a thread of its own, from construction to `close`. All attributes may be read at any time."""

    def __init__(self, script: Script | None = None, endpoint: str = "tcp://127.0.0.1:*") -> None:
        self.script = script
        self.model = ModelBroker()
        self.commands: list[zeps.Message] = []
        """Commands in the order of arrival."""
        self.peers: list[bytes] = []
        """The ids of all connections that have sent a command, oldest first."""
        self.lock = threading.Lock()
        self._context = zmq.Context()
        self._router = self._context.socket(zmq.ROUTER)
        self._router.linger = 0
        self._router.bind(endpoint)
        self.endpoint = self._router.last_endpoint.decode()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def __enter__(self) -> ScriptedBroker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Breaks every connection."""
        self._stopping.set()
        self._thread.join()
        self._router.close()
        self._context.term()

    def answer(
        self, kind: type[zeps.Message], answer: Answer, when: Callable[[Any], bool] = lambda message: True
    ) -> None:
        """Sets a script that answers commands of a kind if `when(command)` is true; the model answers all others."""
        self.script = lambda peer, message: answer if isinstance(message, kind) and when(message) else None

    def first(self, _message: zeps.Message) -> bool:
        """Returns whether only one connection has been made; for :meth:`answer`."""
        return len(self.peers) == 1

    def forget(self) -> None:
        """Ends the session of the newest connection, without notice."""
        with self.lock:
            self.model.forget(self.peers[-1])

    def seen(self, kind: type) -> int:
        """Returns how many commands of a kind have arrived."""
        return sum(isinstance(command, kind) for command in list(self.commands))

    def store(self, *messages: tuple[str, bytes]) -> None:
        """Publishes as another client."""
        with self.lock:
            for key, body in messages:
                self.model.store(key, body)

    def _run(self) -> None:
        while not self._stopping.is_set():
            if self._router.poll(5):
                peer, frame = self._router.recv_multipart()
                with self.lock:
                    self._command(peer, frame)
            with self.lock:
                for peer in self.peers:
                    while (delivery := self.model.deliver(peer)) is not None:
                        self._router.send_multipart([peer, delivery])

    def _command(self, peer: bytes, frame: bytes) -> None:
        message = zeps.decode(frame)
        if peer not in self.peers:
            self.peers.append(peer)
        self.commands.append(message)
        answer: Answer | None = self.script(peer, message) if self.script is not None else None
        if answer is None:
            answer = self.model.handle(peer, frame)
        for reply in answer:
            self._router.send_multipart([peer, reply] if isinstance(reply, bytes) else [peer, *reply])
