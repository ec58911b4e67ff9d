"""The journal on a real disk: appending, reading for sessions, retention, recovery.

`store` is the entry point; the format, and what is served of a damaged file, is in `zeps_journal`.
"""

from zeps_broker.journal.recovery import TornTail
from zeps_broker.journal.store import JournalStore
from zeps_journal.damage import Damage

__all__ = ["Damage", "JournalStore", "TornTail"]
