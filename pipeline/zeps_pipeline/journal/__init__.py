"""Reads journal folders as columns, without Spark and without a loop over messages. `folder` lists streams and
segments, `columns` converts blocks to Arrow batches, `reading` reads the selected messages of a segment.
"""

from zeps_journal.block import BlockHead
from zeps_journal.damage import Damage
from zeps_journal.segment_file import Segment, SegmentFile
from zeps_journal.walk import served, walk
from zeps_pipeline.journal.columns import SCHEMA, BlockReader
from zeps_pipeline.journal.folder import check_shared, list_segments, list_streams
from zeps_pipeline.journal.reading import VANISHED, MessageSelection, read_segment

__all__ = [
    "SCHEMA",
    "VANISHED",
    "BlockHead",
    "BlockReader",
    "Damage",
    "MessageSelection",
    "Segment",
    "SegmentFile",
    "check_shared",
    "list_segments",
    "list_streams",
    "read_segment",
    "served",
    "walk",
]
