"""Base classes of the mutants."""

from __future__ import annotations

from typing import ClassVar

from toy_broker import ToyBroker

from zeps_conformance.common.verdicts import Verdict
from zeps_conformance.model.interpreter import Decoded, MalformedFrameError


class Mutant(ToyBroker):
    """The toy broker with one defect.

    `killed_by` names the cases that must detect it, with `verdict`; `alone` means that no other case does.
    """

    killed_by: ClassVar[tuple[str, ...]] = ()
    alone: ClassVar[bool] = False
    verdict: ClassVar[Verdict] = Verdict.FAIL


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
        raise NotImplementedError
