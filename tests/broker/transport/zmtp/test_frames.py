"""Splitting and joining ZMTP frames in bulk agrees with the generated codec, frame by frame."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from transport_helpers import frames_of

import zeps_broker.transport.zmtp.frames as frames_module
from zeps_broker.frame_batch import FrameBatch, byte_count_of, sums_of
from zeps_broker.transport.zmtp.frames import cut, join, join_command, join_parts, parts_of
from zeps_wire import zmtp_frame

SIZES = st.sampled_from([0, 1, 2, 24, 254, 255, 256, 257, 300])
MANY = 80  # more than are skipped after a search without a result
BODIES = st.lists(st.builds(bytes, SIZES), max_size=40) | st.builds(
    lambda size, count: [bytes([number % 256]) * size for number in range(count)], SIZES, st.integers(0, 300)
)


def encoded(body: bytes) -> bytes:
    """Encodes one frame with the generated codec."""
    return (zmtp_frame.Last if len(body) <= 255 else zmtp_frame.LongLast)(body=body).encode()


@given(BODIES.filter(len))
def test_join_is_what_the_codec_says(bodies: list[bytes]) -> None:
    assert bytes(join(bodies)) == b"".join(map(encoded, bodies))


def encoded_more(body: bytes) -> bytes:
    """Encodes one frame that has successors, with the generated codec."""
    return (zmtp_frame.More if len(body) <= 255 else zmtp_frame.LongMore)(body=body).encode()


@given(BODIES.filter(len))
def test_parts_of_one_message_are_what_the_codec_says_and_come_back(parts: list[bytes]) -> None:
    message = join_parts(parts)
    assert message == b"".join(map(encoded_more, parts[:-1])) + encoded(parts[-1])
    assert parts_of(message) == parts


@given(SIZES.filter(bool), st.integers(1, 100), st.integers(0, 20))
def test_a_run_is_joined_like_its_frames(size: int, count: int, start: int) -> None:
    data = bytes(index % 251 for index in range(start + size * count))
    run = FrameBatch(data, start, size, count)
    assert bytes(join(run)) == bytes(join(list(run)))


def cut_all(data: bytes, size_max: int = 1 << 20) -> tuple[int, list[bytes | FrameBatch]]:
    """Returns where `cut` stopped, and the bodies that it has found."""
    bodies: list[bytes | FrameBatch] = []
    return cut(data, 0, bodies, size_max), bodies


@given(BODIES, st.data())
def test_cut_gives_back_what_was_joined_however_much_is_there(
    bodies: list[bytes], data: st.DataObject
) -> None:
    joined = b"".join(map(encoded, bodies))
    end = data.draw(st.integers(0, len(joined)))
    ends = list(accumulate((len(encoded(body)) for body in bodies), initial=0))
    whole = max(place for place, stop in enumerate(ends) if stop <= end)
    stop, received = cut_all(joined[:end])
    assert (stop, frames_of(received)) == (ends[whole], bodies[:whole])


@given(BODIES, st.sampled_from([b"\x01\x00", b"\x03" + bytes(8), b"\x04\x05\x04PONG", b"\x80\x00"]), BODIES)
def test_cut_stops_before_what_is_no_message_of_one_frame(
    before: list[bytes], other: bytes, after: list[bytes]
) -> None:
    head = b"".join(map(encoded, before))
    stop, received = cut_all(head + other + b"".join(map(encoded, after)))
    assert (stop, frames_of(received)) == (len(head), before)


def test_cut_stops_before_a_body_that_is_too_long() -> None:
    stop, received = cut_all(encoded(bytes(300)) + encoded(bytes(301)), 300)
    assert (stop, len(received)) == (309, 1)


@given(SIZES)
def test_a_command_is_short_if_it_can_be(size: int) -> None:
    command = join_command(bytes(size))
    kind = zmtp_frame.Command if size <= 255 else zmtp_frame.LongCommand
    assert zmtp_frame.decode(command) == kind(body=bytes(size))


@example(0, 209, [bytes(24)] * 2, [b""] * 181)
@given(SIZES, st.integers(2, 300), BODIES, BODIES)
def test_many_of_one_size_are_one_run(size: int, count: int, before: list[bytes], after: list[bytes]) -> None:
    alike = [bytes([number % 256]) * size for number in range(count)]
    bodies = [*before, *alike, *after]
    joined = b"".join(map(encoded, bodies))
    stop, received = cut_all(joined)
    assert (stop, frames_of(received)) == (len(joined), bodies)
    if count >= MANY:
        assert any(isinstance(item, FrameBatch) and item.size == size for item in received)


def test_sizes_that_change_make_no_runs_and_no_long_searches() -> None:
    bodies = [bytes(10 + number // 2 % 2) for number in range(10_000)]
    joined = b"".join(map(encoded, bodies))
    assert cut_all(joined) == (len(joined), bodies)


@pytest.fixture
def looked_at(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The results of all searches for a run."""
    alike = frames_module._alike
    results: list[int] = []

    def counted(*arguments: Any) -> int:
        results.append(alike(*arguments))
        return results[-1]

    monkeypatch.setattr(frames_module, "_alike", counted)
    return results


def test_what_looks_like_a_run_and_is_none_is_not_searched_again_and_again(looked_at: list[int]) -> None:
    data = (b"\x00\x00" * 2 + b"\x00\x02\x00\x00" + b"\x00\x00" * 26) * 4000
    assert cut_all(data)[0] == len(data)
    assert len(looked_at) < 2 * 4000


@given(st.integers(0, 30), st.integers(0, 150), st.integers(0, 5), st.data())
def test_a_run_is_as_good_as_a_list(size: int, count: int, gap: int, data: st.DataObject) -> None:
    frames = [bytes([number]) * size for number in range(count)]
    run = FrameBatch(b"ab" + (b"-" * gap).join(frames), 2, size, count, size + gap)
    assert run.byte_count == byte_count_of(frames) == byte_count_of(run)
    assert list(sums_of(run)) == list(sums_of(frames))
    assert run.joined() == b"".join(frames)
    assert run.rows().tobytes() == b"".join(frames)
    left, right = sorted((data.draw(st.integers(0, size)), data.draw(st.integers(0, size))))
    assert list(run.column(left, right)) == [frame[left:right] for frame in frames]
    assert list(run) == frames
    assert len(run) == count
    low, high = data.draw(st.integers(0, count)), data.draw(st.integers(0, count))
    assert list(run[low:high]) == frames[low:high]
    assert run[low:] == frames[low:]
    if count:
        assert (run[0], run[-1]) == (frames[0], frames[-1])


@pytest.mark.parametrize("run_frames_max", [0, 63, 64, 1000])
def test_frames_behind_a_whole_run_are_not_looked_at_again(run_frames_max: int, looked_at: list[int]) -> None:
    bodies: list[Any] = []
    data = encoded(b"topic") * 20_000
    assert cut(data, 0, bodies, 100, 1024, run_frames_max) == sum(map(len, map(encoded, frames_of(bodies))))
    assert sum(looked_at) <= run_frames_max
