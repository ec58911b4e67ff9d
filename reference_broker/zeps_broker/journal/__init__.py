"""The journal: one folder per stream, segments of blocks, on a real disk.

`store` is the way in; `scan` and `recovery` say what is served of a file that has been damaged, and why.
"""

from zeps_broker.journal.damage import Damage, TornTail
from zeps_broker.journal.store import JournalStore

__all__ = ["Damage", "JournalStore", "TornTail"]
