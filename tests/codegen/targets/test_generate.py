"""The generator: changed files are written, obsolete files are deleted, and --check detects a changed character."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from campaigns import SOAK
from our_models import BUNDLE, MODELS

from zeps_codegen import generate as generator
from zeps_codegen.cli import main
from zeps_codegen.generate import TARGETS, Changes, NotGenerated, UnknownTarget
from zeps_codegen.ir import Bundle
from zeps_codegen.manifest import MANIFEST, ManifestError, read_manifest
from zeps_codegen.package import CONFIGURATION, read_package
from zeps_codegen.targets import formatting, gallery

ROOT = Path(__file__).parents[3]
PACKAGE = read_package(ROOT)
generate = partial(generator.generate, package=PACKAGE)


@pytest.fixture
def copy(generated: Path, tmp_path: Path, recalled: None) -> Path:
    """A tree with our models and their generated files; the recorded output of targets is used."""
    return Path(shutil.copytree(generated / "tree", tmp_path / "tree"))


@pytest.mark.usefixtures("recalled")
def test_the_committed_tree_is_what_the_models_say() -> None:
    assert not generate(BUNDLE, ROOT, check=True)


def test_another_process_makes_the_same_bytes(tmp_path: Path) -> None:
    """Another process has another order of sets."""
    for name in (CONFIGURATION, "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "protocol/frames", tmp_path / "protocol/frames")
    command = [sys.executable, "-m", "zeps_codegen.cli", "generate", "--no-format", "--root", str(tmp_path)]
    environment = os.environ | {"PYTHONHASHSEED": "20"}
    subprocess.run([*command, *map(str, MODELS)], check=True, capture_output=True, env=environment)
    tree = gallery.Tree(tmp_path)
    for target in TARGETS:
        for path, content in target.files(BUNDLE, False, tree, PACKAGE).items():
            assert (tmp_path / path).read_bytes() == content, path


def test_the_demo_compares_what_is_committed() -> None:
    """Runs in a separate process, as `make demo` does."""
    run = "import demo; demo.regenerate()"
    done = subprocess.run(
        [sys.executable, "-c", run],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": "examples"},
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    assert "equal to the committed files" in done.stdout


def test_nothing_is_written_twice(copy: Path) -> None:
    times = {path: path.stat().st_mtime_ns for path in copy.rglob("*")}
    assert not generate(BUNDLE, copy)
    assert {path: path.stat().st_mtime_ns for path in copy.rglob("*")} == times


def generated_files(root: Path) -> list[Path]:
    return sorted(set().union(*read_manifest(root, [target.name for target in TARGETS]).values()))


def change(path: Path) -> None:
    """Change the last character."""
    path.write_bytes(path.read_bytes()[:-1] + b"~")


def test_a_character_of_any_file_shows(copy: Path) -> None:
    files = generated_files(copy)
    assert len(files) > 20
    for path in files[:: 1 if SOAK else 60]:
        before = (copy / path).read_bytes()
        change(copy / path)
        assert generate(BUNDLE, copy, check=True).written == [path]
        assert (copy / path).read_bytes() != before
        (copy / path).write_bytes(before)
    assert not generate(BUNDLE, copy, check=True)
    for path in files:
        change(copy / path)
    assert generate(BUNDLE, copy, check=True).written == files


def test_what_is_missing_is_written_and_what_nothing_asks_for_is_deleted(copy: Path) -> None:
    gone = Path("generated/python/zeps_wire/zeps.py")
    (copy / gone).unlink()
    stale = [Path("generated/docs/old.svg"), Path("generated/grammar/old.abnf")]
    for path, target in zip(stale, ("docs", "abnf"), strict=True):
        (copy / path).write_text("left over")
        with (copy / MANIFEST).open("a") as manifest:
            manifest.write(f"{target} {path}\n")
    expected = Changes([MANIFEST, gone], stale)
    assert generate(BUNDLE, copy, check=True) == expected
    assert (copy / stale[0]).exists()
    assert generate(BUNDLE, copy) == expected
    assert not generate(BUNDLE, copy, check=True)
    assert not any((copy / path).exists() for path in stale)


def test_files_that_others_made_stay(copy: Path) -> None:
    names = (
        "generated/python/zeps_wire/mine.py",
        "generated/go/mine/mine.go",
        "generated/grammar/mine.abnf",
        "mine.md",
    )
    for name in names:
        (copy / name).parent.mkdir(exist_ok=True, parents=True)
        (copy / name).write_text("mine")
    alone = Bundle(BUNDLE.protocols[:1])
    assert generate(alone, copy, ["python", "abnf", "model"]).deleted
    assert [(copy / name).read_text() for name in names] == ["mine"] * len(names)


def test_a_file_that_is_in_the_way_is_not_overwritten(copy: Path) -> None:
    path = Path("generated/model.json")
    lines = (copy / MANIFEST).read_text().splitlines(keepends=True)
    (copy / MANIFEST).write_text("".join(line for line in lines if not line.endswith(f" {path}\n")))
    (copy / path).write_text("mine")
    (copy / "generated/docs/zeps-rfc.md").unlink()
    with pytest.raises(NotGenerated, match=r"files exist and were not generated: generated/model\.json; "):
        generate(BUNDLE, copy)
    assert (copy / path).read_text() == "mine"
    assert not (copy / "generated/docs/zeps-rfc.md").exists(), "nothing is written"


def test_without_a_manifest_nothing_is_taken_for_generated(copy: Path) -> None:
    (copy / MANIFEST).unlink()
    path = copy / "generated/go/go.mod"
    path.write_text("mine")
    with pytest.raises(NotGenerated, match=r"files exist and were not generated: generated/go/go\.mod; "):
        generate(BUNDLE, copy)
    assert path.read_text() == "mine"


def test_who_is_killed_on_the_way_can_generate_again(copy: Path) -> None:
    """Every file is complete, and the manifest lists all files."""
    whole = {path: path.read_bytes() for path in copy.rglob("*") if path.is_file()}
    made = [copy / "generated" / "python", copy / "generated" / "kaitai"]
    command = [
        sys.executable,
        "-m",
        "zeps_codegen.cli",
        "generate",
        "--target",
        "python",
        "--target",
        "kaitai",
    ]
    for folder in made:
        shutil.rmtree(folder)
    (copy / MANIFEST).unlink()
    with subprocess.Popen(command, cwd=copy) as process:
        while process.poll() is None and not made[0].exists():
            time.sleep(0.002)
        process.kill()
    for path in {path for folder in made for path in folder.rglob("*") if path in whole}:
        assert path.read_bytes() == whole[path]
    assert subprocess.run(command, cwd=copy, timeout=120, check=False).returncode == 0
    for path in whole:
        if any(path.is_relative_to(folder) for folder in made):
            assert path.read_bytes() == whole[path]


@pytest.mark.parametrize(
    "line",
    ["model protocol/zeps.xml", "model zeps-codegen.toml"],
)
def test_models_and_configuration_are_never_deleted(copy: Path, line: str) -> None:
    (copy / MANIFEST).write_text(f"{line}\n")
    with pytest.raises(ManifestError, match=r"manifest\.txt:1: no target generates this file"):
        generate(BUNDLE, copy, ["abnf"])
    assert (copy / line.split()[1]).exists()


def test_a_manifest_that_is_no_text_is_refused(copy: Path) -> None:
    (copy / MANIFEST).write_bytes(b"model \xff\n")
    with pytest.raises(ManifestError, match=r"manifest\.txt: not UTF-8"):
        generate(BUNDLE, copy, ["abnf"])


@pytest.mark.parametrize("line", ["python", "python ", " x", "cobol x", "python /etc/passwd", "python ../x"])
def test_a_manifest_that_cannot_be_right_is_refused(copy: Path, line: str) -> None:
    (copy / MANIFEST).write_text(f"# a comment\n{line}\n")
    with pytest.raises(ManifestError, match=r"manifest\.txt:2: not a target and a path"):
        generate(BUNDLE, copy, ["abnf"])


def test_one_target_leaves_the_others_alone(copy: Path) -> None:
    (copy / "generated" / "model.json").write_text("{}")
    assert not generate(BUNDLE, copy, ["abnf"])
    assert generate(BUNDLE, copy, ["model"]).written == [Path("generated/model.json")]


def test_an_unknown_target_is_named(copy: Path) -> None:
    with pytest.raises(UnknownTarget, match="unknown target 'cobol'; the targets are python, "):
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
