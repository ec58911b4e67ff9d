"""Broker and pipeline find the same streams in a data folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from journal_helpers import NOW, fill, quiet, segment_files

from zeps_broker.journal import JournalStore
from zeps_pipeline.journal import list_streams
from zeps_wire import journal as wire

LONG = "ü" * 100


@pytest.fixture
def data(tmp_path: Path) -> Path:
    store = JournalStore(tmp_path / "data", sync="os")
    for stream in (LONG, "prices", "a b"):
        fill(store.open(stream), [2])
    store.close()
    return tmp_path / "data"


def streams_of_both(data: Path) -> tuple[dict[str, Path], dict[str, Path]]:
    """Streams and folders, as the broker and the pipeline find them."""
    store = JournalStore(data, read_only=True, log=quiet())
    found = {stream: store.open(stream).segments[0].path.parent for stream in store.streams()}
    store.close()
    return found, list_streams(data)


def test_streams_by_name(data: Path) -> None:
    broker, pipeline = streams_of_both(data)
    assert sorted(broker) == sorted([LONG, "prices", "a b"])
    assert broker == pipeline


def test_a_misplaced_segment_does_not_rename_a_long_named_stream(data: Path) -> None:
    """A cut folder belongs to the stream whose name has its hash, whatever its first header contains."""
    (cut,) = [folder for folder in data.iterdir() if "~" in folder.name]
    (own,) = segment_files(cut)
    own.rename(cut / "00000000000000000003.segment")
    shutil.copy(segment_files(data / "prices")[0], own)
    broker, pipeline = streams_of_both(data)
    assert broker[LONG] == cut
    assert broker["prices"] == data / "prices"
    assert broker == pipeline


def test_a_cut_folder_that_no_header_names_is_no_stream(data: Path) -> None:
    (cut,) = [folder for folder in data.iterdir() if "~" in folder.name]
    (own,) = segment_files(cut)
    own.write_bytes(wire.Segment(1, NOW, "other").encode())
    broker, pipeline = streams_of_both(data)
    assert LONG not in broker
    assert broker == pipeline


@pytest.mark.parametrize("folder", ["%ff", "%61", "lost+found", "Prices", "a~b"])
def test_a_folder_that_no_stream_has_is_no_stream(data: Path, folder: str) -> None:
    shutil.copytree(data / "prices", data / folder)
    broker, pipeline = streams_of_both(data)
    assert len(broker) == 3
    assert broker == pipeline
