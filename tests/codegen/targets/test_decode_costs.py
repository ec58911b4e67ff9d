"""The cost of decoding: each language allocates in proportion to the frame, and `decode_costs` detects violations.

Only counted costs are judged here; `make bench` measures times.
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from built_models import DRIVERS, Model, grouped

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))

from programs import BUNDLE

import decode_costs
from decode_costs import (
    MEMORY_GROWTH,
    TIME_GROWTH,
    Cost,
    by_series,
    first_touch,
    growth,
    growths,
    is_linear,
    measure,
    quickest,
    ran,
    request,
)
from decode_frames import SMALLEST, Sample, samples
from zeps_codegen.ir import Protocol
from zeps_codegen.plan.build import plans
from zeps_conformance.codec.campaign import DriverCommand
from zeps_conformance.codec.driver_protocol import blob, many, name
from zeps_conformance.codec.drivers import Driver

#: A runtime allocates in pages of up to 256 KiB: of a frame of 64 KiB, one more page does not count as growth.
SIZES = (1 << 10, 1 << 16)
PROTOCOLS = ("lists", "texts", "zp_frames", "zp_topics")
#: Options of interpreters. Node's threads that help to collect garbage cost more than they save.
OPTIONS = {"typescript": ("--single-threaded",)}


@pytest.fixture(scope="module")
def made(helpers: Model, built: Callable[..., Path]) -> Sequence[Sample]:
    """The samples of PROTOCOLS, made once for all languages."""

    def make(folder: Path) -> None:
        all_samples = [
            sample for name in PROTOCOLS for sample in samples(helpers.bundle.protocol(name), SIZES)
        ]
        (folder / "samples").write_bytes(pickle.dumps(all_samples))

    all_samples: list[Sample] = pickle.loads((built("decode-samples", make) / "samples").read_bytes())
    return all_samples


@pytest.mark.parametrize("language", grouped(sorted(DRIVERS)))
def test_what_is_allocated_grows_with_the_frame_at_most(
    language: str, made: Sequence[Sample], driver: DriverCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    if language == "python":  # it counts exactly, and slowly
        monkeypatch.setattr(decode_costs, "_ROUNDS_MIN", 2)
    program, *arguments = driver.words
    with closing(Driver(language, (program, *OPTIONS.get(language, ()), *arguments))) as process:
        costs = [measure(process, language, sample, 0.0) for sample in made]
    for series, series_costs in by_series(costs).items():
        assert growths(series_costs)[1] <= MEMORY_GROWTH, (series, series_costs)


def sample_of(made: Sequence[Sample], protocol: str, message: str, shape: str) -> Sample:
    """The sample of 64 KiB."""
    key = (protocol, message, shape)
    return [sample for sample in made if (sample.protocol, sample.message, sample.shape) == key][-1]


@pytest.mark.parametrize("language", grouped(["go"]))
def test_go_allocates_the_list_of_frames_once(
    language: str, made: Sequence[Sample], driver: DriverCommand
) -> None:
    sample = sample_of(made, "zp_frames", "PARCEL", "rest, many frames")
    with closing(Driver(language, driver.words)) as process:
        cost = measure(process, language, sample, 0.0)
    slices = 24 * len(sample.frames)
    assert slices <= cost.allocated + 24 <= 1.25 * slices, cost


@pytest.mark.parametrize("language", grouped(["python"]))
def test_python_counts_tuples_that_it_has_kept_for_reuse(
    language: str, made: Sequence[Sample], driver: DriverCommand
) -> None:
    sample = sample_of(made, "texts", "ALL", "pairs")
    with closing(Driver(language, driver.words)) as process:
        cost = measure(process, language, sample, 0.0)
    pair = len(b"\0" + b"\0\0\0\0")
    assert cost.allocated >= sample.size / pair * sys.getsizeof(("", "")), cost


@pytest.mark.parametrize("language", grouped(sorted(DRIVERS)))
def test_a_driver_answers_requests_to_measure_in_full_or_with_a_reason(
    language: str, driver: DriverCommand
) -> None:
    whole = b"b" + name("lists") + b"\x02" + many([blob(b"\xaa\xa1\x04")])
    process = Driver(language, driver.words)
    try:
        wrong = [whole[:-1], whole + b"!", whole.replace(b"lists", b"lusts")]
        answers = [process.ask(payload) for payload in (*wrong, whole)]
    finally:
        assert process.close() == 0
    assert [answer[:1] for answer in answers] == [b"?", b"?", b"?", b"+"]
    assert len(answers[-1]) == 17


@pytest.mark.parametrize("protocol", BUNDLE.protocols, ids=lambda protocol: protocol.name)
def test_every_message_has_its_smallest_frame_and_what_it_can_be_filled_with(protocol: Protocol) -> None:
    all_samples = list(samples(protocol, SIZES))
    names = {plan.name for plan in plans(protocol)}
    assert {sample.message for sample in all_samples if sample.shape == SMALLEST} == names
    varying = {
        plan.name
        for plan in plans(protocol)
        if any(hasattr(operation, "most") for operation in plan.operations)
    }
    assert varying <= {
        sample.message for sample in all_samples if sample.shape != SMALLEST and sample.accepted
    }


def test_frames_come_in_the_sizes_that_are_asked_for() -> None:
    body = [
        sample
        for sample in samples(BUNDLE.protocol("zeps"), (1 << 10, 1 << 24))
        if sample.message == "DELIVER"
    ]
    assert [sample.size for sample in body if sample.shape == "body"] == [1 << 10, 1 << 24]
    assert [sample.size for sample in body if sample.shape == "body, refused"] == [
        (1 << 10) + 1,
        (1 << 24) + 1,
    ]
    assert [sample.size for sample in body if sample.shape == "key"] == [271]


def cost(size: int, nanoseconds: float, allocated: float = 0.0, touch: float = 0.0) -> Cost:
    return Cost("go", "zeps", "DELIVER", "body", size, nanoseconds, allocated, touch)


def costs(time: float, memory: float, touch: float = 0.0) -> list[Cost]:
    """Costs that grow with a power of the size."""
    return [cost(n, 1e3 + 3 * n**time, 1e3 + 9 * n**memory, touch) for n in (1 << 10, 1 << 16, 1 << 20)]


@pytest.mark.parametrize("powers", [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (1.2, 1.0)])
def test_costs_up_to_the_size_are_linear(powers: tuple[float, float]) -> None:
    assert is_linear(costs(*powers))


@pytest.mark.parametrize("powers", [(2.0, 1.0), (1.0, 2.0), (1.5, 1.0), (1.0, 1.5)])
def test_costs_beyond_it_are_not(powers: tuple[float, float]) -> None:
    assert not is_linear(costs(*powers, touch=0.7))


def test_a_square_is_not_linear_however_late_it_shows() -> None:
    square = [cost(n, 100 * n + n * n / 1000, 40 * n, 0.7) for n in (1 << 10, 1 << 16, 1 << 20)]
    assert growths(square[:2])[0] < TIME_GROWTH
    assert not is_linear(square)


def test_the_first_touch_of_what_is_allocated_is_not_growth() -> None:
    sizes = (1 << 10, 1 << 16, 1 << 20, 1 << 24)
    step = [cost(n, n * (3 if n < 1 << 20 else 19), 8 * n) for n in sizes]
    assert not is_linear(step)
    assert growths([replace(measured, touch=2.0) for measured in step]) == (1.0, 1.0)
    assert first_touch() > 0


def test_the_growth_is_the_greatest_from_any_smaller_frame() -> None:
    assert growth([(10, 10.0, 0.0), (100, 200.0, 0.0), (1000, 3000.0, 0.0)], 1.0) == 3.0
    assert growth([(10, 90.0, 0.0), (100, 200.0, 0.0), (1000, 6000.0, 0.0)], 1.0) == 3.0
    assert growth([(10, 0.0, 0.0), (100, 10.0, 0.0), (1000, 20.0, 0.0)], 0.05) == 2.0
    assert growth([(10, 10.0, 0.0), (100, 600.0, 200.0)], 1.0) == 2.0
    assert growth([(10, 5.0, 0.0)], 1.0) == 1.0
    assert TIME_GROWTH < 16
    assert MEMORY_GROWTH < 16


def test_what_threads_ran_is_counted_for_those_that_are_left() -> None:
    assert ran({"1": 10, "2": 50}, {"1": 15, "3": 4}) == 9
    assert ran({}, {}) == 0


def test_of_several_attempts_the_least_cost_counts() -> None:
    attempts = [[cost(10, 5.0, 9.0, 2.0), cost(20, 7.0, 8.0)], [cost(10, 6.0, 4.0, 1.0)]]
    assert quickest(attempts) == [cost(10, 5.0, 4.0, 1.0), cost(20, 7.0, 8.0)]


def test_a_request_is_the_frames_behind_how_often() -> None:
    sample = Sample("zeps", "PING", SMALLEST, (b"\xaa\xa5\x08", b""), True)
    assert sample.size == 4
    assert request(sample, 3) == b"b\x04zeps\x03\0\0\0\x02\0\0\0\x03\xaa\xa5\x08\0\0\0\0"
