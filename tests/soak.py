"""Runs `make soak`: the campaigns at full size, in parts that continue where they stopped.

A part is a table in soak.toml. The list of its passed tests is kept in build/soak until the code changes. A
part that passed and is named again begins again with another seed.

Exit codes: 0 all parts passed, 1 a part failed, 2 usage error, 130 interrupted.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

__all__ = ["MINUTES_MAX", "Part", "State", "load_parts", "main"]

ROOT = Path(__file__).resolve().parents[1]
MINUTES_MAX = 45
"""Maximum duration of a part on two cores; a longer part must be split."""
_NO_TESTS = 5  # pytest's exit code


@dataclass(frozen=True, slots=True)
class Part:
    """One part: files or folders of tests, or a number of seeds for the simulator."""

    name: str
    about: str
    tests: tuple[str, ...] = ()
    simulated_seeds: int = 0


@dataclass(slots=True)
class State:
    """Progress of a part. `version` identifies the code; `seed` determines all random choices."""

    version: str
    seed: int
    seconds: float = 0.0
    passed: bool = False


def load_parts(path: Path) -> dict[str, Part]:
    """Parts of a soak.toml by name, in the file's order."""
    with path.open("rb") as file:
        tables = tomllib.load(file)
    return {
        name: Part(name, table["about"], tuple(table.get("tests", ())), table.get("simulated_seeds", 0))
        for name, table in tables.items()
    }


def code_version(root: Path) -> str:
    """Identifies the code: the commit, and the changes of the working tree (of new files only their names)."""

    def git(*arguments: str) -> bytes:
        return subprocess.run(["git", *arguments], cwd=root, capture_output=True, check=False).stdout

    changes = hashlib.sha256(git("diff", "HEAD") + git("status", "--porcelain")).hexdigest()
    return f"{git('rev-parse', 'HEAD').decode().strip()} {changes[:12]}"


class Soak:
    """Runs parts of `root`'s tests, and keeps their progress in `folder`."""

    def __init__(self, root: Path, folder: Path, jobs: int) -> None:
        self.root, self.folder, self.jobs = root, folder, jobs
        self.version = code_version(root)

    def passed(self, part: Part) -> bool:
        """Whether the part passed with the present code."""
        state = self._load(part)
        return state is not None and state.passed

    def run(self, part: Part, seed: int | None) -> State:
        """Run the tests of the part that have not passed with this code and seed."""
        state = self._load(part)
        if state is None or state.passed or seed not in (None, state.seed):
            state = State(self.version, secrets.randbelow(1 << 31) if seed is None else seed)
            self._tests_passed(part).unlink(missing_ok=True)
        self._save(part, state)
        _say(f"{part.name}: {part.about}; seed {state.seed}")
        passed = self._tests_passed(part)
        passed.touch()
        shutil.copy(passed, passed.with_suffix(".before"))
        good = (0, _NO_TESTS) if passed.stat().st_size else (0,)
        began = time.monotonic()
        command, environment = self._command(part, state.seed), self._environment(part, state.seed)
        try:
            with subprocess.Popen(command, cwd=self.root, env=environment) as process:
                try:
                    state.passed = process.wait() in good
                except KeyboardInterrupt:  # a terminal interrupts the part, too, which ends its own processes
                    process.wait()
                    raise
        finally:
            state.seconds += time.monotonic() - began
            self._save(part, state)
        if not state.passed:
            _say(
                f"{part.name} failed; repeat its failed tests with: make soak PART={part.name} SEED={state.seed}"
            )
        return state

    def _command(self, part: Part, seed: int) -> list[str]:
        if part.simulated_seeds:
            seeds = f"{seed}:{seed + part.simulated_seeds}"
            return [sys.executable, "-m", "zeps_broker.sim", "--seeds", seeds]
        options = ["-n", str(self.jobs), "--dist", "loadgroup", "--no-loadscope-reorder"]
        limits = ["--timeout", str(60 * MINUTES_MAX), f"--hypothesis-seed={seed}"]
        return [sys.executable, "-m", "pytest", *options, *limits, *part.tests]

    def _environment(self, part: Part, seed: int) -> dict[str, str]:
        """Environment of the part's processes; `helpers/soak_plugin.py` reads ZEPS_TESTS_PASSED."""
        return os.environ | {
            "ZEPS_CAMPAIGN": "soak",
            "ZEPS_SEED": str(seed),
            "PYTHONHASHSEED": str(seed % (1 << 32)),
            "ZEPS_TESTS_PASSED": str(self._tests_passed(part)),
        }

    def _tests_passed(self, part: Part) -> Path:
        return self.folder / f"{part.name}.passed"

    def _load(self, part: Part) -> State | None:
        try:
            state = State(**json.loads((self.folder / f"{part.name}.json").read_text()))
        except FileNotFoundError:
            return None
        return state if state.version == self.version else None

    def _save(self, part: Part, state: State) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / f"{part.name}.json").write_text(json.dumps(asdict(state)))


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    parser = argparse.ArgumentParser(prog="make soak", description=__doc__, allow_abbrev=False)
    parser.add_argument(
        "parts", nargs="*", metavar="PART", help="part to run (default: all that have not passed)"
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="seed of all random choices (default: the last one if the part did not pass, else random)",
    )
    parser.add_argument("--jobs", type=int, default=3, metavar="N", help="number of test processes")
    parser.add_argument("--list", action="store_true", help="print the parts")
    options = parser.parse_args(arguments)
    parts = load_parts(root / "tests" / "soak.toml")
    if options.list:
        for part in parts.values():
            print(f"  {part.name:14} {part.about}")
        return 0
    if unknown := [name for name in options.parts if name not in parts]:
        parser.error(f"unknown part {', '.join(unknown)}; parts: {', '.join(parts)}")
    soak = Soak(root, root / "build" / "soak", options.jobs)
    chosen = [parts[name] for name in options.parts] or [
        part for part in parts.values() if not soak.passed(part)
    ]
    if not chosen:
        _say("all parts have passed with this code; name a part to run it again")
    try:
        states = {part.name: soak.run(part, options.seed) for part in chosen}
    except KeyboardInterrupt:
        _say("interrupted; run the same command to continue")
        return 130
    for name, state in states.items():
        over = (
            f"; longer than {MINUTES_MAX} minutes: split the part" if state.seconds > 60 * MINUTES_MAX else ""
        )
        verdict = "passed" if state.passed else "FAILED"
        _say(f"{name:14} {verdict} {state.seconds / 60:6.1f} min  seed {state.seed}{over}")
    return 0 if all(state.passed for state in states.values()) else 1


def _say(line: str) -> None:
    print(f"soak: {line}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
