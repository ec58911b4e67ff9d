"""Usual lengths of time for dividing a time span, such as 5 s or 15 min."""

from __future__ import annotations

from math import ceil

__all__ = ["DAY", "time_step"]

DAY = 86_400
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, DAY)


def time_step(span: float, count: int) -> int:
    """The shortest usual step, in seconds, that divides `span` seconds into at most `count` steps. At least 1 s; steps
    longer than a day are whole days.
    """
    return next((step for step in _STEPS if span <= step * count), 0) or DAY * ceil(span / count / DAY)
