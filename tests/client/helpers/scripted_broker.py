"""A broker on a real socket that does what a test tells it to: the model of a broker behind a ROUTER, and a
script in front.

The script sees every command first. What it returns goes out instead of the model's answer, so that a test
can be silent, say INVALID or DETACH, send beyond the credit, or send what is no frame at all.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import zmq
from model_broker import ModelBroker

from zeps_wire import zeps

Answer = Sequence[bytes | Sequence[bytes]]
"""Frames; a sequence of parts is one message of several."""
Script = Callable[[bytes, zeps.Message], "Answer | None"]
"""From a peer's id and its command to what goes out; None: leave it to the model."""


class ScriptedBroker:
    """A thread of its own, from construction to `close`. All attributes may be read at any time."""

    def __init__(self, script: Script | None = None, endpoint: str = "tcp://127.0.0.1:*") -> None:
        self.script = script
        self.model = ModelBroker()
        self.commands: list[zeps.Message] = []
        self.peers: list[bytes] = []
        """In the order in which they came."""
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
        """Every connection breaks."""
        self._stopping.set()
        self._thread.join()
        self._router.close()
        self._context.term()

    def seen(self, kind: type) -> int:
        """How many commands of a kind have come."""
        return sum(isinstance(command, kind) for command in list(self.commands))

    def store(self, *messages: tuple[str, bytes]) -> None:
        """Somebody else publishes."""
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
        for each in answer:
            self._router.send_multipart([peer, each] if isinstance(each, bytes) else [peer, *each])
