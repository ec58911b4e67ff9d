"""Random mutations of the bytes that a peer sends."""

from __future__ import annotations

import random

__all__ = ["mutated"]

LIMITS = (0, 1, 2, 4, 6, 127, 128, 254, 255)


def mutated(rng: random.Random, data: bytes) -> bytes:
    """Returns `data` after one to four mutations; the result may be empty."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        if not out:
            break
        at = rng.randrange(len(out))
        kind = rng.randrange(6)
        if kind == 0:
            for _ in range(rng.choice((1, 1, 1, 2, 8))):
                out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
        elif kind == 1:
            out[at : at + rng.randint(1, 8)] = bytes((rng.choice(LIMITS),)) * rng.randint(1, 8)
        elif kind == 2:
            out[at:at] = rng.randbytes(rng.randint(1, 19))
        elif kind == 3:
            del out[at : at + rng.randint(1, 19)]
        elif kind == 4:
            out[at:at] = out[at : at + rng.randint(1, 40)] * rng.randint(1, 19)
        else:
            del out[at:]
    return bytes(out)
