"""The configuration of generated packages, and `zeps-codegen init`."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from zeps_codegen.cli import main
from zeps_codegen.package import Package, PackageError, read_package

ROOT = Path(__file__).parents[3]


def package(tmp_path: Path, text: str, *changes: str) -> Package:
    (tmp_path / "zeps-codegen.toml").write_text(text)
    return read_package(tmp_path, None, changes)


def test_without_a_configuration_everything_has_a_default(tmp_path: Path) -> None:
    assert read_package(tmp_path) == Package()


def test_names_follow_from_the_package_s(tmp_path: Path) -> None:
    found = package(tmp_path, '[package]\nname = "acme-wire"\n')
    assert (found.python, found.rust, found.typescript) == ("acme_wire", "acme-wire", "acme-wire")
    assert (found.go, found.go_runtime) == ("acme.example/wire", "wire")
    assert (found.java_group, found.java_artifact, found.java_package) == ("acme", "acme-wire", "acme.wire")
    assert (found.c_library, found.c_prefix) == ("acme_wire", "acme_wire")
    assert (found.cpp_library, found.cpp_namespace) == ("acme_wire_cpp", "acme_wire")
    assert (found.elixir_app, found.elixir_module) == ("acme_wire", "AcmeWire")


def test_what_is_named_is_called_so(tmp_path: Path) -> None:
    text = '[go]\nmodule = "example.com/a/b"\nfolder = "clients/go"\n[typescript]\npackage = "@acme/wire"\n'
    found = package(tmp_path, text, "go.module=example.com/c", "package.targets=go,docs")
    assert (found.go, found.typescript, found.targets) == ("example.com/c", "@acme/wire", ("go", "docs"))
    assert found.folders["go"].as_posix() == "clients/go"


def test_the_licence_is_read_beside_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "COPYING").write_text("Do as you like.\n")
    assert package(tmp_path, '[package]\nlicense_file = "COPYING"\n').license_text == "Do as you like.\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[package", "zeps-codegen.toml: Expected"),
        ('[package]\nname = "Acme Wire"\n', "package.name = 'Acme Wire' is not words in lower case"),
        ('[package]\nversion = "1"\n', "package.version = '1' is not a version"),
        ("[package]\nversion = 1\n", "package.version is not a text"),
        ('[package]\nauthors = "me"\n', "package.authors is not a list of names"),
        ('[package]\nlicence = "MPL"\n', "package.licence is not a setting; there are name, version"),
        ('[package]\nlicense_file = "none"\n', "package.license_file: "),
        ('[cobol]\npackage = "x"\n', "there is no table [cobol]; there are package, python"),
        ("package = 1\n", "package is not a table"),
        ('[go]\nmodule = "a b"\n', "go.module = 'a b' is not a module's path"),
        ('[go]\nfolder = "../go"\n', "go.folder = '../go' is not a folder below the root"),
        ('[go]\npackage = "x"\n', "go.package is not a setting; there are module, folder"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(PackageError) as error:
        package(tmp_path, text)
    assert str(tmp_path / "zeps-codegen.toml") in str(error.value)
    assert message in str(error.value)


def test_a_change_that_is_none_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "--set", "module", "--root", str(ROOT)]) == 2
    assert "'module' is not TABLE.KEY=VALUE" in capsys.readouterr().err


def test_our_packages_have_the_version_of_the_distribution() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert read_package(ROOT).version == project["version"]


def test_init_makes_a_project_that_checks_and_generates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "acme-wire", "--target", "docs", "--target", "vectors"]) == 0
    written = capsys.readouterr().out.splitlines()
    assert written[:2] == ["zeps-codegen.toml", "protocol/acme_wire.xml"]
    assert all(Path(path).is_file() for path in written)
    assert main(["check"]) == 0
    assert main(["generate", "--check"]) == 0


def test_init_changes_nothing_that_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "zeps-codegen.toml").write_text("mine")
    assert main(["init", "acme-wire", "--root", str(tmp_path)]) == 2
    assert "there already; nothing was written" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["zeps-codegen.toml"]


def test_init_refuses_a_name_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["init", "Acme Wire", "--root", str(tmp_path)]) == 2
    assert "is not words in lower case" in capsys.readouterr().err


def test_a_target_goes_where_the_configuration_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "acme-wire", "--target", "docs"]) == 0
    assert not (tmp_path / "generated" / "go").exists()
    with (tmp_path / "zeps-codegen.toml").open("a") as file:
        file.write('\n[go]\nfolder = "clients/go"\n')
    assert main(["generate", "--target", "go", "--no-format"]) == 0
    assert (tmp_path / "clients" / "go" / "go.mod").is_file()
    assert not (tmp_path / "generated" / "go").exists()
