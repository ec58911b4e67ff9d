"""Runs RabbitMQ from its Debian package in the foreground, with its own node, ports and port mapper (epmd), on
loopback: ``rabbitmq_server.py PORT DATA FOLDER``. SIGTERM stops it.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

SERVER = "/usr/lib/rabbitmq/bin/rabbitmq-server"


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [held.getsockname()[1] for held in sockets]


def main() -> int:
    port, data, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    mapper_port, node_port = free_ports(2)
    (folder / "home").mkdir(exist_ok=True)
    (folder / "plugins").write_text("[].")
    (folder / "env").write_text("")
    (folder / "rabbitmq.conf").write_text("log.console = true\n")
    environment = {
        **os.environ,
        "RUNNING_UNDER_SYSTEMD": "true",  # the script becomes the server, instead of starting it
        "HOME": str(folder / "home"),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "ERL_EPMD_PORT": str(mapper_port),
        "RABBITMQ_NODENAME": f"durability-{port}@localhost",
        "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
        "RABBITMQ_NODE_PORT": port,
        "RABBITMQ_DIST_PORT": str(node_port),
        "RABBITMQ_ERLANG_COOKIE": f"durability{port}",
        "RABBITMQ_MNESIA_BASE": data,
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_PID_FILE": str(folder / "pid"),
        "RABBITMQ_CONF_ENV_FILE": str(folder / "env"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq"),
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1} "
        "+S 1:1 +SDcpu 1:1 +sbwt none",
    }
    mapper = subprocess.Popen(["epmd", "-address", "127.0.0.1", "-port", str(mapper_port)])
    server = subprocess.Popen([SERVER], env=environment, cwd=folder)
    signal.signal(signal.SIGTERM, lambda *_: server.terminate())
    try:
        return server.wait()
    finally:
        mapper.kill()
        mapper.wait()


if __name__ == "__main__":
    sys.exit(main())
