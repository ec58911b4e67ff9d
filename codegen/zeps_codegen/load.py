"""Model files → a checked bundle: the one entrance to the generator's front end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .diagnostics import Diagnostic, Location, Locations, ModelErrors, Severity, define, has_errors, sort
from .ir import Bundle, Machine, Protocol
from .model import RawClass, fold
from .passes.codec import resolve_codec
from .passes.machine import resolve_machine
from .passes.rules import RuleBook
from .report import Report
from .source.reader import read_file

__all__ = ["Loaded", "load", "load_all", "load_bundle"]

NO_PROTOCOL = define("ZC321", Severity.ERROR, "a machine whose protocol is not there")


@dataclass(frozen=True, slots=True)
class Loaded:
    """What became of the models. `bundle` is None if any finding is an error."""

    bundle: Bundle | None
    diagnostics: list[Diagnostic]
    locations: Locations


def load_bundle(paths: Sequence[Path]) -> Bundle:
    """The bundle that the models make. ModelErrors, with every finding, if any is an error."""
    bundle, diagnostics = load(paths)
    if bundle is None:
        raise ModelErrors(diagnostics)
    return bundle


def load(paths: Sequence[Path]) -> tuple[Bundle | None, list[Diagnostic]]:
    """The bundle, or None if there are errors, and every finding."""
    loaded = load_all(paths)
    return loaded.bundle, loaded.diagnostics


def load_all(paths: Sequence[Path]) -> Loaded:
    """Read, resolve and check the models; a missing protocol is looked for beside its machine."""
    report = Report()
    book = RuleBook(report)
    places: dict[str, Location] = {}
    raws = [raw for path in paths if (raw := read_file(path, report)) is not None]
    protocols: dict[str, Protocol] = {}
    for raw in raws:
        if not raw.states:
            protocols[fold(raw.name)] = resolve_codec(raw, book, places, report)
    machines: list[Machine] = []
    for raw in raws:
        if raw.states:
            protocol = _protocol_of(raw, protocols, book, places, report)
            if protocol is not None:
                machines.append(resolve_machine(raw, protocol, book, places, report))
    diagnostics = sort(report.diagnostics)
    bundle = None if has_errors(diagnostics) else Bundle(tuple(protocols.values()), tuple(machines))
    return Loaded(bundle, diagnostics, Locations(places))


def _protocol_of(
    raw: RawClass, protocols: dict[str, Protocol], book: RuleBook, places: dict[str, Location], report: Report
) -> Protocol | None:
    wanted = raw.get("protocol_class")
    if wanted is None:
        report.add(NO_PROTOCOL, raw.place, f"{raw.name} does not name its protocol", hint="protocol_class=…")
        return None
    if fold(wanted) in protocols:
        return protocols[fold(wanted)]
    path = Path(raw.place.file).parent / f"{wanted}.xml"
    codec = read_file(path, report) if path.is_file() else None
    if codec is None:
        message = f"{raw.name} speaks {wanted!r}, which is not among the models, nor beside this one"
        report.add(NO_PROTOCOL, raw.place, message, attribute="protocol_class")
        return None
    protocols[fold(wanted)] = resolve_codec(codec, book, places, report)
    return protocols[fold(wanted)]
