"""Rules of several protocols and machines, for a profile that uses more than one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from zeps_conformance.model.definitions import Model, ModelFileError, Rule, load_models, machine_rules

__all__ = ["Book", "Rulebook", "load_book"]


class Rulebook(Protocol):
    """The protocol's rules as a run needs them: :class:`Model` and :class:`Book` implement this interface."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    @property
    def digest(self) -> str: ...

    def all_rules(self) -> tuple[Rule, ...]:
        """Returns all rules, in the models' order."""

    def rule(self, rule_id: str) -> Rule:
        """Returns the rule `rule_id`. Raises KeyError if it does not exist."""


@dataclass(frozen=True)
class Book:
    """The rules of `models`, of which the first supplies name, version and digest, and of their machines."""

    models: Mapping[str, Model]
    rules: tuple[Rule, ...]

    @property
    def name(self) -> str:
        return self._first.name

    @property
    def version(self) -> int:
        return self._first.version

    @property
    def digest(self) -> str:
        return self._first.digest

    def all_rules(self) -> tuple[Rule, ...]:
        return self.rules

    def rule(self, rule_id: str) -> Rule:
        return self._by_id[rule_id]

    @property
    def _first(self) -> Model:
        return next(iter(self.models.values()))

    @cached_property
    def _by_id(self) -> Mapping[str, Rule]:
        return {rule.id: rule for rule in self.rules}


def load_book(path: Path | None, protocols: Sequence[str]) -> Book:
    """Loads the book of `protocols`, at least one, and their machines. Raises ModelFileError as :func:`load_model`."""
    loaded, machines = load_models(path)
    by_name = {model.name: model for model in loaded}
    if missing := [name for name in protocols if name not in by_name]:
        raise ModelFileError(f"{path or 'the packaged model'}: does not contain a protocol {missing[0]!r}")
    models = {name: by_name[name] for name in protocols}
    rules = [rule for model in models.values() for rule in model.all_rules()]
    for machine in machines:
        if machine["protocol"] in models:
            rules += machine_rules(machine)
    return Book(models, tuple(rules))
