"""Every command reports findings for any model or grammar, never a traceback."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from campaigns import random_of, seeds

from zeps_codegen.cli import main
from zeps_codegen.generate import TARGETS

ROOT = Path(__file__).parents[3]
TESTS = ROOT / "tests" / "codegen"
FOLDERS = [ROOT / "protocol", TESTS / "corpus", TESTS / "passes" / "bad", TESTS / "source" / "models"]
GRAMMARS = sorted((ROOT / "generated" / "grammar").glob("*.abnf"))
ATTRIBUTE = re.compile(r"(\w+)\s*=\s*(\"[^\"]*\"|'[^']*')")
ELEMENT = re.compile(r"<(\w+)\b[^<>]*?(?:/>|>.*?</\1>)", re.DOTALL)
VALUES = """
* -1 0 1 2 255 256 99999999999999999999 message.x size(PING) start PING ' é number string list msg frame octets rest
hash varint strings chunk uuid true printable vchar constant name octet pubsub client server expired 1.5 0x10 'M' n+1
class self __ 9x rest integer
"""
PARTS = ("", "/", "(", "[", "*", '"A"', "%x41-", "=", "C:PING", "rule")  # of a grammar
NAMES = """
name type size value max text of count length signed enumeration flags reserved since until next guard message raises
then read_as inherit abstract id digest dispatch role default extensible version signature pubsub field return script
protocol_class variable immediate method milliseconds holds
"""


def mutant(rng: random.Random, text: str) -> str:
    """The model with one or two of its attributes or elements changed, added, copied or removed."""
    for _ in range(rng.randint(1, 2)):
        attributes, elements = list(ATTRIBUTE.finditer(text)), list(ELEMENT.finditer(text))
        if attributes and rng.random() < 0.7:
            chosen, other = rng.choice(attributes), rng.choice(attributes)
            start, end = chosen.span(2)
            added = f'{chosen.group(2)} {rng.choice(NAMES.split())}="{rng.choice(VALUES.split())}"'
            new = rng.choice((f'"{rng.choice(VALUES.split())}"', '""', other.group(2), added))
            text = text[:start] + new + text[end:]
        elif elements:
            chosen, other = rng.choice(elements), rng.choice(elements)
            moved = rng.choice(("", chosen.group() + other.group()))
            text = text[: chosen.start()] + moved + text[chosen.end() :]
    return text


@pytest.mark.parametrize("seed", seeds(10, 2000))
def test_mutants(seed: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = random_of(seed)
    folder = rng.choice(FOLDERS)
    source = rng.choice(sorted(folder.glob("*.xml")))
    old, new = tmp_path / "old", tmp_path / "new"
    for place in (old, new):
        place.mkdir()
        for path in folder.glob("*.xml"):
            (place / path.name).write_bytes(path.read_bytes())
    (new / source.name).write_text(mutant(rng, source.read_text(encoding="utf-8")), encoding="utf-8")
    model = str(new / source.name)
    others = [path for path in sorted(new.glob("*.xml")) if path.name != source.name]
    mates = [str(path) for path in others if rng.random() < 0.2]
    targets = [word for target in rng.sample(TARGETS, 4) for word in ("--target", target.name)]
    frame = rng.randbytes(rng.randint(0, 20)).hex()
    for arguments in (
        ["check", "--bound", "1", model, *mates, *targets],
        ["generate", "--no-format", "--root", str(tmp_path / "out"), model, *mates, *targets],
        ["abnf", model],
        ["decode", model, frame],
        ["diff", str(old / source.name), model],
    ):
        assert main(arguments) in (0, 1, 2)
        assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("seed", seeds(10, 2000))
def test_mutants_of_grammars(seed: int, tmp_path: Path) -> None:
    rng = random_of(seed)
    lines = rng.choice(GRAMMARS).read_text(encoding="utf-8").split("\n")
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(lines))
        words = lines[at].split(" ")
        words[rng.randrange(len(words))] = rng.choice(PARTS)
        lines[at] = " ".join(words)
        if rng.random() < 0.3:
            lines.insert(rng.randrange(len(lines)), lines.pop(at))
    path = tmp_path / "g.abnf"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert main(["import", str(path)]) in (0, 1)


CODEC = '<class name="p">{}<message name="A"><field name="n" type="number"/></message></class>'
MACHINE = '<class name="m" role="server" protocol_class="p">\n<variable name="n" type="number"/>\n{}</class>'
RULES = "\n".join(f"r{number} = r{number + 1}" for number in range(1200))
GUARD = '<state name="s"><event name="A" guard="{}n == 1"/><event name="*"/></state>'
HEIRS = "".join(f'<state name="s{number}" inherit="s{number + 1}"/>' for number in range(1200))


@pytest.mark.parametrize(
    ("codec", "machine", "code"),
    [
        ("", GUARD.format("not " * 900), "ZC401"),
        ("", GUARD.format("(" * 2000), "ZC401"),
        (f"<grammar>t = r0\n{RULES}\nr1200 = C:A\n</grammar>", "", "ZC602"),
        (f"<grammar>t = {'(' * 900}C:A{')' * 900}</grammar>", "", "ZC501"),
        ("", f'{HEIRS}<state name="s1200"><event name="*"/></state>', ""),
    ],
    ids=["operators", "parentheses", "rules", "groups", "states"],
)
def test_what_is_nested_deeply(
    codec: str, machine: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models = [tmp_path / "p.xml"]
    models[0].write_text(CODEC.format(codec), encoding="utf-8")
    if machine:
        models.append(tmp_path / "m.xml")
        models[1].write_text(MACHINE.format(f"{machine}\n"), encoding="utf-8")
    assert main(["check", "--bound", "1", *map(str, models)]) in (0, 1)
    assert code in capsys.readouterr().out
