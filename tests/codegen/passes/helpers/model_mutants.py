"""Mutants of the client and server models: one small change each, and whether `check` detects it.

python tests/codegen/passes/helpers/model_mutants.py    # prints the detection rate and every surviving mutant
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

from lxml import etree

from zeps_codegen.diagnostics import Diagnostic, Severity
from zeps_codegen.load import load_all
from zeps_codegen.passes.explore import check_composition
from zeps_codegen.passes.session_grammar import check_session_grammar

ROOT = Path(__file__).resolve().parents[4]
MODELS = ("zeps.xml", "zeps_server.xml", "zeps_client.xml")
MACHINES = MODELS[1:]
INCOMPLETE = ("ZC607", "ZC713")
"""Codes of a check that stopped at its limit, which detects nothing."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed model. `kind` is row, next, step or guard; `name` describes the change."""

    kind: str
    name: str
    file: str
    text: bytes


def mutants() -> Iterator[Mutant]:
    """A mutant for each deleted row, send, assignment or guard, and for each other or deleted `next`."""
    for file in MACHINES:
        tree = etree.parse(str(ROOT / "protocol" / file))
        states = [item.get("name") for item in tree.iter("state") if item.get("abstract") != "true"]
        for number, state in enumerate(tree.iter("state")):
            for at in range(len(state.findall("event"))):
                yield from _of_row(file, tree, number, at, states)


def _of_row(
    file: str, tree: etree._ElementTree, state: int, at: int, states: list[str | None]
) -> Iterator[Mutant]:
    def changed(kind: str, what: str, change: object) -> Mutant:
        copy = deepcopy(tree)
        parent = list(copy.iter("state"))[state]
        row = parent.findall("event")[at]
        guard = f"[{row.get('guard')}]" if row.get("guard") else ""
        name = f"{file.removesuffix('.xml')} {parent.get('name')}.{row.get('name')}{guard}: {what}"
        change(parent, row)  # type: ignore[operator]
        return Mutant(kind, name, file, etree.tostring(copy))

    parent = list(tree.iter("state"))[state]
    row = parent.findall("event")[at]
    yield changed("row", "deleted", lambda parent, row: parent.remove(row))
    goes = row.get("next")
    edged = {item.get("name") for item in tree.iter("state") if item.find("before") is not None}
    edged |= {item.get("name") for item in tree.iter("state") if item.find("after") is not None}
    for target in [None, *states]:
        if {target, goes} == {None, parent.get("name")} and parent.get("name") not in edged:
            continue  # without before and after, a row to its own state equals a row without next
        if target is None and goes is not None:
            yield changed("next", f"{goes} → none", lambda parent, row: row.attrib.pop("next"))
        elif target is not None and target != goes:
            yield changed(
                "next", f"{goes or 'none'} → {target}", lambda parent, row, to=target: row.set("next", to)
            )
    for number, step in enumerate(row):
        if isinstance(step.tag, str) and not (step.tag == "action" and step.get("name") != "send"):
            what = step.get("message") or step.get("variable")
            yield changed(
                "step", f"without {step.tag} {what}", lambda parent, row, n=number: row.remove(row[n])
            )
    if row.get("guard"):
        yield changed("guard", "without its guard", lambda parent, row: row.attrib.pop("guard"))


def findings(mutant: Mutant | None) -> list[Diagnostic]:
    """The first findings of `check` for the mutant, or for the unchanged models, without remarks: those of the front
    end, then of the grammar, then of the composition. Bound 1 finds most errors fast; rows never taken need bound 2.
    """
    with tempfile.TemporaryDirectory() as folder:
        for file in MODELS:
            text = (ROOT / "protocol" / file).read_bytes()
            if mutant is not None and mutant.file == file:
                text = mutant.text
            Path(folder, file).write_bytes(text)
        loaded = load_all([Path(folder, file) for file in MODELS])
    diagnostics = _findings(loaded.diagnostics, Severity.ERROR, Severity.WARNING)
    bundle, where = loaded.bundle, loaded.locations
    for bound, severities in ((1, (Severity.ERROR,)), (2, (Severity.ERROR, Severity.WARNING))):
        if bundle is not None:
            diagnostics = diagnostics or _findings(check_session_grammar(bundle, where, bound), *severities)
            diagnostics = diagnostics or _findings(check_composition(bundle, where, bound), *severities)
    return diagnostics


def _findings(diagnostics: list[Diagnostic], *severities: Severity) -> list[Diagnostic]:
    return [item for item in diagnostics if item.severity in severities and item.code not in INCOMPLETE]


def _codes(mutant: Mutant) -> tuple[Mutant, list[str]]:
    return mutant, sorted({item.code for item in findings(mutant)})


def main(workers: int = 1) -> None:
    """Tests all mutants, and prints the table."""
    caught: dict[str, list[int]] = {}
    survivors = []
    by_code: dict[str, int] = {}
    assert findings(None) == [], "the models themselves are not clean"
    every = list(mutants())
    with ProcessPoolExecutor(workers) as pool:
        for number, (mutant, codes) in enumerate(pool.map(_codes, every, chunksize=4), 1):
            counts = caught.setdefault(mutant.kind, [0, 0])
            counts[0] += bool(codes)
            counts[1] += 1
            for code in codes:
                by_code[code] = by_code.get(code, 0) + 1
            if not codes:
                survivors.append(mutant.name)
            print(f"\r{number} of {len(every)}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for kind, (caught_count, total) in caught.items():
        print(f"{kind:6} {caught_count:4} of {total:4} caught, {caught_count / total:.0%}")
    print("codes  " + ", ".join(f"{code} {count}" for code, count in sorted(by_code.items())))
    for name in survivors:
        print("survives", name)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
