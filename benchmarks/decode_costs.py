"""Time and allocation of a decode, for each message of every model in each language, and how both grow with the frame.

    python benchmarks/decode_costs.py [--language NAME] [--protocol NAME] [--seconds S] [--largest BYTES]

The driver of each language decodes frames of several sizes: each field that can be filled is filled, and frames are
refused at their beginning, at their end, or because they announce more than they hold (`decode_frames.py`). The exit
code is 1 if an octet of a larger frame costs more than one of a smaller frame: `TIME_GROWTH` times as much time, after
the time that the kernel needs for the allocated memory, or `MEMORY_GROWTH` times as much memory. What a language counts
as allocated is in `docs/decode-costs.md`. Packages are generated and built anew from `protocol/` and from the corpus of
`tests/`.
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
#: An octet of a frame may take so many times the time that one takes in any smaller frame, including the first touch
#: of what is allocated for it. A cost of the square of the size rises by 16 or more from one size to the next.
TIME_GROWTH = 4.0
#: The same of allocated octets. Go's slices double while they are small, and grow by a quarter from then on.
MEMORY_GROWTH = 3.0
#: Up to here an octet costs no more than a copy of it from memory, or than its character in Python's widest strings.
NANOSECONDS_MIN, OCTETS_MIN = 1.0, 4.0
_ROUND_NANOSECONDS = 2e6
_ROUNDS_MIN = 3
#: A round that takes longer shares the processor with other programs, even if it is the quickest: what the driver's
#: threads have run is its time, if that is less.
_SHARED_NANOSECONDS = 50_000_000
#: Larger frames of a shape are left out if one of them would take longer.
_DECODE_NANOSECONDS_MAX = 3e9
_ATTEMPTS = 3
#: What is allocated may be new memory if it is more than this, which is less than what allocators keep.
_TOUCHED_BYTES_MIN = 1 << 16
_TOUCHED_BYTES, _TOUCHES = 1 << 22, 3


@dataclass(frozen=True, slots=True)
class Cost:
    """What one decode of a frame of `size` octets costs."""

    language: str
    protocol: str
    message: str
    shape: str
    size: int
    nanoseconds: float
    octets: float
    """Allocated."""
    touch: float
    """Nanoseconds for an octet of new memory, measured beside it."""

    @property
    def series(self) -> tuple[str, str, str, str]:
        """What costs of different sizes have in common."""
        return (self.language, self.protocol, self.message, self.shape)


class DecodeError(Exception):
    """A driver's answer that cannot be: the frames, and what the driver answered."""


def request(sample: Sample, times: int) -> bytes:
    """Decode the frames of `sample` so many times, at most 255."""
    return b"b" + name(sample.protocol) + bytes([times]) + many(list(map(blob, sample.frames)))


def running(driver: Driver) -> dict[str, int]:
    """Nanoseconds that each thread of the driver has run. Empty if the system does not tell."""
    threads = {}
    for path in Path(f"/proc/{driver.pid}/task").glob("*/schedstat"):
        with suppress(OSError):  # the thread has ended
            threads[path.parent.name] = int(path.read_text().split()[0])
    return threads


def ran(before: Mapping[str, int], after: Mapping[str, int]) -> int:
    """Nanoseconds that threads ran in between."""
    return sum(count - before.get(thread, 0) for thread, count in after.items())


