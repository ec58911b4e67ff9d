"""Who may connect, and that nobody else can listen: CURVE (ZMTP-CURVE, RFC 26), by way of pyzmq.

Keys are in certificates, files as every ZeroMQ program writes them: `NAME.key` has a public key, `NAME.key_secret` the
secret one, too. libzmq asks, for each connection, whether its key is one of those that are let in (ZAP, RFC 27);
pyzmq's authenticator answers from a thread of its own.
"""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock

import zmq
from zmq.auth import CURVE_ALLOW_ANY, create_certificates, load_certificate
from zmq.auth.thread import ThreadAuthenticator

from zeps_broker.io.errors import TransportError
from zeps_broker.io.options import CurveOptions

__all__ = ["AuthorizedKeys", "make_certificates", "open_curve"]

Context = zmq.Context["zmq.Socket[bytes]"]


class AuthorizedKeys:
    """The public keys in a folder's `*.key` files. The folder is looked at for each connection: a file that is added
    lets its owner in from then on, and without one that is removed no new connection is made.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = Lock()
        self._keys: dict[Path, tuple[tuple[int, int], bytes | None]] = {}
        """Of each file: when it was written and how long it is, and the key that was in it then."""

    def callback(self, domain: str, key: bytes) -> bool:
        """Whether `key` (Z85) may connect; pyzmq calls it so."""
        with self._lock:
            return key in self._current()

    def _current(self) -> set[bytes]:
        found: dict[Path, tuple[tuple[int, int], bytes | None]] = {}
        for path in self._folder.glob("*.key"):
            try:
                status = path.stat()
                stamp = status.st_mtime_ns, status.st_size
                known = self._keys.get(path)
                found[path] = known if known is not None and known[0] == stamp else (stamp, _public_in(path))
            except OSError:  # it has gone, or is nobody's to read
                continue
        self._keys = found
        return {key for _, key in found.values() if key is not None}


def open_curve(socket: zmq.Socket[bytes], context: Context, options: CurveOptions) -> ThreadAuthenticator:
    """Make `socket` a server that lets in whom `options` name, before it is bound; the caller stops what is returned.

    Raises TransportError.
    """
    if not zmq.has("curve"):
        raise TransportError("this libzmq was built without CURVE; pyzmq's wheels have it")
    public, secret = _pair_in(options.secret_key)
    folder = options.authorized_keys
    if folder is not None and not folder.is_dir():
        raise TransportError(f"{folder}: there is no such folder of authorized keys")
    authenticator = ThreadAuthenticator(context)
    if folder is None:
        authenticator.configure_curve(domain="*", location=CURVE_ALLOW_ANY)
    else:
        authenticator.configure_curve_callback(domain="*", credentials_provider=AuthorizedKeys(folder))
    try:
        authenticator.start()
        socket.set(zmq.CURVE_SERVER, 1)
        socket.set(zmq.CURVE_PUBLICKEY, public)
        socket.set(zmq.CURVE_SECRETKEY, secret)
    except zmq.ZMQError as error:
        authenticator.stop()
        raise TransportError(f"CURVE cannot be set up: {error}") from error
    return authenticator


def make_certificates(folder: Path, name: str) -> tuple[Path, Path]:
    """Write a new pair of keys as `name`.key and `name`.key_secret, of which only the owner can read the second.

    Returns both paths. Raises FileExistsError rather than replace one, and OSError.
    """
    paths = folder / f"{name}.key", folder / f"{name}.key_secret"
    for path in paths:
        if path.exists():
            raise FileExistsError(f"{path} is there already; it is not replaced")
    folder.mkdir(parents=True, exist_ok=True)
    before = os.umask(0o077)
    try:
        create_certificates(folder, name)
    finally:
        os.umask(before)
    paths[0].chmod(0o644)
    return paths


def _public_in(path: Path) -> bytes | None:
    """The public key of a certificate; None if there is none."""
    try:
        return load_certificate(path)[0]
    except ValueError:
        return None


def _pair_in(path: Path) -> tuple[bytes, bytes]:
    try:
        public, secret = load_certificate(path)
    except (OSError, ValueError) as error:
        raise TransportError(f"{path}: {getattr(error, 'strerror', None) or error}; {_REMEDY}") from error
    if secret is None:
        raise TransportError(f"{path}: no secret key in it; {_REMEDY}")
    return public, secret


_REMEDY = "`zeps keys NAME` makes a pair of certificates, and this is the one that ends in .key_secret"
