"""The journal on disk: appending, reading, retention, recovery. `store` is the entry, `zeps_journal` the format."""

from zeps_broker.journal.recovery import TornTail
from zeps_broker.journal.store import JournalStore
from zeps_journal.damage import Damage

__all__ = ["Damage", "JournalStore", "TornTail"]
