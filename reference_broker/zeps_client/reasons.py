"""Parses the reason of INVALID: ``code [SP first SP last] SP text`` (ZEPS-INVALID-8)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from zeps_wire.zeps import EndingCode, OpenCode

__all__ = ["GAPS", "REFUSES_SUBSCRIBE", "TEMPORARY", "Reason"]

_FORM = re.compile(r"([a-z][a-z-]*)(?: (\d{1,20}) (\d{1,20}))? (.*)", re.DOTALL)

_ENDING_CODES = frozenset(EndingCode)
_OPEN_CODES = frozenset(OpenCode)
REFUSES_SUBSCRIBE = frozenset(
    (OpenCode.BAD_PATTERN, OpenCode.TOO_MANY_SUBSCRIPTIONS, OpenCode.NOT_RETAINED, OpenCode.BEYOND_END)
)
"""Codes of a refused SUBSCRIBE."""
GAPS = frozenset((OpenCode.RETENTION, OpenCode.DAMAGE))
"""Codes of notices about sequences that cannot be delivered."""
TEMPORARY = frozenset((EndingCode.STREAM_UNAVAILABLE, EndingCode.TOO_MANY_SESSIONS, EndingCode.STOPPING))
"""Codes of a temporary refusal of ATTACH (ZEPS-ATTACH-6): a later ATTACH may succeed."""


@dataclass(frozen=True, slots=True)
class Reason:
    """A parsed reason. `sequences` is the first and last sequence in it, None without them. If the reason has another
    form, `code` is empty and `text` is the whole reason.
    """

    code: str
    sequences: tuple[int, int] | None
    text: str

    @classmethod
    def parse(cls, reason: str) -> Reason:
        """Parses a reason. It never fails: a reason of another form has an empty code."""
        match = _FORM.fullmatch(reason)
        if match is None:
            return cls("", None, reason)
        code, first, last, text = match.groups()
        return cls(code, None if first is None else (int(first), int(last)), text)

    @property
    def ends_session(self) -> bool:
        """True if INVALID with this code ends the session; an unknown code does (ZEPS-INVALID-6)."""
        return self.code not in _OPEN_CODES

    @property
    def is_known(self) -> bool:
        """True if this version knows the code."""
        return self.code in _ENDING_CODES or self.code in _OPEN_CODES
