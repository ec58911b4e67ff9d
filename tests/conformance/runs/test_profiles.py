"""The registered cases of every profile."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from zeps_conformance.runs.coverage import cover
from zeps_conformance.runs.profiles import PROFILES, Profile


@pytest.fixture(params=PROFILES.values(), ids=lambda profile: profile.name)
def profile(request: pytest.FixtureRequest) -> Profile:
    requested: Profile = request.param
    return requested


def test_every_rule_that_a_case_names_is_in_the_models(profile: Profile) -> None:
    assert cover(profile, profile.rulebook(), profile.cases()).unknown == ()


def test_no_observable_rule_lacks_a_case(profile: Profile) -> None:
    assert cover(profile, profile.rulebook(), profile.cases()).lacking == ()


def test_a_case_stands_in_the_file_of_its_section(profile: Profile) -> None:
    for case in profile.cases():
        path = Path(case.source)
        assert path.parent.name in (profile.name.replace("-", "_"), "zmtp_any")
        assert path.stem == case.section.replace("-", "_")


def test_titles_are_distinct_sentences_and_steps_are_narrated(profile: Profile) -> None:
    cases = profile.cases()
    doubled = [title for title, count in Counter(case.title for case in cases).items() if count > 1]
    assert doubled == []
    for case in cases:
        assert not case.title.endswith("."), case.id
        steps = case.steps()
        assert steps, case.id
        assert all(step.rstrip().endswith((".", "…")) for step in steps), case.id


def test_types_are_the_profiles(profile: Profile) -> None:
    for case in profile.cases():
        assert set(case.types) <= set(profile.types), case.id


def test_variants_differ_in_their_dialect_alone(profile: Profile) -> None:
    variants: dict[str, set[object]] = {}
    for case in profile.cases():
        variants.setdefault(case.base_id, set()).add((case.function, case.rules, case.polarity, case.types))
    assert all(len(properties) == 1 for properties in variants.values())
