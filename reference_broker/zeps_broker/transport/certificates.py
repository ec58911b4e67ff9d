"""CURVE keys (RFC 26): certificate files, authorized clients, and the configuration of libzmq's server.

Certificates have the file format of all ZeroMQ programs: `NAME.key` has a public key, and `NAME.key_secret` also the
secret key. The native engine checks the key of each connection itself (`zmtp/curve.py`); libzmq asks by ZAP (RFC 27).
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
"""Maximum bytes of a certificate file."""
_LOOK_AGAIN = 1.0
"""Seconds until the files of an unchanged folder are examined again."""
_TICK_NS = 50_000_000
"""Longer than a clock tick of the file system: changes within the same tick have the same time."""
_REMEDY = "create a pair of certificates with `zeps keys NAME`, and use the file that ends in .key_secret"


class _Certificate(NamedTuple):
    """The content of a certificate file, and its mode."""

    public: bytes
    secret: bytes | None
    mode: int


class _File(NamedTuple):
    """A certificate: a stamp that detects changes, and its key."""

    stamp: tuple[int, ...]
    key: bytes | None


class AuthorizedKeys:
    """The public keys in a folder's `*.key` files, examined for each connection: added and removed files take effect at
    once for new connections, files rewritten in place within a second. A file that cannot be read authorizes no client,
    and is logged once until all can be read; a file without a public key is ignored. If the folder cannot be read, no
    client is authorized.
    """

    def __init__(
        self, folder: Path, log: logging.Logger | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._folder = folder
        self._log = log or logging.getLogger(__name__)
        self._clock = clock
        self._files: dict[str, _File] = {}
        self._keys: frozenset[bytes] = frozenset()
        self._stamp: tuple[int, ...] | None = None
        """The folder's stamp when all of it was read."""
        self._looked = 0.0
        self._reported: set[str] = set()

    def callback(self, domain: str, key: bytes) -> bool:
        """Returns whether the client with this public key (Z85) may connect; `domain` is ignored. Never raises: pyzmq
        calls it in a thread that an exception would end. Errors are logged.
        """
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
            self._reported.clear()

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
        if text not in self._reported:
            self._reported.add(text)
            fields = {
                "event": "authorized-keys-unread",
                "reason": text,
                "remedy": "make the file or folder readable for the broker, or replace the file",
            }
            self._log.warning("authorized keys cannot be read: %s", text, extra={"zeps": fields})


class ServerKeys(NamedTuple):
    """The broker's key pair, 32 bytes each, and the clients that may connect."""

    public_key: bytes
    secret_key: bytes
    authorized: AuthorizedKeys | None = None
    """None: every client that knows the broker's public key may connect."""

    def admits(self, client_key: bytes) -> bool:
        """Returns whether the client with this public key (32 bytes) may connect."""
        return self.authorized is None or self.authorized.callback(_DOMAIN, z85.encode(client_key))


def load_server_keys(options: CurveOptions, log: logging.Logger | None = None) -> ServerKeys:
    """Reads the keys that `options` name; `secret_key` must be set. Raises TransportError if the secret key's file is
    invalid, or it or the folder of authorized keys is missing. Logs a warning if other users may access that file.
    """
    assert options.secret_key is not None
    public, secret = _pair_in(options.secret_key, log)
    folder = options.authorized_keys
    if folder is not None and not folder.is_dir():
        raise TransportError(
            f"{folder}: the folder of authorized keys does not exist or is a file; create it"
        )
    authorized = None if folder is None else AuthorizedKeys(folder, log)
    return ServerKeys(z85.decode(public), z85.decode(secret), authorized)


