"""The journal on a real disk: appending, reading for sessions, retention, recovery.

`store` is the entry point. `zeps_journal` defines the format, and which messages of a damaged file can be served.
"""

from zeps_broker.journal.recovery import TornTail
from zeps_broker.journal.store import JournalStore
from zeps_journal.damage import Damage

__all__ = ["Damage", "JournalStore", "TornTail"]
