"""Probes at the start of a run: how fast the broker answers, and how much a stream retains. Both change the options."""

from __future__ import annotations

import time
from dataclasses import replace

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.peer import BrokerPeer, ConnectionLostError
from zeps_conformance.broker.reason import Reasons
from zeps_conformance.common.verdicts import FailureError
from zeps_conformance.common.wirelog import WireLog
from zeps_conformance.model.interpreter import Interpreter, MalformedFrameError

__all__ = ["ANSWER_USUAL", "PACE_MAX", "answer_seconds", "paced", "probed"]

ANSWER_USUAL = 0.05
"""The answer time, in seconds, of brokers for which the default timeouts and the limits of cases are made."""
PACE_MAX = 20.0
PINGS = 8
PROBE_BODY, PROBE_MESSAGES = 8192, 64  # 512 KiB


def probed(options: Options, codec: Interpreter) -> Options:
    """Returns `options` with the pace of the broker and, unless they name a stream of small retention, with the
    retention of all streams if that is below 512 KiB; unchanged if the broker does not answer.
    """
    seconds = answer_seconds(options, codec)
    if seconds is None:
        return options
    options = paced(options, seconds)
    retained = _retained_bytes(options, codec) if options.streams.brief is None else None
    if retained is None:
        return options
    return replace(options, streams=replace(options.streams, brief="", brief_octets=retained))


def paced(options: Options, answer: float) -> Options:
    """Returns `options` for a broker that answers within `answer` seconds. The pace is ``answer / 0.05``, but at least
    1 and at most 20. It multiplies the timeout, the grace, and the time limits of cases.
    """
    pace = min(max(answer / ANSWER_USUAL, 1.0), PACE_MAX)
    return replace(options, pace=pace, timeout=options.timeout * pace, grace=options.grace * pace)


def answer_seconds(options: Options, codec: Interpreter) -> float | None:
    """Returns the seconds of the slowest of these: handshake, ATTACH, eight PINGs. None if one gets no answer."""
    longest, began = 0.0, time.monotonic()
    try:
        with _connect(options, codec) as peer:
            for frame in (_attach(options, codec, "pace"), *[codec.encode("PING")] * PINGS):
                longest, began = max(longest, time.monotonic() - began), time.monotonic()
                peer.send(frame)
                if peer.receive(options.timeout) is None:
                    return None
    except ConnectionLostError:
        return None
    return max(longest, time.monotonic() - began)


def _retained_bytes(options: Options, codec: Interpreter) -> int | None:
    """Publishes 512 KiB. Returns the bytes that are retained of it if they are fewer, else None."""
    body = bytes(PROBE_BODY)
    publish = codec.encode("PUBLISH", key="", body=body)
    subscribe = codec.encode("SUBSCRIBE", pattern="", latest=1)
    try:
        with _connect(options, codec) as peer:
            peer.send(_attach(options, codec, "retention"))
            peer.send_together([publish] * PROBE_MESSAGES)
            peer.send(subscribe)
            deadline = time.monotonic() + options.timeout
            while (left := deadline - time.monotonic()) > 0 and (parts := peer.receive(left)) is not None:
                message = codec.decode(parts[0])
                if message.name == "SUBSCRIBE-OK":
                    return None
                if message.name == "INVALID":
                    reason = Reasons(codec.model).read(str(message["reason"]))
                    kept = PROBE_MESSAGES - reason.last
                    fits = reason.code == "not-retained" and kept > 0
                    return kept * codec.size("DELIVER", sequence=1, key="", body=body) if fits else None
    except (ConnectionLostError, MalformedFrameError, FailureError):
        return None  # the cases judge this
    return None


def _connect(options: Options, codec: Interpreter) -> BrokerPeer:
    return BrokerPeer.connect(options.endpoint, "probe", WireLog(), codec.render, options.timeout)


def _attach(options: Options, codec: Interpreter, name: str) -> bytes:
    return codec.encode("ATTACH", stream=f"conform/{options.nonce}/probe/{name}")
