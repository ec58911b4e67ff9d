"""The keys of CURVE (RFC 26): certificate files, authorized clients, and the set-up of libzmq's server.

Keys are in certificates, files as every ZeroMQ program writes them: `NAME.key` has a public key, `NAME.key_secret` the
secret one, too. The broker's own engine checks the key of each connection itself (`zmtp/curve.py`). libzmq asks by ZAP
(RFC 27), and pyzmq's authenticator answers from a thread of its own.
"""

from __future__ import annotations

import errno
import logging
import os
import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import zmq
from zmq.auth import CURVE_ALLOW_ANY, create_certificates
from zmq.utils import z85

from zeps_broker.transport.errors import TransportError
from zeps_broker.transport.options import CurveOptions
from zeps_journal.regular_file import open_regular

if TYPE_CHECKING:
    from zmq.auth.thread import ThreadAuthenticator

__all__ = [
    "AuthorizedKeys",
    "ServerKeys",
    "close_curve",
    "load_server_keys",
    "make_certificates",
    "open_curve",
]

Context = zmq.Context["zmq.Socket[bytes]"]

_DOMAIN = "zeps"
KEY_FILE_BYTES_MAX = 64 << 10
"""Bytes of the largest file that is read as a certificate."""
_LOOK_AGAIN = 1.0
"""Seconds until files are looked at again in a folder that nothing came into, and nothing left."""
_TICK_NS = 50_000_000
"""More than one tick of a file system's clock: what changes within the same tick has the same time."""
_REMEDY = "`zeps keys NAME` makes a pair of certificates, and this is the one that ends in .key_secret"


class _Certificate(NamedTuple):
    """What a certificate's file contains, and who may read it (the file's mode)."""

    public: bytes
    secret: bytes | None
    mode: int


class _File(NamedTuple):
    """A certificate: what tells that it is as it was, and the key in it."""

    stamp: tuple[int, ...]
    key: bytes | None


