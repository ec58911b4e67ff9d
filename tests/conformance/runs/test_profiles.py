"""The registered cases of every profile."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from zeps_conformance.runs.coverage import cover
from zeps_conformance.runs.profiles import PROFILES, Profile


@pytest.fixture(params=PROFILES.values(), ids=lambda profile: profile.name)
def profile(request: pytest.FixtureRequest) -> Profile:
    found: Profile = request.param
    return found


def test_every_rule_that_a_case_names_is_in_the_models(profile: Profile) -> None:
    assert cover(profile, profile.rulebook(), profile.cases()).unknown == ()


def test_no_observable_rule_lacks_a_case(profile: Profile) -> None:
    assert cover(profile, profile.rulebook(), profile.cases()).lacking == ()


def test_a_case_stands_in_the_file_of_its_section(profile: Profile) -> None:
    for one in profile.cases():
        path = Path(one.source)
        assert path.parent.name in (profile.name.replace("-", "_"), "zmtp_any")
        assert path.stem == one.section.replace("-", "_")


def test_titles_are_distinct_sentences_and_steps_are_narrated(profile: Profile) -> None:
    cases = profile.cases()
    doubled = [title for title, count in Counter(one.title for one in cases).items() if count > 1]
    assert doubled == []
    for one in cases:
        assert not one.title.endswith("."), one.id
        steps = one.steps()
        assert steps, one.id
        assert all(step.rstrip().endswith((".", "…")) for step in steps), one.id


def test_types_are_the_profiles(profile: Profile) -> None:
    for one in profile.cases():
        assert set(one.types) <= set(profile.types), one.id


def test_variants_differ_in_their_dialect_alone(profile: Profile) -> None:
    variants: dict[str, set[object]] = {}
    for one in profile.cases():
        variants.setdefault(one.base_id, set()).add((one.function, one.rules, one.polarity, one.types))
    assert all(len(found) == 1 for found in variants.values())
