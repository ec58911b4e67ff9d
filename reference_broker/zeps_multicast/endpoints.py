"""Multicast endpoints: parses them and checks that this machine can use them.

    norm://INTERFACE;GROUP:PORT         NORM (RFC 5740) over UDP; norm://NODE,INTERFACE;GROUP:PORT with a node id
    epgm://INTERFACE;GROUP:PORT         PGM (RFC 3208) over UDP
    pgm://INTERFACE;GROUP:PORT          PGM over IP, for which a process needs raw sockets

INTERFACE is a name or an IPv4 address of this machine. It is required: with a default interface, messages would leave
the machine on the interface that the system prefers.
"""

from __future__ import annotations

import fcntl
import ipaddress
import re
import socket
import struct
from dataclasses import dataclass
from typing import Final

__all__ = [
    "NODE_MAX",
    "PART_MAX",
    "InvalidEndpointError",
    "MulticastEndpoint",
    "MulticastError",
    "is_multicast",
    "parse",
]

_SCHEMES: Final = ("norm", "epgm", "pgm")
_FORM: Final = re.compile(r"(norm|epgm|pgm)://(?:(\d{1,10}),)?([^;,]+);([^;:]+):(\d{1,5})")
NODE_MAX: Final = (1 << 31) - 1  # libzmq reads it as a signed number
PART_MAX: Final = 2038
"""Maximum bytes of a part that libzmq's NORM sends completely: it truncates longer parts."""
_SIOCGIFADDR: Final = 0x8915
_IFREQ: Final = struct.Struct("16s16s8x")
_PGM: Final = 113  # PGM's number as a protocol of IP


class MulticastError(Exception):
    """An endpoint cannot be used; the text gives the endpoint and the problem."""


class InvalidEndpointError(MulticastError):
    """An endpoint is malformed: it cannot be used on any machine."""


@dataclass(frozen=True, slots=True)
class MulticastEndpoint:
    """A checked endpoint. `interface` is as written, `address` its IPv4 address; `node` is None if none is given."""

    scheme: str
    node: int | None
    interface: str
    address: str
    group: str
    port: int

    def text(self, node: int | None = None) -> str:
        """Returns the endpoint in libzmq's notation; `node` is NORM's id of this process if the endpoint has none. PGM
        gets the interface's address, since libpgm also looks up names of interfaces among host names.
        """
        if self.scheme != "norm":
            return f"{self.scheme}://{self.address};{self.group}:{self.port}"
        own = self.node if self.node is not None else node
        return f"norm://{'' if own is None else f'{own},'}{self.interface};{self.group}:{self.port}"


def is_multicast(endpoint: str) -> bool:
    """Returns whether the endpoint begins with norm://, epgm:// or pgm://; the rest is not checked."""
    return endpoint.partition("://")[0] in _SCHEMES


def parse(endpoint: str) -> MulticastEndpoint:
    """Parses an endpoint and checks, with a socket that is closed again, that this machine can use it. Raises
    MulticastError, InvalidEndpointError if the endpoint is malformed. Whether libzmq supports the transport is not
    checked.
    """
    match = _FORM.fullmatch(endpoint)
    if match is None:
        raise InvalidEndpointError(
            f"{endpoint} is not a multicast endpoint; example: norm://eth0;239.192.1.1:5670, with an interface"
        )
    scheme, node, interface, group, port = match.groups()
    if node is not None and (scheme != "norm" or not 0 < int(node) <= NODE_MAX):
        raise InvalidEndpointError(
            f"{endpoint}: a node id is allowed only for norm, as a number from 1 to {NODE_MAX}"
        )
    if not 0 < int(port) < 1 << 16:
        raise InvalidEndpointError(f"{endpoint}: {port} is not a port (1 to 65535)")
    _check_group(endpoint, group)
    address = _address(endpoint, interface)
    _try(endpoint, scheme, address, group, int(port))
    return MulticastEndpoint(
        scheme, None if node is None else int(node), interface, address, group, int(port)
    )


def _check_group(endpoint: str, group: str) -> None:
    try:
        good = ipaddress.IPv4Address(group).is_multicast
    except ValueError:
        good = False
    if not good:
        raise InvalidEndpointError(
            f"{endpoint}: {group} is not an IPv4 multicast group (224.0.0.0 to 239.255.255.255)"
        )


def _address(endpoint: str, interface: str) -> str:
    """Returns the IPv4 address of an interface, which is a name or that address. Raises MulticastError."""
    if re.fullmatch(r"[\d.]+", interface):
        return interface
    names = [name for _, name in socket.if_nameindex()]
    if interface not in names:
        raise MulticastError(f"{endpoint}: unknown interface {interface}; known: {', '.join(names)}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            answer = fcntl.ioctl(probe, _SIOCGIFADDR, _IFREQ.pack(interface.encode(), b""))
        except OSError as error:
            raise MulticastError(f"{endpoint}: the interface {interface} has no IPv4 address") from error
    return socket.inet_ntoa(_IFREQ.unpack(answer)[1][4:8])


def _try(endpoint: str, scheme: str, address: str, group: str, port: int) -> None:
    """Performs libzmq's operations on a plain socket first, so that errors occur here. Raises MulticastError."""
    try:
        if scheme == "pgm":
            socket.socket(socket.AF_INET, socket.SOCK_RAW, _PGM).close()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
            own = socket.inet_aton(address)
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            probe.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own)
            probe.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(group) + own)
            probe.bind(("", port))
    except PermissionError as error:
        raise MulticastError(
            f"{endpoint}: {error.strerror}; pgm needs raw sockets (CAP_NET_RAW), epgm and norm do not"
        ) from error
    except OSError as error:
        what = f"{address} is not an address of this machine, or its interface is down"
        raise MulticastError(f"{endpoint}: {what}: {error.strerror or error}") from error
