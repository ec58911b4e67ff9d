"""The keys of a client whose broker wants to know who it is (CURVE, RFC 26)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import zmq
from zmq.auth import load_certificate

__all__ = ["Curve"]


@dataclass(frozen=True, slots=True)
class Curve:
    """Keys in Z85, 40 characters each: the broker's public one, and the client's pair."""

    server_key: bytes
    public_key: bytes
    secret_key: bytes = field(repr=False)

    @classmethod
    def load(cls, server: str | Path, own: str | Path | None = None) -> Curve:
        """From certificates, the broker's `.key` and the client's `.key_secret`; without the latter the client makes
        itself a pair, which lets it in where everybody is who knows the broker's key.

        Raises OSError, and ValueError for a file that is no such certificate.
        """
        server_key, _ = load_certificate(server)
        if own is None:
            return cls(server_key, *zmq.curve_keypair())
        public, secret = load_certificate(own)
        if secret is None:
            raise ValueError(f"{own}: no secret key in it; a client's is the one that ends in .key_secret")
        return cls(server_key, public, secret)

    def use(self, socket: zmq.Socket[bytes]) -> None:
        """For the connections that `socket` is going to make. Raises zmq.ZMQError for what are no keys."""
        socket.setsockopt(zmq.CURVE_SERVERKEY, self.server_key)
        socket.setsockopt(zmq.CURVE_PUBLICKEY, self.public_key)
        socket.setsockopt(zmq.CURVE_SECRETKEY, self.secret_key)
