"""generate and abnf, from the command line."""

from __future__ import annotations

import shutil
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from commands import run_here

from zeps_codegen.cli import main
from zeps_codegen.ir import Bundle
from zeps_codegen.targets import rust
from zeps_codegen.targets.errors import UnsupportedByTarget

ROOT = Path(__file__).parents[3]


def run(*arguments: str, folder: Path) -> CompletedProcess[str]:
    return run_here(main, arguments, folder)


#: Some of the targets; one has a formatter.
SOME = ("--target", "model", "--target", "abnf", "--target", "python")


@pytest.fixture
def tree(generated: Path, tmp_path: Path) -> Path:
    """A folder with our models, and all files that they generate."""
    return Path(shutil.copytree(generated / "tree", tmp_path / "tree"))


def test_generate_writes_what_is_not_there(tree: Path) -> None:
    (tree / "generated" / "model.json").unlink()
    done = run("generate", *SOME, folder=tree)
    assert (done.returncode, done.stdout) == (0, "generated/model.json\n"), done.stderr


def test_generate_again_writes_nothing(tree: Path) -> None:
    done = run("generate", *SOME, folder=tree)
    assert (done.returncode, done.stdout) == (0, "")


def test_check_is_content_until_one_character_changes(tree: Path) -> None:
    assert run("generate", "--check", *SOME, folder=tree).returncode == 0
    path = tree / "generated" / "model.json"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("zeps", "zepz", 1), encoding="utf-8")
    done = run("generate", "--check", *SOME, folder=tree)
    assert (done.returncode, done.stdout) == (1, "generated/model.json\n")
    assert "zeps-codegen generate" in done.stderr
    assert run("generate", "--check", "--target", "python", folder=tree).returncode == 0
    assert run("generate", *SOME, folder=tree).returncode == 0
    assert path.read_text(encoding="utf-8") == text


def test_check_sees_a_change_of_the_model(tree: Path) -> None:
    path = tree / "protocol" / "zeps.xml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('id="12"', 'id="13"'), encoding="utf-8")
    done = run("generate", "--check", *SOME, folder=tree)
    assert done.returncode == 1
    assert "generated/model.json" in done.stdout


def test_models_with_errors_generate_nothing(tree: Path, tmp_path: Path) -> None:
    bad = ROOT / "tests" / "codegen" / "passes" / "bad" / "id.xml"
    (tmp_path / "out").mkdir()
    done = run("generate", str(bad), "--root", str(tmp_path / "out"), folder=tree)
    assert done.returncode == 1
    assert "error ZC211" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []


def test_what_a_target_cannot_serve_is_named_and_the_others_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    model = ROOT / "tests" / "codegen" / "targets" / "golden" / "frames" / "frames.xml"
    lines = model.read_text(encoding="utf-8").splitlines()

    def render(bundle: Bundle, **_options: object) -> None:
        raise UnsupportedByTarget("rust", "PARCEL", "content", "it has no frames")

    monkeypatch.setattr(rust, "render", render)
    for targets in (("rust", "python", "typescript"), ("rust",)):
        chosen = [argument for target in targets for argument in ("--target", target)]
        root = ("--root", str(tmp_path))
        assert main(["generate", str(model), "--no-format", *root, *chosen]) == 1
        said, *_ = [
            line for line in capsys.readouterr().err.splitlines() if "no files were written for" in line
        ]
        file, number, rest = said.split(":", 2)
        assert (Path(file).name, rest.startswith(" error ZC901: rust cannot carry ")) == ("frames.xml", True)
        assert '"content"' in lines[int(number) - 1]
    assert (tmp_path / "generated" / "python" / "zeps_wire" / "frames.py").exists()
    assert not (tmp_path / "generated" / "rust").exists()


def test_unknown_targets_are_a_wrong_use(tree: Path) -> None:
    done = run("generate", "--target", "cobol", folder=tree)
    assert done.returncode == 2
    assert "python" in done.stderr


def test_abnf_prints_what_import_reads(tree: Path) -> None:
    done = run("abnf", "protocol/zeps.xml", folder=tree)
    assert done.returncode == 0
    assert 'attach-protocol = %x04 %s"ZEPS"' in done.stdout
    assert run("abnf", "protocol/zeps_server.xml", folder=tree).stdout == done.stdout
    (tree / "zeps.abnf").write_text(done.stdout, encoding="utf-8")
    imported = run("import", "zeps.abnf", folder=tree)
    assert imported.returncode == 0
    assert imported.stderr == ""
    (tree / "again.xml").write_text(imported.stdout, encoding="utf-8")
    frame = "AAA5 07 0000000000000007 03616263 00000004 DEADBEEF"
    outputs = [
        run("decode", model, frame, folder=tree).stdout for model in ("again.xml", "protocol/zeps.xml")
    ]
    assert outputs[0] == outputs[1] != ""


def test_without_formatters(tree: Path, tmp_path: Path) -> None:
    """Without formatters the files differ; formatted again, they are equal to the committed files."""
    out = tmp_path / "out"
    out.mkdir()
    for name in ("zeps-codegen.toml", "LICENSE"):
        shutil.copy(tree / name, out)
    shutil.copytree(tree / "protocol/frames", out / "protocol/frames")
    done = run("generate", "--no-format", "--root", str(out), folder=tree)
    assert done.returncode == 0, done.stderr
    made = {path.relative_to(out) for path in out.rglob("*") if path.is_file()}
    owned = {path.relative_to(tree) for path in (tree / "generated").rglob("*") if path.is_file()}
    assert owned <= made
    both = run("generate", "--no-format", "--check", folder=tree)
    assert both.returncode == 2
    assert "--no-format" in both.stderr