def measure(driver: Driver, language: str, sample: Sample, seconds: float) -> Cost:
    """The cost of a decode: of the quickest round, since others were disturbed. Raises DecodeError."""
    times, best = 1, float("inf")
    octets: list[float] = []
    end = time.monotonic() + seconds
    while len(octets) < _ROUNDS_MIN or time.monotonic() < end:
        before = running(driver)
        answer = driver.ask(request(sample, times))
        if answer[:1] != (b"+" if sample.accepted else b"-") or len(answer) != 17:
            what = f"{sample.protocol} {sample.message}, {sample.shape}, {sample.size} octets"
            raise DecodeError(f"{language}: {what}: {answer[:100]!r}")
        elapsed, allocated = struct.unpack(">QQ", answer[1:])
        if elapsed > _SHARED_NANOSECONDS:
            time.sleep(0.01)  # the kernel counts when a thread stops
            elapsed = min(elapsed, ran(before, running(driver)) or elapsed)
        best = min(best, elapsed / times)
        octets.append(allocated / times)
        times = max(1, min(255, int(_ROUND_NANOSECONDS / max(best, 1))))
    allocated = median(octets[1:])
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
    """Nanoseconds for an octet of memory that the kernel has to provide, in the quickest of some attempts.

    An allocator returns a large block to the kernel and gets another one for the next decode, and a collector copies
    into new blocks; what a small frame needs stays in the process.
    """
    times = []
    for _ in range(_TOUCHES):
        with mmap.mmap(-1, _TOUCHED_BYTES) as memory:
            start = time.perf_counter_ns()
            memory[:: mmap.PAGESIZE] = bytes(_TOUCHED_BYTES // mmap.PAGESIZE)
            times.append((time.perf_counter_ns() - start) / _TOUCHED_BYTES)
    return min(times)


def growth(costs: Iterable[tuple[int, float, float]], least: float) -> float:
    """How many times as much an octet costs at most as it should.

    `costs` are sizes, the cost of each, and how much of it is not compared. An octet should cost what it does in the
    cheapest smaller frame, at least `least`, and what is not compared.
    """
    most, cheapest = 1.0, float("inf")
    for size, cost, extra in sorted(costs):
        octet = max(cost / size, least)
        most = max(most, octet / (cheapest + extra / size))
        cheapest = min(cheapest, octet)
    return most


def growths(costs: Sequence[Cost]) -> tuple[float, float]:
    """The growth of time and of memory of one series."""
    return (
        growth([(one.size, one.nanoseconds, one.touch * one.octets) for one in costs], NANOSECONDS_MIN),
        growth([(one.size, one.octets, 0.0) for one in costs], OCTETS_MIN),
    )


def is_linear(costs: Sequence[Cost]) -> bool:
    """Whether neither cost of a series grows faster than the frame."""
    in_time, in_memory = growths(costs)
    return in_time <= TIME_GROWTH and in_memory <= MEMORY_GROWTH


def quickest(attempts: Iterable[Sequence[Cost]]) -> list[Cost]:
    """The costs of one series, of all attempts the least at each size."""
    found: dict[int, Cost] = {}
    for cost in (cost for attempt in attempts for cost in attempt):
        least = found.setdefault(cost.size, cost)
        found[cost.size] = replace(
            least,
            nanoseconds=min(cost.nanoseconds, least.nanoseconds),
            octets=min(cost.octets, least.octets),
            touch=min(cost.touch, least.touch),
        )
    return list(found.values())


def by_series(costs: Iterable[Cost]) -> dict[tuple[str, str, str, str], list[Cost]]:
    """Costs of frames of one shape, in the order of their sizes."""
    found: dict[tuple[str, str, str, str], list[Cost]] = {}
    for cost in costs:
        found.setdefault(cost.series, []).append(cost)
    return found


def grouped(found: Iterable[Sample]) -> Iterator[list[Sample]]:
    """Samples of one shape, which follow each other."""
    shape: list[Sample] = []
    for sample in found:
        if shape and (shape[0].message, shape[0].shape) != (sample.message, sample.shape):
            yield shape
            shape = []
        shape.append(sample)
    if shape:
        yield shape


def measure_shape(driver: Driver, language: str, shape: Sequence[Sample], seconds: float) -> list[Cost]:
    """The costs of samples that differ in size."""
    costs: list[Cost] = []
    for sample in shape:
        last = costs[-1] if costs else None
        if last and last.nanoseconds * sample.size / last.size > _DECODE_NANOSECONDS_MAX:
            break
        costs.append(measure(driver, language, sample, seconds))
    return costs


def measure_language(
    build: Build, bundle: Bundle, found: Sequence[list[Sample]], seconds: float
) -> list[Cost]:
    """The costs of all samples in one language. A shape whose cost seems to grow is measured again."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        generate(bundle, folder, ["model", build.language], formatted=False)
        command = build.made(folder / "generated" / build.language, folder / "build", say)
        driver = Driver(build.language, command, timeout=300.0)
        costs: list[Cost] = []
        try:
            for number, shape in enumerate(found, 1):
                series: list[Cost] = []
                for attempt in range(_ATTEMPTS):
                    again = measure_shape(driver, build.language, shape, seconds * (1 + attempt))
                    series = quickest([series, again])
                    if is_linear(series):
                        break
                costs += series
                if number % 50 == 0 or number == len(found):
                    say(f"{build.language}: {number} of {len(found)} shapes")
        finally:
            driver.kill()
    return costs


def short(value: float) -> str:
    """A figure of three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def summary(costs: Sequence[Cost]) -> list[str]:
    """A row for each protocol and language."""
    lines = [
        "| protocol | language | smallest frame | most for an octet | growth of time | of memory | |",
        "|---|---|---|---|---:|---:|---|",
    ]
    groups: dict[tuple[str, str], list[Cost]] = {}
    for cost in costs:
        groups.setdefault((cost.protocol, cost.language), []).append(cost)
    for (protocol, language), group in sorted(groups.items()):
        series = by_series(group).values()
        smallest = [one for one in group if one.shape == SMALLEST]
        large = [one[-1] for one in series if one[-1].size >= SIZES[0] - 64]
        in_time, in_memory = (max(found) for found in zip(*map(growths, series), strict=True))
        least = (max(one.nanoseconds for one in smallest), max(one.octets for one in smallest))
        most = tuple(
            max((getattr(one, what) / one.size for one in large), default=0.0)
            for what in ("nanoseconds", "octets")
        )
        verdict = "linear" if all(map(is_linear, series)) else "GROWS"
        lines.append(
            f"| {protocol} | {language} | {short(least[0])} ns, {short(least[1])} octets "
            f"| {short(most[0])} ns, {short(most[1])} octets | {in_time:.2f} | {in_memory:.2f} | {verdict} |"
        )
    return lines


def details(costs: Sequence[Cost], languages: Sequence[str]) -> list[str]:
    """A table for each protocol: each message and shape at its largest size, in all languages."""
    lines: list[str] = []
    rows: dict[tuple[str, str, str], dict[str, Cost]] = {}
    for (language, *row), series in by_series(costs).items():
        rows.setdefault((row[0], row[1], row[2]), {})[language] = series[-1]
    seen = ""
    for (protocol, message, shape), found in rows.items():
        if protocol != seen:
            head = f"| message | frame | octets | {' | '.join(languages)} |"
            lines += ["", f"#### {protocol}", "", head, "|---|---|---:" + "|---:" * len(languages) + "|"]
            seen = protocol
        cells = " | ".join(_cell(found.get(language)) for language in languages)
        size = max(one.size for one in found.values())
        lines.append(f"| {message} | {shape} | {size:,} | {cells} |")
    return lines


def _cell(cost: Cost | None) -> str:
    return "" if cost is None else f"{short(cost.nanoseconds)} / {short(cost.octets)}"


def report(costs: Sequence[Cost], languages: Sequence[str]) -> str:
    """The tables."""
    intro = (
        "Nanoseconds of a decode and octets that it allocates; "
        "[what a language counts as allocated](../../docs/decode-costs.md). *Smallest frame*: the dearest message"
        " without content. *Most for an octet*: the dearest frame, at its largest size. *Growth*: how many times as"
        f" much an octet costs as in the cheapest smaller frame, at most; up to {TIME_GROWTH:g} of time and"
        f" {MEMORY_GROWTH:g} of memory are linear. The time for the first touch of what is allocated,"
        " measured beside it, is not growth."
    )
    second = "Time in nanoseconds / allocated octets, at the largest size of each kind of frame:"
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


def chosen(known: Mapping[str, object] | Sequence[str], wanted: Sequence[str], what: str) -> list[str]:
    """The names that are wanted, or all. Ends the program if one is not known."""
    if unknown := set(wanted) - set(known):
        raise SystemExit(
            f"decode_costs.py: {what} is one of {', '.join(known)}, not {', '.join(sorted(unknown))}"
        )
    return [one for one in known if not wanted or one in wanted]


def main() -> int:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--language", action="append", default=[], metavar="NAME", help="only this one; repeatable"
    )
    parser.add_argument(
        "--protocol", action="append", default=[], metavar="NAME", help="only this one; repeatable"
    )
    parser.add_argument(
        "--seconds", type=float, default=0.05, help="time for each frame (default: %(default)s)"
    )
    parser.add_argument(
        "--largest",
        type=int,
        default=SIZES[-1],
        metavar="BYTES",
        help="size of the largest frames (default: %(default)s)",
    )
    options = parser.parse_args()
    bundle = load_bundle(sorted(path for folder in MODELS for path in (ROOT / folder).glob("*.xml")))
    builds = {build.language: build for build in discover(ROOT / "conformance" / "drivers")}
    protocols = chosen([one.name for one in bundle.protocols], options.protocol, "a protocol")
    languages = chosen(builds, options.language, "a language")
    sizes = [*(size for size in SIZES if size < options.largest), options.largest]
    found = [shape for one in protocols for shape in grouped(samples(bundle.protocol(one), sizes))]
    say(f"{sum(map(len, found))} frames of {len(protocols)} protocols in {len(languages)} languages")
    costs = [
        cost for one in languages for cost in measure_language(builds[one], bundle, found, options.seconds)
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
