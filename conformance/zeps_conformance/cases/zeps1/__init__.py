"""The hand-written cases of profile ``zeps1``, one module for each section of the protocol.

Importing a module fills the registry. A case's id names its section and its subject, so that cases can be
added, moved and reordered without renaming other cases.
"""

from __future__ import annotations
