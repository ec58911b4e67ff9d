"""The conversion of PUBLISH to DELIVER gives the same result for a batch as for each message alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeps_broker.core import renumber
from zeps_broker.core.renumber import delivers, keys_of, keys_of_run
from zeps_broker.frame_batch import FrameBatch
from zeps_broker.journal.encoding import encode_blocks
from zeps_broker.ports import Malformed
from zeps_wire import zeps
from zeps_wire.errors import EncodeError

ALIKE = st.tuples(st.integers(0, 20), st.integers(0, 40)).flatmap(
    lambda sizes: st.lists(
        st.builds(
            lambda key, body: zeps.Publish(key, body).encode(),
            st.text("abc.", min_size=sizes[0], max_size=sizes[0]),
            st.binary(min_size=sizes[1], max_size=sizes[1]),
        ),
        min_size=1,
        max_size=100,
    )
)


def run_of(frames: list[bytes]) -> FrameBatch:
    size = len(frames[0])
    return FrameBatch(b"".join(b"-" + frame for frame in frames), 1, size, len(frames), size + 1)


def renumbered(frames: list[bytes], first: int) -> list[bytes]:
    """Converts each frame alone, with the generated codec."""
    converted = []
    for number, frame in enumerate(frames):
        message = zeps.decode(frame)
        assert isinstance(message, zeps.Publish)
        converted.append(zeps.Deliver(first + number, message.key, message.body).encode())
    return converted


@given(ALIKE, st.integers(1, 2**63))
def test_a_run_is_renumbered_like_its_frames(frames: list[bytes], first: int) -> None:
    run = run_of(frames)
    assert keys_of_run(run) == keys_of(frames) == keys_of(list(run))
    assert list(delivers([run], first)) == renumbered(frames, first)
    assert list(delivers([frames], first)) == renumbered(frames, first)
    assert list(delivers([run, frames, run[1:]], first)) == renumbered([*frames, *frames, *frames[1:]], first)


@given(ALIKE, st.data())
def test_a_run_with_something_else_in_it_is_looked_at_one_by_one(
    frames: list[bytes], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(frames) - 1))
    at = data.draw(st.integers(0, 3))
    broken = [bytearray(frame) for frame in frames]
    broken[place][at] ^= 1
    run = run_of([bytes(frame) for frame in broken])
    keys = keys_of_run(run)
    assert keys is None or (len(frames) == 1 and keys == keys_of(list(run)))
    assert len(keys_of(list(run))) <= place + (keys is not None)


@given(ALIKE, ALIKE)
def test_pieces_of_different_sizes(some: list[bytes], others: list[bytes]) -> None:
    assert list(delivers([run_of(some), run_of(others)], 7)) == renumbered([*some, *others], 7)


@given(ALIKE)
def test_the_journal_stores_a_run_like_its_frames(frames: list[bytes]) -> None:
    run = delivers([run_of(frames)], 7)
    assert isinstance(run, FrameBatch)
    assert encode_blocks(7, run, 99) == encode_blocks(7, list(run), 99)


def test_no_sequence_is_beyond_what_a_frame_can_say() -> None:
    frames = [zeps.Publish("k", b"").encode()] * 3
    for batch in (frames, run_of(frames)):
        assert list(delivers([batch], 2**64 - 3)) == renumbered(frames, 2**64 - 3)
        with pytest.raises(EncodeError):
            delivers([batch], 2**64 - 2)


@pytest.mark.parametrize(
    "other", [Malformed("no frame"), run_of([b"x" * 10] * 40), b"", zeps.Ping().encode()]
)
def test_keys_end_before_what_is_no_publish(other: bytes | FrameBatch | Malformed) -> None:
    frames = [zeps.Publish(key, b"").encode() for key in "abc"]
    assert keys_of([*frames[:2], other, frames[2]]) == [b"a", b"b"]


@pytest.mark.parametrize("error", [TypeError, AttributeError])
def test_a_programming_error_is_not_taken_for_malformed_input(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def broken(frame: bytes) -> None:
        raise error("a mistake in this program")

    monkeypatch.setattr(renumber, "scan_publish", broken)
    with pytest.raises(error, match="a mistake"):
        keys_of([zeps.Publish("key", b"").encode()])
