"""Captures in files: of packets, and the traffic in findings that were kept."""

from __future__ import annotations

import contextlib
import io
import struct
from collections.abc import Iterator
from pathlib import Path

from zeps_conformance.captures.pcap_reader import CaptureError, CaptureReader
from zeps_conformance.captures.synthetic import write_traffic
from zeps_conformance.common.json_files import read_json
from zeps_conformance.common.kept_findings import traffic_of
from zeps_conformance.common.results import FORMAT

__all__ = ["open_capture"]


@contextlib.contextmanager
def open_capture(path: Path) -> Iterator[CaptureReader]:
    """Yields a reader of the capture at `path`. Raises CaptureError, or another ValueError, if it is not readable."""
    try:
        with path.open("rb") as file:
            if file.read(1) == b"{":
                yield CaptureReader(str(path), _packets_of_kept(path))
            else:
                file.seek(0)
                yield CaptureReader(str(path), file)
    except OSError as error:
        raise CaptureError(f"{path}: cannot be read: {error.strerror or error}") from error


def _packets_of_kept(path: Path) -> io.BytesIO:
    """Returns the traffic of a kept finding as pcapng."""
    document = read_json(path)
    if isinstance(document, dict) and document.get("format") == FORMAT:
        raise CaptureError(
            f"{path}: a report has only the beginnings of frames: use a file that run --keep or --pcap wrote"
        )
    traffic = traffic_of(path, document)
    if traffic is None:
        raise CaptureError(
            f"{path}: does not contain the traffic of its case: run it again with --keep or --pcap"
        )
    file = io.BytesIO()
    try:
        write_traffic(file, traffic)
    except (ValueError, OverflowError, struct.error) as error:
        raise CaptureError(f"{path}: invalid traffic: {error}") from error
    file.seek(0)
    return file
