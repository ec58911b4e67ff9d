"""The application of the client under test, controlled through the adapter."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from zeps_conformance.common.verdicts import KEEPS_RUNNING, CrashedError
from zeps_conformance.common.wirelog import WireLog
from zeps_conformance.sockets.adapter import Adapter, AdapterError

__all__ = ["Application", "Arrival", "Gap", "digest"]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A message that the application received. The body is given by its size and its SHA-256."""

    sequence: int
    key: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Gap:
    """A report that messages are lost, `first` to `last`."""

    first: int
    last: int
    code: str


def digest(sequence: int, key: str, body: bytes) -> Arrival:
    """Returns what the application must report for a message."""
    return Arrival(sequence, key, len(body), hashlib.sha256(body).hexdigest())


class Application:
    """One client. `problems` are its reports of lost sessions, refusals, messages that it gave up and its own failure;
    `failed`: the reason for which it gave up, empty if it has not; `closed`: it ended without an error.
    """

    def __init__(self, adapter: Adapter, log: WireLog, name: str) -> None:
        self._adapter = adapter
        self._log = log
        self.name = name
        self._is_open = False
        self.arrivals: list[Arrival] = []
        self.gaps: list[Gap] = []
        self.refusals: list[str] = []
        self.problems: list[str] = []
        self.failed = ""
        self.closed = False

    @property
    def ended(self) -> bool:
        """Whether the client has ended."""
        return self.closed or bool(self.failed)

    def open(self, **fields: Any) -> None:
        """Starts the client. Raises RefusedError or UnsupportedError as the adapter answers."""
        self.ask("open", **fields)
        self._is_open = True

    def drop(self) -> None:
        """Ends the client at once, if it was started."""
        if self._is_open:
            self.ask("drop")

    def ask(self, op: str, **fields: Any) -> Mapping[str, Any]:
        """Sends a request for this client."""
        told = " ".join(f"{name}={value!a}"[:200] for name, value in fields.items())
        self._log.note(self.name, "app", f"{op} {told}".rstrip())
        return self._adapter.ask(op, client=self.name, **fields)

    def poll(self) -> None:
        """Takes the events that the client has reported. Raises CrashedError if it has crashed, and AdapterError for an
        invalid event.
        """
        if not self._is_open:
            return
        for event in self._adapter.ask("events", client=self.name, timeout=0).get("events", ()):
            try:
                self._take(event)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                where = self._adapter.implementation.name
                raise AdapterError(f"{where}: invalid event {event!a}") from error

    def _take(self, event: Mapping[str, Any]) -> None:
        kind = str(event["event"])
        shown = " ".join(f"{name}={value!a}" for name, value in event.items() if name != "event")
        self._log.note(self.name, "app", f"reports {kind} {shown}".rstrip()[:300])
        match kind:
            case "delivered":
                self.arrivals.append(
                    Arrival(
                        int(event["sequence"]), str(event["key"]), int(event["size"]), str(event["sha256"])
                    )
                )
            case "gap":
                self.gaps.append(Gap(int(event["first"]), int(event["last"]), str(event["code"])))
            case "refused":
                self.refusals.append(str(event["reason"]))
                self.problems.append(str(event["reason"]))
            case "failed":
                self.failed = str(event["reason"]) or "an error without a text"
                self.problems.append(self.failed)
            case "lost" | "unpublished":
                self.problems.append(str(event["reason"]))
            case "closed":
                self.closed = True
            case "crashed":
                raise CrashedError(KEEPS_RUNNING, f"the client crashed: {event['reason']}")
