from __future__ import annotations

import string

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zeps_journal.names import decode_name, encode_name, is_cut, is_folder_name

NAMES = st.text(min_size=1, max_size=255)
"""Names without surrogates, which text of this strategy never contains."""
SAFE = frozenset(string.ascii_lowercase + string.digits + "-_%~")


@given(NAMES)
@example("..")
@example(".")
@example("/")
@example("../../etc/passwd")
@example("STOCKS")
@example("~")
@example("\0")
@example("ü" * 127)
@example("x" * 200)
@example("x" * 201)
@example("%" * 255)
def test_a_folder_name_is_safe_and_tells_the_stream(name: str) -> None:
    folder = encode_name(name)
    assert set(folder) <= SAFE
    assert len(folder) <= 200
    assert is_folder_name(folder)
    assert decode_name(folder) == (None if is_cut(folder) else name)


@given(NAMES, NAMES)
def test_two_streams_never_share_a_folder(one: str, other: str) -> None:
    assert (encode_name(one) == encode_name(other)) == (one == other)


def test_long_names_that_begin_alike_have_folders_of_their_own() -> None:
    assert len({encode_name("x" * 250 + end) for end in "abc"}) == 3


def test_a_cut_leaves_no_broken_escape() -> None:
    for start in range(4):
        folder = encode_name("x" * start + "ü" * 120)
        kept = folder.partition("~")[0]
        assert encode_name("x" * start + "ü" * 120).startswith(kept)
        assert is_folder_name(folder)
        assert not kept.endswith("%")


@pytest.mark.parametrize(
    "folder", ["lost+found", "zeps.lock", ".", "..", "%2F", "%", "%2", "a~b", "%61", "%ff", "", "Ab"]
)
def test_what_no_stream_makes_is_no_folder_of_ours(folder: str) -> None:
    assert not is_folder_name(folder)
    assert decode_name(folder) is None


@pytest.mark.parametrize("name", ["", "\ud800"])
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        encode_name(name)
