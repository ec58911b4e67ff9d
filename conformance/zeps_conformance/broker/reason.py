"""Parser of INVALID's reason: ``code [SP first SP last] SP text``; first and last are sequences (ZEPS-INVALID-8)."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.model.definitions import Model
from zeps_conformance.model.interpreter import MalformedFrameError

__all__ = [
    "NOTICES",
    "REFUSES_ATTACH",
    "REFUSES_SUBSCRIBE",
    "UNDECODABLE",
    "Reason",
    "Reasons",
    "codes_for",
]

#: Codes that refuse an ATTACH that decodes.
REFUSES_ATTACH = frozenset({"stream-name", "stream-unavailable", "too-many-sessions", "stopping"})
#: Codes for input that does not decode, such as an ATTACH with another protocol or version.
UNDECODABLE = frozenset({"malformed", "unknown-command", "unsupported-protocol", "unsupported-version"})
#: Codes that are sent instead of SUBSCRIBE-OK.
REFUSES_SUBSCRIBE = frozenset({"bad-pattern", "too-many-subscriptions", "not-retained", "beyond-end"})
#: Codes that announce a gap, and do not answer a command.
NOTICES = frozenset({"retention", "damage"})

_FORM = re.compile(r"([a-z][a-z-]*)(?: ([0-9]{1,20}) ([0-9]{1,20}))? (.+)", re.DOTALL)
_NUMBERED = NOTICES | {"not-retained", "beyond-end"}
_SEQUENCE_MAX = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Reason:
    """A well-formed reason. `first` and `last` are 0 for a code without sequences."""

    code: str
    first: int
    last: int
    text: str


class Reasons:
    """Parser of reasons with the codes of `model`: its enumerations ``ending code`` and ``open code``."""

    def __init__(self, model: Model) -> None:
        self._ending = frozenset(model.enumerations.get("ending code", ()))
        self._open = frozenset(model.enumerations.get("open code", ()))

    def read(self, reason: str) -> Reason:
        """Parses a reason. Raises FailureError (ZEPS-INVALID-8) if the form, the code or the sequences are invalid."""
        match = _FORM.fullmatch(reason)
        if match is None:
            raise _failure("a reason of the form `code [first last] text`", reason)
        code, first, last, text = match.groups()
        if not self.is_known(code):
            raise _failure(
                f"one of the codes {', '.join(sorted(map(str, self._ending | self._open)))}", reason
            )
        if code not in _NUMBERED:
            return Reason(code, 0, 0, text)
        if first is None or not 1 <= int(first) <= int(last) <= _SEQUENCE_MAX:
            raise _failure(
                f"after {code}, a first sequence of at least 1 and a last one that is not less", reason
            )
        return Reason(code, int(first), int(last), text)

    def is_known(self, code: str) -> bool:
        """Returns whether `code` is in one of the model's two enumerations."""
        return code in self._ending or code in self._open

    def ends_session(self, code: str) -> bool:
        """Returns whether INVALID with `code` ends the session; an unknown code ends it (ZEPS-INVALID-6)."""
        return code not in self._open


def codes_for(error: MalformedFrameError) -> Collection[str]:
    """Returns the codes that INVALID may have for a frame with `error`; an ATTACH may have further errors."""
    if error.code == "unknown-message":
        return ("unknown-command",)
    return UNDECODABLE - {"unknown-command"} if error.code == "bad-constant" else ("malformed",)


def _failure(expected: str, reason: str) -> FailureError:
    return FailureError(expected, f"reason {reason!a}", "ZEPS-INVALID-8")
