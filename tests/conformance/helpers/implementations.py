"""Implementations for the suite's tests: libzmq through the suite's own adapter, and faulty adapters."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from zeps_conformance.common.case import Case, Needs, Polarity
from zeps_conformance.common.dialects import Dialect
from zeps_conformance.common.results import CaseResult
from zeps_conformance.runs.columns import Column
from zeps_conformance.runs.profiles import PROFILES
from zeps_conformance.sockets.adapter import TYPES, Adapter, Implementation
from zeps_conformance.sockets.context import Settings, ZmtpProtocol
from zeps_conformance.sockets.pubsub.attempt import run_case
from zeps_conformance.wire.zmtp_codec import packaged_wire

ROOT = Path(__file__).parents[3]
ADAPTER = ROOT / "conformance/adapters/pyzmq/adapter.py"
BAD = Path(__file__).with_name("bad_adapter.py")

#: libzmq in the version of the development environment's pyzmq.
LIBZMQ = Implementation(Path("libzmq.toml"), "libzmq", (sys.executable, str(ADAPTER)), TYPES)


def bad(how: str, **more: Any) -> Implementation:
    """Returns an adapter over libzmq with the fault `how` (``bad_adapter.py``)."""
    command = (sys.executable, str(BAD), how, str(ADAPTER))
    return replace(Implementation(Path(f"{how}.toml"), how, command, TYPES), **more)


def made(
    function: Callable[[Any], None],
    *rules: str,
    polarity: Polarity = Polarity.POSITIVE,
    dialect: Dialect | None = None,
) -> Case:
    """Returns a case of profile zmtp-pub that is not registered."""
    case_id = f"zmtp-pub.made.{function.__name__.replace('_', '-').strip('-')}"
    return Case(
        case_id, "A case", rules or ("ZMTP-S-8",), polarity, Needs.NOTHING, function, dialect, (), 20.0
    )


def protocol() -> ZmtpProtocol:
    return ZmtpProtocol(packaged_wire(), PROFILES["zmtp-pub"].rulebook())


def attempt(
    case: Case,
    adapter: Adapter,
    socket_type: str = "PUB",
    settings: Settings | None = None,
    says: ZmtpProtocol | None = None,
) -> CaseResult:
    return run_case(case, socket_type, adapter, says or protocol(), settings or Settings(timeout=10.0))


def column(implementation: Implementation, cases: Sequence[Case], socket_type: str = "PUB") -> Column:
    return Column(implementation, socket_type, PROFILES["zmtp-pub"], tuple(cases), protocol())