class AuthorizedKeys:
    """The public keys in a folder's `*.key` files. The folder is looked at for each connection: a file that is added
    lets its owner in from then on, and without one that is removed no new connection is made. One that is written anew
    in its place counts within a second.

    What cannot be read lets nobody in, and `log` is told once.
    """

    def __init__(
        self,
        folder: Path,
        log: logging.Logger | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._folder = folder
        self._log = log or logging.getLogger(__name__)
        self._clock = clock
        self._files: dict[str, _File] = {}
        self._keys: frozenset[bytes] = frozenset()
        self._stamp: tuple[int, ...] | None = None
        """The folder's when all of it was read."""
        self._looked = 0.0
        self._told: set[str] = set()

    def callback(self, domain: str, key: bytes) -> bool:
        """Whether `key` (Z85) may connect; pyzmq calls it so, and its thread would not outlive an exception."""
        try:
            self._look()
        except Exception as error:
            self._tell(error if isinstance(error, OSError) else repr(error))
            self._forget()
        return key in self._keys

    def _look(self) -> None:
        status, now = self._folder.stat(), self._clock()
        stamp, settled = _stamp(status), time.time_ns() - status.st_mtime_ns > _TICK_NS
        if stamp == self._stamp and now < self._looked + _LOOK_AGAIN:
            return
        files: dict[str, _File] = {}
        whole = True
        with os.scandir(self._folder) as entries:
            for entry in entries:
                if entry.name.endswith(".key"):
                    try:
                        files[entry.name] = self._read(entry)
                    except FileNotFoundError:
                        continue
                    except OSError as error:
                        whole = False
                        self._tell(error)
        self._files = files
        self._keys = frozenset(file.key for file in files.values() if file.key is not None)
        self._stamp, self._looked = stamp if whole and settled else None, now
        if whole:
            self._told.clear()

    def _read(self, entry: os.DirEntry[str]) -> _File:
        stamp = _stamp(os.stat(entry.path))
        known = self._files.get(entry.name)
        return (
            known
            if known is not None and known.stamp == stamp
            else _File(stamp, _public_in(Path(entry.path)))
        )

    def _forget(self) -> None:
        self._files, self._keys, self._stamp = {}, frozenset(), None

    def _tell(self, error: OSError | str) -> None:
        text = error if isinstance(error, str) else f"{error.filename}: {error.strerror}"
        if text not in self._told:
            self._told.add(text)
            fields = {"event": "authorized-keys-unread", "reason": text, "remedy": "let the broker read it"}
            self._log.warning("authorized keys cannot be read: %s", text, extra={"zeps": fields})


class ServerKeys(NamedTuple):
    """The broker's key pair, 32 bytes each, and the clients that may connect."""

    public_key: bytes
    secret_key: bytes
    authorized: AuthorizedKeys | None = None
    """None: every client that knows the broker's public key."""

    def admits(self, client_key: bytes) -> bool:
        """Whether the client with this public key (32 bytes) may connect."""
        return self.authorized is None or self.authorized.callback(_DOMAIN, z85.encode(client_key))


def load_server_keys(options: CurveOptions, log: logging.Logger | None = None) -> ServerKeys:
    """Read the keys that `options` name. Raises TransportError."""
    assert options.secret_key is not None
    public, secret = _pair_in(options.secret_key, log)
    folder = options.authorized_keys
    if folder is not None and not folder.is_dir():
        raise TransportError(f"{folder}: there is no such folder of authorized keys")
    authorized = None if folder is None else AuthorizedKeys(folder, log)
    return ServerKeys(z85.decode(public), z85.decode(secret), authorized)


def open_curve(
    socket: zmq.Socket[bytes], context: Context, options: CurveOptions, log: logging.Logger | None = None
) -> ThreadAuthenticator:
    """Make `socket` a server that lets in whom `options` name, before it is bound; the caller gives what is returned to
    :func:`close_curve`.

    Raises TransportError.
    """
    assert options.secret_key is not None
    if not zmq.has("curve"):
        raise TransportError("this libzmq was built without CURVE; pyzmq's wheels have it")
    from zmq.auth.thread import ThreadAuthenticator  # it brings asyncio, which nobody else needs

    keys = load_server_keys(options, log)
    authenticator = ThreadAuthenticator(context)
    if keys.authorized is None:
        authenticator.configure_curve(domain=_DOMAIN, location=CURVE_ALLOW_ANY)
    else:
        authenticator.configure_curve_callback(domain=_DOMAIN, credentials_provider=keys.authorized)
    try:
        authenticator.start()
        socket.set(zmq.ZAP_DOMAIN, _DOMAIN.encode())
        socket.set(zmq.ZAP_ENFORCE_DOMAIN, 1)  # who is not asked about is not let in
        socket.set(zmq.CURVE_SERVER, 1)
        socket.set(zmq.CURVE_PUBLICKEY, keys.public_key)
        socket.set(zmq.CURVE_SECRETKEY, keys.secret_key)
    except (zmq.ZMQError, RuntimeError) as error:
        close_curve(authenticator)
        raise TransportError(f"CURVE cannot be set up: {error}") from error
    return authenticator


def close_curve(authenticator: ThreadAuthenticator) -> None:
    """End its thread. Of one that has ended by itself nothing is waited for, which pyzmq would do for ever."""
    if authenticator.pipe is not None and not authenticator.is_alive():
        authenticator.pipe.close()
        authenticator.pipe = None  # type: ignore[assignment]
    authenticator.stop()


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


def _stamp(status: os.stat_result) -> tuple[int, ...]:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_size


def _public_in(path: Path) -> bytes | None:
    """The public key of a certificate; None if there is none."""
    try:
        return _read_certificate(path).public
    except ValueError:
        return None


def _read_certificate(path: Path) -> _Certificate:
    """Parses a certificate as pyzmq does, but reads regular files of at most `KEY_FILE_BYTES_MAX` only.

    Raises OSError, and ValueError if there is no public key.
    """
    with os.fdopen(open_regular(path, os.O_RDONLY), "rb") as file:
        status = os.fstat(file.fileno())
        data = file.read(KEY_FILE_BYTES_MAX + 1)
    if len(data) > KEY_FILE_BYTES_MAX:
        raise OSError(errno.EFBIG, f"more than {KEY_FILE_BYTES_MAX} bytes", str(path))
    keys: dict[bytes, bytes] = {}
    for line in data.splitlines():
        name, _, value = line.strip().partition(b"=")
        if (name := name.strip()) in (b"public-key", b"secret-key"):
            keys.setdefault(name, value.strip(b" \t'\""))
    if not keys.get(b"public-key"):
        raise ValueError(f"{path}: no public key")
    return _Certificate(keys[b"public-key"], keys.get(b"secret-key"), stat.S_IMODE(status.st_mode))


def _pair_in(path: Path, log: logging.Logger | None) -> tuple[bytes, bytes]:
    try:
        public, secret, mode = _read_certificate(path)
    except OSError as error:
        raise TransportError(f"{path}: {error.strerror or os.strerror(errno.ENOENT)}; {_REMEDY}") from error
    except ValueError as error:
        raise TransportError(f"{path}: no certificate; {_REMEDY}") from error
    if secret is None:
        raise TransportError(f"{path}: no secret key in it; {_REMEDY}")
    try:
        whole = zmq.curve_public(secret) == public
    except (ValueError, zmq.ZMQError) as error:
        raise TransportError(f"{path}: its secret key is none; {_REMEDY}") from error
    if not whole:
        raise TransportError(f"{path}: its public key does not belong to its secret key; {_REMEDY}")
    if log is not None and mode & 0o077:
        fields = {
            "event": "secret-key-exposed",
            "file": str(path),
            "reason": f"its mode is {mode:04o}: others than its owner may read or change it",
            "remedy": f"chmod 600 {path}, and new keys if somebody may have read it",
        }
        log.warning("%s may be read by others", path, extra={"zeps": fields})
    return public, secret
