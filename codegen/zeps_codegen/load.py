"""Loads model files into a checked bundle: the entry point of the generator's front end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .diagnostics import (
    Diagnostic,
    Location,
    Locations,
    ModelErrors,
    Severity,
    error,
    has_errors,
    sort,
    warning,
)
from .ir import Bundle, Dispatch, Machine, Message, Protocol, Role
from .model import Dialect, RawAction, RawClass, fold
from .passes.codec import Codec, resolve_codec
from .passes.coverage import check_coverage, check_messages_used
from .passes.events import STAR
from .passes.machine import resolve_machine
from .passes.rules import RuleBook
from .report import Report
from .source.reader import read_file

__all__ = ["LEFT_OUT", "Loaded", "load", "load_all", "load_bundle"]

NO_PROTOCOL = error("ZC321", "a machine whose protocol is missing")
MODEL_TWICE = error("ZC329", "two models with one name")
EMPTY = warning("ZC109", "a model without states, and without messages of its version")

#: Codes of models without errors for which no code is generated.
LEFT_OUT = frozenset({EMPTY.code, NO_PROTOCOL.code})


@dataclass(frozen=True, slots=True)
class Loaded:
    """The result of loading. Any error leaves `bundle` None. `diagnostics` are sorted, without duplicates."""

    bundle: Bundle | None
    diagnostics: list[Diagnostic]
    locations: Locations


def load_bundle(paths: Sequence[Path], *, named: bool = True) -> Bundle:
    """Loads the models as :func:`load_all` does. Raises ModelErrors, with every finding, if any is an error."""
    loaded = load_all(paths, named=named)
    if loaded.bundle is None:
        raise ModelErrors(loaded.diagnostics)
    return loaded.bundle


def load(paths: Sequence[Path]) -> tuple[Bundle | None, list[Diagnostic]]:
    """Loads the models. Returns the bundle (None if there are errors) and every finding."""
    loaded = load_all(paths)
    return loaded.bundle, loaded.diagnostics


def load_all(paths: Sequence[Path], *, named: bool = True) -> Loaded:
    """Reads, resolves and checks the models; the file of a missing protocol is read from the folder of its machine.
    Unless the files are `named` by the user, a file that is not a model is only a remark.
    """
    return _Loader().load(paths, named)


class _Loader:
    def __init__(self) -> None:
        self.report = Report()
        self.book = RuleBook(self.report)
        self.places: dict[str, Location] = {}
        self.codecs: dict[str, Codec] = {}
        self.machines: dict[str, tuple[Machine, RawClass]] = {}
        self.incomplete: set[str] = set()  # protocols with a machine that has errors

    def load(self, paths: Sequence[Path], named: bool) -> Loaded:
        unique: dict[Path, Path] = {}
        for path in paths:
            unique.setdefault(path.resolve(), path)
        read = (read_file(path, self.report, named=named) for path in unique.values())
        raws = [raw for raw in read if raw is not None]
        for raw in raws:
            if not raw.states:
                self.add_codec(raw)
        for raw in raws:
            if raw.states:
                self.add_machine(raw)
        for codec in self.codecs.values():
            if codec.protocol.name in self.incomplete:
                continue
            machines = [pair for pair in self.machines.values() if pair[0].protocol == codec.protocol.name]
            check_messages_used(codec.protocol, machines, self.places, self.report)
        diagnostics = sort(self.report.diagnostics)
        bundle = None
        if not has_errors(diagnostics):
            protocols = tuple(codec.protocol for codec in self.codecs.values())
            bundle = Bundle(protocols, tuple(machine for machine, _ in self.machines.values()))
        return Loaded(bundle, diagnostics, Locations(self.places))

    def add_codec(self, raw: RawClass) -> None:
        if fold(raw.name) in self.codecs:
            self.twice(raw, self.codecs[fold(raw.name)].raw)
            return
        codec = resolve_codec(raw, self.book, self.places, self.report)
        if codec.protocol.current:
            self.codecs[fold(raw.name)] = codec
            return
        of = f" of version {codec.protocol.version}" if raw.messages else ""
        text = f"{raw.name} has no states and no messages{of}"
        self.report.add(EMPTY, raw.place, text, hint="no code is generated for it")

    def add_machine(self, raw: RawClass) -> None:
        if fold(raw.name) in self.machines:
            self.twice(raw, self.machines[fold(raw.name)][1])
            return
        codec = self.codec_of(raw)
        if codec is None:
            stand_in = infer_protocol(raw)
            resolve_machine(raw, stand_in, self.book, {}, self.report)
            return
        errors = self.report.errors
        machine = resolve_machine(raw, codec.protocol, self.book, self.places, self.report)
        if self.report.errors > errors:  # later checks would report its errors again, as missing parts
            self.incomplete.add(codec.protocol.name)
            return
        sent = None
        if codec.directions is not None:
            server = machine.role is Role.SERVER
            sent = codec.directions.client if server else codec.directions.server
        check_coverage(machine, raw, sent, self.places, self.report)
        self.machines[fold(raw.name)] = (machine, raw)

    def twice(self, raw: RawClass, other: RawClass) -> None:
        text = f"another model is called {other.name} too: {other.place.file}"
        self.report.add(MODEL_TWICE, raw.place, text, attribute="name")

    def codec_of(self, raw: RawClass) -> Codec | None:
        """The codec of a machine's protocol, which may be loaded from its folder; None, with a finding, if missing."""
        protocol_name = raw.get("protocol_class") or raw.get("proto") or raw.get("codec")
        ours = raw.dialect is Dialect.ZEPS
        severity = Severity.ERROR if ours else Severity.WARNING
        hint = "" if ours else "the machine is checked without it"
        if protocol_name is None:
            text = f"{raw.name} does not name its protocol"
            self.report.add(NO_PROTOCOL, raw.place, text, hint=hint or "protocol_class", severity=severity)
            return None
        if fold(protocol_name) not in self.codecs:
            path = Path(raw.place.file).parent / f"{protocol_name}.xml"
            protocol = read_file(path, self.report) if path.is_file() else None
            if protocol is not None and protocol.messages:
                self.add_codec(protocol)
        if fold(protocol_name) not in self.codecs:
            text = f"{raw.name} uses {protocol_name!r}, which is neither among the models nor in the folder of this one"
            self.report.add(
                NO_PROTOCOL, raw.place, text, hint=hint, attribute="protocol_class", severity=severity
            )
        return self.codecs.get(fold(protocol_name))


def infer_protocol(raw: RawClass) -> Protocol:
    """Infers a protocol: messages of actions and of <recv>, and upper-case events, numbered from 1, without fields."""
    names: dict[str, str] = {}
    for state in raw.states:
        events = (*state.events, *raw.sends)
        steps = [*state.before, *state.after, *(step for event in events for step in event.steps)]
        sent = [step.message for step in steps if isinstance(step, RawAction) and step.message]
        received = [event.name for event in state.events if event.name.upper() == event.name != STAR]
        for name in (*sent, *received, *(name for name, _ in raw.receives)):
            names.setdefault(fold(name), name)
    messages = tuple(Message(name, number, ()) for number, name in enumerate(names.values(), start=1))
    return Protocol(raw.get("protocol_class") or "unknown", "", Dispatch.SIGNATURE, 0, 1, messages)
