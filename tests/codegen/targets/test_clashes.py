"""Packages whose names clash with those of their models, with a runtime's files, or with reserved words."""

from __future__ import annotations

import re
import sys
from pathlib import Path, PurePosixPath

import pytest
from programs import examples, run, write

from zeps_codegen.generate import Target
from zeps_codegen.init import first_files
from zeps_codegen.load import load_bundle
from zeps_codegen.package import Package


def files(
    folder: Path, name: str, target: str, protocol: str = "", **machines: str
) -> dict[PurePosixPath, str]:
    """The target's files for the package `name` and its first models, with `protocol` and `machines` as other names."""
    paths, protocol_name = [], (protocol or name).replace("-", "_")
    for path, text in first_files("model", ()).items():
        if path.suffix == ".xml":
            role = path.stem.removeprefix("model_")
            called = f'<class name="{machines.get(role, path.stem)}"'
            new = text.replace(f'<class name="{path.stem}"', called).replace('="model', f'="{protocol_name}')
            paths.append(folder / path.name)
            paths[-1].write_text(new)
    return generated(paths, name, target)


def generated(paths: list[Path], name: str, target: str) -> dict[PurePosixPath, str]:
    """The target's files, by their paths in the package, for the package called `name` and the models."""
    made = Target(target, has_formatter=True).files(load_bundle(paths), False, package=Package(name))
    home = PurePosixPath("generated", target)
    return {path.relative_to(home): content.decode() for path, content in made.items()}


def test_cpp_a_protocol_called_as_its_package(tmp_path: Path) -> None:
    package_files = files(tmp_path, "acme-wire", "cpp")
    root = write(package_files, tmp_path / "cpp")
    header = package_files[PurePosixPath("include/acme_wire/acme_wire_.hpp")]
    assert "namespace acme_wire::acme_wire_ {" in header
    assert PurePosixPath("src/acme_wire_.cpp") in package_files
    readme = package_files[PurePosixPath("README.md")]
    assert "`acme_wire/acme_wire_.hpp` | `acme_wire::acme_wire_`" in readme
    (root / "example.cpp").write_text(examples(readme, "cpp")[0])
    sources = ["src/acme_wire_.cpp", "src/acme_wire_server.cpp", "example.cpp"]
    run(["g++", "-std=c++17", "-fsyntax-only", "-Iinclude", *sources], root)


@pytest.mark.parametrize("target", ["cpp", "rust"])
def test_a_machine_called_as_its_package(target: str, tmp_path: Path) -> None:
    package_files = files(tmp_path, "acme-wire", target, "acme", client="acme_wire")
    sources = {path.stem for path in package_files if path.parts[0] == "src"}
    assert {"acme", "acme_wire_", "acme_server"} < sources
    assert "acme_wire" not in sources


def test_rust_a_protocol_called_as_its_crate(tmp_path: Path) -> None:
    package_files = files(tmp_path, "acme-wire", "rust")
    assert PurePosixPath("src/acme_wire_.rs") in package_files
    assert "pub mod acme_wire_;" in package_files[PurePosixPath("src/lib.rs")]
    assert "use acme_wire::acme_wire_;" in package_files[PurePosixPath("tests/answers/mod.rs")]
    assert "| `acme_wire_` |" in package_files[PurePosixPath("README.md")]
    assert not [path for path, text in package_files.items() if "acme_wire::acme_wire::" in text]


def test_rust_a_protocol_called_as_the_package_of_the_templates(tmp_path: Path) -> None:
    package_files = files(tmp_path, "acme-wire", "rust", "zeps-wire")
    modules = re.findall(r"^pub mod (\w+);", package_files[PurePosixPath("src/lib.rs")], re.MULTILINE)
    assert len(modules) > 3
    assert not [name for name in modules if PurePosixPath(f"src/{name}.rs") not in package_files]


@pytest.mark.parametrize("name", ["text", "layout", "message", "class", "test-vectors"])
def test_python_a_protocol_called_as_what_stands_beside_it(name: str, tmp_path: Path) -> None:
    package_files = files(tmp_path, "acme", "python", name, server="machine", client="operations")
    stem = f"{name.replace('-', '_')}_"
    names = (stem, "machine_", "operations_", "machine")
    assert {PurePosixPath(f"acme/{module}.py") for module in names} < set(package_files)
    assert f"`acme.{stem}`" in package_files[PurePosixPath("README.md")]
    root = write(package_files, tmp_path / "python")
    (root / "tests/test_readme.py").write_text(
        examples(package_files[PurePosixPath("README.md")], "python")[0]
    )
    (root / "tests/test_machines.py").write_text("import acme.machine_\nimport acme.operations_\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests"]
    run(command, root, PYTHONPATH=str(root), PYTEST_DISABLE_PLUGIN_AUTOLOAD="1")


FILLED = """
from acme import value, value_server

class Host:
    sent = []
    def send(self, message): self.sent.append(message)
    def unsendable(self, error): raise error
    def look_up(self, message): machine.fill_value(value=b"v")

machine = value_server.ServerMachine(Host())
machine.receive(value.Hello(name="n"))
machine.receive(value.Get(key="k"))
assert Host.sent[-1] == value.Value(value=b"v")
"""
CALLED = """
from acme import value, value_client

class Host:
    sent = []
    def send(self, message): self.sent.append(message)
    def opened(self, message): pass

machine = value_client.ClientMachine(Host())
machine.open(name="n")
machine.receive(value.Welcome())
machine.get(number=7)
assert Host.sent[-1] == value.Get(key=7)
"""


def hiding(folder: Path, package_files: dict[PurePosixPath, str], program: str) -> None:
    write(package_files | {PurePosixPath("hiding.py"): program}, folder)
    run([sys.executable, "hiding.py"], folder)


def test_python_a_protocol_called_as_a_field_that_the_host_fills(tmp_path: Path) -> None:
    hiding(tmp_path / "python", files(tmp_path, "acme", "python", "value"), FILLED)


def test_python_a_parameter_called_as_what_checks_it(tmp_path: Path) -> None:
    files(tmp_path, "acme", "python", "value")
    for path in tmp_path.glob("*.xml"):
        text = path.read_text().replace('name="key" type="string"/>Ask', 'name="number" type="number"/>Ask')
        text = text.replace('name="key" type="string"', 'name="key" type="number"')
        path.write_text(text.replace('"message.key"', '"message.number"'))
    package_files = generated(sorted(tmp_path.glob("*.xml")), "acme", "python")
    hiding(tmp_path / "python", package_files, CALLED)


@pytest.mark.parametrize(
    ("name", "package"),
    [("acme-wire", "acme.wire"), ("acme-native", "acme.native_"), ("pk-2", "pk._2"), ("new", "new_")],
)
def test_java_a_package_of_words_that_are_no_identifiers(name: str, package: str, tmp_path: Path) -> None:
    package_files = files(tmp_path, name, "java")
    assert PurePosixPath("src/main/java", *package.split("."), "package-info.java") in package_files
    sources = [text for path, text in package_files.items() if path.suffix == ".java"]
    assert all(f"package {package}" in text for text in sources)
