"""What users may say to `format("zeps")` when they write."""

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
from zeps_pipeline.source.options import check_keys

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
    """The options, read."""

    broker: Broker
    staging: str
    """The folder in which rows wait for their commit."""
    stream: str | None = None
    """Where all rows go; None: where the column `stream` says."""
    write_id: str | None = None
    """A batch write with the same one is the same write."""
    patience: Patience = field(default_factory=Patience)


def write_options(options: Mapping[str, str], *, streaming: bool) -> WriteOptions:
    """Raises OptionError."""
    given = check_keys(options, WRITE_OPTIONS)
    if "zeps.endpoint" not in given:
        raise OptionError("say zeps.endpoint, the broker to publish to")
    if streaming and "zeps.writeId" in given:
        raise OptionError("zeps.writeId: a streaming query has an id of its own, in its checkpoint")
    broker = Broker(given["zeps.endpoint"], given.get("zeps.serverKey"), given.get("zeps.key"))
    broker.curve()  # so that the mistake is told here, and not when everything is staged
    usual = Patience()
    return WriteOptions(
        broker=broker,
        staging=given.get("zeps.staging") or _staging(given.get("checkpointLocation"), streaming=streaming),
        stream=given.get("stream"),
        write_id=given.get("zeps.writeId"),
        patience=Patience(
            settle=_seconds(given, "zeps.settle", usual.settle),
            timeout=_seconds(given, "zeps.timeout", usual.timeout),
        ),
    )


def _staging(checkpoint: str | None, *, streaming: bool) -> str:
    """Beside the checkpoint, without which staged rows mean nothing; for a batch a folder of this machine,
    which each user has to himself.
    """
    if checkpoint is None:
        if streaming:
            raise OptionError("say checkpointLocation, or zeps.staging, a folder that driver and tasks share")
        return str(Path(tempfile.gettempdir()) / f"zeps-staging-{os.getuid()}")
    parts = urlsplit(checkpoint)
    if parts.scheme not in ("", "file") or parts.netloc not in ("", "localhost"):
        raise OptionError(
            f"say zeps.staging, a folder that driver and tasks share: {checkpoint} is not in a file system that can be "
            "opened as one"
        )
    folder = unquote(parts.path) if parts.scheme else checkpoint
    return str(Path(folder).absolute() / "zeps-staging")


def _seconds(given: Mapping[str, str], name: str, usual: float) -> float:
    try:
        seconds = float(given.get(name, usual))
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 86_400:
        raise OptionError(f"{name} is a number of seconds up to 86400, not {given[name]}")
    return seconds
