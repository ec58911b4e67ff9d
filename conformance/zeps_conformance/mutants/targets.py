"""The implementations that are mutated: the model broker, and a broker of Python sources."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from zeps_conformance.broker.process import BrokerDescription
from zeps_conformance.model.definitions import Model, load_document, load_model, parse_model
from zeps_conformance.model.interpreter import Interpreter
from zeps_conformance.mutants.codec_mutants import CodecChange, codec_changes
from zeps_conformance.mutants.codec_proof import BOUND, DecoderCheck, equal_encoders
from zeps_conformance.mutants.faulty_codec import FaultyCodec
from zeps_conformance.mutants.machine_mutants import MachineChange, machine_changes
from zeps_conformance.mutants.machine_proof import bisimilar
from zeps_conformance.mutants.model_broker import HOST, MACHINE, STREAMS
from zeps_conformance.mutants.mutant import Mutant
from zeps_conformance.mutants.observation import observed_alike, python_path
from zeps_conformance.mutants.source_mutants import (
    SourceChange,
    package_root,
    same_bytecode,
    source_changes,
    source_files,
)

__all__ = ["FAMILIES", "ModelTarget", "SourceTarget"]

FAMILIES = ("machine", "codec", "source")
PROTOCOL = "zeps"
CLIENT_TIMEOUT = 4.0  # seconds
MEMORY_MAX = 4 << 20  # KiB of address space; a mutant that exceeds it fails
START_SECONDS = 15.0


#: Parts of ids of cases that are likely to detect a mutant, by state, event or operator.
_WORDS = {
    "start": ("none-for",),
    "detaching": ("restart",),
    "shutdown": ("restart",),
    "expired": ("silent",),
    "heartbeat": ("silent",),
    "gap": ("gaps",),
    "malformed": ("framing",),
    "deliver": ("credit",),
    "subscribe_refused": ("subscribe",),
    "accept-trailing": ("trailing",),
    "truncated-accepted": ("truncat",),
    "accept-missing": ("truncat",),
    "accept-control-characters": ("control",),
    "signature-ignored": ("signature",),
    "limit": ("length", "greatest", "long"),
    "unknown-taken": ("unknown",),
}


def limited(description: BrokerDescription) -> BrokerDescription:
    """Returns the description with a limit of its memory, and of the time to start."""
    command = ("sh", "-c", f'ulimit -v {MEMORY_MAX}; exec "$0" "$@"', *description.command)
    return replace(description, command=command, start_timeout=min(description.start_timeout, START_SECONDS))


class ModelTarget:
    """The model broker. `path`: the model file, None for the packaged one."""

    families = ("machine", "codec")

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self._document = load_document(path)
        self.machine = next(raw for raw in self._document["machines"] if raw["name"] == MACHINE)

    def description(self, *more: str) -> BrokerDescription:
        """Returns how to start the model broker with the options `more`."""
        command = (
            *("{python}", "-m", "zeps_conformance.mutants.model_broker", "--endpoint", "{endpoint}"),
            *("--data", "{data}", "--client-timeout", f"{CLIENT_TIMEOUT:g}"),
            *(self._models(self.path, "machine", "decode", "encode") if self.path else ()),
            *more,
        )
        return limited(
            BrokerDescription(
                "model broker", command, "", ready="ready", client_timeout=CLIENT_TIMEOUT, streams=STREAMS
            )
        )

    def mutants(self, family: str) -> Iterator[Mutant]:
        """Yields all mutants of a family, in a fixed order."""
        return self._machine_mutants() if family == "machine" else self._codec_mutants()

    @cached_property
    def model(self) -> Model:
        return load_model(self.path, PROTOCOL)

    @cached_property
    def _protocol(self) -> Mapping[str, Any]:
        return next(raw for raw in self._document["protocols"] if raw["name"] == PROTOCOL)

    @cached_property
    def _codec(self) -> Interpreter:
        return Interpreter(self.model)

    @cached_property
    def _decoders(self) -> DecoderCheck:
        return DecoderCheck(self._codec)

    @cached_property
    def _sent(self) -> set[str]:
        """The messages that the machine sends."""
        steps = (step for row in self.machine["transitions"] for step in row["steps"])
        return {step["message"] for step in steps if step["kind"] == "send"}

    @staticmethod
    def _models(path: Path, *parts: str) -> tuple[str, ...]:
        return tuple(word for part in parts for word in (f"--{part}-model", str(path.resolve())))

    def _machine_mutants(self) -> Iterator[Mutant]:
        tables = self._protocol.get("enumerations", ())
        codes = [str(member["value"]) for table in tables for member in table["members"]]
        numbers: dict[str, int] = {}
        for change in machine_changes(self.machine, codes):
            row = (
                self.machine["transitions"][change.row]
                if change.row is not None
                else {"state": "", "event": ""}
            )
            yield Mutant(
                id=_numbered(numbers, f"machine:{row['state']}/{row['event']}:{change.operator}"),
                family="machine",
                operator=change.operator,
                place=change.place,
                before=change.before,
                after=change.after,
                install=partial(self._install_machine, change),
                proof=partial(self._machine_proof, change),
                subjects=(
                    f"machine {row['state']} {row['event']}",
                    f"machine {row['state']}",
                    f"event {row['event']}",
                ),
                words=_WORDS.get(row["state"], ()) + _WORDS.get(row["event"], (f"{row['event'].lower()}",)),
                row=change.row,
            )

    def _install_machine(self, change: MachineChange, folder: Path) -> BrokerDescription:
        machines = [change.machine if raw is self.machine else raw for raw in self._document["machines"]]
        path = _written(folder, {**self._document, "machines": machines})
        return self.description(*self._models(path, "machine"))

    def _machine_proof(self, change: MachineChange) -> str:
        proved = bisimilar(self.machine, change.machine, HOST)
        return "bisimilar to the machine of the model" if proved else ""

    def _codec_mutants(self) -> Iterator[Mutant]:
        numbers: dict[str, int] = {}
        for change in codec_changes(self._protocol, self._sent):
            yield Mutant(
                id=_numbered(numbers, f"codec:{change.direction}:{change.place}:{change.operator}"),
                family="codec",
                operator=change.operator,
                place=f"{change.direction} {change.place}",
                before=change.before,
                after=change.after,
                install=partial(self._install_codec, change),
                proof=partial(self._codec_proof, change),
                subjects=(
                    f"codec {change.direction} {change.place}",
                    f"codec {change.direction} {change.operator}",
                    f"codec {change.message}",
                ),
                words=(change.message.lower(), *_WORDS.get(change.operator, ())),
            )

    def _install_codec(self, change: CodecChange, folder: Path) -> BrokerDescription:
        if change.fault is not None:
            return self.description(f"--{change.direction}-fault", str(change.fault))
        return self.description(*self._models(_written(folder, self._changed(change)), change.direction))

    def _changed(self, change: CodecChange) -> Mapping[str, Any]:
        protocols = [change.protocol if raw is self._protocol else raw for raw in self._document["protocols"]]
        return {**self._document, "protocols": protocols}

    def _codec_proof(self, change: CodecChange) -> str:
        codec = other = self._codec
        if change.protocol is not None:
            other = Interpreter(parse_model(self._changed(change), PROTOCOL))
        if change.direction == "decode":
            changed = FaultyCodec(other, codec, change.fault)
            equal = self._decoders.is_equal(changed.decode, change.message)
        else:
            changed = FaultyCodec(codec, other, None, change.fault)
            equal = all(
                equal_encoders(codec, codec.encode, changed.encode, name)
                for name in self._sent & set(other.names)
            )
        return BOUND if equal else ""


def _numbered(numbers: dict[str, int], name: str) -> str:
    """Returns `name`, with a number if it is not the first of this name."""
    numbers[name] = numbers.get(name, 0) + 1
    return name if numbers[name] == 1 else f"{name}:{numbers[name]}"


def _written(folder: Path, document: Mapping[str, Any]) -> Path:
    path = folder / "model.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@dataclass(frozen=True)
class SourceTarget:
    """A broker that `original` starts, and that imports the Python package of `sources`, files or folders. `skip`:
    names in them to exclude. `observers`: programs that observe the module of their own file name.
    """

    original: BrokerDescription
    sources: Sequence[Path]
    skip: frozenset[str] = frozenset()
    observers: Sequence[Path] = ()
    families = ("source",)

    def description(self) -> BrokerDescription:
        """Returns how to start the broker without a change."""
        return limited(self.original)

    def mutants(self, family: str) -> Iterator[Mutant]:
        """Yields all mutants, in a fixed order. Raises ValueError if a file is not valid Python."""
        numbers: dict[str, int] = {}
        for path in sorted({file for source in self.sources for file in source_files(source)}):
            text = path.read_text(encoding="utf-8")
            root = package_root(path)
            name = path.resolve().relative_to(root.parent).as_posix()
            try:
                changes = list(source_changes(text, self.skip))
            except SyntaxError as error:
                raise ValueError(f"{path}: not valid Python: {error}") from error
            for change in changes:
                yield Mutant(
                    id=_numbered(numbers, f"source:{name}:{change.line}:{change.column}:{change.operator}"),
                    family="source",
                    operator=change.operator,
                    place=f"{name}:{change.line}" + (f" {change.function}" if change.function else ""),
                    before=change.before,
                    after=change.after,
                    install=partial(self._install, path, change.text),
                    proof=partial(self._proof, path, text, change),
                    subjects=(f"source {name} {change.function}", f"source {name}"),
                    words=(path.stem.split("_")[0],),
                )

    def unused(self, folder: Path) -> Iterator[tuple[Path, BrokerDescription]]:
        """Yields, for each file, the broker with a file that cannot be imported, installed in a new folder below
        `folder`: if that broker serves, it does not import the file.
        """
        for number, path in enumerate(sorted({f for source in self.sources for f in source_files(source)})):
            overlay = folder / str(number)
            overlay.mkdir()
            yield path, self._install(path, "raise ImportError('a mutant')\n", overlay)

    def _install(self, path: Path, text: str, folder: Path) -> BrokerDescription:
        root = package_root(path)
        shutil.copytree(root, folder / root.name, ignore=shutil.ignore_patterns("__pycache__"))
        target = folder / path.resolve().relative_to(root.parent)
        target.write_text(text, encoding="utf-8")
        environment = dict(self.original.environment)
        environment["PYTHONPATH"] = python_path(folder, environment)
        return replace(self.description(), environment=environment)

    def _proof(self, path: Path, text: str, change: SourceChange) -> str:
        if same_bytecode(text, change.text):
            return "identical bytecode"
        for program in self.observers:
            if program.stem == path.stem:
                with tempfile.TemporaryDirectory(prefix="zeps-mutant-") as folder:
                    self._install(path, change.text, Path(folder))
                    if observed_alike(program, Path(folder)):
                        return f"the same for all inputs of {program.name}"
        return ""
