"""The driver: what differs is written, what nothing asks for is deleted, and --check sees each character."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path, PurePosixPath

import pytest

from zeps_codegen import generate as driver
from zeps_codegen.cli import main
from zeps_codegen.generate import TARGETS, Target, UnknownTarget, generate
from zeps_codegen.load import load_bundle
from zeps_codegen.targets import formatting

ROOT = Path(__file__).parents[3]
MODELS = sorted((ROOT / "protocol").glob("*.xml"))
BUNDLE = load_bundle(MODELS)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree with the models and all that they generate. Tests leave it as it is."""
    root = tmp_path_factory.mktemp("tree")
    shutil.copytree(ROOT / "protocol", root / "protocol", ignore=shutil.ignore_patterns("grammar"))
    generate(BUNDLE, root)
    return root


@pytest.fixture
def copy(tree: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(tree, tmp_path / "tree"))


def test_the_committed_tree_is_what_the_models_say() -> None:
    assert generate(BUNDLE, ROOT, check=True) == []


def test_twice_gives_the_same_octets() -> None:
    for target in TARGETS:
        assert target.render(BUNDLE) == target.render(load_bundle(MODELS))


def test_nothing_is_written_twice(copy: Path) -> None:
    times = {path: path.stat().st_mtime_ns for path in copy.rglob("*")}
    assert generate(BUNDLE, copy) == []
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*")} == times


def generated_files(root: Path) -> list[Path]:
    found = [path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_file()]
    return [path for path in found if path.suffix not in (".xml", ".rng")]


@pytest.fixture
def remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the targets make is made once: formatters of seven languages take their time."""

    def memory(target: Target) -> Target:
        made = target.render(BUNDLE)

        def render(*_: object, **__: object) -> dict[PurePosixPath, bytes]:
            return made

        return replace(target, render=render)

    monkeypatch.setattr(driver, "TARGETS", tuple(map(memory, TARGETS)))


@pytest.mark.usefixtures("remembered")
def test_a_character_of_any_file_shows(copy: Path) -> None:
    files = generated_files(copy)
    assert len(files) > 20
    for path in files:
        before = (copy / path).read_bytes()
        (copy / path).write_bytes(before[:-1] + b"~" if before else b"~")
        assert generate(BUNDLE, copy, check=True) == [path]
        assert (copy / path).read_bytes() != before
        (copy / path).write_bytes(before)
    assert generate(BUNDLE, copy, check=True) == []


def test_missing_and_stale_files_show_and_are_mended(copy: Path) -> None:
    gone = Path("generated/python/zeps_wire/zeps.py")
    names = [
        Path("generated/python/zeps_wire/old.py"),
        Path("generated/docs/old.svg"),
        Path("protocol/grammar/old.abnf"),
    ]
    (copy / gone).unlink()
    stale = [Path(name) for name in names]
    for path in stale:
        (copy / path).write_text("left over")
    foreign = copy / "generated" / "of_another" / "zeps.json"
    foreign.parent.mkdir()
    foreign.write_text("another's")
    assert generate(BUNDLE, copy, check=True) == sorted([gone, *stale])
    assert generate(BUNDLE, copy) == sorted([gone, *stale])
    assert generate(BUNDLE, copy, check=True) == []
    assert foreign.read_text() == "another's"
    assert not (copy / stale[0]).exists()


def test_what_python_compiles_is_not_stale(copy: Path) -> None:
    cache = copy / "generated" / "python" / "zeps_wire" / "__pycache__" / "zeps.pyc"
    cache.parent.mkdir()
    cache.write_bytes(b"")
    assert generate(BUNDLE, copy, check=True) == []


def test_one_target_leaves_the_others_alone(copy: Path) -> None:
    (copy / "generated" / "model.json").write_text("{}")
    assert generate(BUNDLE, copy, ["abnf"]) == []
    assert generate(BUNDLE, copy, ["model"]) == [Path("generated/model.json")]


def test_an_unknown_target_is_named(copy: Path) -> None:
    with pytest.raises(UnknownTarget, match="no target is called 'cobol': there are python, "):
        generate(BUNDLE, copy, ["cobol"])


def test_a_missing_formatter_is_an_error_with_a_hint(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatting.sys, "executable", "/nowhere/python")
    monkeypatch.setattr(formatting.shutil, "which", lambda _: None)
    with pytest.raises(formatting.FormatterError, match="pip install"):
        driver.generate(BUNDLE, copy, ["python"])


def test_the_command_exits_1_when_something_differs(
    copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(copy)
    assert main(["generate", "--check"]) == 0
    readme = copy / "generated" / "docs" / "README.md"
    readme.write_text(readme.read_text() + " ")
    assert main(["generate", "--check"]) == 1
    assert "generated/docs/README.md" in capsys.readouterr().out
    assert main(["generate"]) == 0
    assert main(["generate", "--check"]) == 0


def test_a_character_of_a_model_shows(
    copy: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(copy)
    model = copy / "protocol" / "zeps.xml"
    model.write_text(model.read_text().replace("Client opens stream", "Client opens streams"))
    assert main(["generate", "--check"]) == 1
    assert "generated/python/zeps_wire/zeps.py" in capsys.readouterr().out
