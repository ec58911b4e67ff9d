"""Systems whose durability is profiled: their description in a TOML file, with the promise of each mode.

    name = "a broker"                # default: the file's name
    command = ["broker", "--data", "{data}", "--listen", "{endpoint}", "--sync", "{sync}"]
    ready = "ready"                  # as in the description of a broker; so are start_timeout, [files], [environment]
    adapter = ["{python}", "{here}/adapter.py"]
    version = ["broker", "--version"]    # prints its version
    install = "apt-get install broker"   # for the error message if the program is missing
    settled = true                   # before the load it runs once, and what it wrote is durable, synced or not
    repeats = true                   # messages may be delivered twice, and in another order
    full_disk_bytes = 4194304        # size of the disk that becomes full
    [released]                       # the year of each version, by its beginning
    "2.1" = 2024
    [modes.always]                   # at least one mode
    settings = "sync = always"       # for the report
    consumes = true                  # reading removes messages
    recent_seconds = 0.1             # for the promise "recent"
    [modes.always.fill]              # values of further placeholders
    sync = "always"
    [modes.always.promises]          # by fault, default "kept", for bit-flip "announced"
    power-cut = "recent"

A promise says what happens to confirmed messages: ``kept``, none is lost; ``announced``, readers are informed of those
that are lost; ``recent``, only those confirmed in the last `recent_seconds` are lost; ``nothing``.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zeps_conformance.broker.process import BrokerDescription
from zeps_conformance.common.document_values import check_keys, seconds_of, texts_of, value_of, words_of
from zeps_conformance.common.toml_files import fill_placeholders, read_toml

__all__ = ["FAULTS", "PROMISES", "Mode", "System", "load_system"]

FAULTS = {
    "power-cut": "the power is cut: writes that were not synced are lost; a sync of any file commits names, as on ext4",
    "torn": "a power cut that leaves random parts of the writes that were not synced",
    "lost-entries": "a power cut that also loses the names of files whose folder was not synced, as POSIX allows",
    "bit-flip": "the broker is stopped, and bits of its files change",
    "kill": "the broker is killed (SIGKILL)",
    "pause": "the broker is paused for seconds (SIGSTOP)",
    "full-disk": "the disk becomes full; the broker starts again on a larger disk",
}
PROMISES = ("kept", "announced", "recent", "nothing")
_KEYS = {
    *("name", "command", "ready", "start_timeout", "files", "environment", "adapter", "version", "install"),
    *("settled", "repeats", "full_disk_bytes", "released", "modes"),
}
VERSION_SECONDS = 60.0
_VERSION = re.compile(r"\d+\.\d+(?:\.\d+)*")


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to configure a system. `promises` has all faults; `adapter` is its adapter's command, without arguments.
    In `broker`, only the placeholders of the mode are filled in.
    """

    name: str
    settings: str
    broker: BrokerDescription
    adapter: tuple[str, ...]
    consumes: bool
    promises: Mapping[str, str]
    recent_seconds: float


@dataclass(frozen=True, slots=True)
class System:
    """A system under test, with at least one mode. `repeats`: it may deliver messages twice, and in another order.
    `settled`: it runs once before the load, and what it wrote is durable, whether it was synced or not.
    """

    name: str
    modes: tuple[Mode, ...]
    version_command: tuple[str, ...]
    released: Mapping[str, str]
    install: str = ""
    repeats: bool = False
    settled: bool = False
    full_disk_bytes: int = 4 << 20

    def version(self) -> str:
        """Returns the version that its program prints. Raises ValueError, with a message for the user."""
        program = self.version_command[0]
        remedy = f"; install it: {self.install}" if self.install else ""
        if shutil.which(program) is None:
            raise ValueError(f"{self.name}: {program} not found{remedy}")
        try:
            done = subprocess.run(
                self.version_command,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=VERSION_SECONDS,
            )
        except subprocess.TimeoutExpired:
            raise ValueError(f"{self.name}: {program} does not print its version in time{remedy}") from None
        match = _VERSION.search(done.stdout)
        if match is None:
            raise ValueError(
                f"{self.name}: {program} does not print its version: {done.stdout.strip()[:200]}{remedy}"
            )
        return match[0]

    def year(self, version: str) -> str:
        """Returns the year in which `version` was released, or ``unknown``."""
        known = [start for start in self.released if version == start or version.startswith(f"{start}.")]
        return self.released[max(known, key=len)] if known else "unknown"


def load_system(path: Path) -> System:
    """Loads the description at `path`. Raises ValueError, with a message for the user, if it is invalid."""
    raw = read_toml(path)
    check_keys(path, raw, _KEYS)
    here = str(path.resolve().parent)
    places = {"python": sys.executable, "here": here}
    name = str(raw.get("name", path.stem))
    modes = value_of(path, raw, "modes", dict)
    if not modes:
        raise ValueError(f"{path}: [modes] must have at least one mode")
    return System(
        name=name,
        modes=tuple(_mode(path, raw, name, here, key, value) for key, value in modes.items()),
        version_command=tuple(fill_placeholders(word, places) for word in words_of(path, raw, "version")),
        released=texts_of(path, raw, "released"),
        install=value_of(path, raw, "install", str, ""),
        repeats=raw.get("repeats") is True,
        settled=raw.get("settled") is True,
        full_disk_bytes=value_of(path, raw, "full_disk_bytes", int, 4 << 20),
    )


def _mode(path: Path, raw: Mapping[str, Any], system: str, here: str, name: str, mode: Any) -> Mode:
    where = f"{path}: [modes.{name}]"
    if not isinstance(mode, dict):
        raise ValueError(f"{where} must be a table")
    check_keys(where, mode, {"settings", "fill", "consumes", "promises", "recent_seconds"})
    promises = texts_of(where, mode, "promises")
    check_keys(f"{where} promises", promises, FAULTS)
    if unknown := set(promises.values()) - set(PROMISES):
        raise ValueError(f"{where}: unknown promise {min(unknown)}; known: {', '.join(PROMISES)}")
    if "recent" in promises.values() and "recent_seconds" not in mode:
        raise ValueError(f"{where}: the promise recent requires recent_seconds")
    fill = texts_of(where, mode, "fill")
    broker = BrokerDescription(
        name=f"{system}, {name}",
        command=tuple(fill_placeholders(word, fill) for word in words_of(path, raw, "command")),
        here=here,
        ready=str(raw.get("ready", "")),
        start_timeout=seconds_of(path, raw, "start_timeout", 20.0),
        files={key: fill_placeholders(text, fill) for key, text in texts_of(path, raw, "files").items()},
        environment={
            key: fill_placeholders(text, fill) for key, text in texts_of(path, raw, "environment").items()
        },
    )
    defaults = {fault: "announced" if fault == "bit-flip" else "kept" for fault in FAULTS}
    recent = seconds_of(where, mode, "recent_seconds", 0.1)
    places = {"python": sys.executable, "here": here, **fill}
    return Mode(
        name=name,
        settings=value_of(where, mode, "settings", str, name),
        broker=broker,
        adapter=tuple(fill_placeholders(word, places) for word in words_of(path, raw, "adapter")),
        consumes=mode.get("consumes") is True,
        promises=defaults | promises,
        recent_seconds=recent,
    )
