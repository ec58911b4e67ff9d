"""The configuration of generated packages, and `zeps-codegen init`."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from zeps_codegen.cli import main
from zeps_codegen.init import first_files
from zeps_codegen.package import Package, PackageError, read_package
from zeps_codegen.package_names import check_names
from zeps_codegen.targets.errors import UnsupportedByTarget
from zeps_codegen.targets.formatting import FormatterError

ROOT = Path(__file__).parents[3]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The current folder, with a new project `acme-wire` and the target docs."""
    monkeypatch.chdir(tmp_path)
    assert main(["init", "acme-wire", "--target", "docs"]) == 0
    capsys.readouterr()
    return tmp_path


def package(tmp_path: Path, text: str, *changes: str) -> Package:
    (tmp_path / "zeps-codegen.toml").write_text(text)
    return read_package(tmp_path, None, changes)


def test_without_a_configuration_everything_has_a_default(tmp_path: Path) -> None:
    assert read_package(tmp_path) == Package()


def test_names_follow_from_the_package_s(tmp_path: Path) -> None:
    settings = package(tmp_path, '[package]\nname = "acme-wire"\n')
    assert (settings.python, settings.rust, settings.typescript) == ("acme_wire", "acme-wire", "acme-wire")
    assert (settings.go, settings.go_runtime) == ("acme.example/wire", "wire")
    assert (settings.java_group, settings.java_artifact, settings.java_package) == (
        "acme",
        "acme-wire",
        "acme.wire",
    )
    assert (settings.c_library, settings.c_prefix, settings.c_model_prefix) == (
        "acme_wire",
        "acme_wire",
        "acme_wire_",
    )
    assert (settings.cpp_library, settings.cpp_namespace) == ("acme_wire_cpp", "acme_wire")
    assert (settings.elixir_app, settings.elixir_module) == ("acme_wire", "AcmeWire")


def test_what_is_named_is_called_so(tmp_path: Path) -> None:
    text = '[go]\nmodule = "example.com/a/b"\nfolder = "clients/go"\n[typescript]\npackage = "@acme/wire"\n'
    settings = package(tmp_path, text, "go.module=example.com/c", "package.targets=go,docs")
    assert (settings.go, settings.typescript, settings.targets) == (
        "example.com/c",
        "@acme/wire",
        ("go", "docs"),
    )
    assert settings.folders["go"].as_posix() == "clients/go"
    assert package(tmp_path, '[c]\nprefix = "kv"\n').c_model_prefix == "kv_"
    assert package(tmp_path, '[c]\nmodel_prefix = ""\n').c_model_prefix == ""


def test_the_licence_is_read_beside_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "COPYING").write_text("Do as you like.\n")
    assert package(tmp_path, '[package]\nlicense_file = "COPYING"\n').license_text == "Do as you like.\n"


@pytest.mark.parametrize(
    ("target", "setting", "said"),
    [
        ("python", "package.name=class", "python.package = 'class': 'class' is a reserved word of Python"),
        ("python", "python.package=acme.async", "'async' is a reserved word of Python"),
        ("python", "package.name=json", "in Python, 'json' is a name of the standard library"),
        ("cpp", "package.name=class", "cpp.namespace = 'class': 'class' is a reserved word of C++"),
        ("cpp", "cpp.namespace=std", "in C++, 'std' is a name of the standard library"),
        ("cpp", "cpp.library=test", "in C++, 'test' is a name of CMake or the system's libraries"),
        ("c", "package.name=m", "c.library = 'm': in C, 'm' is a name of CMake or the system's libraries"),
        ("go", "go.module=example.com/map", "'map' is a reserved word of Go"),
        ("go", "go.module=net/http", "in Go, 'net' is a name of the standard library"),
        ("go", "go.module=example.com/main", "in Go, 'main' is a name of packages that are not imported"),
        ("java", "java.package=com.acme.native", "'native' is a reserved word of Java"),
        ("java", "java.package=java.wire", "in Java, 'java' is a name of the standard library"),
        ("rust", "package.name=match", "rust.crate = 'match': 'match' is a reserved word of Rust"),
        ("rust", "rust.crate=core", "in Rust, 'core' is a name of the standard library"),
        ("typescript", "package.name=fs", "typescript.package = 'fs': in TypeScript, 'fs' is a name of Node"),
        ("elixir", "package.name=kernel", "in Elixir, 'kernel' is a name of Elixir's applications"),
        ("elixir", "elixir.module=Enum.Wire", "in Elixir, 'Enum' is a name of the standard library"),
    ],
)
def test_a_name_that_a_language_reserves_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], target: str, setting: str, said: str
) -> None:
    command = ["generate", "--no-format", "--set", setting, "--target", "docs"]
    assert main([*command, "--target", target]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "to another name" in error
    assert not (project / "generated" / target).exists()
    assert main(command) == 0


@pytest.mark.usefixtures("project")
def test_targets_that_make_no_package_need_no_licence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["generate", "--target", "vectors"]) == 0
    assert "ZC902" not in capsys.readouterr().err


