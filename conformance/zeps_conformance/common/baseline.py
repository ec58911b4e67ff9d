"""Expected findings: each with a reason and a date on which the excuse ends.

    [[expected]]
    case = "zeps1.credit.saturates"      # or a glob that names several
    types = ["XPUB"]                     # of an implementation: the socket types that are meant; default: all
    verdict = "fail"
    reason = "the counter is 32 bits wide; fixed in the next release"
    expires = 2027-03-31

A finding that the baseline expects does not make a run exit 1. What does: an entry that has expired, an entry
whose case passes, and an entry whose case came out otherwise than it says. ``flaky`` expects what comes and goes
in the implementation itself, a race: then any verdict will do.
"""

from __future__ import annotations

import datetime
import fnmatch
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zeps_conformance.common.results import RunResult
from zeps_conformance.common.toml_files import check_keys, read_toml
from zeps_conformance.common.verdicts import Verdict

__all__ = ["Expected", "apply_baseline", "expected_verdict", "load_baseline"]


NEEDED = {"case", "verdict", "reason", "expires"}


@dataclass(frozen=True, slots=True)
class Expected:
    """One expected finding; `expires` is the last day on which it counts. Without `types` it counts for all."""

    case: str
    verdict: Verdict
    reason: str
    expires: datetime.date
    types: tuple[str, ...] = ()

    def concerns(self, other: Expected) -> bool:
        """Whether some case of some type is excused by both."""
        return self.case == other.case and (
            not self.types or not other.types or not set(self.types).isdisjoint(other.types)
        )


def load_baseline(path: Path, known: set[str]) -> list[Expected]:
    """The entries of the file at `path`, one for each case.

    ValueError, with a text for a user, if one is not complete or names none of the cases `known`.
    """
    raw = read_toml(path)
    check_keys(path, raw, {"expected"})
    entries: list[Expected] = []
    for number, item in enumerate(raw.get("expected", []), 1):
        entries += _entries(f"{path}: entry {number}", item, known)
    for index, entry in enumerate(entries):
        if any(entry.concerns(other) for other in entries[:index]):
            raise ValueError(f"{path}: more than one entry for {entry.case}")
    return entries


def apply_baseline(result: RunResult, entries: list[Expected], today: datetime.date) -> None:
    """Mark in `result` what `entries` excuse, and what is wrong with them.

    Cases that were not run are passed over, and so are entries for other types.
    """
    by_case = {entry.case: entry for entry in entries if not entry.types or result.type in entry.types}
    for case in result.cases:
        entry = by_case.get(case.id)
        if entry is None:
            continue
        if today > entry.expires:
            case.baseline = f"the excuse expired on {entry.expires}: {entry.reason}"
        elif entry.verdict is Verdict.FLAKY and not case.verdict.is_finding:
            continue
        elif entry.verdict in (case.verdict, Verdict.FLAKY):
            case.baseline = "expected"
            case.reason = case.reason or f"expected: {entry.reason} (until {entry.expires})"
            continue
        else:
            case.baseline = f"the baseline expects {entry.verdict.value}, and it is {case.verdict.value}"
        result.baseline_problems.append(f"{case.id}: {case.baseline}")


def expected_verdict(entries: Iterable[Expected], case: str, socket_type: str) -> Verdict | None:
    """What `entries` expect of a case for sockets of a type; None if they expect nothing special of it."""
    for entry in entries:
        if entry.case == case and (not entry.types or socket_type in entry.types):
            return None if entry.verdict is Verdict.FLAKY else entry.verdict
    return None


def _entries(where: str, item: Mapping[str, Any], known: set[str]) -> list[Expected]:
    if missing := NEEDED - set(item):
        raise ValueError(f"{where}: needs {', '.join(sorted(missing))}")
    if unknown := set(item) - NEEDED - {"types"}:
        raise ValueError(f"{where}: unknown: {', '.join(sorted(unknown))}")
    expires = item["expires"]
    if not isinstance(expires, datetime.date) or isinstance(expires, datetime.datetime):
        raise ValueError(f"{where}: expires has to be a date, as in 2027-03-31")
    if not str(item["reason"]).strip():
        raise ValueError(f"{where}: the reason is empty")
    cases = [one for one in sorted(known) if fnmatch.fnmatchcase(one, str(item["case"]))]
    if not cases:
        raise ValueError(f"{where}: no case is called {item['case']!r}")
    try:
        verdict = Verdict(item["verdict"])
    except ValueError as error:
        raise ValueError(f"{where}: no verdict is called {item['verdict']!r}") from error
    if not verdict.is_finding:
        raise ValueError(f"{where}: {verdict.value} needs no excuse")
    types = tuple(str(one) for one in item.get("types", ()))
    return [Expected(one, verdict, str(item["reason"]), expires, types) for one in cases]
