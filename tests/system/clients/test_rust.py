"""The Rust example client, over the crate zeromq, against the real broker."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import BrokerProcess, Peer

CLIENT = Path(__file__).parents[3] / "examples" / "clients" / "rust"
#: What Cargo builds is kept from run to run: the crate's dependencies take a minute.
BUILT = Path(tempfile.gettempdir()) / f"zeps-cargo-{os.getuid()}"

#: With all that builds in that folder: Cargo lets nobody else into it meanwhile.
pytestmark = pytest.mark.xdist_group("rust")


@pytest.fixture(scope="module")
def client() -> Path:
    """The program, built."""
    assert shutil.which("cargo"), "Rust 1.80 or later is needed (command cargo; rustup brings it)"
    done = subprocess.run(
        ["cargo", "build", "--quiet", "--target-dir", BUILT],
        cwd=CLIENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return BUILT / "debug" / "zeps-client"


def run(client: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([client, *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_it_receives_what_it_publishes(client: Path, launch: Callable[..., BrokerProcess]) -> None:
    broker = launch()
    done = run(client, broker.endpoint, "stream", "500")
    assert (done.returncode, done.stdout) == (0, "received 500 messages, sequences 1..500\n"), done.stderr
    done = run(client, broker.endpoint, "stream", "3")
    assert (done.returncode, done.stdout) == (0, "received 3 messages, sequences 501..503\n"), done.stderr


def test_what_it_publishes_is_there_for_others(
    client: Path, launch: Callable[..., BrokerProcess], connect: Callable[..., Peer]
) -> None:
    broker = launch()
    assert run(client, broker.endpoint, "stream", "5").returncode == 0
    peer = connect(broker.endpoint, "stream")
    peer.subscribe("demo/", credit=2**32)
    assert [(m.sequence, m.key) for m in peer.deliveries(5)] == [(n, f"demo/{n}") for n in range(1, 6)]


def test_more_than_its_credit_covers(client: Path, launch: Callable[..., BrokerProcess]) -> None:
    """At a broker that pings often, too."""
    broker = launch(config="[broker]\nclient_timeout = 1.0\nheartbeat_interval = 0.1\n")
    done = run(client, broker.endpoint, "stream", "5000")
    assert (done.returncode, done.stdout) == (0, "received 5000 messages, sequences 1..5000\n"), done.stderr


def test_a_refusal_is_told(client: Path, launch: Callable[..., BrokerProcess]) -> None:
    broker = launch()
    done = run(client, broker.endpoint, "", "1")
    assert done.returncode == 1
    assert "the broker refused" in done.stderr


def test_a_wrong_command_line_is_told(client: Path) -> None:
    assert run(client).returncode == 2
    assert run(client, "tcp://127.0.0.1:1", "stream", "many").returncode == 2


def test_its_sources_are_clean() -> None:
    done = subprocess.run(
        ["cargo", "fmt", "--check"], cwd=CLIENT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
