"""Options for reading: meanings as in the Kafka connector, and errors for invalid options."""

from __future__ import annotations

import pytest

from zeps_pipeline.errors import OptionError
from zeps_pipeline.source.options import EARLIEST, LATEST, check_keys, read_options


def test_case_does_not_matter() -> None:
    options = read_options({"PATH": "j", "STARTINGOFFSETS": "Earliest", "failondataloss": "False"})
    assert options.path == "j"
    assert options.start_of("s", LATEST) == EARLIEST
    assert not options.fail_on_data_loss


def test_offsets_per_stream() -> None:
    options = read_options({"path": "j", "startingOffsets": '{"a": 5, "b": -2}', "endingOffsets": '{"a": 9}'})
    assert [options.start_of(name, LATEST) for name in "abc"] == [5, EARLIEST, LATEST]
    assert [options.end_of(name) for name in "ab"] == [9, LATEST]


@pytest.mark.parametrize(
    ("text", "microseconds"),
    [("1700000000123", 1_700_000_000_123_000), ("2023-11-14T22:13:20Z", 1_700_000_000_000_000)],
)
def test_times_are_milliseconds_or_iso(text: str, microseconds: int) -> None:
    assert read_options({"path": "j", "startingTimestamp": text}).starting_time == microseconds


def test_streams_by_name_and_by_pattern() -> None:
    named = read_options({"path": "j", "subscribe": "a, b"})
    assert [named.wants(name) for name in ("a", "b", "ab")] == [True, True, False]
    matched = read_options({"path": "j", "subscribePattern": "a.*"})
    assert [matched.wants(name) for name in ("a", "ab", "ba")] == [True, True, False]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "either path"),
        ({"path": "j", "zeps.endpoint": "tcp://x"}, "either path"),
        ({"path": "j", "zeps.endpiont": "x"}, "did you mean zeps.endpoint"),
        ({"path": "j", "zeps.whatever": "x"}, "unknown option zeps.whatever"),
        ({"path": "j", "startingOffset": "earliest"}, "did you mean startingOffsets"),
        ({"path": "j", "subscribe": "a", "subscribePattern": "b"}, "not both"),
        ({"path": "j", "subscribe": " , "}, "does not name a stream"),
        ({"path": "j", "subscribePattern": "("}, "not a valid regular expression"),
        ({"path": "j", "startingOffsets": "first"}, "startingOffsets must be one of earliest, latest"),
        ({"path": "j", "startingOffsets": '{"a": 0}'}, "sequences from 1"),
        ({"path": "j", "startingOffsets": '{"a": true}'}, "sequences from 1"),
        ({"path": "j", "startingOffsets": '{"": 1}'}, "sequences from 1"),
        (
            {"path": "j", "startingOffsets": '{"b": 1}', "subscribe": "a"},
            "offsets are set for the stream 'b'",
        ),
        (
            {"path": "j", "endingOffsets": '{"b": 1}', "subscribePattern": "a.*"},
            "offsets are set for the stream 'b'",
        ),
        ({"path": "hdfs://host/j"}, "a local or mounted folder, not hdfs://host/j"),
        ({"path": "file://host/j"}, "a local or mounted folder, not file://host/j"),
        ({"path": "j", "endingOffsets": '{"a": -2}'}, "endingOffsets must be one of latest"),
        ({"path": "j", "startingOffsets": "latest", "startingTimestamp": "0"}, "not both"),
        ({"path": "j", "startingTimestamp": "yesterday"}, "milliseconds"),
        ({"path": "j", "failOnDataLoss": "no"}, "true or false"),
        ({"path": "j", "maxOffsetsPerTrigger": "0"}, "a number from 1"),
        ({"path": "j", "includeHeaders": "true"}, "no headers"),
        ({"zeps.endpoint": "tcp://x"}, "requires subscribe"),
        ({"path": "j", "zeps.serverKey": "x.key"}, "require zeps.endpoint"),
        ({"zeps.endpoint": "tcp://x", "subscribe": "a", "zeps.key": "x"}, "requires zeps.serverKey"),
        ({"zeps.endpoint": "tcp://x", "subscribe": "a", "zeps.serverKey": "/no/such"}, "/no/such"),
        ({"zeps.endpoint": "tcp://x", "subscribePattern": "a.*"}, "cannot list"),
        ({"zeps.endpoint": "tcp://x", "subscribe": "a", "startingTimestamp": "0"}, "does not deliver times"),
        ({"zeps.endpoint": "tcp://x", "subscribe": "a", "zeps.timeout": "-1"}, "seconds"),
    ],
)
def test_invalid_options_are_refused(given: dict[str, str], says: str) -> None:
    with pytest.raises(OptionError, match=says):
        read_options(given)


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("file:///a/b", "/a/b"),
        ("file:/a/b", "/a/b"),
        ("file://localhost/a%20b", "/a b"),
        ("/a%20b", "/a%20b"),
        ("a:b", "a:b"),
    ],
)
def test_a_path_may_be_a_uri(path: str, folder: str) -> None:
    assert read_options({"path": path}).path == folder


def test_other_options_are_ignored() -> None:
    assert check_keys({"mergeSchema": "true", "Path": "x"}, ["path"]) == {"path": "x"}
