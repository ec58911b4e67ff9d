"""Model files → a checked bundle: the one entrance to the generator's front end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .diagnostics import Diagnostic, Location, Locations, ModelErrors, Severity, define, has_errors, sort
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

NO_PROTOCOL = define("ZC321", Severity.ERROR, "a machine whose protocol is not there")
MODEL_TWICE = define("ZC329", Severity.ERROR, "two models with one name")
EMPTY = define("ZC109", Severity.WARNING, "a model with neither states nor messages of its version")

#: Codes of models of which nothing is generated, though they have no errors.
LEFT_OUT = frozenset({EMPTY.code, NO_PROTOCOL.code})


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of the models. `bundle` is None if any finding is an error."""

    bundle: Bundle | None
    diagnostics: list[Diagnostic]
    locations: Locations


def load_bundle(paths: Sequence[Path], *, named: bool = True) -> Bundle:
    """The bundle that the models make. ModelErrors, with every finding, if any is an error."""
    loaded = load_all(paths, named=named)
    if loaded.bundle is None:
        raise ModelErrors(loaded.diagnostics)
    return loaded.bundle


def load(paths: Sequence[Path]) -> tuple[Bundle | None, list[Diagnostic]]:
    """The bundle, or None if there are errors, and every finding."""
    loaded = load_all(paths)
    return loaded.bundle, loaded.diagnostics


def load_all(paths: Sequence[Path], *, named: bool = True) -> Loaded:
    """Read, resolve and check the models; a missing protocol is looked for beside its machine.

    Of files that nobody has `named`, that were found in a folder, those that are no models are remarked upon only.
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
        given: dict[Path, Path] = {}
        for path in paths:
            given.setdefault(path.resolve(), path)
        read = (read_file(path, self.report, named=named) for path in given.values())
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
        text = f"{raw.name} has neither states nor messages{of}"
        self.report.add(EMPTY, raw.place, text, hint="nothing is generated for it")

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
        if self.report.errors > errors:  # what is wrong would be reported again, as something missing
            self.incomplete.add(codec.protocol.name)
            return
        sent = None
        if codec.directions is not None:
            server = machine.role is Role.SERVER
            sent = codec.directions.client if server else codec.directions.server
        check_coverage(machine, raw, sent, self.places, self.report)
        self.machines[fold(raw.name)] = (machine, raw)

    def twice(self, raw: RawClass, other: RawClass) -> None:
        text = f"there is another model called {other.name}: {other.place.file}"
        self.report.add(MODEL_TWICE, raw.place, text, attribute="name")

    def codec_of(self, raw: RawClass) -> Codec | None:
        """The codec of a machine's protocol: one of those given, or that name in the same folder."""
        wanted = raw.get("protocol_class") or raw.get("proto") or raw.get("codec")
        ours = raw.dialect is Dialect.ZEPS
        severity = Severity.ERROR if ours else Severity.WARNING
        hint = "" if ours else "the machine is checked without it"
        if wanted is None:
            text = f"{raw.name} does not name its protocol"
            self.report.add(NO_PROTOCOL, raw.place, text, hint=hint or "protocol_class", severity=severity)
            return None
        if fold(wanted) not in self.codecs:
            path = Path(raw.place.file).parent / f"{wanted}.xml"
            found = read_file(path, self.report) if path.is_file() else None
            if found is not None and found.messages:
                self.add_codec(found)
        if fold(wanted) not in self.codecs:
            text = f"{raw.name} speaks {wanted!r}, which is not among the models, nor beside this one"
            self.report.add(
                NO_PROTOCOL, raw.place, text, hint=hint, attribute="protocol_class", severity=severity
            )
        return self.codecs.get(fold(wanted))


def infer_protocol(raw: RawClass) -> Protocol:
    """What can be told of a protocol from a machine: the messages that it sends, and events in upper case."""
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
