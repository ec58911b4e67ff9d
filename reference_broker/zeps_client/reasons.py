"""What INVALID's reason says: ``code [SP first SP last] SP text`` (ZEPS-INVALID-1)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from zeps_wire.zeps import EndingCode, OpenCode

__all__ = ["GAPS", "REFUSES_SUBSCRIBE", "TEMPORARY", "Reason"]

_FORM = re.compile(r"([a-z][a-z-]*)(?: (\d{1,20}) (\d{1,20}))? (.*)", re.DOTALL)

_ENDING_CODES = frozenset(EndingCode)
_OPEN_CODES = frozenset(OpenCode)
REFUSES_SUBSCRIBE = frozenset(
    (
        OpenCode.BAD_PATTERN,
        OpenCode.TOO_MANY_SUBSCRIPTIONS,
        OpenCode.NOT_RETAINED,
        OpenCode.BEYOND_END,
    )
)
"""Codes that take the place of SUBSCRIBE-OK."""
GAPS = frozenset((OpenCode.RETENTION, OpenCode.DAMAGE))
"""Codes of notices: sequences that cannot be delivered."""
TEMPORARY = frozenset((EndingCode.STREAM_UNAVAILABLE, EndingCode.TOO_MANY_SESSIONS, EndingCode.STOPPING))
"""Codes that refuse an ATTACH for now (ZEPS-ATTACH-6): the same may be granted later."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A reason, parsed. `sequences` are the first and the last that it names; `code` is empty if it has no form."""

    code: str
    sequences: tuple[int, int] | None
    text: str

    @classmethod
    def parse(cls, reason: str) -> Reason:
        """Never fails: a reason of another form has no code."""
        found = _FORM.fullmatch(reason)
        if found is None:
            return cls("", None, reason)
        code, first, last, text = found.groups()
        return cls(code, None if first is None else (int(first), int(last)), text)

    @property
    def ends_session(self) -> bool:
        """Whether there is no session after it; so it is for a code that is not known (ZEPS-INVALID-6)."""
        return self.code not in _OPEN_CODES

    @property
    def is_known(self) -> bool:
        """Whether this version has the code."""
        return self.code in _ENDING_CODES or self.code in _OPEN_CODES
