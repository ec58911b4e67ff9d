"""Listening and connecting: ``tcp://`` and ``ipc://`` endpoints in libzmq's notation."""

from __future__ import annotations

import errno
import fcntl
import ipaddress
import os
import socket
import stat
import struct
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

from zeps_broker.transport.errors import InvalidSettingError, TransportError, reason_of

__all__ = ["Address", "Remote", "connect", "is_on_network", "is_ours", "listen"]

Address = tuple[socket.AddressFamily, tuple[str, int] | str]
"""An address family, and the address that a socket of that family connects to."""

_BACKLOG = 1024
_SIOCGIFADDR = 0x8915


def is_ours(endpoint: str) -> bool:
    """Returns whether plain sockets can serve the endpoint: tcp or ipc. Only its beginning is examined."""
    return endpoint.startswith(("tcp://", "ipc://"))


def is_on_network(endpoint: str) -> bool:
    """Returns whether other machines may reach the endpoint: tcp, and neither a loopback address nor localhost. Names
    are not looked up; an interface counts as reachable.
    """
    if not endpoint.startswith("tcp://"):
        return False
    host = endpoint.removeprefix("tcp://").rpartition(":")[0].removeprefix("[").removesuffix("]")
    try:
        return not ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host != "localhost"


def listen(endpoint: str) -> tuple[socket.socket, str, Callable[[], None]]:
    """Returns a listening socket, the endpoint with its real address and port or path, and a function that removes the
    files of the endpoint, if it has some. ``tcp://HOST:PORT`` with an address, a name, an interface or ``*`` as HOST,
    and ``*`` or 0 for a free PORT; ``ipc://PATH``, ``ipc://@NAME`` for an abstract name, ``ipc://*`` for a temporary
    path. A socket file at PATH without a listener is replaced. Waits for name servers. Raises TransportError;
    InvalidSettingError for another form.
    """
    try:
        if endpoint.startswith("tcp://"):
            return _listen_tcp(endpoint.removeprefix("tcp://"))
        if endpoint.startswith("ipc://"):
            return _listen_ipc(endpoint.removeprefix("ipc://"))
        raise ValueError("not an endpoint; examples: tcp://127.0.0.1:5670, ipc:///run/zeps.sock")
    except OSError as error:
        raise TransportError(f"cannot listen on {endpoint}: {_reason(error)}") from error
    except ValueError as error:
        raise InvalidSettingError(f"cannot listen on {endpoint}: {error}") from error


@dataclass(frozen=True, slots=True)
class Remote:
    """An endpoint to connect to. `path` is None for tcp; `bracketed` is true for a host in brackets: only IPv6."""

    host: str
    port: int
    path: str | None = None
    bracketed: bool = False

    @classmethod
    def parse(cls, endpoint: str) -> Remote:
        """Parses ``tcp://HOST:PORT`` (PORT 1 to 65,535), ``ipc://PATH`` or ``ipc://@NAME``. Raises
        InvalidSettingError.
        """
        if endpoint.startswith("ipc://"):
            return cls("", 0, endpoint.removeprefix("ipc://"))
        host, _, port = endpoint.removeprefix("tcp://").rpartition(":")
        if (
            not endpoint.startswith("tcp://")
            or not host
            or not port.isdecimal()
            or not 0 < int(port) <= 65_535
        ):
            raise InvalidSettingError(
                f"cannot connect to {endpoint}: not of the form tcp://HOST:PORT or ipc://PATH"
            )
        name = host.removeprefix("[").removesuffix("]")
        try:
            name.encode("idna")
        except UnicodeError as error:  # a label that is empty or too long
            raise InvalidSettingError(f"cannot connect to {endpoint}: invalid host name") from error
        return cls(name, int(port), bracketed=host.startswith("["))

    def addresses(self) -> list[Address] | None:
        """Returns its addresses if they are known without a name lookup, else None."""
        if self.path is not None:
            return [(socket.AF_UNIX, "\0" + self.path[1:] if self.path.startswith("@") else self.path)]
        try:
            return _resolve(self.host, self.port, self.bracketed, socket.AI_NUMERICHOST)
        except OSError:
            return None

    def look_up(self) -> list[Address]:
        """Looks up its addresses, IPv4 first; waits for name servers. Empty if none is found."""
        try:
            return _resolve(self.host, self.port, self.bracketed)
        except (OSError, UnicodeError):
            return []


