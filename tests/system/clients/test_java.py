"""The Java example client, over JeroMQ, against the real broker."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from harness import BrokerProcess, Peer

from zeps_codegen.targets.java.format import artifact

ROOT = Path(__file__).parents[3]
#: A project of both, so that Maven takes the one from beside the other, and nothing is installed.
BOTH = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>zeps</groupId><artifactId>both</artifactId><version>1</version>
<packaging>pom</packaging><modules><module>wire</module><module>client</module></modules></project>"""
SOURCES = ":".join(
    str(ROOT / name) for name in ("examples/clients/java/src/main/java", "generated/java/src/main/java")
)
CLIENT = ROOT / "examples/clients/java/src/main/java/zeps/example/Client.java"
JEROMQ = "org.zeromq:jeromq:0.6.0"


@pytest.fixture(scope="module")
def client(built: Callable[..., Path]) -> list[str]:
    """The command that starts the program, built without a warning."""
    assert shutil.which("javac"), "a JDK is needed: apt-get install openjdk-17-jdk-headless maven"
    classes, jar = built("client-java", build), artifact(JEROMQ)
    return [
        "java",
        "-XX:TieredStopAtLevel=1",
        "-XX:+UseSerialGC",
        "-cp",
        f"{classes}:{jar}",
        "zeps.example.Client",
    ]


def build(classes: Path) -> None:
    strict = ["-J-XX:TieredStopAtLevel=1", "-Xlint:all", "-Werror", "-encoding", "UTF-8"]
    places = ["-cp", artifact(JEROMQ), "--source-path", SOURCES, "-d", classes]
    done = subprocess.run(["javac", *strict, *places, CLIENT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def run(client: list[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*client, *arguments], capture_output=True, text=True, timeout=60, check=False)


def test_it_receives_what_it_publishes(client: list[str], launch: Callable[..., BrokerProcess]) -> None:
    broker = launch()
    done = run(client, broker.endpoint, "stream", "500")
    assert (done.returncode, done.stdout) == (0, "received 500 messages, sequences 1..500\n"), done.stderr
    done = run(client, broker.endpoint, "stream", "3")
    assert (done.returncode, done.stdout) == (0, "received 3 messages, sequences 501..503\n"), done.stderr


def test_what_it_publishes_is_there_for_others(
    client: list[str], launch: Callable[..., BrokerProcess], connect: Callable[..., Peer]
) -> None:
    broker = launch()
    assert run(client, broker.endpoint, "stream", "5").returncode == 0
    peer = connect(broker.endpoint, "stream")
    peer.subscribe("demo/", credit=2**32)
    assert [(m.sequence, m.key) for m in peer.deliveries(5)] == [(n, f"demo/{n}") for n in range(1, 6)]


def test_a_refusal_is_told(client: list[str], launch: Callable[..., BrokerProcess]) -> None:
    broker = launch()
    done = run(client, broker.endpoint, "", "1")
    assert done.returncode == 1
    assert "the broker refused" in done.stderr


def test_a_wrong_command_line_is_told(client: list[str]) -> None:
    assert run(client).returncode == 2
    assert run(client, "tcp://127.0.0.1:1", "stream", "many").returncode == 2


@pytest.mark.slow
def test_maven_builds_it(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "generated" / "java", tmp_path / "wire")
    project = shutil.copytree(ROOT / "examples" / "clients" / "java", tmp_path / "client")
    (tmp_path / "pom.xml").write_text(BOTH)
    build = ["mvn", "-q", "-B", "-ntp", "-Dmaven.test.skip=true", "package"]
    environment = os.environ | {"MAVEN_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    done = subprocess.run(
        build, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = ["java", "-cp", f"{project}/target/classes:{project}/target/lib/*", "zeps.example.Client"]
    assert run(found).returncode == 2
