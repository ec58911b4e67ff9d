"""One edit of ``protocol/zmtp.xml`` changes the codecs, the documents and the cases."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from implementations import attempt
from zeps_conformance.common.results import CaseResult
from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.runs.columns import profile_of
from zeps_conformance.runs.profiles import PROFILES
from zeps_conformance.sockets.adapter import Adapter, Implementation
from zeps_conformance.sockets.context import Settings, ZmtpProtocol
from zeps_conformance.wire.zmtp_codec import packaged_wire

ROOT = Path(__file__).parents[3]
TOY = ROOT / "tests/conformance/helpers/toy_faults.py"
CASE = "zmtp-sub.subscribe.as-message-3-0"

#: One worker generates the unchanged models for both tests.
pytestmark = pytest.mark.xdist_group("one-source")

LANGUAGES = ("python", "c", "cpp", "java", "go", "rust", "typescript")


@pytest.fixture(scope="module")
def as_committed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the output of the unchanged models, without formatters."""
    return generated(tmp_path_factory.mktemp("committed"), "</class>", "</class>")


def generated(folder: Path, old: str, new: str) -> Path:
    """Replaces a text of the model, which occurs once. Returns the folder of all generated files, in `folder`."""
    shutil.copytree(ROOT / "protocol", folder / "protocol")
    model = folder / "protocol/zmtp.xml"
    text = model.read_text(encoding="utf-8")
    assert text.count(old) == 1
    model.write_text(text.replace(old, new), encoding="utf-8")
    command = [sys.executable, "-m", "zeps_codegen.cli", "generate", "--no-format"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return folder / "generated"


def changed(before: Path, after: Path) -> set[str]:
    """Returns the top folder of each changed file, except the files to which Python compiles."""
    rooted_paths = [(root, path) for root in (before, after) for path in root.rglob("*") if path.is_file()]
    files = {path.relative_to(root) for root, path in rooted_paths if path.suffix != ".pyc"}
    return {name.parts[0] for name in files if _content(before / name) != _content(after / name)}


def judge(fault: str, model: Path | None) -> CaseResult:
    """Runs the case on the toy implementation, which follows the committed protocol except for `fault`."""
    profile = profile_of("SUB")
    (case,) = profile.cases([CASE])
    says = ZmtpProtocol(packaged_wire(model), PROFILES[profile.name].rulebook(model))
    with Adapter(
        Implementation(Path("toy.toml"), "toy", (sys.executable, str(TOY), fault), ("SUB",))
    ) as adapter:
        return attempt(case, adapter, "SUB", Settings(timeout=2.0), says)


def test_an_octet_of_a_statement(tmp_path: Path, as_committed: Path) -> None:
    old = 'value="1">Tells a subscription from a cancellation'
    folder = generated(tmp_path, old, old.replace('"1"', '"5"'))
    assert changed(as_committed, folder) >= {*LANGUAGES, "model.json", "docs", "vectors", "kaitai"}
    script = "from zeps_wire import zmtp; print(zmtp.Subscription(b'A').encode().hex())"
    paths = [str(folder / "python"), str(as_committed / "python")]
    said = [
        subprocess.check_output([sys.executable, "-c", script], env={"PYTHONPATH": path}) for path in paths
    ]
    assert said == [b"0541\n", b"0141\n"]
    assert judge("none", None).verdict is Verdict.PASS
    result = judge("none", folder / "model.json")
    assert result.verdict is Verdict.FAIL
    assert (result.rule, result.level) == ("ZMTP-S-1", "MUST")


def test_the_level_of_a_rule(tmp_path: Path, as_committed: Path) -> None:
    rule = 'id="ZMTP-S-1" level="{0}" role="client" source="RFC 23 §The Publish-Subscribe Pattern">A subscriber {0}'
    folder = generated(tmp_path, rule.format("MUST"), rule.format("SHOULD"))
    assert changed(as_committed, folder) == {"model.json", "docs", "kaitai"}
    page = (folder / "docs/zmtp.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if "ZMTP-S-1" in line and "SHOULD" in line]
    assert judge("always-commands", None).verdict is Verdict.FAIL
    result = judge("always-commands", folder / "model.json")
    assert (result.verdict, result.rule) == (Verdict.WARN, "ZMTP-S-1")


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None
