"""Time and allocation of a decode, for each message of every model in each language, and how both grow with the frame.

The driver of each language decodes frames of several sizes, accepted and refused ones (`decode_frames.py`). The exit
code is 1 if a byte of a larger frame costs more than a byte of a smaller one: more than `TIME_GROWTH` times the time
plus the kernel's time for new memory, or more than `MEMORY_GROWTH` times the memory. What a language counts as
allocated is in `docs/decode-costs.md`. Packages are built anew from `protocol/` and the corpus of `tests/`.
"""

from __future__ import annotations

import argparse
import mmap
import struct
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median

from decode_frames import SIZES, SMALLEST, Sample, samples
from report import machine, save, say
from zeps_codegen.generate import generate
from zeps_codegen.ir import Bundle
from zeps_codegen.load import load_bundle
from zeps_conformance.codec.driver_protocol import blob, many, name
from zeps_conformance.codec.drivers import Build, Driver, discover

__all__ = ["MEMORY_GROWTH", "TIME_GROWTH", "Cost", "first_touch", "growth", "measure", "quickest", "request"]

ROOT = Path(__file__).resolve().parents[1]
MODELS = ("protocol", "tests/codegen/corpus")
#: A byte of a frame may take this many times as long as a byte of any smaller frame, plus the first touch of the memory
#: allocated for it. A quadratic cost grows by 4 or more from one size to the next, by 16 or more between most.
TIME_GROWTH = 4.0
#: The same for allocated bytes. Go's slices double while they are small, and grow by a quarter from then on.
MEMORY_GROWTH = 3.0
#: Costs per byte of a frame that are not compared: those of copying it, and of a character in Python's widest strings.
NANOSECONDS_MIN, BYTES_MIN = 1.0, 4.0
_ROUND_NANOSECONDS = 2e6
#: The first round warms up. The median of five others drops readings with what the runtime allocated or released.
_ROUNDS_MIN = 6
#: A longer round is interrupted by other programs, even if it is the fastest: its time is the CPU time of the driver's
#: threads, if that is less.
_SHARED_NANOSECONDS = 50_000_000
#: Larger frames of a shape are left out if a decode is expected to take longer.
_DECODE_NANOSECONDS_MAX = 3e9
_ATTEMPTS = 3
#: A smaller allocation comes from memory that the process already has.
_TOUCHED_BYTES_MIN = 1 << 16
_TOUCHED_BYTES, _TOUCHES = 1 << 22, 3


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of one decode of a frame (or several) of `size` bytes."""

    language: str
    protocol: str
    message: str
    shape: str
    size: int
    nanoseconds: float
    allocated: float
    """Allocated bytes; how each language counts them is in `docs/decode-costs.md`."""
    touch: float
    """Nanoseconds for a byte of new memory, measured right after it; 0 if the allocation is small."""

    @property
    def series(self) -> tuple[str, str, str, str]:
        """Language, protocol, message and shape: what the costs of one series have in common."""
        return (self.language, self.protocol, self.message, self.shape)


class DecodeError(Exception):
    """A driver accepted a frame that it must refuse, refused a valid one, or did not report its costs."""


def request(sample: Sample, times: int) -> bytes:
    """The driver's request to decode the frames of `sample` so many times in one round, 1 to 255."""
    return b"b" + name(sample.protocol) + bytes([times]) + many(list(map(blob, sample.frames)))


def running(driver: Driver) -> dict[str, int]:
    """CPU nanoseconds of each live thread of the driver, by thread id. Empty where the system does not have them."""
    threads = {}
    for path in Path(f"/proc/{driver.pid}/task").glob("*/schedstat"):
        with suppress(OSError):  # the thread has ended
            threads[path.parent.name] = int(path.read_text().split()[0])
    return threads


def ran(before: Mapping[str, int], after: Mapping[str, int]) -> int:
    """CPU nanoseconds of all threads in `after` since `before`; a new thread counts from its start."""
    return sum(count - before.get(thread, 0) for thread, count in after.items())


