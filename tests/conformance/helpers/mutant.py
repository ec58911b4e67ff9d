"""Base classes of the mutants, and their registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, TypeVar

from toy_broker import ToyBroker

from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.interpreter import Decoded, MalformedFrameError

MUTANTS: dict[str, type[Mutant]] = {}
"""The mutants by class name, as far as their modules have been imported: `toy_mutants` imports all."""


class Mutant(ToyBroker):
    """The toy broker with one defect. `kept` is the defect's memory, with keys and values of its own choice."""

    killed_by: ClassVar[tuple[str, ...]]
    alone: ClassVar[bool]
    verdict: ClassVar[Verdict]
    volume: ClassVar[float]

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.kept: dict[Any, Any] = {}


Kind = TypeVar("Kind", bound=type[Mutant])


def killed_by(
    *cases: str, alone: bool = False, verdict: Verdict = Verdict.FAIL, volume: float = 0.02
) -> Callable[[Kind], Kind]:
    """Registers a mutant that `cases`, ids without the profile, must detect with `verdict`; `alone`: no other case.
    `volume`: the share of the messages that they need in cases of scale.
    """

    def register(kind: Kind) -> Kind:
        kind.killed_by, kind.alone, kind.verdict, kind.volume = cases, alone, verdict, volume
        MUTANTS[kind.__name__] = kind
        return kind

    return register


class Lenient(Mutant):
    """Accepts a frame that is refused with one code, after repairing it."""

    code: ClassVar[str] = ""

    def decode(self, parts: tuple[bytes, ...]) -> Decoded:
        try:
            return super().decode(parts)
        except MalformedFrameError as error:
            if error.code == self.code and len(parts) == 1:
                return self.repaired(parts[0], error)
            raise

    def repaired(self, frame: bytes, error: MalformedFrameError) -> Decoded:
        """Returns the message that the broker takes `frame` for. Raises `error` for a frame that it refuses."""
        raise NotImplementedError
