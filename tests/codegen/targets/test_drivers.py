"""The driver of every language: invalid requests, numbers that no field can hold, and the end of input."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest
from built_models import DRIVERS, Model, grouped
from driver_processes import Process

from zeps_codegen.compose import shown_fields
from zeps_codegen.ir import Field, FieldType
from zeps_codegen.requests import encode_request
from zeps_conformance.codec.campaign import DriverCommand
from zeps_conformance.codec.compare import difference
from zeps_conformance.codec.driver_protocol import parse_example

languages = pytest.mark.parametrize("language", grouped(sorted(DRIVERS)))
NONSENSE = [b"", b"?", b"D", b"D\x03xyz\0\0\0\0", b"D\x09abc", b"M\x03xyz\0\0\0\0", b"I!"]


@languages
def test_nonsense_is_refused_and_the_next_request_is_answered(language: str, driver: DriverCommand) -> None:
    *refused, served = Process(driver.words).answers([*NONSENSE, b"I"])
    assert [answer[:1] for answer in refused] == [b"?"] * len(NONSENSE)
    assert served[:1] == b"I"


@languages
def test_a_request_that_is_cut_short_ends_the_driver(language: str, driver: DriverCommand) -> None:
    done = subprocess.run(driver.words, input=b"\0\0\0\x01I\0\0\0\x05D", capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert int.from_bytes(done.stdout[:4], "big") == len(done.stdout) - 4
    assert done.stdout[4:5] == b"I"


@languages
def test_a_request_that_is_too_large_ends_the_driver(language: str, driver: DriverCommand) -> None:
    announced = (64 << 20 | 1).to_bytes(4, "big")
    done = subprocess.run(driver.words, input=announced, capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr


def _beyond(field: Field) -> Any:
    """The greatest number of 64 bits; for a field that is not a number, a short value."""
    match field.type:
        case FieldType.NUMBER | FieldType.VARINT:
            return (1 << 64 - field.signed) - 1
        case FieldType.OCTETS if field.length is None:
            return bytes(field.size)
        case FieldType.LIST | FieldType.STRINGS | FieldType.HASH:
            return []
        case _:
            return b""


@languages
def test_the_first_of_several_numbers_that_do_not_fit_is_refused(
    language: str, helpers: Model, driver: DriverCommand
) -> None:
    requests = []
    for protocol in helpers.bundle.protocols:
        for message in protocol.current:
            fields = shown_fields(protocol, message)
            if not any(field.type in (FieldType.FRAME, FieldType.MSG) for field in fields):
                requests.append(encode_request(protocol, message, list(map(_beyond, fields))))
    refused = 0
    for request, seen in zip(requests, Process(driver.words).answers(requests), strict=True):
        expected = helpers.oracle.answer(parse_example(request))
        mismatch = difference(helpers.oracle, parse_example(request), expected, seen)
        # Java's driver refuses numbers beyond int before it checks the fields in order
        assert mismatch is None if language == "java" else seen == expected, request.hex()
        refused += seen[:1] == b"-"
    assert refused > 10
