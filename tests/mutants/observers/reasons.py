"""Observes `zeps_broker.core.reasons`: all codes, texts of two characters of all classes, and lengths at the limit."""

from __future__ import annotations

from itertools import product

from recorder import Recorder

from zeps_broker.core.reasons import compose, of_decode_error, parse
from zeps_wire.errors import CODES, DecodeError
from zeps_wire.zeps import EndingCode, OpenCode

CHARACTERS = ("", "a", "Z", "0", " ", "!", "}", "~", "\x7f", "\x1f", "\n", "\x00", "é", "\u20ac", "?")
SEQUENCES = (None, (0, 0), (1, 2), (9, 10), (2**64 - 2, 2**64 - 1))
WORDS = ("", "a", "a-b", "A", "-", "1", "12345678901234567890", "123456789012345678901", "é")
MESSAGES = (None, "ATTACH", "PUBLISH", "INVALID")
FIELDS = (None, "protocol", "version", "stream", "key")


def main() -> None:
    recorder = Recorder()
    reasons = set()
    codes = [*EndingCode, *OpenCode]
    texts = ["".join(pair) for pair in product(CHARACTERS, repeat=2)]
    texts += [character * length for character in "aé~" for length in range(180, 262)]
    for code, text, sequences in product(codes, texts, SEQUENCES):
        reason = compose(code, text, sequences)
        recorder.add(reason)
        reasons.add(reason)
    reasons |= {" ".join(words) for length in range(5) for words in product(WORDS, repeat=length)}
    for reason in sorted(reasons):
        recorder.call(lambda reason=reason: parse(reason))
    for code, message, field, offset in product((*CODES, "other"), MESSAGES, FIELDS, (None, 0, 7)):
        recorder.call(lambda values=(code, message, field, offset): of_decode_error(DecodeError(*values)))
    recorder.finish("reasons")


if __name__ == "__main__":
    main()
