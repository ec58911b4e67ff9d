"""Registration of cases: ids, arguments and steps."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from zeps_conformance.cases import registration
from zeps_conformance.cases.registration import case
from zeps_conformance.common.case import REGISTRY


class Trial:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def step(self, sentence: str) -> None:
        self.seen.append(sentence)


@pytest.fixture(autouse=True)
def own_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    before = dict(REGISTRY)
    monkeypatch.setattr(greets, "__module__", "zeps_conformance.cases.zmtp_pub.socket_types")
    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def greets(t: Trial, name: str = "Ada") -> None:
    t.step(f"A greets {name}.")


def test_the_id_is_profile_module_and_function() -> None:
    assert case("title", "ZMTP-G-1")(greets) is greets
    assert REGISTRY["zmtp-pub.socket-types.greets"].function is greets


def test_a_function_with_arguments_is_several_cases() -> None:
    for name in ("Ada", "Eve"):
        case(f"title of {name}", "ZMTP-G-1", subject=f"of_{name.lower()}")(greets, name)
    trial = Trial()
    REGISTRY["zmtp-pub.socket-types.of-eve"].function(trial)
    assert trial.seen == ["A greets Eve."]
    assert REGISTRY["zmtp-pub.socket-types.of-ada"].steps() == ["A greets …."]
    assert REGISTRY["zmtp-pub.socket-types.of-ada"].source == __file__


def test_a_shared_package_registers_a_case_for_each_of_its_profiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registration.SHARED, "zmtp_pub", ("zmtp-pub", "zmtp-sub"))
    case("title", "ZMTP-G-1")(greets)
    assert {f"{profile}.socket-types.greets" for profile in ("zmtp-pub", "zmtp-sub")} <= REGISTRY.keys()
    with pytest.raises(ValueError, match="duplicate case id"):
        case("title", "ZMTP-G-1")(greets)
