"""CURVE keys of a client (RFC 26), for a broker that authenticates its clients."""

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
    """The broker's public key and the client's key pair, in Z85. Raises ValueError if a key or the pair is invalid."""

    server_key: bytes
    public_key: bytes
    secret_key: bytes = field(repr=False)

    @classmethod
    def load(cls, server: str | Path, own: str | Path | None = None) -> Curve:
        """Loads keys from certificates: the broker's `.key` and the client's `.key_secret`. Without the latter a
        temporary key pair is generated, for brokers that do not restrict client keys. Raises OSError, and ValueError if
        a file is invalid.
        """
        server_key, _ = _keys_in(server)
        if own is None:
            return cls(server_key, *zmq.curve_keypair())
        public, secret = _keys_in(own)
        if secret is None:
            raise ValueError(f"{own}: contains no secret key; use the client's .key_secret file")
        return cls(server_key, public, secret)

    def __post_init__(self) -> None:
        if not all(map(_is_key, (self.server_key, self.public_key, self.secret_key))):
            raise ValueError("a key must be 40 bytes in Z85; Curve.load reads keys from certificates")
        if zmq.curve_public(self.secret_key) != self.public_key:
            raise ValueError("the public key does not match the secret key")

    def use(self, socket: zmq.Socket[bytes]) -> None:
        """Sets the keys for the connections that `socket` makes after this call."""
        socket.setsockopt(zmq.CURVE_SERVERKEY, self.server_key)
        socket.setsockopt(zmq.CURVE_PUBLICKEY, self.public_key)
        socket.setsockopt(zmq.CURVE_SECRETKEY, self.secret_key)


def _keys_in(path: str | Path) -> tuple[bytes, bytes | None]:
    """Public and secret key (None if absent) of a certificate. Raises OSError, and ValueError with the file's name."""
    try:
        public, secret = load_certificate(path)
    except (ValueError, IndexError):
        raise ValueError(f"{path}: not a certificate; create one with `zeps keys`") from None
    if not _is_key(public) or not (secret is None or _is_key(secret)):
        raise ValueError(f"{path}: invalid key; a key is 40 characters in Z85")
    return public, secret


def _is_key(key: object) -> bool:
    try:
        return isinstance(key, bytes) and len(z85.decode(key)) == 32
    except (KeyError, ValueError, struct.error):
        return False
