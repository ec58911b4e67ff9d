"""Expected findings: each has a reason and an expiry date.

    [[expected]]
    case = "zeps1.credit.saturates"      # or a glob pattern for several cases
    types = ["XPUB"]                     # socket types of an implementation; default: all
    verdict = "fail"
    reason = "the counter is 32 bits wide; fixed in the next release"
    expires = 2027-03-31                 # at most 366 days ahead

An expected finding does not make a run exit with 1; an expired entry of a case that was run, a pass, or another
verdict does. With ``flaky``, for races in the implementation, any verdict is accepted.
"""

from __future__ import annotations

import datetime
import fnmatch
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zeps_conformance.common.document_values import check_keys, tables_of, words_of
from zeps_conformance.common.results import RunResult
from zeps_conformance.common.toml_files import read_toml
from zeps_conformance.common.verdicts import Verdict

__all__ = ["DAYS_MAX", "Expected", "apply_baseline", "expected_verdict", "format_baseline", "load_baseline"]

NEEDED = {"case", "verdict", "reason", "expires"}
DAYS_MAX = 366  # days from today until an entry expires
DAYS = 182  # until an entry expires that the suite writes
REASON_SIZE = 300  # characters


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected finding of the case with the id `case` for `types` (empty: all); `expires` is the last valid day."""

    case: str
    verdict: Verdict
    reason: str
    expires: datetime.date
    types: tuple[str, ...] = ()

    def concerns(self, other: Expected) -> bool:
        """Returns whether both entries apply to a common case and type."""
        return self.case == other.case and (
            not self.types or not other.types or not set(self.types).isdisjoint(other.types)
        )


def load_baseline(path: Path, known: set[str], today: datetime.date) -> list[Expected]:
    """Loads the entries of the file at `path`; a glob pattern gives one for each of the `known` ids it matches. Raises
    ValueError for the user if the file or an entry is invalid or unmatched, expires more than 366 days after `today`,
    or if two apply to one case and type.
    """
    raw = read_toml(path)
    check_keys(path, raw, {"expected"})
    entries: list[Expected] = []
    for number, item in enumerate(tables_of(path, raw, "expected", []), 1):
        entries += _entries(f"{path}: entry {number}", item, known, today)
    for index, entry in enumerate(entries):
        if any(entry.concerns(other) for other in entries[:index]):
            raise ValueError(f"{path}: more than one entry for {entry.case}")
    return entries


def apply_baseline(result: RunResult, entries: list[Expected], today: datetime.date) -> None:
    """Sets `baseline` of the cases with an entry, and an empty `reason` of expected findings; adds entries' problems to
    `baseline_problems`. Entries for other types or cases, and valid ``flaky`` ones of passing cases, are ignored.
    """
    by_case = {entry.case: entry for entry in entries if not entry.types or result.type in entry.types}
    for case in result.cases:
        entry = by_case.get(case.id)
        if entry is None:
            continue
        if today > entry.expires:
            case.baseline = f"the entry expired on {entry.expires}: {entry.reason}"
        elif entry.verdict is Verdict.FLAKY and not case.verdict.is_finding:
            continue
        elif entry.verdict in (case.verdict, Verdict.FLAKY):
            case.baseline = "expected"
            case.reason = case.reason or f"expected: {entry.reason} (until {entry.expires})"
            continue
        else:
            case.baseline = (
                f"the baseline expects {entry.verdict.value}, but the verdict is {case.verdict.value}"
            )
        result.baseline_problems.append(f"{case.id}: {case.baseline}")


def expected_verdict(entries: Iterable[Expected], case: str, socket_type: str) -> Verdict | None:
    """Returns the expected verdict of the case id for a socket type; None without an entry, or if it is ``flaky``."""
    for entry in entries:
        if entry.case == case and (not entry.types or socket_type in entry.types):
            return None if entry.verdict is Verdict.FLAKY else entry.verdict
    return None


def format_baseline(result: RunResult, entries: Iterable[Expected], today: datetime.date) -> str:
    """Formats a baseline, in TOML, that expects all findings of `result` until half a year after `today`. An entry of
    `entries` that still applies is kept with its reason and its last day.
    """
    valid = [entry for entry in entries if today <= entry.expires]
    mine = {entry.case: entry for entry in valid if not entry.types or result.type in entry.types}
    expires = today + datetime.timedelta(days=DAYS)
    blocks = [
        f"# Expected findings of {_printable(result.name)}. Replace each reason by the cause and the plan.\n"
    ]
    for case in result.unexcused:
        entry = mine.get(case.id)
        if entry is None or entry.verdict not in (case.verdict, Verdict.FLAKY):
            reason = f"expected {case.expected}; seen {case.seen}" if case.expected else case.reason
            types = (result.type,) if result.type else ()
            shortened = _printable(reason)[:REASON_SIZE] or "not known"
            entry = Expected(case.id, case.verdict, shortened, expires, types)
        blocks.append(_block(entry))
    return "".join(blocks)


def _block(entry: Expected) -> str:
    """Formats an entry. A basic string of TOML has the escapes of JSON."""
    types = f"types = {json.dumps(list(entry.types))}\n" if entry.types else ""
    return (
        f"\n[[expected]]\ncase = {json.dumps(entry.case)}\n{types}verdict = {json.dumps(entry.verdict.value)}\n"
        f"reason = {json.dumps(entry.reason, ensure_ascii=False)}\nexpires = {entry.expires}\n"
    )


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() else "\ufffd" for char in text).strip()


def _entries(where: str, item: Mapping[str, Any], known: set[str], today: datetime.date) -> list[Expected]:
    if missing := NEEDED - set(item):
        raise ValueError(f"{where}: missing keys: {', '.join(sorted(missing))}")
    if unknown := set(item) - NEEDED - {"types"}:
        raise ValueError(f"{where}: unknown keys: {', '.join(sorted(unknown))}")
    expires = item["expires"]
    if not isinstance(expires, datetime.date) or isinstance(expires, datetime.datetime):
        raise ValueError(f"{where}: expires must be a date, as in 2027-03-31")
    if expires > (latest := today + datetime.timedelta(days=DAYS_MAX)):
        raise ValueError(
            f"{where}: expires on {expires}, more than a year ahead: use {latest} or an earlier date"
        )
    if not str(item["reason"]).strip():
        raise ValueError(f"{where}: the reason is empty")
    cases = [case_id for case_id in sorted(known) if fnmatch.fnmatchcase(case_id, str(item["case"]))]
    if not cases:
        raise ValueError(f"{where}: no case matches {item['case']!r}: see zeps-conform list")
    try:
        verdict = Verdict(item["verdict"])
    except ValueError as error:
        raise ValueError(f"{where}: unknown verdict {item['verdict']!r}") from error
    if not verdict.is_finding:
        raise ValueError(f"{where}: the verdict {verdict.value} is not a finding")
    types = words_of(where, item, "types") if "types" in item else ()
    return [Expected(case_id, verdict, str(item["reason"]), expires, types) for case_id in cases]
