"""What the mutants have in common."""

from __future__ import annotations

from typing import ClassVar

from toy_broker import ToyBroker

from zeps_conformance.interpreter import Decoded, MalformedFrameError


class Mutant(ToyBroker):
    """The toy broker with one mistake. `killed_by` names the cases that have to notice it."""

    killed_by: ClassVar[tuple[str, ...]] = ()


class Lenient(Mutant):
    """Takes a frame that is refused with one code, repaired."""

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
