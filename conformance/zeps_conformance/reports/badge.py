"""Badge: an SVG with the number of cases that follow the rules, drawn without a font file or a service."""

from __future__ import annotations

from markupsafe import escape

from zeps_conformance.common.results import RunResult
from zeps_conformance.common.verdicts import Verdict

__all__ = ["badge", "badge_text"]

GOOD = (Verdict.PASS, Verdict.OBSERVED)
NOT_COUNTED = (Verdict.UNSUPPORTED, Verdict.BLOCKED)
GREEN, YELLOW, RED = "#2c7a3f", "#8a6100", "#b3362c"
HEIGHT, PADDING, ADVANCE = 20, 6, 6.6  # pixels; the last is the mean width of a character
NARROW, WIDE = ".:,;'il1|! ", "mwMW@%"

TEMPLATE = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" aria-label="{label}: {value}">
  <title>{label}: {value}</title>
  <clipPath id="r"><rect width="{width}" height="{height}" rx="3" fill="#fff"/></clipPath>
  <g clip-path="url(#r)">
    <rect width="{left}" height="{height}" fill="#444"/>
    <rect x="{left}" width="{right}" height="{height}" fill="{colour}"/>
  </g>
  <g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" font-size="11">
    <text x="{left_middle}" y="14" textLength="{left_text}">{label}</text>
    <text x="{right_middle}" y="14" textLength="{right_text}">{value}</text>
  </g>
</svg>
"""


def badge_text(run: RunResult) -> tuple[str, str]:
    """Returns label and value, such as ``zeps1`` and ``212 of 212``. Unsupported and blocked cases do not count."""
    counted = [case for case in run.cases if case.verdict not in NOT_COUNTED]
    good = sum(case.verdict in GOOD for case in counted)
    return f"{run.profile} {run.type}".rstrip(), f"{good} of {len(counted)}"


def badge(run: RunResult) -> str:
    """Draws the badge: green if all cases follow the rules, red if one fails or deviates, also if a baseline expects
    it, else yellow.
    """
    label, value = badge_text(run)
    left_text, right_text = _width(label), _width(value)
    left, right = left_text + 2 * PADDING, right_text + 2 * PADDING
    return TEMPLATE.format(
        label=escape(label),
        value=escape(value),
        colour=_colour(run),
        width=left + right,
        height=HEIGHT,
        left=left,
        right=right,
        left_text=left_text,
        right_text=right_text,
        left_middle=left / 2,
        right_middle=left + right / 2,
    )


def _colour(run: RunResult) -> str:
    verdicts = {case.verdict for case in run.cases if case.verdict not in NOT_COUNTED}
    if Verdict.FAIL in verdicts or Verdict.DEVIATION in verdicts:
        return RED
    return GREEN if verdicts and verdicts <= set(GOOD) else YELLOW


def _width(text: str) -> int:
    """Width of `text` in pixels, estimated."""
    widths = (0.6 if char in NARROW else 1.5 if char in WIDE else 1.0 for char in text)
    return round(sum(widths) * ADVANCE)
