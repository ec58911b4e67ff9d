"""Connection settings for a broker: endpoint and CURVE keys."""

from __future__ import annotations

from dataclasses import dataclass

from zeps_client import Curve
from zeps_pipeline.errors import OptionError

__all__ = ["Broker"]


@dataclass(frozen=True, slots=True)
class Broker:
    """An endpoint and, for CURVE, the paths of the broker's public and of the client's secret certificate (without the
    latter a temporary key pair is used). Driver and tasks read the files on their own machines; keys are not sent to
    tasks.
    """

    endpoint: str
    server_key: str | None = None
    key: str | None = None

    def curve(self) -> Curve | None:
        """The CURVE keys; None if no certificate is set. Raises OptionError if a file cannot be read or has no valid
        keys, or if only the client's is set.
        """
        if self.server_key is None:
            if self.key is not None:
                raise OptionError("zeps.key requires zeps.serverKey, the broker's certificate")
            return None
        try:
            return Curve.load(self.server_key, self.key)
        except (OSError, ValueError) as error:
            raise OptionError(f"zeps.serverKey, zeps.key: {error}") from error

    def __str__(self) -> str:
        return self.endpoint
