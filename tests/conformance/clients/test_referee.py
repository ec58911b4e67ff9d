"""The referee of a client, message by message."""

from __future__ import annotations

import pytest

from zeps_conformance.clients.referee import ClientReferee, Phase
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.model.interpreter import Interpreter, Value


@pytest.fixture
def referee(codec: Interpreter) -> ClientReferee:
    return ClientReferee(codec, "stream")


def receive(referee: ClientReferee, codec: Interpreter, name: str, **values: Value) -> None:
    referee.received([codec.encode(name, **values)])


def opened(referee: ClientReferee, codec: Interpreter) -> ClientReferee:
    receive(referee, codec, "ATTACH", stream="stream")
    referee.sent(codec.decode(codec.encode("ATTACH-OK")))
    return referee


def test_a_session_from_attach_to_detach(referee: ClientReferee, codec: Interpreter) -> None:
    opened(referee, codec)
    receive(referee, codec, "SUBSCRIBE", pattern="", latest=0)
    receive(referee, codec, "CREDIT", credit=1000)
    deliver = codec.decode(codec.encode("DELIVER", sequence=1, key="k", body=b"b"))
    referee.sent(deliver)
    assert referee.credit == 1000 - deliver.size
    receive(referee, codec, "DETACH")
    assert referee.phase is Phase.LEAVING


@pytest.mark.parametrize(
    ("name", "values", "rule"),
    [
        ("SUBSCRIBE", {"pattern": "", "latest": 0}, "ZEPS-ATTACH-7"),
        ("PUBLISH", {"key": "", "body": b""}, "ZEPS-ATTACH-7"),
        ("DETACH-OK", {}, "ZEPS-DETACH-3"),
        ("DELIVER", {"sequence": 1, "key": "", "body": b""}, "ZEPS-FRAME-7"),
        ("ATTACH", {"stream": "another"}, "ZEPS-TEXT-1"),
    ],
)
def test_what_a_client_must_not_send_first(
    referee: ClientReferee, codec: Interpreter, name: str, values: dict[str, Value], rule: str
) -> None:
    with pytest.raises(FailureError) as failure:
        receive(referee, codec, name, **values)
    assert failure.value.rule == rule


@pytest.mark.parametrize("name", ["PING", "PING-OK", "DETACH"])
def test_nothing_follows_detach(referee: ClientReferee, codec: Interpreter, name: str) -> None:
    receive(opened(referee, codec), codec, "DETACH")
    with pytest.raises(FailureError) as failure:
        receive(referee, codec, name)
    assert failure.value.rule == "ZEPS-ATTACH-7"


def test_a_second_attach_waits_for_the_answer(referee: ClientReferee, codec: Interpreter) -> None:
    receive(referee, codec, "ATTACH", stream="stream")
    with pytest.raises(FailureError, match="ATTACH"):
        receive(referee, codec, "ATTACH", stream="stream")


@pytest.mark.parametrize(
    ("parts", "rule"),
    [
        ([b"", b"\xaa\xa5\x08"], "ZEPS-FRAME-3"),
        ([b"\xaa\xa4\x08"], "ZEPS-FRAME-7"),
        ([b"\xaa\xa5\x63"], "ZEPS-FRAME-7"),
        ([b"\xaa\xa5\x05\x00"], "ZEPS-FRAME-2"),
        ([b"\xaa\xa5\x08\x00"], "ZEPS-FRAME-2"),
        ([b"\xaa\xa5\x03\x02a\x01" + bytes(8)], "ZEPS-TEXT-2"),
        ([b"\xaa\xa5\x03\x01\xff" + bytes(8)], "ZEPS-TEXT-1"),
        ([b"\xaa\xa5\x06\x01k\xff\xff\xff\xff"], "ZEPS-CHUNK-1"),
        ([b"\xaa\xa5\x01\x04ZAPS\x00\x01\x01s"], "ZEPS-ATTACH-7"),
    ],
)
def test_a_frame_that_does_not_decode(referee: ClientReferee, parts: list[bytes], rule: str) -> None:
    with pytest.raises(FailureError) as failure:
        referee.received(parts)
    assert failure.value.rule == rule


def test_commands_in_flight_after_the_end_are_accepted(referee: ClientReferee, codec: Interpreter) -> None:
    opened(referee, codec).ended()
    receive(referee, codec, "PUBLISH", key="", body=b"")
    receive(referee, codec, "ATTACH", stream="stream")
    assert referee.phase is Phase.ATTACHING
