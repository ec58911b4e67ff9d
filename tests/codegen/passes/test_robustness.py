"""The front end reports findings for any model, and does not crash."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

from campaigns import sized
from hypothesis import example, given, settings
from hypothesis import strategies as st

from zeps_codegen.diagnostics import has_errors
from zeps_codegen.load import load

ROOT = Path(__file__).parents[3]
PROTOCOL, MODELS = ROOT / "protocol", ROOT / "tests" / "codegen" / "source" / "models"
SOURCES = [*sorted(PROTOCOL.glob("*.xml")), *sorted(MODELS.glob("*_*.xml")), MODELS / "everything.xml"]
TEXTS = {path.name: path.read_text(encoding="utf-8") for path in SOURCES}
ATTRIBUTE = re.compile(r"(\w+)\s*=\s*(\"[^\"]*\"|'[^']*')")
WORDS = "* -1 0 99999999999999999999 message.x size(PING) start PING ' é"
STRANGE = st.sampled_from(["", " ", "a b", *WORDS.split()])
STRANGE |= st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


@st.composite
def mutants(draw: st.DrawFn) -> tuple[str, str]:
    """A model with some attributes changed or removed, or some lines moved or removed."""
    name = draw(st.sampled_from(sorted(TEXTS)))
    text = TEXTS[name]
    for _ in range(draw(st.integers(1, 4))):
        if draw(st.booleans()):
            match = draw(st.sampled_from(list(ATTRIBUTE.finditer(text)) or [None]))
            if match is None:
                continue
            value = draw(st.none() | STRANGE)
            new = "" if value is None else f'{match.group(1)}="{escaped(value)}"'
            text = text[: match.start()] + new + text[match.end() :]
        else:
            lines = text.split("\n")
            line = lines.pop(draw(st.integers(0, len(lines) - 1)))
            if draw(st.booleans()) and lines:
                lines.insert(draw(st.integers(0, len(lines) - 1)), line)
            text = "\n".join(lines)
    return name, text


@settings(max_examples=sized(75, 3000))
@example(("zmtp.xml", TEXTS["zmtp.xml"].replace("-->", "", 1)))  # XML's parser says so in two lines
@given(mutants())
def test_mutants_are_loaded_or_refused(mutant: tuple[str, str]) -> None:
    name, text = mutant
    with TemporaryDirectory() as folder:
        for other, original in TEXTS.items():
            Path(folder, other).write_text(original, encoding="utf-8")
        Path(folder, name).write_text(text, encoding="utf-8")
        bundle, diagnostics = load([Path(folder, name)])
    assert (bundle is None) == has_errors(diagnostics)
    assert all(item.message and "\n" not in str(item) and item.file for item in diagnostics)


def test_a_syntax_error_is_told_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "zeps.xml"
    path.write_text("<!--\n a comment\n without an end\n<class/>\n", encoding="utf-8")
    _, (diagnostic,) = load([path])
    assert diagnostic.code == "ZC101"
    assert "\n" not in str(diagnostic)