def measure(driver: Driver, language: str, sample: Sample, seconds: float) -> Cost:
    """Decodes for `seconds`, at least six rounds: fastest time, median allocation. Raises DecodeError."""
    times, best = 1, float("inf")
    allocations: list[float] = []
    end = time.monotonic() + seconds
    while len(allocations) < _ROUNDS_MIN or time.monotonic() < end:
        before = running(driver)
        answer = driver.ask(request(sample, times))
        if answer[:1] != (b"+" if sample.accepted else b"-") or len(answer) != 17:
            what = f"{sample.protocol} {sample.message}, {sample.shape}, {sample.size} bytes"
            raise DecodeError(f"{language}: {what}: {answer[:100]!r}")
        elapsed, allocated = struct.unpack(">QQ", answer[1:])
        if elapsed > _SHARED_NANOSECONDS:
            time.sleep(0.01)  # the kernel counts when a thread stops
            elapsed = min(elapsed, ran(before, running(driver)) or elapsed)
        best = min(best, elapsed / times)
        allocations.append(allocated / times)
        times = max(1, min(255, int(_ROUND_NANOSECONDS / max(best, 1))))
    allocated = median(allocations[1:])
    return Cost(
        language,
        sample.protocol,
        sample.message,
        sample.shape,
        sample.size,
        best,
        allocated,
        first_touch() if allocated > _TOUCHED_BYTES_MIN else 0.0,
    )


