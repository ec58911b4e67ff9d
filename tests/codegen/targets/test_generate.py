"""The driver: what differs is written, what nothing asks for is deleted, and --check sees each character."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from zeps_codegen.cli import main
from zeps_codegen.generate import TARGETS, UnknownTarget, generate
from zeps_codegen.load import load_bundle
from zeps_codegen.targets import formatting, gallery

ROOT = Path(__file__).parents[3]
MODELS = sorted((ROOT / "protocol").glob("*.xml"))
BUNDLE = load_bundle(MODELS)


@pytest.fixture
def copy(generated: Path, tmp_path: Path, recalled: None) -> Path:
    """A tree with our models and all that they generate, where what they generate is made at once."""
    return Path(shutil.copytree(generated / "tree", tmp_path / "tree"))


@pytest.mark.usefixtures("recalled")
def test_the_committed_tree_is_what_the_models_say() -> None:
    assert generate(BUNDLE, ROOT, check=True) == []


def test_twice_gives_the_same_octets() -> None:
    tree = gallery.Tree(ROOT)
    for target in TARGETS:
        once, again = (target.files(bundle, False, tree) for bundle in (BUNDLE, load_bundle(MODELS)))
        assert once == again


def test_nothing_is_written_twice(copy: Path) -> None:
    times = {path: path.stat().st_mtime_ns for path in copy.rglob("*")}
    assert generate(BUNDLE, copy) == []
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*")} == times


def generated_files(root: Path) -> list[Path]:
    found = [path.relative_to(root) for path in sorted(root.rglob("*")) if path.is_file()]
    return [path for path in found if path.suffix not in (".xml", ".rng")]


def change(path: Path) -> None:
    """Change the last character."""
    path.write_bytes(path.read_bytes()[:-1] + b"~")


def test_a_character_of_any_file_shows(copy: Path) -> None:
    files = generated_files(copy)
    assert len(files) > 20
    for path in files[::10]:
        before = (copy / path).read_bytes()
        change(copy / path)
        assert generate(BUNDLE, copy, check=True) == [path]
        assert (copy / path).read_bytes() != before
        (copy / path).write_bytes(before)
    assert generate(BUNDLE, copy, check=True) == []
    for path in files:
        change(copy / path)
    assert generate(BUNDLE, copy, check=True) == files


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


def test_a_missing_formatter_is_an_error_with_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatting.sys, "executable", "/nowhere/python")
    monkeypatch.setattr(formatting.shutil, "which", lambda _: None)
    with pytest.raises(formatting.FormatterError, match="pip install"):
        generate(BUNDLE, tmp_path, ["python"])


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
    assert main(["generate", "--check", "--target", "python"]) == 1
    assert "generated/python/zeps_wire/zeps.py" in capsys.readouterr().out
