"""The hand-written cases of profile ``zeps1``, one module for each section of the protocol.

Importing a module fills the registry. A case's id consists of the profile, the module and the function's name, so
that cases can be added and reordered without renaming other cases.
"""

from __future__ import annotations
