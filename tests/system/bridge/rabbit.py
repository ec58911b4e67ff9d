"""RabbitMQ from its Debian package, as a process of the test on loopback, with its own folder, node, ports and epmd."""

from __future__ import annotations

import json
import os
import random
import secrets
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pika
import pytest
from pika.adapters.blocking_connection import BlockingChannel

__all__ = ["PATIENCE", "Rabbit"]

PATIENCE = 60.0
_SERVER = "/usr/lib/rabbitmq/bin/rabbitmq-server"
_ALL = {"configure": ".*", "write": ".*", "read": ".*"}
_USERS = {
    "guest": _ALL,
    "narrow": {**_ALL, "configure": r"zeps\.bridge\..*"},
    "stranger": None,
}
"""Users, whose passwords equal their names, and their permissions in the virtual host ``/``."""


class Rabbit:
    """A server that may be killed and restarted; its data stays in `folder`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port, self._dist, epmd = _free_ports(3)
        self._server: subprocess.Popen[bytes] | None = None
        (folder / "home").mkdir(parents=True)
        (folder / "plugins").write_text("[].")
        (folder / "env").write_text("")
        (folder / "definitions.json").write_text(json.dumps(_definitions()))
        (folder / "rabbitmq.conf").write_text(
            f"load_definitions = {folder}/definitions.json\nlog.console = false\n"
        )
        self._environment = {
            **os.environ,
            "RUNNING_UNDER_SYSTEMD": "true",  # the script becomes the server, instead of starting it
            "HOME": str(folder / "home"),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(epmd),
            "RABBITMQ_NODENAME": f"zeps-{os.getpid()}@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self._dist),
            "RABBITMQ_ERLANG_COOKIE": secrets.token_hex(16),
            "RABBITMQ_MNESIA_BASE": str(folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(folder / "log"),
            "RABBITMQ_PID_FILE": str(folder / "pid"),
            "RABBITMQ_CONF_ENV_FILE": str(folder / "env"),
            "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1} "
            "+S 1:1 +SDcpu 1:1 +sbwt none",
        }
        self._output = (folder / "output").open("ab")
        self._epmd = subprocess.Popen(
            ["epmd", "-address", "127.0.0.1", "-port", str(epmd)], stdout=self._output, stderr=self._output
        )

    @property
    def url(self) -> str:
        return self.url_of("guest", "guest")

    def url_of(self, user: str, password: str, vhost: str = "") -> str:
        return f"amqp://{user}:{password}@127.0.0.1:{self.port}/{vhost}"

    def spawn(self) -> None:
        """Starts the server without waiting."""
        assert self._server is None
        self._server = subprocess.Popen(
            [_SERVER], env=self._environment, cwd=self.folder, stdout=self._output, stderr=self._output
        )

    def start(self) -> None:
        """Starts the server and waits until it serves."""
        self.spawn()
        self.channel().connection.close()

    def channel(self) -> BlockingChannel:
        """Returns a channel of a new connection, with confirms; waits for the server."""
        limit = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                channel = pika.BlockingConnection(pika.URLParameters(self.url)).channel()
            except (OSError, pika.exceptions.AMQPError):
                assert self._server is not None, "the server was not started"
                assert self._server.poll() is None, self.text()
                assert time.monotonic() < limit, self.text()
                time.sleep(0.1)
            else:
                channel.confirm_delivery()
                return channel

    def kill(self) -> None:
        """Kills the server, waits for its end, and checks that its port is closed."""
        assert self._server is not None
        self._server.kill()
        self._server.wait(PATIENCE)
        self._server = None
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", self.port))

    def end(self) -> None:
        """Stops all processes."""
        if self._server is not None:
            self.kill()
        self._epmd.kill()
        self._epmd.wait(PATIENCE)
        self._output.close()

    def text(self) -> str:
        """Returns the last 4,000 characters of the server's output."""
        return (self.folder / "output").read_text(errors="replace")[-4000:]


def _definitions() -> dict[str, object]:
    return {
        "users": [{"name": name, "password": name, "tags": ""} for name in _USERS],
        "vhosts": [{"name": "/"}],
        "permissions": [
            {"user": name, "vhost": "/", **rights} for name, rights in _USERS.items() if rights is not None
        ],
    }


def _free_ports(count: int) -> list[int]:
    """Returns free ports, preferably outside the range that the system assigns to outgoing connections."""
    first, last = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    others = [port for port in range(10_000, 65_536) if not first <= port <= last] or list(
        range(10_000, 65_536)
    )
    ports: list[int] = []
    for port in random.sample(others, len(others)):
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            ports.append(port)
        if len(ports) == count:
            break
    return ports
