"""Builds of the examples by their readers: other ways to build, and clean sources."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from example_programs import CLIENTS, ROOT, carry_out

#: A project with both modules, so that Maven uses the neighbouring one without installing it.
BOTH = """<project xmlns="http://maven.apache.org/POM/4.0.0">
<modelVersion>4.0.0</modelVersion><groupId>zeps</groupId><artifactId>both</artifactId><version>1</version>
<packaging>pom</packaging><modules><module>wire</module><module>client</module></modules></project>"""


@pytest.mark.slow
def test_maven_builds_the_java_client(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "generated" / "java", tmp_path / "wire")
    project = shutil.copytree(CLIENTS / "java", tmp_path / "client")
    (tmp_path / "pom.xml").write_text(BOTH)
    build = ["mvn", "-q", "-B", "-ntp", "-Dmaven.test.skip=true", "package"]
    environment = os.environ | {"MAVEN_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    done = subprocess.run(
        build, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=280, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    command = ["java", "-cp", f"{project}/target/classes:{project}/target/lib/*", "zeps.example.Client"]
    assert subprocess.run(command, capture_output=True, timeout=60, check=False).returncode == 2


@pytest.mark.xdist_group("rust")
def test_the_rust_clients_sources_are_formatted() -> None:
    carry_out("cargo", "fmt", "--check", cwd=CLIENTS / "rust")
