"""A demonstration of zeps in a minute, on one machine, with real processes.

    python examples/demo.py [--folder DIR] [--messages N]

1. Regenerates files from protocol/ and compares them with the committed ones.
2. Starts the broker. Three processes publish stock prices. One subscriber reads slowly, with so little credit that the
   broker must change gear for it; another joins late and requests all messages from the beginning.
3. Kills the broker with SIGKILL in the middle, and starts it again.
4. Compares the messages of each subscriber with the journal: every sequence, once, in order.
5. Runs the conformance suite against the broker, and prints its verdicts.
6. Archives the journal as Parquet with Spark, while the broker runs, and audits it.

The reports of steps 5 and 6 are written to build/demo. Exit codes: 0 success, 1 a step failed, 2 usage error.
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
# Other targets need the formatters of their languages.
TARGETS = ("python", "model", "abnf", "docs", "vectors")
PUBLISHERS = 3
RATE = 900.0  # messages per second and publisher: slow enough to kill the broker in the middle
SLOW_WINDOW = 4096  # bytes of credit: about twelve messages
SLOW_PAUSE = 0.0003  # seconds per message
DEADLINE = 80.0  # seconds for the messages to arrive


class DemoError(Exception):
    """A step of the demo failed."""


def say(text: str = "") -> None:
    print(text, flush=True)


def step(number: int, text: str) -> None:
    say(f"\n[{number}/6] {text}")


def run(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, check=False, cwd=ROOT
    )


class Process:
    """A process of the demo. `done` is the last number that it printed."""

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
        """Whether the process is running. Raises DemoError if it ended with an error."""
        code = self._process.poll()
        if code:
            raise DemoError(f"{self.name} failed with exit code {code}:\n{self.log.read_text()}")
        return code is None

    def stop(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._errors.close()


class Broker:
    """The broker process, restarted with the same endpoint and folder."""

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
            raise DemoError(f"the broker did not start; its log:\n{self.log.read_text()}")
        self.endpoint = line.split()[1]

    def gear_changes(self) -> tuple[int, int]:
        """Numbers of changes from high gear and to high gear, summed over all starts of the broker."""
        lives = [(0, 0)]
        for entry in self._entries():
            if entry.get("event") == "ready":
                lives.append((0, 0))
            elif entry.get("event") == "stats":
                lives[-1] = (entry["gear_falls"], entry["gear_climbs"])
        return sum(falls for falls, _ in lives), sum(climbs for _, climbs in lives)

    def in_high_gear(self) -> int:
        """Number of sessions in high gear in the last statistics of the broker's log; 0 before the first."""
        counts = [entry["high_gear"] for entry in self._entries() if entry.get("event") == "stats"]
        return int(counts[-1]) if counts else 0

    def _entries(self) -> list[dict[str, Any]]:
        """Complete lines of the log."""
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
    """Regenerate the targets that need no foreign formatter. Raises DemoError if a committed file differs."""
    begin = time.monotonic()
    chosen = [part for target in TARGETS for part in ("--target", target)]
    done = run(BIN / "zeps-codegen", "generate", "--check", *chosen)
    if done.returncode:
        raise DemoError(done.stdout + done.stderr)
    say(f"      {', '.join(TARGETS)}: generated from protocol/ in {time.monotonic() - begin:.1f} s, "
        "equal to the committed files")  # fmt: skip


def wait_for_high_gear(broker: Broker, slow: Process) -> None:
    """Wait until the only session is in high gear. Raises DemoError if `slow` ends, or after DEADLINE."""
    begin = time.monotonic()
    while not broker.in_high_gear():
        if not slow.running() or time.monotonic() - begin > DEADLINE:
            raise DemoError(f"the slow subscriber did not reach high gear:\n{slow.log.read_text()}")
        time.sleep(0.05)


