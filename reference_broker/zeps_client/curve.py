"""The keys of a client whose broker wants to know who it is (CURVE, RFC 26)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

import zmq
from zmq.auth import load_certificate
from zmq.utils import z85

__all__ = ["Curve"]


@dataclass(frozen=True, slots=True)
class Curve:
    """Keys in Z85, bytes of 40 characters each: the broker's public one, and the client's pair.

    Raises ValueError for what are no keys, and for a pair that is none.
    """

    server_key: bytes
    public_key: bytes
    secret_key: bytes = field(repr=False)

    @classmethod
    def load(cls, server: str | Path, own: str | Path | None = None) -> Curve:
        """From certificates, the broker's `.key` and the client's `.key_secret`; without the latter the client makes
        itself a pair, which lets it in where everybody is who knows the broker's key.

        Raises OSError, and ValueError for a file that is no such certificate.
        """
        server_key, _ = _keys_in(server)
        if own is None:
            return cls(server_key, *zmq.curve_keypair())
        public, secret = _keys_in(own)
        if secret is None:
            raise ValueError(f"{own}: no secret key in it; a client's is the one that ends in .key_secret")
        return cls(server_key, public, secret)

    def __post_init__(self) -> None:
        if not all(map(_is_key, (self.server_key, self.public_key, self.secret_key))):
            raise ValueError(
                "a key is bytes of 40 characters in Z85; Curve.load takes them from certificates"
            )
        if zmq.curve_public(self.secret_key) != self.public_key:
            raise ValueError("the public key does not belong to the secret key")

    def use(self, socket: zmq.Socket[bytes]) -> None:
        """For the connections that `socket` is going to make."""
        socket.setsockopt(zmq.CURVE_SERVERKEY, self.server_key)
        socket.setsockopt(zmq.CURVE_PUBLICKEY, self.public_key)
        socket.setsockopt(zmq.CURVE_SECRETKEY, self.secret_key)


def _keys_in(path: str | Path) -> tuple[bytes, bytes | None]:
    """Raises OSError, and ValueError that names the file."""
    try:
        public, secret = load_certificate(path)
    except (ValueError, IndexError):
        raise ValueError(f"{path}: no certificate; `zeps keys` writes them") from None
    if not _is_key(public) or not (secret is None or _is_key(secret)):
        raise ValueError(f"{path}: what stands there is no key; one is 40 characters in Z85")
    return public, secret


def _is_key(key: object) -> bool:
    try:
        return isinstance(key, bytes) and len(z85.decode(key)) == 32
    except (KeyError, ValueError, struct.error):
        return False
