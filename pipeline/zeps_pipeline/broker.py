"""A broker to read from or to publish to: where it is, and what opens its door."""

from __future__ import annotations

from dataclasses import dataclass

from zeps_client import Curve
from zeps_pipeline.errors import OptionError

__all__ = ["Broker"]


@dataclass(frozen=True, slots=True)
class Broker:
    """`endpoint`, and for one with CURVE the paths of its public certificate and of our secret one.

    Driver and tasks read the files, each where it runs: keys do not travel.
    """

    endpoint: str
    server_key: str | None = None
    key: str | None = None

    def curve(self) -> Curve | None:
        """The keys; None where none are needed. Raises OptionError."""
        if self.server_key is None:
            if self.key is not None:
                raise OptionError("zeps.key is of use only with zeps.serverKey, the broker's certificate")
            return None
        try:
            return Curve.load(self.server_key, self.key)
        except (OSError, ValueError) as error:
            raise OptionError(f"zeps.serverKey, zeps.key: {error}") from error

    def __str__(self) -> str:
        return self.endpoint
