"""The C++ example client, over libzmq, against the real broker."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import BrokerProcess, Peer

CLIENT = Path(__file__).parents[3] / "examples" / "clients" / "cpp"
STRICT = "-Wall -Wextra -Werror -pedantic"


@pytest.fixture(scope="module")
def client(built: Callable[..., Path]) -> Path:
    """The program, built."""
    for tool, package in (("cmake", "cmake"), ("pkg-config", "pkg-config"), ("c++", "g++")):
        assert shutil.which(tool), f"{tool} is missing: apt-get install {package}"
    found = subprocess.run(["pkg-config", "--exists", "libzmq"], check=False)
    assert found.returncode == 0, "libzmq is missing: apt-get install libzmq3-dev"
    return built("client-cpp", build) / "client"


def build(folder: Path) -> None:
    for command in (
        ["cmake", "-S", CLIENT, "-B", folder, f"-DCMAKE_CXX_FLAGS={STRICT}", "-DCMAKE_CXX_FLAGS_RELEASE=-O1"],
        ["cmake", "--build", folder, "--parallel", "2"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def run(client: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([client, *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_it_receives_what_it_publishes(client: Path, launch: Callable[..., BrokerProcess]) -> None:
    broker = launch()
    done = run(client, broker.endpoint, "stream", "2000")  # more than its first credit covers
    assert (done.returncode, done.stdout) == (0, "received 2000 messages, sequences 1..2000\n"), done.stderr
    done = run(client, broker.endpoint, "stream", "3")
    assert (done.returncode, done.stdout) == (0, "received 3 messages, sequences 2001..2003\n"), done.stderr


def test_what_it_publishes_is_there_for_others(
    client: Path, launch: Callable[..., BrokerProcess], connect: Callable[..., Peer]
) -> None:
    broker = launch()
    assert run(client, broker.endpoint, "stream", "5").returncode == 0
    peer = connect(broker.endpoint, "stream")
    peer.subscribe("demo/", credit=2**32)
    assert [(m.sequence, m.key) for m in peer.deliveries(5)] == [(n, f"demo/{n}") for n in range(1, 6)]


def test_a_refusal_is_told(client: Path, launch: Callable[..., BrokerProcess]) -> None:
    broker = launch()
    done = run(client, broker.endpoint, "", "1")
    assert done.returncode == 1
    assert "the broker refused" in done.stderr


def test_a_wrong_command_line_is_told(client: Path) -> None:
    assert run(client).returncode == 2
    assert run(client, "tcp://127.0.0.1:1", "stream", "many").returncode == 2
