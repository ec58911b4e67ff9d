"""Replay from the journal: compared with the live rate to one subscriber, and with a prefix that matches 1%.

    python benchmarks/broker_replay.py [--messages N] [--runs N]

A stream of 1,000,000 messages is published once; one key in a hundred begins with `hot/`. Then, in turn: the live rate
from one publisher to one subscriber, the replay of everything, and the replay of what matches `hot/`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time

from broker_fanout import BODY, CHUNK, blast
from processes import broker, load_cpu
from report import Row, median, publish, say
from zeps_wire import zeps
from zmtp_load import Sink, Source, drain, frame, wire_size

KEY = "cold/abcdefghijk"
HOT = "hot//abcdefghijk"
SIZE = wire_size(zeps.Deliver(1, KEY, BODY).size())


def fill(endpoint: str, messages: int) -> None:
    """Publish `messages` messages, every hundredth with the key HOT, and wait until all are stored."""
    source = Source(endpoint, [zeps.Attach("replay").encode()])
    source.expect(zeps.AttachOk().encode())
    cold = frame(zeps.Publish(KEY, BODY).encode())
    hot = frame(zeps.Publish(HOT, BODY).encode())
    buffer = cold * 50 + hot + cold * 49
    for _ in range(messages // 100):
        source.send(buffer)
    source.send(frame(zeps.Ping().encode()))
    source.expect(zeps.PingOk().encode())
    source.close()


def replay(endpoint: str, pattern: str, expected: int) -> float:
    """Seconds from SUBSCRIBE to the last of `expected` messages."""
    sink = Sink(endpoint, [zeps.Attach("replay").encode(), zeps.Credit(1 << 62).encode()])
    sink.expect(zeps.AttachOk().encode())
    start = time.monotonic()
    sink.send([zeps.Subscribe(pattern, zeps.LATEST_ALL).encode()])
    sink.expect(zeps.SubscribeOk().encode())
    elapsed = drain([sink], expected * SIZE) - start
    sink.close()
    return elapsed


def live(endpoint: str, messages: int) -> float:
    """Messages/s from one publisher to one subscriber."""
    opening = [
        zeps.Attach("live").encode(),
        zeps.Subscribe("", zeps.LATEST_NEW).encode(),
        zeps.Credit(1 << 62).encode(),
    ]
    sink = Sink(endpoint, opening)
    sink.expect(zeps.AttachOk().encode())
    sink.expect(zeps.SubscribeOk().encode())
    source = Source(endpoint, [zeps.Attach("live").encode()])
    source.expect(zeps.AttachOk().encode())
    message = zeps.Publish(KEY, BODY).encode()
    start = time.monotonic()
    sender = blast(source, message, messages)
    elapsed = drain([sink], messages * SIZE) - start
    sender.join()
    sink.close()
    source.close()
    return messages / elapsed


def main() -> int:
    parser = argparse.ArgumentParser(
        allow_abbrev=False, description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--messages", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    os.sched_setaffinity(0, load_cpu())
    messages = options.messages // 100 * 100
    lives: list[float] = []
    wholes: list[float] = []
    hots: list[float] = []
    with broker("--sync", "os") as (endpoint, _):
        start = time.monotonic()
        fill(endpoint, messages)
        say(f"{messages} messages published in {time.monotonic() - start:.1f} s")
        for run in range(options.runs):
            lives.append(live(endpoint, 100_000 // CHUNK * CHUNK))
            wholes.append(replay(endpoint, "", messages))
            hots.append(replay(endpoint, "hot/", messages // 100))
            say(f"run {run + 1}/{options.runs}  live {lives[-1]:,.0f}/s, replay {messages / wholes[-1]:,.0f}/s "
                f"({wholes[-1]:.2f} s), 1% {hots[-1]:.3f} s")  # fmt: skip
    rate = messages / median(wholes)
    rows = [
        Row("live, one publisher to one subscriber", median(lives), "messages/s", tuple(lives)),
        Row("replay of everything", rate, "messages/s", tuple(messages / t for t in wholes),
            rate / median(lives), "live", 3.0),
        Row("replay of everything", median(wholes), "s", tuple(wholes)),
        Row("replay of the 1% that match a prefix", median(hots), "s", tuple(hots),
            median(wholes) / median(hots), "time of the full replay", 10.0),
    ]  # fmt: skip
    held = publish(
        "broker_replay", "Replay from the journal", rows, f"{messages} messages, {options.runs} runs."
    )
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
