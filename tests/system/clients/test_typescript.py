"""The TypeScript example client, over zeromq.js, against the real broker."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import BrokerProcess, Peer

ROOT = Path(__file__).parents[3]
MODULES = ROOT / "tools" / "node" / "node_modules"
TSC = MODULES / "typescript" / "bin" / "tsc"


@pytest.fixture(scope="module")
def client(built: Callable[..., Path]) -> Path:
    """The program, built, with zeromq.js and our package beside it."""
    assert shutil.which("node"), "Node 20 or later is needed (command node)"
    assert TSC.exists(), "tsc and zeromq.js are missing: npm ci --prefix tools/node"
    return built("client-typescript", build) / "build" / "client.js"


def build(folder: Path) -> None:
    shutil.copytree(ROOT / "examples" / "clients" / "typescript", folder, dirs_exist_ok=True)
    package = folder / "node_modules" / "zeps-wire"
    package.mkdir(parents=True)
    shutil.copy(ROOT / "generated" / "typescript" / "package.json", package)
    for name in ("zeromq", "@types"):
        (folder / "node_modules" / name).symlink_to(MODULES / name)
    for project, output in (
        (ROOT / "generated" / "typescript", package / "dist"),
        (folder, folder / "build"),
    ):
        done = subprocess.run(
            ["node", TSC, "-p", project, "--outDir", output], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout
    lint = MODULES / "eslint" / "bin" / "eslint.js"
    config = ROOT / "tools" / "node" / "eslint.config.mjs"
    done = subprocess.run(
        ["node", lint, "--config", config, "."], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def run(client: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["node", client, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def test_it_receives_what_it_publishes(client: Path, launch: Callable[..., BrokerProcess]) -> None:
    broker = launch()
    done = run(client, broker.endpoint, "stream", "500")
    assert (done.returncode, done.stdout) == (0, "received 500 messages, sequences 1..500\n"), done.stderr
    done = run(client, broker.endpoint, "stream", "3")
    assert (done.returncode, done.stdout) == (0, "received 3 messages, sequences 501..503\n"), done.stderr


def test_it_grants_more_credit_as_it_goes(client: Path, launch: Callable[..., BrokerProcess]) -> None:
    done = run(client, launch().endpoint, "stream", "30000")
    assert (done.returncode, done.stdout) == (0, "received 30000 messages, sequences 1..30000\n"), done.stderr


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
