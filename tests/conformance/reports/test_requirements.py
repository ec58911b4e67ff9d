"""Requirements: every rule has a place in a specification, and its sources have the addresses of the model."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from zeps_conformance.common.results import RuleResult
from zeps_conformance.reports.requirements import place_in_specification, source_links, specification_files
from zeps_conformance.runs.profiles import PROFILES

ROOT = Path(__file__).parents[3]


def rule_with(source: str) -> RuleResult:
    return RuleResult("R-1", "MUST", "text", source, "any", True)


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_every_rule_is_in_a_specification(profile: object) -> None:
    rules = [rule.id for rule in profile.rulebook().all_rules()]  # type: ignore[attr-defined]
    assert rules
    for rule_id in rules:
        name, _, anchor = place_in_specification(rule_id).partition("#")
        assert f'id="{anchor}"' in specification_files()[name].read_text(encoding="utf-8")


def test_addresses_of_rfcs_are_those_of_the_models_references() -> None:
    document = json.loads((ROOT / "generated/model.json").read_text(encoding="utf-8"))
    references = [entry for protocol in document["protocols"] for entry in protocol["references"]]
    addresses = {entry["id"]: re.search(r"https://\S+", entry["title"]) for entry in references}
    rfcs = {name: match[0] for name, match in addresses.items() if match}
    assert len(rfcs) >= 5
    for name, address in rfcs.items():
        assert [link.address for link in source_links(rule_with(name))] == [address]


def test_a_section_is_an_anchor_as_the_publisher_makes_it() -> None:
    links = source_links(
        rule_with("RFC 37 §Detecting ZMTP 1.0 and 2.0 Peers; RFC 23 §The Socket-Type Property")
    )
    assert [link.address for link in links] == [
        "https://rfc.zeromq.org/spec/37/#detecting-zmtp-10-and-20-peers",
        "https://rfc.zeromq.org/spec/23/#the-socket-type-property",
    ]
    assert [link.address for link in source_links(rule_with("Our decision"))] == [""]