def connect(address: Address) -> socket.socket:
    """Returns a socket that connects in the background: it becomes writable after success or failure. Raises OSError if
    the attempt cannot start (no route, no descriptors).
    """
    family, where = address
    link = socket.socket(family, socket.SOCK_STREAM)
    link.setblocking(False)
    try:
        link.connect(where)
    except BlockingIOError:
        pass
    except BaseException:
        link.close()
        raise
    return link


def _listen_tcp(address: str) -> tuple[socket.socket, str, Callable[[], None]]:
    host, separator, port_text = address.rpartition(":")
    port = 0 if port_text == "*" else int(port_text) if port_text.isdecimal() else -1
    if not separator or not host or not 0 <= port <= 65_535:
        raise ValueError("not an endpoint; examples: tcp://127.0.0.1:5670, tcp://*:5670")
    bracketed = host.startswith("[") and host.endswith("]")
    name = host[1:-1] if bracketed else host
    family, where = _resolve(name, port, bracketed)[0]
    options = [(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)]
    if family == socket.AF_INET6:
        options.append((socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, int(name != "*")))
    server = _server(family, where, options)
    real, real_port = server.getsockname()[:2]
    host_text = f"[{real}]" if family == socket.AF_INET6 else real
    return server, f"tcp://{host_text}:{real_port}", _remove_nothing


def _resolve(name: str, port: int, bracketed: bool, flags: int = 0) -> list[Address]:
    """Returns at least one address, IPv4 first, for a name, an address, an interface or ``*``; may wait for name
    servers. `flags` are those of getaddrinfo. Raises OSError, or UnicodeError for an invalid name.
    """
    if name == "*":
        return [(socket.AF_INET6, ("::", port)) if bracketed else (socket.AF_INET, ("0.0.0.0", port))]
    if not bracketed and (address := _address_of_interface(name)) is not None:
        return [(socket.AF_INET, (address, port))]
    family = socket.AF_INET6 if bracketed else socket.AF_UNSPEC
    entries = socket.getaddrinfo(name, port, family, socket.SOCK_STREAM, flags=flags)
    entries.sort(key=lambda item: item[0] != socket.AF_INET)
    return list(dict.fromkeys((item[0], item[4][:2]) for item in entries))  # type: ignore[misc]


def _address_of_interface(name: str) -> str | None:
    """Returns the IPv4 address of the interface `name`; None if the interface or the address does not exist."""
    if len(name) >= 16 or not name.isascii():
        return None
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        request = struct.pack("256s", name.encode())
        return socket.inet_ntoa(fcntl.ioctl(probe.fileno(), _SIOCGIFADDR, request)[20:24])
    return None


def _listen_ipc(path: str) -> tuple[socket.socket, str, Callable[[], None]]:
    if not path:
        raise ValueError("not an endpoint; example: ipc:///run/zeps.sock")
    if path.startswith("@"):
        return _server(socket.AF_UNIX, "\0" + path[1:]), f"ipc://{path}", _remove_nothing
    folder = tempfile.mkdtemp(prefix="zeps-") if path == "*" else None
    if folder is not None:
        path = os.path.join(folder, "socket")
    remove = partial(_remove, path, folder)
    try:
        _remove_stale(path)
        return _server(socket.AF_UNIX, path), f"ipc://{path}", remove
    except BaseException:
        if folder is not None:
            remove()
        raise


def _remove_nothing() -> None: ...


def _remove(path: str, folder: str | None) -> None:
    """Removes a socket file, and then its temporary folder, if it has one."""
    with suppress(OSError):
        os.unlink(path)
    if folder is not None:
        with suppress(OSError):
            os.rmdir(folder)


def _server(
    family: socket.AddressFamily, where: tuple[str, int] | str, options: Sequence[tuple[int, int, int]] = ()
) -> socket.socket:
    """Returns a listening socket with these options; it does not block. Raises OSError."""
    server = socket.socket(family, socket.SOCK_STREAM)
    try:
        for option in options:
            server.setsockopt(*option)
        server.bind(where)
        server.listen(_BACKLOG)
        server.setblocking(False)
    except BaseException:
        server.close()
        raise
    return server


def _remove_stale(path: str) -> None:
    """Removes a socket file without a listener, no other file. Raises OSError (EADDRINUSE) if a listener exists."""
    try:
        if not stat.S_ISSOCK(os.stat(path).st_mode):
            return
    except FileNotFoundError:
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(path)
        except ConnectionRefusedError:
            os.unlink(path)
            return
    raise OSError(errno.EADDRINUSE, os.strerror(errno.EADDRINUSE))


def _reason(error: OSError) -> str:
    if isinstance(error, socket.gaierror):
        return "the host or interface does not exist"
    return reason_of(error.errno) if error.errno else str(error)
