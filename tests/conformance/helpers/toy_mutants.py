"""Every mutant of the toy broker, by name."""

from __future__ import annotations

import mutants_corners
import mutants_decoding
import mutants_messages
import mutants_sessions
from mutant import Mutant

MUTANTS: dict[str, type[Mutant]] = {
    name: kind
    for module in (mutants_sessions, mutants_messages, mutants_decoding, mutants_corners)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, Mutant) and kind.killed_by
}
