"""Broker and pipeline find the same streams in a data folder."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from journal_helpers import NOW, fill, quiet, segment_files

from zeps_broker.journal import JournalStore
from zeps_pipeline.journal import list_streams
from zeps_wire import journal as wire

LONG = "ü" * 100


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with closing(JournalStore(tmp_path / "data", sync="os")) as store:
        for stream in (LONG, "prices", "a b"):
            fill(store.open(stream), [2])
    return tmp_path / "data"


def streams_of_both(data: Path) -> dict[str, Path]:
    """Returns streams and their folders, which the broker and the pipeline must find alike."""
    with closing(JournalStore(data, read_only=True, log=quiet())) as store:
        folders = {stream: store.open(stream).segments[0].path.parent for stream in store.streams()}
    assert folders == list_streams(data)
    return folders


def cut_folder(data: Path) -> tuple[Path, Path]:
    """Returns the folder whose name is cut, and its only segment."""
    (cut,) = data.glob("*~*")
    (own,) = segment_files(cut)
    return cut, own


def test_streams_by_name(data: Path) -> None:
    assert sorted(streams_of_both(data)) == sorted([LONG, "prices", "a b"])


def test_a_misplaced_segment_does_not_rename_a_long_named_stream(data: Path) -> None:
    """A cut folder belongs to the stream whose name has its hash, whatever its first header contains."""
    cut, own = cut_folder(data)
    own.rename(cut / "00000000000000000003.segment")
    shutil.copy(segment_files(data / "prices")[0], own)
    streams = streams_of_both(data)
    assert streams[LONG] == cut
    assert streams["prices"] == data / "prices"


def test_a_cut_folder_that_no_header_names_is_no_stream(data: Path) -> None:
    _, own = cut_folder(data)
    own.write_bytes(wire.Segment(1, NOW, "other").encode())
    assert LONG not in streams_of_both(data)


@pytest.mark.parametrize("folder", ["%ff", "%61", "lost+found", "Prices", "a~b"])
def test_a_folder_that_no_stream_has_is_no_stream(data: Path, folder: str) -> None:
    shutil.copytree(data / "prices", data / folder)
    assert len(streams_of_both(data)) == 3
