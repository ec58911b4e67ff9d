"""The whole of zeps in a minute, on this machine, with nothing faked.

    python examples/demo.py [--folder DIR] [--messages N]

1. Regenerates everything from protocol/ into a scratch folder and compares it with what is committed.
2. Starts the broker. Three processes publish stock prices; one subscriber reads slowly, with so little credit that the
   broker has to change gear for it, and another joins late and asks for everything from the beginning.
3. Kills the broker with SIGKILL in the middle, and starts it again.
4. Compares what each subscriber got with what the journal holds: every sequence, once, in order.
5. Runs the conformance suite against the broker, and prints its verdicts.
6. Archives the journal as Parquet with Spark, while the broker runs, and audits it.

Exits 0 if all of it holds, and 1 with what did not.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from zeps_pipeline.errors import PipelineError
from zeps_pipeline.jobs.java import require_java

ROOT = Path(__file__).resolve().parents[1]
BIN = Path(sys.executable).parent
ROLES = [sys.executable, str(ROOT / "examples" / "demo_roles.py")]
TARGETS = ("python", "model", "abnf", "docs", "vectors")  # the others need their languages' formatters
PUBLISHERS = 3
RATE = 900.0  # messages a second and publisher: slow enough to kill the broker in the middle
SLOW_WINDOW = 4096  # octets of credit: a dozen messages
SLOW_PAUSE = 0.0003  # seconds a message
DEADLINE = 80.0  # seconds for the messages to arrive


class DemoError(Exception):
    """Something that the demo shows does not hold."""


def say(text: str = "") -> None:
    print(text, flush=True)


def step(number: int, text: str) -> None:
    say(f"\n[{number}/6] {text}")


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, cwd=ROOT
    )


class Process:
    """One of the demo's processes; `done` is the last number it printed."""

    def __init__(self, name: str, *arguments: str | Path, log: Path) -> None:
        self.name = name
        self.done = 0
        self._errors = log.open("w")
        self.log = log
        self._process = subprocess.Popen(
            [*ROLES, *map(str, arguments)], stdout=subprocess.PIPE, stderr=self._errors, text=True
        )
        threading.Thread(target=self._follow, daemon=True).start()

    def _follow(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.done = int(line)

    def running(self) -> bool:
        """False once it ended well. DemoError if it ended otherwise."""
        code = self._process.poll()
        if code:
            raise DemoError(f"{self.name} ended with code {code}:\n{self.log.read_text()}")
        return code is None

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._errors.close()


class Broker:
    """The broker's process, started on the same endpoint and folder each time."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "journal"
        self.log = folder / "broker.log"
        self.endpoint = "tcp://127.0.0.1:*"
        self.start()

    def start(self) -> None:
        self._log = self.log.open("a")
        command = [BIN / "zeps", "broker", "--bind", self.endpoint, "--data", self.data, "--sync", "always",
                   "--log-format", "json", "--stats-interval", "0.5"]  # fmt: skip
        self.process = subprocess.Popen(
            [str(part) for part in command], stdout=subprocess.PIPE, stderr=self._log, text=True
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            raise DemoError(f"the broker did not start; its log says:\n{self.log.read_text()}")
        self.endpoint = line.split()[1]

    def gear_changes(self) -> tuple[int, int]:
        """How often a session fell out of high gear and came into it, in all of this broker's lives."""
        lives = [(0, 0)]
        for entry in self._entries():
            if entry.get("event") == "ready":
                lives.append((0, 0))
            elif entry.get("event") == "stats":
                lives[-1] = (entry["gear_falls"], entry["gear_climbs"])
        return sum(falls for falls, _ in lives), sum(climbs for _, climbs in lives)

    def in_high_gear(self) -> int:
        """How many sessions were in high gear when the broker last said."""
        told = [entry["high_gear"] for entry in self._entries() if entry.get("event") == "stats"]
        return int(told[-1]) if told else 0

    def _entries(self) -> list[dict[str, Any]]:
        """The log's lines, without one that is being written."""
        text = self.log.read_text()
        return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self._ended()

    def stop(self) -> int:
        if self.process.poll() is None:
            self.process.terminate()
        return self._ended()

    def _ended(self) -> int:
        code = self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._log.close()
        return code


def regenerate() -> None:
    """Generate again what needs no formatter of another language. DemoError if a committed file differs."""
    begin = time.monotonic()
    chosen = [part for target in TARGETS for part in ("--target", target)]
    done = run(BIN / "zeps-codegen", "generate", "--check", *chosen)
    if done.returncode:
        raise DemoError(done.stdout + done.stderr)
    say(f"      {', '.join(TARGETS)}: made from protocol/ in {time.monotonic() - begin:.1f} s, "
        "equal to the committed files")  # fmt: skip


def wait_for_high_gear(broker: Broker, slow: Process) -> None:
    """Wait until the slow subscriber has caught up, with nothing yet: only who is in high gear falls out of it."""
    begin = time.monotonic()
    while not broker.in_high_gear():
        if not slow.running() or time.monotonic() - begin > DEADLINE:
            raise DemoError(f"the slow subscriber did not come into high gear:\n{slow.log.read_text()}")
        time.sleep(0.05)


def traffic(broker: Broker, folder: Path, messages: int) -> None:
    """Publish, subscribe, kill, restart, join late; returns when every process has ended well."""
    each = messages // PUBLISHERS
    slow = Process("slow", "subscriber", broker.endpoint, folder / "slow.txt", "--window", str(SLOW_WINDOW),
                   "--pause", str(SLOW_PAUSE), log=folder / "slow.log")  # fmt: skip
    everyone = [slow]
    late: Process | None = None
    killed = finished = False
    begin = shown = time.monotonic()
    try:
        wait_for_high_gear(broker, slow)
        publishers = [
            Process(f"publisher {n}", "publisher", broker.endpoint, str(n), str(each), str(RATE),
                    log=folder / f"p{n}.log")
            for n in range(PUBLISHERS)
        ]  # fmt: skip
        everyone += publishers
        while True:
            running = [process for process in everyone if process.running()]
            published = sum(process.done for process in publishers)
            if not killed and published >= messages * 2 // 5:
                say("      SIGKILL to the broker, and a restart on the same folder")
                broker.kill()
                time.sleep(0.3)
                broker.start()
                killed = True
            if late is None and published >= messages * 3 // 5:
                say("      a late subscriber joins and asks for everything from sequence 0")
                late = Process(
                    "late", "subscriber", broker.endpoint, folder / "late.txt", log=folder / "late.log"
                )
                everyone.append(late)
            if late is not None and not finished and not any(process in running for process in publishers):
                done = subprocess.run(
                    [*ROLES, "finish", broker.endpoint], capture_output=True, text=True, check=False
                )
                if done.returncode:
                    raise DemoError(done.stderr)
                finished = True
            now = time.monotonic()
            if now - shown >= 1.0 or (finished and not running):
                shown = now
                joined = f"{late.done:>7,}" if late is not None else "      -"
                say(f"      {now - begin:5.1f} s   published {published:>7,} of {messages:,}   "
                    f"slow has {slow.done:>7,}   late has {joined}")  # fmt: skip
            if finished and not running:
                return
            if now - begin > DEADLINE:
                raise DemoError(
                    f"still waiting for {', '.join(p.name for p in running)} after {DEADLINE:.0f} s"
                )
            time.sleep(0.05)
    finally:
        for process in everyone:
            process.stop()


def verify(broker: Broker, folder: Path, messages: int) -> None:
    """Each subscriber's list against the journal's own."""
    from demo_roles import LAST_KEY, STREAM, fingerprint

    done = run(BIN / "zeps", "journal", "verify", broker.data)
    if done.returncode:
        raise DemoError(f"the journal is damaged:\n{done.stdout}{done.stderr}")
    dump = run(BIN / "zeps", "journal", "dump", broker.data, STREAM, "--json")
    if dump.returncode:
        raise DemoError(dump.stderr)
    journal: list[str] = []
    seen: set[tuple[int, int]] = set()
    for number, line in enumerate(dump.stdout.splitlines(), 1):
        row = json.loads(line)
        if row["sequence"] != number:
            raise DemoError(f"the journal goes from sequence {number - 1} to {row['sequence']}")
        journal.append(f"{number} {fingerprint(row['key'], row['body'].encode())}")
        if row["key"] != LAST_KEY:
            price = json.loads(row["body"])
            seen.add((price["publisher"], price["number"]))
    wanted = PUBLISHERS * (messages // PUBLISHERS)
    if len(seen) != wanted:
        raise DemoError(f"of {wanted} messages published, {wanted - len(seen)} are not in the journal")
    again = len(journal) - 1 - wanted
    say(f"      the journal holds {len(journal):,} messages, from sequence 1 without a gap: all {wanted:,}")
    say(
        f"      that were published, {again} that were published again because the crash ate their confirmation,"
    )
    say("      and the last one")
    falls, climbs = broker.gear_changes()
    if not falls or not climbs:
        raise DemoError(f"sessions fell {falls} times out of high gear and climbed {climbs} times back")
    say(f"      changes of gear: {falls:,} into low, where the journal is read, and {climbs:,} into high")
    for name in ("slow", "late"):
        got = (folder / f"{name}.txt").read_text().splitlines()
        if got != journal:
            first = next(
                (i for i, (a, b) in enumerate(zip(got, journal, strict=False)) if a != b),
                min(len(got), len(journal)),
            )
            raise DemoError(
                f"{name} got {len(got)} messages, the journal has {len(journal)}; they differ from line {first + 1}"
            )
        say(
            f"      {name:<5} got {len(got):>7,} messages: every sequence, once, in order, with the journal's content"
        )


def judge(broker: Broker, folder: Path) -> None:
    reports = ROOT / "build" / "demo"
    reports.mkdir(parents=True, exist_ok=True)
    html, table = reports / "verdicts.html", reports / "verdicts.json"
    suite = [BIN / "zeps-conform", "run"]
    runs = [
        [*suite, broker.endpoint, "--profile", "zeps1", "--html", html, "--json", table],
        # Some rules are about restarts: the suite judges those with a broker that it starts and kills itself.
        [
            *suite,
            "--start",
            ROOT / "conformance" / "implementations" / "zeps.toml",
            "--case",
            "zeps1.restart.*",
        ],
    ]
    for command in runs:
        say()
        code = subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode
        if code:
            raise DemoError(f"the suite's verdict is not all pass (exit {code}); see {html}")
    say(f"\n      report: {html}")


def archive(broker: Broker, folder: Path) -> None:
    """The journal as Parquet, every sequence once."""
    from demo_roles import STREAM

    reports = ROOT / "build" / "demo"
    command = [BIN / "zeps-pipeline", "archive", broker.data, folder / "archive", "--stream", STREAM]
    done = run(*command, "--master", "local[2]", "--quiet", "--html", reports / "audit.html",
               "--json", reports / "audit.json")  # fmt: skip
    if done.returncode:
        raise DemoError(f"the archive's audit:\n{done.stdout}{done.stderr[-2000:]}")
    for line in done.stdout.splitlines():
        say(f"      {line}")


def main() -> int:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--folder", type=Path, help="keep journal, logs and lists here (default: a folder that is removed)"
    )
    parser.add_argument("--messages", type=int, default=30_000)
    options = parser.parse_args()
    try:
        require_java()
    except PipelineError as error:
        say(f"error: step 6 cannot run: {error}")
        return 1
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="zeps-demo-") as scratch:
        folder = options.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        broker: Broker | None = None
        try:
            step(1, "Generate everything from the models, and compare")
            regenerate()
            step(
                2,
                f"Start the broker; {PUBLISHERS} publishers, {options.messages:,} stock prices, one slow subscriber",
            )
            broker = Broker(folder)
            say(
                f"      broker on {broker.endpoint}, journal in {broker.data}, every block synced before it leaves"
            )
            step(3, "Let it run, and kill it in the middle")
            traffic(broker, folder, options.messages)
            step(4, "Compare what each subscriber got with what the journal holds")
            verify(broker, folder, options.messages)
            step(5, "Run the conformance suite against this broker")
            judge(broker, folder)
            step(6, "Archive the journal as Parquet with Spark, and audit it")
            archive(broker, folder)
        except DemoError as error:
            say(f"\nFAILED: {error}")
            return 1
        finally:
            if broker is not None and broker.stop() not in (0, -signal.SIGKILL):
                say(f"warning: the broker did not stop cleanly; its log:\n{broker.log.read_text()[-2000:]}")
    say(f"\nAll of it holds. {time.monotonic() - begin:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
