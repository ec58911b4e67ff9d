"""Audits of files with random faults: each fault is reported, and no other."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from campaigns import seeds
from planting import Expected, plant, write_stream

from zeps_pipeline.audit.merge import Merged, merge
from zeps_pipeline.audit.segment import audit_segment
from zeps_pipeline.journal import list_segments, list_streams


def audited(folder: Path, stream: str) -> Merged:
    pieces = [audit_segment(segment)[0] for segment in list_segments(stream, list_streams(folder)[stream])]
    return merge(stream, [piece for segment_pieces in pieces for piece in segment_pieces])


def seen(merged: Merged) -> list[tuple[str, int | None, int | None]]:
    return [(finding.kind, finding.first, finding.last) for finding in merged.findings]


def test_a_journal_without_faults_has_no_findings(tmp_path: Path) -> None:
    messages = write_stream(tmp_path, "s", random.Random(0))
    merged = audited(tmp_path, "s")
    assert seen(merged) == []
    assert (merged.first, merged.last, merged.messages, merged.distinct) == (1, messages, messages, messages)


@pytest.mark.parametrize("number", seeds(27, 2000))
def test_a_planted_fault_is_found_and_no_other(tmp_path: Path, number: int) -> None:
    chance = random.Random(number)
    messages = write_stream(tmp_path, "s", chance)
    expected: Expected = plant(tmp_path, "s", number, chance)
    merged = audited(tmp_path, "s")
    assert seen(merged) == [expected[:3]]
    assert merged.distinct == messages - expected.lost
    assert sum(kept.last - kept.first + 1 for kept in merged.kept) == merged.distinct
