"""Journal folders, read as columns: which streams and segments there are, which blocks stand in a segment, and
a block's messages as Arrow batches. Without Spark, and without a loop over messages.

`folder` finds streams and segments, `heads` walks a segment from block to block, `resync` finds the way again
after damage, `columns` makes batches of blocks, `reading` reads what is wanted of a segment.
"""

from zeps_journal.damage import Damage
from zeps_journal.segment_file import BlockHead, SegmentFile
from zeps_journal.walk import served, walk
from zeps_pipeline.journal.columns import SCHEMA, BlockReader
from zeps_pipeline.journal.folder import Segment, check_shared, list_segments, list_streams
from zeps_pipeline.journal.reading import VANISHED, Wanted, read_segment

__all__ = [
    "SCHEMA",
    "VANISHED",
    "BlockHead",
    "BlockReader",
    "Damage",
    "Segment",
    "SegmentFile",
    "Wanted",
    "check_shared",
    "list_segments",
    "list_streams",
    "read_segment",
    "served",
    "walk",
]