def first_touch() -> float:
    """Nanoseconds for a byte of memory that the kernel provides on first access, in the fastest of three attempts."""
    times = []
    for _ in range(_TOUCHES):
        with mmap.mmap(-1, _TOUCHED_BYTES) as memory:
            start = time.perf_counter_ns()
            memory[:: mmap.PAGESIZE] = bytes(_TOUCHED_BYTES // mmap.PAGESIZE)
            times.append((time.perf_counter_ns() - start) / _TOUCHED_BYTES)
    return min(times)


def growth(costs: Iterable[tuple[int, float, float]], least: float) -> float:
    """Largest ratio between the cost of a byte and that of the cheapest smaller frame; 1.0 if no cost grows. `costs`
    are (size, cost, extra): `extra` is added to the predicted cost. A cost per byte below `least` counts as that.
    """
    most, cheapest = 1.0, float("inf")
    for size, cost, extra in sorted(costs):
        per_byte = max(cost / size, least)
        most = max(most, per_byte / (cheapest + extra / size))
        cheapest = min(cheapest, per_byte)
    return most


def growths(costs: Sequence[Cost]) -> tuple[float, float]:
    """The growth of time and of memory of one series, as :func:`growth` defines it."""
    return (
        growth(
            [(cost.size, cost.nanoseconds, cost.touch * cost.allocated) for cost in costs], NANOSECONDS_MIN
        ),
        growth([(cost.size, cost.allocated, 0.0) for cost in costs], BYTES_MIN),
    )


def is_linear(costs: Sequence[Cost]) -> bool:
    """Whether neither cost of a series grows faster than the frame."""
    in_time, in_memory = growths(costs)
    return in_time <= TIME_GROWTH and in_memory <= MEMORY_GROWTH


def quickest(attempts: Iterable[Sequence[Cost]]) -> list[Cost]:
    """One series: at each size the lowest time, allocation and touch of all attempts."""
    best: dict[int, Cost] = {}
    for cost in (cost for attempt in attempts for cost in attempt):
        least = best.setdefault(cost.size, cost)
        best[cost.size] = replace(
            least,
            nanoseconds=min(cost.nanoseconds, least.nanoseconds),
            allocated=min(cost.allocated, least.allocated),
            touch=min(cost.touch, least.touch),
        )
    return list(best.values())


def by_series(costs: Iterable[Cost]) -> dict[tuple[str, str, str, str], list[Cost]]:
    """Groups costs by series, in their order, so from the smallest frame to the largest."""
    series: dict[tuple[str, str, str, str], list[Cost]] = {}
    for cost in costs:
        series.setdefault(cost.series, []).append(cost)
    return series


def grouped(all_samples: Iterable[Sample]) -> Iterator[list[Sample]]:
    """Groups consecutive samples of one message and shape."""
    shape: list[Sample] = []
    for sample in all_samples:
        if shape and (shape[0].message, shape[0].shape) != (sample.message, sample.shape):
            yield shape
            shape = []
        shape.append(sample)
    if shape:
        yield shape


def measure_shape(driver: Driver, language: str, shape: Sequence[Sample], seconds: float) -> list[Cost]:
    """The costs of samples of one shape in ascending size; stops before a decode of more than three seconds."""
    costs: list[Cost] = []
    for sample in shape:
        last = costs[-1] if costs else None
        if last and last.nanoseconds * sample.size / last.size > _DECODE_NANOSECONDS_MAX:
            break
        costs.append(measure(driver, language, sample, seconds))
    return costs


def measure_language(
    build: Build, bundle: Bundle, shapes: Sequence[list[Sample]], seconds: float
) -> list[Cost]:
    """Generates and builds the package, then measures all shapes; a shape that seems to grow up to three times."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        generate(bundle, folder, ["model", build.language], formatted=False)
        command = build.made(folder / "generated" / build.language, folder / "build", say)
        driver = Driver(build.language, command, timeout=300.0)
        costs: list[Cost] = []
        try:
            for number, shape in enumerate(shapes, 1):
                series: list[Cost] = []
                for attempt in range(_ATTEMPTS):
                    again = measure_shape(driver, build.language, shape, seconds * (1 + attempt))
                    series = quickest([series, again])
                    if is_linear(series):
                        break
                costs += series
                if number % 50 == 0 or number == len(shapes):
                    say(f"{build.language}: {number} of {len(shapes)} shapes")
        finally:
            driver.kill()
    return costs


def short(value: float) -> str:
    """A number with three significant digits, or whole with thousands separators from 100 on."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def summary(costs: Sequence[Cost]) -> list[str]:
    """A Markdown table with a row for each protocol and language."""
    lines = [
        "| protocol | language | smallest frame | most for a byte | growth of time | of memory | |",
        "|---|---|---|---|---:|---:|---|",
    ]
    groups: dict[tuple[str, str], list[Cost]] = {}
    for cost in costs:
        groups.setdefault((cost.protocol, cost.language), []).append(cost)
    for (protocol, language), group in sorted(groups.items()):
        series = by_series(group).values()
        smallest = [cost for cost in group if cost.shape == SMALLEST]
        large = [costs[-1] for costs in series if costs[-1].size >= SIZES[0] - 64]
        in_time, in_memory = (max(values) for values in zip(*map(growths, series), strict=True))
        least = (max(cost.nanoseconds for cost in smallest), max(cost.allocated for cost in smallest))
        most = tuple(
            max((getattr(cost, what) / cost.size for cost in large), default=0.0)
            for what in ("nanoseconds", "allocated")
        )
        verdict = "linear" if all(map(is_linear, series)) else "GROWS"
        lines.append(
            f"| {protocol} | {language} | {short(least[0])} ns, {short(least[1])} bytes "
            f"| {short(most[0])} ns, {short(most[1])} bytes | {in_time:.2f} | {in_memory:.2f} | {verdict} |"
        )
    return lines


def details(costs: Sequence[Cost], languages: Sequence[str]) -> list[str]:
    """A Markdown table for each protocol: each message and shape at its largest size, in all languages."""
    lines: list[str] = []
    rows: dict[tuple[str, str, str], dict[str, Cost]] = {}
    for (language, *row), series in by_series(costs).items():
        rows.setdefault((row[0], row[1], row[2]), {})[language] = series[-1]
    seen = ""
    for (protocol, message, shape), by_language in rows.items():
        if protocol != seen:
            head = f"| message | frame | bytes | {' | '.join(languages)} |"
            lines += ["", f"#### {protocol}", "", head, "|---|---|---:" + "|---:" * len(languages) + "|"]
            seen = protocol
        cells = " | ".join(_cell(by_language.get(language)) for language in languages)
        size = max(cost.size for cost in by_language.values())
        lines.append(f"| {message} | {shape} | {size:,} | {cells} |")
    return lines


def _cell(cost: Cost | None) -> str:
    return "" if cost is None else f"{short(cost.nanoseconds)} / {short(cost.allocated)}"


def report(costs: Sequence[Cost], languages: Sequence[str]) -> str:
    """The whole Markdown report: explanation, summary and details."""
    intro = (
        "Nanoseconds of a decode and bytes that it allocates; "
        "[what a language counts as allocated](../../docs/decode-costs.md). *Smallest frame*: the most expensive"
        " message without content. *Most for a byte*: the most expensive frame, at its largest size. *Growth*: the"
        " largest ratio between the cost of a byte and that in the cheapest smaller frame; up to"
        f" {TIME_GROWTH:g} for time and {MEMORY_GROWTH:g} for memory are linear. The first touch of allocated memory"
        " is not growth."
    )
    second = "Time in nanoseconds / allocated bytes, at the largest size of each kind of frame:"
    return "\n".join(
        [
            "### Costs of decoding",
            "",
            intro,
            "",
            *summary(costs),
            "",
            second,
            *details(costs, languages),
        ]
    )


def chosen(known: Mapping[str, object] | Sequence[str], requested: Sequence[str], what: str) -> list[str]:
    """The names of `requested` in the order of `known`; all if `requested` is empty. Exits if a name is unknown."""
    if unknown := set(requested) - set(known):
        raise SystemExit(
            f"decode_costs.py: {what} is one of {', '.join(known)}, not {', '.join(sorted(unknown))}"
        )
    return [name for name in known if not requested or name in requested]


def main() -> int:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--language",
        action="append",
        default=[],
        metavar="NAME",
        help="measure only this one; repeatable (default: all)",
    )
    parser.add_argument(
        "--protocol",
        action="append",
        default=[],
        metavar="NAME",
        help="measure only this one; repeatable (default: all)",
    )
    parser.add_argument(
        "--seconds", type=float, default=0.05, help="time for each frame, in seconds (default: %(default)s)"
    )
    parser.add_argument(
        "--largest",
        type=int,
        default=SIZES[-1],
        metavar="BYTES",
        help="size of the largest frames, in bytes (default: %(default)s)",
    )
    options = parser.parse_args()
    bundle = load_bundle(sorted(path for folder in MODELS for path in (ROOT / folder).glob("*.xml")))
    builds = {build.language: build for build in discover(ROOT / "conformance" / "drivers")}
    protocols = chosen([protocol.name for protocol in bundle.protocols], options.protocol, "a protocol")
    languages = chosen(builds, options.language, "a language")
    sizes = [*(size for size in SIZES if size < options.largest), options.largest]
    shapes = [shape for name in protocols for shape in grouped(samples(bundle.protocol(name), sizes))]
    say(f"{sum(map(len, shapes))} frames of {len(protocols)} protocols in {len(languages)} languages")
    costs = [
        cost
        for language in languages
        for cost in measure_language(builds[language], bundle, shapes, options.seconds)
    ]
    document: dict[str, object] = {
        "machine": machine(),
        "costs": list(map(asdict, costs)),
    }
    save("decode_costs", report(costs, languages), document)
    worse = [series for series in by_series(costs).values() if not is_linear(series)]
    for series in worse:
        in_time, in_memory = growths(series)
        print(
            f"grows: {', '.join(series[0].series)}: time {in_time:.1f}, memory {in_memory:.1f}",
            file=sys.stderr,
        )
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