def traffic(broker: Broker, folder: Path, messages: int) -> None:
    """Publish, subscribe, kill, restart, join late. Returns when every process has ended successfully. Raises DemoError
    if one fails, or if that takes longer than DEADLINE.
    """
    per_publisher = messages // PUBLISHERS
    slow = Process("slow", "subscriber", broker.endpoint, folder / "slow.txt", "--window", str(SLOW_WINDOW),
                   "--pause", str(SLOW_PAUSE), log=folder / "slow.log")  # fmt: skip
    everyone = [slow]
    late: Process | None = None
    killed = finished = False
    begin = printed_at = time.monotonic()
    try:
        wait_for_high_gear(broker, slow)
        publishers = [
            Process(f"publisher {n}", "publisher", broker.endpoint, str(n), str(per_publisher), str(RATE),
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
                say("      a late subscriber joins and requests all messages")
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
            if now - printed_at >= 1.0 or (finished and not running):
                printed_at = now
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
    """Check that the journal is valid, and compare it with the published messages and with each subscriber's list.
    Raises DemoError if they differ, or if the sessions did not change gear in both directions.
    """
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
            raise DemoError(f"gap in the journal: sequence {number - 1} is followed by {row['sequence']}")
        journal.append(f"{number} {fingerprint(row['key'], row['body'].encode())}")
        if row["key"] != LAST_KEY:
            price = json.loads(row["body"])
            seen.add((price["publisher"], price["number"]))
    expected = PUBLISHERS * (messages // PUBLISHERS)
    if len(seen) != expected:
        raise DemoError(f"of {expected} messages published, {expected - len(seen)} are not in the journal")
    again = len(journal) - 1 - expected
    say(f"      the journal has {len(journal):,} messages, from sequence 1 without a gap: all {expected:,}")
    say(f"      published ones, {again} that were published again because the crash lost their confirmation,")
    say("      and the last one")
    falls, climbs = broker.gear_changes()
    if not falls or not climbs:
        raise DemoError(
            f"expected changes of gear in both directions: {falls} from high gear, {climbs} to high gear"
        )
    say(
        f"      changes of gear: {falls:,} to low gear, in which the journal is read, and {climbs:,} to high gear"
    )
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
        say(f"      {name:<5} got {len(got):>7,} messages: every sequence, once, in order, as in the journal")


def judge(broker: Broker, folder: Path) -> None:
    reports = ROOT / "build" / "demo"
    reports.mkdir(parents=True, exist_ok=True)
    html, table = reports / "verdicts.html", reports / "verdicts.json"
    suite = [BIN / "zeps-conform", "run"]
    started = ROOT / "conformance" / "implementations" / "zeps.toml"
    runs = [
        [*suite, broker.endpoint, "--profile", "zeps1", "--html", html, "--json", table],
        # Some rules concern restarts: the suite tests them with a broker that it starts and kills itself.
        [*suite, "--start", started, "--case", "zeps1.restart.*"],
    ]
    for command in runs:
        say()
        code = subprocess.run([str(part) for part in command], cwd=ROOT, check=False).returncode
        if code:
            raise DemoError(f"not all cases of the suite passed (exit code {code}); see {html}")
    say(f"\n      report: {html}")


def archive(broker: Broker, folder: Path) -> None:
    """Archive the journal as Parquet, every sequence once, and audit it. Raises DemoError if that fails."""
    from demo_roles import STREAM

    reports = ROOT / "build" / "demo"
    command = [BIN / "zeps-pipeline", "archive", broker.data, folder / "archive", "--stream", STREAM]
    done = run(*command, "--master", "local[2]", "--quiet", "--html", reports / "audit.html",
               "--json", reports / "audit.json")  # fmt: skip
    if done.returncode:
        raise DemoError(f"the archive or its audit failed:\n{done.stdout}{done.stderr[-2000:]}")
    for line in done.stdout.splitlines():
        say(f"      {line}")


def main() -> int:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--folder", type=Path, help="folder for journal, logs and lists (default: a temporary folder)"
    )
    parser.add_argument(
        "--messages",
        type=int,
        default=30_000,
        help="stock prices that all publishers together publish (default: 30000)",
    )
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
            step(1, "Regenerate files from the models, and compare them")
            regenerate()
            step(
                2,
                f"Start the broker; {PUBLISHERS} publishers, {options.messages:,} stock prices, one slow subscriber",
            )
            broker = Broker(folder)
            say(
                f"      broker on {broker.endpoint}, journal in {broker.data}, every block synced before its delivery"
            )
            step(3, "Let it run, and kill it in the middle")
            traffic(broker, folder, options.messages)
            step(4, "Compare the messages of each subscriber with the journal")
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
    say(f"\nAll steps succeeded in {time.monotonic() - begin:.0f} s.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
