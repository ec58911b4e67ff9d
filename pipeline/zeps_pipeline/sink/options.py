"""Options of `format("zeps")` for writing."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from zeps_pipeline.broker import Broker
from zeps_pipeline.errors import OptionError
from zeps_pipeline.sink.publishing import Patience
from zeps_pipeline.source.options import check_keys, seconds_of

__all__ = ["WRITE_OPTIONS", "WriteOptions", "write_options"]

WRITE_OPTIONS = (
    "zeps.endpoint",
    "zeps.serverKey",
    "zeps.key",
    "stream",
    "zeps.staging",
    "zeps.writeId",
    "zeps.settle",
    "zeps.timeout",
    "checkpointLocation",
)


@dataclass(frozen=True, slots=True)
class WriteOptions:
    """The parsed options."""

    broker: Broker
    staging: str
    """Folder for staged rows."""
    stream: str | None = None
    """Stream for all rows; None takes the stream from the column `stream`."""
    write_id: str | None = None
    """Identifies a batch write: a write with the same value continues the earlier one."""
    patience: Patience = field(default_factory=Patience)


def write_options(options: Mapping[str, str], *, streaming: bool) -> WriteOptions:
    """Parse the options for writing, and read the CURVE keys once to check them. Raises OptionError."""
    given = check_keys(options, WRITE_OPTIONS)
    if "zeps.endpoint" not in given:
        raise OptionError("zeps.endpoint is missing: set it to the endpoint of the broker to publish to")
    if streaming and "zeps.writeId" in given:
        raise OptionError("zeps.writeId is not allowed for a streaming query, whose id is in its checkpoint")
    broker = Broker(given["zeps.endpoint"], given.get("zeps.serverKey"), given.get("zeps.key"))
    broker.curve()  # reports invalid keys here instead of after staging
    defaults = Patience()
    return WriteOptions(
        broker=broker,
        staging=given.get("zeps.staging") or _staging(given.get("checkpointLocation"), streaming=streaming),
        stream=given.get("stream"),
        write_id=given.get("zeps.writeId"),
        patience=Patience(
            settle=seconds_of(given, "zeps.settle", defaults.settle, zero=True),
            timeout=seconds_of(given, "zeps.timeout", defaults.timeout, zero=True),
        ),
    )


def _staging(checkpoint: str | None, *, streaming: bool) -> str:
    """Default staging folder: `zeps-staging` in the checkpoint's folder; for a batch write without one, a local folder
    per user. Raises OptionError for a streaming query without a checkpoint or with one that is not mounted.
    """
    if checkpoint is None:
        if streaming:
            raise OptionError(
                "set checkpointLocation, or zeps.staging to a folder that driver and tasks share"
            )
        return str(Path(tempfile.gettempdir()) / f"zeps-staging-{os.getuid()}")
    parts = urlsplit(checkpoint)
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
        raise OptionError(
            f"set zeps.staging to a folder that driver and tasks share: the checkpoint {checkpoint} is not in a "
            "local or mounted file system"
        )
    folder = unquote(parts.path) if parts.scheme else checkpoint
    return str(Path(folder).absolute() / "zeps-staging")
