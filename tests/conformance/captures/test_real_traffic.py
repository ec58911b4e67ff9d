"""Real traffic of the broker and its clients over loopback: captured by dumpcap and tcpdump, or recorded by a proxy."""

from __future__ import annotations

import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from captured import check, pcapng_of

from zeps_conformance.captures.pcap_reader import CaptureError
from zeps_conformance.cli import main
from zeps_conformance.common.traffic import End, RecordedConnection, Traffic

COUNT = 300
TOOLS = {
    "dumpcap": ["dumpcap", "-q", "-B", "64", "-i", "lo", "-f", "tcp port {port}", "-w", "{path}"],
    "tcpdump": ["tcpdump", "-U", "-B", "65536", "-i", "any", "-w", "{path}", "tcp port {port}"],
}


class Recorder:
    """A proxy in front of a port, for machines without permission to capture: it records the traffic."""

    def __init__(self, port: int) -> None:
        self.began, self.port, self.lock = time.monotonic(), port, threading.Lock()
        self.traffic = Traffic()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        self.threads = [threading.Thread(target=self.accept)]
        self.threads[0].start()

    def accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, address = self.listener.accept()
                server = socket.create_connection(("127.0.0.1", self.port))
                made = RecordedConnection("client", address, server.getpeername(), False, self.now())
                self.traffic.connections.append(made)
                thread = threading.Thread(target=self.forward, args=(made, client, server))
                self.threads.append(thread)
                thread.start()

    def now(self) -> float:
        return time.monotonic() - self.began

    def forward(self, made: RecordedConnection, client: socket.socket, server: socket.socket) -> None:
        back = threading.Thread(target=self.copy, args=(made, False, server, client))
        back.start()
        self.copy(made, True, client, server)
        back.join()
        client.close()
        server.close()

    def copy(self, made: RecordedConnection, sent: bool, here: socket.socket, there: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := here.recv(1 << 16):
                with self.lock:
                    self.traffic.add(made, self.now(), sent, data)
                there.sendall(data)
        with self.lock:
            self.traffic.ended(made, self.now(), End.BY_SUITE if sent else End.BY_PEER)
        with contextlib.suppress(OSError):
            there.shutdown(socket.SHUT_WR)

    def stop(self) -> Traffic:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        for thread in self.threads:
            thread.join(30)
        return self.traffic


class Tool:
    """A program that captures a port on loopback. Raises PermissionError if that is not permitted."""

    def __init__(self, name: str, port: int, path: Path) -> None:
        self.path, self.endpoint = path, f"tcp://127.0.0.1:{port}"
        command = [part.format(port=port, path=path) for part in TOOLS[name]]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        said = ""
        while "File:" not in said and "listening on" not in said:
            line = self.process.stderr.readline()
            said += line
            if not line:
                self.process.communicate(timeout=30)
                raise PermissionError(said)

    def stop(self) -> None:
        """Ends the capture after the ends of both connections have been written."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and not self.is_whole():
            time.sleep(0.1)
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, said

    def is_whole(self) -> bool:
        with contextlib.suppress(CaptureError):
            connections = check(self.path.read_bytes()).connections
            return [entry.connection.closed is None for entry in connections] == [False, False]
        return False


@contextlib.contextmanager
def serving(data: Path) -> Iterator[int]:
    """Yields the port of a broker, which is stopped in order afterwards."""
    command = [sys.executable, "-m", "zeps_cli", "broker", "--bind", "tcp://127.0.0.1:*", "--data", str(data)]
    broker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert broker.stdout is not None
        yield int(broker.stdout.readline().strip().rpartition(":")[2])
        broker.send_signal(signal.SIGTERM)
        assert broker.wait(30) == 0
    finally:
        broker.kill()
        broker.communicate()


def talk(endpoint: str) -> None:
    """Publishes and reads messages with the command line's client."""

    def zeps(*arguments: str, stdin: str = "") -> str:
        command = [sys.executable, "-m", "zeps_cli", *arguments, "--endpoint", endpoint]
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=60, check=True
        ).stdout

    zeps("pub", "numbers", "count", "-", stdin="\n".join(map(str, range(COUNT))))
    read = zeps("sub", "numbers", "count", "--from", "all", "--count", str(COUNT))
    assert len(read.splitlines()) == COUNT


@pytest.mark.slow
@pytest.mark.parametrize("tool", [*TOOLS, "proxy"])
def test_broker_and_client_violate_nothing(
    tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "real.pcapng"
    with serving(tmp_path / "data") as port:
        capture: Tool | Recorder
        try:
            capture = Recorder(port) if tool == "proxy" else Tool(tool, port, path)
        except PermissionError:
            capture = Recorder(port)
        talk(capture.endpoint)
    traffic = capture.stop()
    if traffic is not None:
        path.write_bytes(pcapng_of(traffic))
    assert main(["check", str(path), "--judge", "both"]) == 0
    output = capsys.readouterr().out
    assert "2 connections judged · no violations" in output
    counts = [line.split() for line in output.splitlines() if line.startswith("  ZEPS: ")]
    assert [int(counts[0][1]) > COUNT, int(counts[1][6]) > COUNT] == [True, True]
    assert main(["check", str(path), "--port", "9"]) == 0
    assert "0 connections judged" in capsys.readouterr().out
    data = path.read_bytes()
    path.write_bytes(data[:-5])
    assert main(["check", str(path), "--judge", "both"]) == 2
    output = capsys.readouterr().out
    assert f"{path}: cut: the file ends within the record at byte " in output
    assert "2 connections judged · no violations" in output
