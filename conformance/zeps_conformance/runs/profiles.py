"""Profiles: groups of cases. A new one needs an entry here and a package whose cases' ids begin with its name."""

from __future__ import annotations

import fnmatch
import importlib
import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from zeps_conformance.cases import zeps1_client, zmtp_proxy, zmtp_pub, zmtp_router, zmtp_sub
from zeps_conformance.common.case import REGISTRY, Case
from zeps_conformance.model.definitions import load_model
from zeps_conformance.model.rulebook import Rulebook, load_book
from zeps_conformance.sockets.adapter import CLIENT
from zeps_conformance.wire.zmtp_codec import PROTOCOLS

__all__ = ["PROFILES", "Profile"]


@dataclass(frozen=True, slots=True)
class Profile:
    """A group of cases. `role`: the judged role; the profile must cover the rules for it or any role, or none if empty.
    `protocols`: model names. `sections`: the modules of `packages` with the cases, in order. `types`: socket types,
    ``PROXY`` or ``CLIENT``; empty to judge a listener. `beside`: rules of other sockets or contexts, with reasons.
    """

    name: str
    title: str
    protocols: tuple[str, ...]
    role: str
    packages: tuple[str, ...]
    sections: tuple[str, ...]
    types: tuple[str, ...] = ()
    beside: Mapping[str, str] = field(default_factory=dict)

    @property
    def judges_sockets(self) -> bool:
        """Whether it judges sockets or clients of an implementation, instead of the listener at an endpoint."""
        return bool(self.types)

    def rulebook(self, path: Path | None = None) -> Rulebook:
        """Loads its rules from the model file at `path` or the packaged copy. Raises ModelFileError."""
        if len(self.protocols) > 1:
            return load_book(path, self.protocols)
        return load_model(path, self.protocols[0])

    def cases(self, patterns: Sequence[str] = ()) -> list[Case]:
        """Returns the cases in section order, only those that match one of `patterns` if given: globs for the whole id,
        or without the profile's name. Raises ValueError if a pattern matches no case.
        """
        cases = self.matching(patterns)
        for pattern in patterns:
            if not any(self._fits(case, pattern) for case in cases):
                raise ValueError(f"no case of profile {self.name} matches {pattern!r}: see zeps-conform list")
        return cases

    def matching(self, patterns: Sequence[str] = ()) -> list[Case]:
        """As :meth:`cases`, but a pattern may match no case."""
        for section in self.sections:
            self._import(section)
        order = [section.replace("_", "-") for section in self.sections]
        mine = [case for case in REGISTRY.values() if case.profile == self.name and case.section in order]
        mine.sort(key=lambda case: order.index(case.section))
        return [
            case for case in mine if not patterns or any(self._fits(case, pattern) for pattern in patterns)
        ]

    def _import(self, section: str) -> None:
        names = [f"{package}.{section}" for package in self.packages]
        modules = [name for name in names if importlib.util.find_spec(name) is not None]
        if not modules:
            raise ValueError(f"profile {self.name} does not have a section {section!r}")
        for name in modules:
            importlib.import_module(name)

    def _fits(self, case: Case, pattern: str) -> bool:
        return fnmatch.fnmatchcase(case.id, pattern) or fnmatch.fnmatchcase(case.id, f"{self.name}.{pattern}")


PROFILES = {
    "zeps1": Profile(
        name="zeps1",
        title="ZEPS version 1, a broker",
        protocols=("zeps",),
        role="server",
        packages=("zeps_conformance.cases.zeps1",),
        sections=(
            "barrier",
            "opening",
            "sessions",
            "streams",
            "framing",
            "text",
            "chunk",
            "subscribe",
            "credit",
            "publish",
            "deliver",
            "sequence",
            "gears",
            "combination",
            "nearby",
            "scale",
            "gaps",
            "heartbeat",
            "closing",
            "invalid",
            "derived",
            "guards",
            "timers",
            "fuzz",
            "machine",
            "resources",
            "restart",
            "persistence",
        ),
    ),
    "zeps1-client": Profile(
        name="zeps1-client",
        title="ZEPS version 1, a client",
        protocols=("zeps",),
        role="client",
        packages=("zeps_conformance.cases.zeps1_client",),
        sections=zeps1_client.SECTIONS,
        types=(CLIENT,),
    ),
    "zmtp-router": Profile(
        name="zmtp-router",
        title="ZMTP 3.0 and 3.1, a ROUTER behind an endpoint",
        protocols=PROTOCOLS,
        role="any",
        packages=("zeps_conformance.cases.zmtp_any", "zeps_conformance.cases.zmtp_router"),
        sections=zmtp_router.SECTIONS,
        beside=zmtp_router.BESIDE,
    ),
    "zmtp-pub": Profile(
        name="zmtp-pub",
        title="ZMTP 3.0 and 3.1, a publisher",
        protocols=PROTOCOLS,
        role="server",
        packages=("zeps_conformance.cases.zmtp_any", "zeps_conformance.cases.zmtp_pub"),
        sections=zmtp_pub.SECTIONS,
        types=("PUB", "XPUB"),
    ),
    "zmtp-sub": Profile(
        name="zmtp-sub",
        title="ZMTP 3.0 and 3.1, a subscriber",
        protocols=PROTOCOLS,
        role="client",
        packages=("zeps_conformance.cases.zmtp_sub",),
        sections=zmtp_sub.SECTIONS,
        types=("SUB", "XSUB"),
        beside=zmtp_sub.BESIDE,
    ),
    "zmtp-proxy": Profile(
        name="zmtp-proxy",
        title="ZMTP 3.0 and 3.1, a forwarder from XSUB to XPUB",
        protocols=PROTOCOLS,
        role="",
        packages=("zeps_conformance.cases.zmtp_proxy",),
        sections=zmtp_proxy.SECTIONS,
        types=("PROXY",),
    ),
}
