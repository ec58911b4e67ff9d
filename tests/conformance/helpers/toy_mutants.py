"""Every mutant of the toy broker, by name."""

from __future__ import annotations

import mutants_corners
import mutants_decoding
import mutants_gaps
import mutants_messages
import mutants_rules
import mutants_sessions
from mutant import Mutant

MODULES = (
    mutants_sessions,
    mutants_messages,
    mutants_decoding,
    mutants_corners,
    mutants_rules,
    mutants_gaps,
)

MUTANTS: dict[str, type[Mutant]] = {
    name: kind
    for module in MODULES
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, Mutant) and kind.killed_by
}
