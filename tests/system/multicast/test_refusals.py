"""Errors are reported in one line, with a remedy; libzmq aborts no process."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable

import pytest
import zmq
from harness import PATIENCE
from multicast_programs import PYTHON, Program

pytestmark = [pytest.mark.xdist_group("multicast"), pytest.mark.timeout(900)]

Run = Callable[..., Program]

COMMANDS = (
    ("forward", "--upstream", "tcp://127.0.0.1:1", "--downstream", "{}"),
    ("forward", "--upstream", "{}", "--downstream", "tcp://127.0.0.1:*"),
    ("multicast", "stream", "{}"),
    ("sub", "stream", "--multicast", "{}"),
)
ENDPOINTS = {
    "norm://239.1.1.1:5670": "not a multicast endpoint; example: norm://eth0;239.192.1.1:5670, with an interface",
    "norm://nowhere;239.1.1.1:5670": "unknown interface nowhere; known: lo",
    "epgm://203.0.113.9;239.1.1.1:5670": "203.0.113.9 is not an address of this machine",
    "norm://lo;10.0.0.1:5670": "10.0.0.1 is not an IPv4 multicast group",
    "norm://lo;239.1.1.1:70000": "70000 is not a port",
    "epgm://7,lo;239.1.1.1:5670": "a node id is allowed only for norm",
}


def refused(python: object, arguments: tuple[str, ...], endpoint: str, code: int = 1) -> str:
    """Returns the standard error of `zeps`, which is one line; it ends with the exit code `code`."""
    command = [python, "-m", "zeps_cli", *(argument.format(endpoint) for argument in arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout) == (code, "")
    (line,) = done.stderr.splitlines()
    return line


@pytest.mark.parametrize("arguments", COMMANDS, ids=lambda arguments: " ".join(arguments[:2]))
def test_a_libzmq_without_multicast(arguments: tuple[str, ...]) -> None:
    assert not zmq.has("norm"), "these tests run on pyzmq's wheel"
    line = refused(sys.executable, arguments, "norm://lo;239.1.1.1:5670")
    assert "norm://lo;239.1.1.1:5670: this process's libzmq" in line
    assert "does not support NORM" in line
    assert "run `make multicast`" in line


@pytest.mark.parametrize(("endpoint", "what"), ENDPOINTS.items())
def test_an_endpoint_that_means_nothing(endpoint: str, what: str) -> None:
    depends_on_machine = "unknown interface" in what or "this machine" in what
    line = refused(PYTHON, COMMANDS[2], endpoint, 1 if depends_on_machine else 2)
    assert endpoint in line
    assert what in line


def test_a_part_that_norm_cannot_carry_is_left_out_and_counted(run: Run, norm: str) -> None:
    with zmq.Context() as context, context.socket(zmq.XPUB) as publisher:
        port = publisher.bind_to_random_port("tcp://127.0.0.1")
        forwarder = run("forward", "--upstream", f"tcp://127.0.0.1:{port}", "--downstream", norm)
        assert forwarder.ready() == norm
        receiver = run("forward", "--upstream", norm, "--downstream", "tcp://127.0.0.1:*")
        with context.socket(zmq.SUB) as subscriber:
            subscriber.rcvtimeo = publisher.rcvtimeo = round(PATIENCE * 1000)
            subscriber.connect(receiver.ready())
            subscriber.subscribe(b"")
            assert publisher.recv() == b"\1"
            while not subscriber.poll(100):
                publisher.send(b"hello")
            publisher.send(bytes(2038))
            publisher.send_multipart([b"long", bytes(2039)])
            publisher.send(b"end")
            got = [subscriber.recv()]
            while got[-1] != b"end":
                got.append(subscriber.recv())
    assert [message for message in got if message != b"hello"] == [bytes(2038), b"end"]
    assert forwarder.stop() == 0
    assert "too_long=1" in forwarder.log_file.read_text()