@pytest.mark.parametrize("target", ["python", "typescript", "rust", "go", "java", "c", "cpp", "elixir"])
def test_a_name_that_is_only_a_part_of_another_is_not_refused(target: str) -> None:
    check_names(Package("net-test"), target)
    check_names(Package(names={"typescript.package": "@acme/fs", "java.package": "com.acme.record"}), target)


def test_init_refuses_a_name_that_its_target_reserves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["init", "class", "--target", "python", "--root", str(tmp_path / "project")]) == 2
    assert "'class' is a reserved word of Python" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


LICENSED = ("python", "rust", "typescript", "java", "elixir")


def test_packages_without_a_licence_say_so_and_name_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["init", "acme-wire", "--target", "python"]) == 0
    remark = (
        "zeps-codegen.toml: info ZC902: package.license is not set: the generated packages name no license"
    )
    assert f"{remark} (hint: " in capsys.readouterr().err
    chosen = [argument for target in LICENSED for argument in ("--target", target)]
    for settings, licensed in (([], False), (["--set", "package.license=Apache-2.0"], True)):
        assert main(["generate", "--no-format", *chosen, *settings]) == 0
        assert (remark in capsys.readouterr().err) is not licensed
        for target in LICENSED:
            texts = [path.read_text() for path in Path("generated", target).rglob("*") if path.is_file()]
            assert any("Apache-2.0" in text for text in texts) is licensed
            assert not any("MPL" in text for text in texts)
    assert not list(Path("generated").rglob("LICENSE"))
    assert tomllib.loads(Path("generated/python/pyproject.toml").read_text())["project"]["license"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[package", "zeps-codegen.toml: Expected"),
        ('[package]\nname = "Acme Wire"\n', "package.name = 'Acme Wire' is not words in lower case"),
        ('[package]\nversion = "1"\n', "package.version = '1' is not a version"),
        ("[package]\nversion = 1\n", "package.version must be a string"),
        ('[package]\nauthors = "me"\n', "package.authors must be a list of strings"),
        ('[package]\nlicence = "MPL"\n', "package.licence is not a setting; the settings are name, version"),
        ('[package]\nlicense_file = "none"\n', "package.license_file: "),
        ('[package]\nframes = "../frames"\n', "package.frames = '../frames' is not a folder below the root"),
        ('[package]\nframes = "none"\n', "package.frames: "),
        (
            '[cobol]\npackage = "x"\n',
            "[cobol] is not a table of the configuration; the tables are package, python",
        ),
        ("package = 1\n", "package is not a table"),
        ('[go]\nmodule = "a b"\n', "go.module = 'a b' is not a module's path"),
        ('[go]\nfolder = "../go"\n', "go.folder = '../go' is not a folder below the root"),
        ('[c]\nmodel_prefix = "a-"\n', "c.model_prefix = 'a-' is not an identifier or empty"),
        ('[go]\npackage = "x"\n', "go.package is not a setting; the settings are module, folder"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(PackageError) as error:
        package(tmp_path, text)
    assert str(tmp_path / "zeps-codegen.toml") in str(error.value)
    assert message in str(error.value)


@pytest.mark.usefixtures("project")
def test_a_frame_that_is_wrong_fails(capsys: pytest.CaptureFixture[str]) -> None:
    Path("protocol/frames").mkdir()
    frame = Path("protocol/frames/acme.md.j2")
    frame.write_text("# Acme\n\n[[contents]]\n\n{{ rule('ACME-1') }}\n")
    assert main(["generate", "--set", "package.frames=protocol/frames"]) == 1
    assert "error: protocol/frames/acme.md.j2:0: no section has the rules ACME-1" in capsys.readouterr().err
    frame.write_text("# Acme\n\n[[contents]]\n\n## Goals\n\nNone but [[Goals]].\n")
    assert main(["generate", "--set", "package.frames=protocol/frames"]) == 0
    assert "None but [section 1](#1-goals)." in Path("generated/docs/acme-rfc.md").read_text()


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
    assert written[:2] == ["zeps-codegen.toml", "protocol/acme.xml"]
    assert all(Path(path).is_file() for path in written)
    assert main(["check"]) == 0
    assert main(["generate", "--check"]) == 0


def test_init_changes_nothing_that_is_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "zeps-codegen.toml").write_text("mine")
    assert main(["init", "acme-wire", "--root", str(tmp_path)]) == 2
    assert "no files were written" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["zeps-codegen.toml"]


def test_init_refuses_a_name_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("Acme Wire", "2go", ""):
        assert main(["init", name, "--root", str(tmp_path)]) == 2
        said = capsys.readouterr().err
        assert "NAME must consist of lower-case words separated by hyphens" in said
        assert "begin with a letter" in said
        assert f"not {name!r}" in said
        assert ".toml" not in said


@pytest.mark.parametrize(
    ("package_name", "model"),
    [
        ("acme-wire", "acme"),
        ("acme-rain-protocol", "acme_rain"),
        ("acme-proto", "acme"),
        ("acme-rain", "acme_rain"),
        ("wire", "wire"),
        ("class-wire", "class_wire"),
    ],
)
def test_the_model_is_called_as_the_package_s_first_words(package_name: str, model: str) -> None:
    files = first_files(package_name, ("docs",))
    assert Path(f"protocol/{model}.xml") in files
    assert f'<class name="{model}"' in files[Path(f"protocol/{model}.xml")]


@pytest.mark.parametrize("there", [(), ("protocol/mine.txt",)])
@pytest.mark.parametrize("failing", ["formatter", "target", "refusal", "foreign"])
def test_init_that_fails_leaves_what_it_found(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    there: tuple[str, ...],
    failing: str,
) -> None:
    root = tmp_path / "project"
    foreign = ("generated/manifest.txt", "generated/docs/acme.md") if failing == "foreign" else ()
    for path in (*there, *foreign):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("# mine\n")
    before = sorted(tmp_path.rglob("*"))

    def refuse(*_: object, **__: object) -> dict[object, bytes]:
        if failing == "formatter":
            raise FormatterError("ruff refused it")
        raise UnsupportedByTarget("docs", "", "", "needs luck")

    target = "cobol" if failing == "target" else "docs"
    with monkeypatch.context() as patch:
        if failing in ("formatter", "refusal"):
            patch.setattr("zeps_codegen.targets.docs.render", refuse)
        assert main(["init", "acme-wire", "--target", target, "--root", str(root)]) == 2
    said = capsys.readouterr()
    assert "error: " in said.err
    assert said.out == ""
    assert sorted(tmp_path.rglob("*")) == before
    if failing != "foreign":
        assert main(["init", "acme-wire", "--target", "docs", "--root", str(root)]) == 0


def test_a_target_goes_where_the_configuration_says(project: Path) -> None:
    assert not (project / "generated" / "go").exists()
    with (project / "zeps-codegen.toml").open("a") as file:
        file.write('\n[go]\nfolder = "clients/go"\n')
    assert main(["generate", "--target", "go", "--no-format"]) == 0
    assert (project / "clients" / "go" / "go.mod").is_file()
    assert not (project / "generated" / "go").exists()
