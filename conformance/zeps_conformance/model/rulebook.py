"""The rules of several protocols and machines as one book, for a profile that draws on more than one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

from zeps_conformance.model.definitions import Model, ModelFileError, Rule, load_models, machine_rules

__all__ = ["Book", "Rulebook", "load_book"]


class Rulebook(Protocol):
    """What a run needs to know of the protocol: a :class:`Model` is one, and so is a :class:`Book`."""

    @property
    def name(self) -> str: ...

    @property
    def version(self) -> int: ...

    @property
    def digest(self) -> str: ...

    def all_rules(self) -> tuple[Rule, ...]:
        """All rules, in the models' order."""

    def rule(self, rule_id: str) -> Rule:
        """The rule called `rule_id`. KeyError if there is none."""


@dataclass(frozen=True)
class Book:
    """The rules of `models`, of which the first gives name and version, and of the machines that speak them."""

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
    """The book of `protocols` and their machines, from the file at `path` or the packaged copy.

    ModelFileError as for :func:`load_models`, or if a protocol is missing.
    """
    found, machines = load_models(path)
    by_name = {model.name: model for model in found}
    if missing := [name for name in protocols if name not in by_name]:
        raise ModelFileError(f"{path or 'the packaged model'}: holds no protocol called {missing[0]!r}")
    models = {name: by_name[name] for name in protocols}
    rules = [rule for model in models.values() for rule in model.all_rules()]
    for machine in machines:
        if machine["protocol"] in models:
            rules += machine_rules(machine)
    return Book(models, tuple(rules))
