"""Cases and their registry."""

from __future__ import annotations

from collections import Counter

import pytest

from zeps_conformance.common.case import ID, REGISTRY, Case, Needs, Polarity, case, level_of
from zeps_conformance.model.definitions import Model, Rule, load_models, machine_rules
from zeps_conformance.runs.coverage import cover
from zeps_conformance.runs.profiles import PROFILES

ZEPS1 = PROFILES["zeps1"]


def test_every_observable_rule_of_the_broker_has_a_case(model: Model) -> None:
    covered = cover(ZEPS1, model, ZEPS1.cases())
    assert [rule.id for rule in covered.lacking] == []
    assert all(rule.role == "client" for rule in covered.elsewhere)


def test_every_observable_rule_has_a_case_in_some_profile() -> None:
    models, machines = load_models()
    rules = [rule for model in models for rule in model.all_rules()]
    rules += [rule for machine in machines for rule in machine_rules(machine)]
    covered = {rule for profile in PROFILES.values() for listed in profile.cases() for rule in listed.rules}
    bare = {rule.id: rule.role for rule in rules if rule.observable and rule.id not in covered}
    assert bare == {}


def test_ids_are_stable_words() -> None:
    cases = ZEPS1.cases()
    assert len({listed.id for listed in cases}) == len(cases) > 100
    for listed in cases:
        assert ID.fullmatch(listed.id)
        assert listed.profile == "zeps1"
        assert not any(part.isdigit() for part in listed.id.replace("-", ".").split("."))


def test_about_half_the_cases_are_negative() -> None:
    polarities = Counter(listed.polarity for listed in ZEPS1.cases())
    assert polarities[Polarity.NEGATIVE] > 50
    assert polarities[Polarity.POSITIVE] > 50


def test_patterns_choose_cases() -> None:
    assert {listed.section for listed in ZEPS1.cases(["credit.*"])} == {"credit"}
    assert [listed.id for listed in ZEPS1.cases(["zeps1.credit.adds-up", "credit.adds-up"])] == [
        "zeps1.credit.adds-up"
    ]
    with pytest.raises(ValueError, match="no case of profile zeps1 matches 'nothing'"):
        ZEPS1.cases(["nothing"])


def test_the_decorator_refuses_what_is_no_case() -> None:
    ZEPS1.cases()  # registers them
    with pytest.raises(ValueError, match="is not a case id"):
        case("Upper.case.id", "title", "RULE")
    with pytest.raises(ValueError, match="duplicate case id"):
        case("zeps1.credit.adds-up", "title", "RULE")
    with pytest.raises(ValueError, match="at least one rule"):
        case("zeps1.credit.nothing", "title")
    assert "zeps1.credit.nothing" not in REGISTRY


def test_the_level_is_the_strictest_of_the_rules() -> None:
    def rule(level: str) -> Rule:
        return Rule(level, level, "", "", "")

    assert level_of([rule("MAY"), rule("MUST"), rule("SHOULD")]) == "MUST"
    assert level_of([rule("MAY"), rule("SHOULD")]) == "SHOULD"
    assert level_of([]) == "MAY"


def test_steps_are_read_from_the_source() -> None:
    def function(t: object) -> None:
        t.step("First.")  # type: ignore[attr-defined]
        for count in (1, 2):
            t.step(f"Then {count} more.")  # type: ignore[attr-defined]

    example = Case("a.b.c", "t", ("R",), Polarity.POSITIVE, Needs.NOTHING, function)  # type: ignore[arg-type]
    assert example.steps() == ["First.", "Then … more."]
