"""Every mutant of the toy broker, by name: imports the modules that register them."""

from __future__ import annotations

import mutants_corners  # noqa: F401
import mutants_decoding  # noqa: F401
import mutants_gaps  # noqa: F401
import mutants_messages  # noqa: F401
import mutants_rules  # noqa: F401
import mutants_scale  # noqa: F401
import mutants_sessions  # noqa: F401
from mutant import MUTANTS

__all__ = ["MUTANTS"]