def open_curve(
    socket: zmq.Socket[bytes], context: Context, options: CurveOptions, log: logging.Logger | None = None
) -> ThreadAuthenticator:
    """Configures `socket`, which must not be bound yet, as a CURVE server for the clients that `options` name, and
    starts the authenticator's thread, which :func:`close_curve` ends. Raises TransportError.
    """
    assert options.secret_key is not None
    if not zmq.has("curve"):
        raise TransportError("this libzmq was built without CURVE; pyzmq's wheels have it")
    from zmq.auth.thread import ThreadAuthenticator  # imported here, since it imports asyncio

    keys = load_server_keys(options, log)
    authenticator = ThreadAuthenticator(context)
    if keys.authorized is None:
        authenticator.configure_curve(domain=_DOMAIN, location=CURVE_ALLOW_ANY)
    else:
        authenticator.configure_curve_callback(domain=_DOMAIN, credentials_provider=keys.authorized)
    try:
        authenticator.start()
        socket.set(zmq.ZAP_DOMAIN, _DOMAIN.encode())
        socket.set(zmq.ZAP_ENFORCE_DOMAIN, 1)  # rejects clients that the authenticator was not asked about
        socket.set(zmq.CURVE_SERVER, 1)
        socket.set(zmq.CURVE_PUBLICKEY, keys.public_key)
        socket.set(zmq.CURVE_SECRETKEY, keys.secret_key)
    except (zmq.ZMQError, RuntimeError) as error:
        close_curve(authenticator)
        raise TransportError(f"cannot configure CURVE: {error}") from error
    return authenticator


def close_curve(authenticator: ThreadAuthenticator) -> None:
    """Stops the authenticator's thread. Does not wait for a thread that has ended already, as pyzmq would for ever."""
    if authenticator.pipe is not None and not authenticator.is_alive():
        authenticator.pipe.close()
        authenticator.pipe = None  # type: ignore[assignment]
    authenticator.stop()


def make_certificates(folder: Path, name: str) -> tuple[Path, Path]:
    """Writes a new key pair as `name`.key and `name`.key_secret (only for the owner) into `folder`, created if missing;
    returns both paths. Raises OSError; FileExistsError if a file exists.
    """
    paths = folder / f"{name}.key", folder / f"{name}.key_secret"
    for path in paths:
        if path.exists():
            raise FileExistsError(f"{path} already exists; remove it, or choose another name")
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
    """Returns the public key in a certificate file (Z85, not checked), None if it has no key. Raises OSError."""
    try:
        return _read_certificate(path).public
    except ValueError:
        return None


def _read_certificate(path: Path) -> _Certificate:
    """Parses a certificate as pyzmq does; keys are Z85, not checked. Raises OSError, also if it is not a regular file
    or larger than `KEY_FILE_BYTES_MAX` bytes, and ValueError if the public key is missing.
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
        raise ValueError(f"{path}: the certificate has no public key")
    return _Certificate(keys[b"public-key"], keys.get(b"secret-key"), stat.S_IMODE(status.st_mode))


def _pair_in(path: Path, log: logging.Logger | None) -> tuple[bytes, bytes]:
    try:
        public, secret, mode = _read_certificate(path)
    except OSError as error:
        raise TransportError(f"{path}: {error.strerror or os.strerror(errno.ENOENT)}; {_REMEDY}") from error
    except ValueError as error:
        raise TransportError(f"{path}: not a certificate; {_REMEDY}") from error
    if secret is None:
        raise TransportError(f"{path}: contains no secret key; {_REMEDY}")
    try:
        whole = zmq.curve_public(secret) == public
    except (ValueError, zmq.ZMQError) as error:
        raise TransportError(f"{path}: the secret key is invalid; {_REMEDY}") from error
    if not whole:
        raise TransportError(f"{path}: the public key does not match the secret key; {_REMEDY}")
    if log is not None and mode & 0o077:
        fields = {
            "event": "secret-key-exposed",
            "file": str(path),
            "reason": f"its mode is {mode:04o}: other users may read or change it",
            "remedy": f"chmod 600 {path}, and create new keys if another user may have read it",
        }
        log.warning("%s may be read by other users", path, extra={"zeps": fields})
    return public, secret
