"""Plots over time as SVG elements for a page, whose style sheet sets the colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from math import floor, log10

from zeps_pipeline.journal.columns import TIME_MAX
from zeps_pipeline.time_steps import DAY, time_step

__all__ = ["Line", "Mark", "clock", "plot", "short"]

_WIDTH, _HEIGHT = 1080, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 38, 24, 26
_SECOND = 1_000_000


@dataclass(frozen=True, slots=True)
class Line:
    """Values at ascending times (microseconds since 1970). If `filled`, an area of steps, each as wide as the smallest
    distance between two times; otherwise a line with points. `style` is a class of the style sheet.
    """

    name: str
    style: str
    times: Sequence[int]
    values: Sequence[float]
    filled: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """An event at `time`, in microseconds since 1970: a vertical line with `text` as its tooltip."""

    time: int
    style: str
    text: str


def plot(lines: Sequence[Line], marks: Sequence[Mark], unit: str, begin: int, end: int) -> str:
    """An SVG element; empty text without times. The time axis covers `begin` to `end` (microseconds since 1970) and all
    other times; `unit` is the label of the value axis.
    """
    times = [time for line in lines for time in line.times] + [mark.time for mark in marks]
    if not times:
        return ""
    first, last = min([*times, begin]), max([*times, end])
    top = _ceiling(max((value for line in lines for value in line.values), default=0.0))
    scale = _Scale(first, max(last, first + 1), top)
    parts = [
        f'<svg class="plot" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(unit)} over time">',
        *_value_axis(scale, unit),
        *_time_axis(scale),
        *(_area(scale, line) if line.filled else _line(scale, line) for line in lines),
        *(_mark(scale, mark) for mark in marks),
        "</svg>",
    ]
    return "\n".join(parts)


@dataclass(frozen=True, slots=True)
class _Scale:
    first: int
    last: int
    top: float

    def x(self, time: float) -> float:
        share = (time - self.first) / (self.last - self.first)
        return round(_LEFT + share * (_WIDTH - _LEFT - _RIGHT), 1)

    def y(self, value: float) -> float:
        share = value / self.top if self.top else 0.0
        return round(_HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM), 1)


def _ceiling(value: float) -> float:
    """`value` rounded up to 1, 2, 4, 5 or 8 times a power of ten; 1 if it is not positive."""
    if value <= 0:
        return 1.0
    power: float = 10.0 ** floor(log10(value))
    return next(power * step for step in (1, 2, 4, 5, 8, 10) if power * step >= value * 0.999)


def _value_axis(scale: _Scale, unit: str) -> list[str]:
    parts = []
    for quarter in range(5):
        value = scale.top * quarter / 4
        y = scale.y(value)
        parts.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(
            f'<text class="tick" x="{_LEFT - 8}" y="{y + 4}" text-anchor="end">{short(value)}</text>'
        )
    parts.append(f'<text class="unit" x="{_LEFT}" y="{_TOP - 12}">{escape(unit)}</text>')
    return parts


def _time_axis(scale: _Scale) -> list[str]:
    span = (scale.last - scale.first) / _SECOND
    step = time_step(span, 9)
    parts = []
    at = -(-scale.first // (step * _SECOND)) * step * _SECOND
    while at <= scale.last:
        x = scale.x(at)
        form = (
            "%Y-%m-%d" if step >= DAY or at % (DAY * _SECOND) == 0 else "%H:%M:%S" if step < 60 else "%H:%M"
        )
        parts.append(
            f'<line class="grid" x1="{x}" x2="{x}" y1="{_HEIGHT - _BOTTOM}" y2="{_HEIGHT - _BOTTOM + 4}"/>'
        )
        parts.append(
            f'<text class="tick" x="{x}" y="{_HEIGHT - 8}" text-anchor="middle">{clock(at, form)}</text>'
        )
        at += step * _SECOND
    return parts


def _area(scale: _Scale, line: Line) -> str:
    """An area of steps; the value is 0 between steps that do not touch."""
    widths = [after - before for before, after in zip(line.times, line.times[1:], strict=False)]
    width = min(widths, default=scale.last - scale.first)
    base = scale.y(0)
    path = []
    before: int | None = None
    for time, value in zip(line.times, line.values, strict=True):
        x, end, y = scale.x(time), scale.x(min(time + width, scale.last)), scale.y(value)
        path.append(f"L{x} {y}H{end}" if time == before else f"V{base}M{x} {base}V{y}H{end}")
        before = time + width
    outline = "".join(path).removeprefix(f"V{base}")
    return f'<path class="area {line.style}" d="{outline}V{base}Z"><title>{escape(line.name)}</title></path>'


def _line(scale: _Scale, line: Line) -> str:
    points = [(scale.x(time), scale.y(value)) for time, value in zip(line.times, line.values, strict=True)]
    dots = "".join(f'<circle class="dot {line.style}" cx="{x}" cy="{y}" r="2.2"/>' for x, y in points)
    joined = " ".join(f"{x},{y}" for x, y in points)
    return f'<polyline class="line {line.style}" points="{joined}"><title>{escape(line.name)}</title></polyline>{dots}'


def _mark(scale: _Scale, mark: Mark) -> str:
    x = scale.x(mark.time)
    return (
        f'<g class="mark {mark.style}"><line x1="{x}" x2="{x}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>'
        f'<circle cx="{x}" cy="{_TOP}" r="4"/><title>{escape(mark.text)}</title></g>'
    )


def short(value: float) -> str:
    """A number with three significant digits; from 1000 on in thousands (k), millions (M) or billions (G)."""
    for unit, size in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(value) >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"


def clock(time_us: int, form: str = "%Y-%m-%d %H:%M:%S") -> str:
    """A time in microseconds since 1970 as text, in UTC; times beyond TIME_MAX are shown as TIME_MAX."""
    return datetime.fromtimestamp(min(time_us, TIME_MAX) // _SECOND, UTC).strftime(form)
