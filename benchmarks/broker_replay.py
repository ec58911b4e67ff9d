"""Replay from the journal: compared with the live rate to one subscriber, and with a prefix that matches 1%.

A stream of 1,000,000 messages is published once; one key in a hundred begins with `hot/`. Then, in turn: the live rate
from one publisher to one subscriber, the replay of everything, and the replay of what matches `hot/`.
"""

from __future__ import annotations

import os
import sys
import time

from broker_fanout import BODY
from processes import broker, load_cpu
from report import Row, median, parser_of, publish, say
from zeps_wire import zeps
from zmtp_load import CHUNK, Sink, Source, blast, drain, frame, wire_size

KEY = "cold/abcdefghijk"
HOT = "hot//abcdefghijk"
SIZE = wire_size(zeps.Deliver(1, KEY, BODY).size())


def fill(endpoint: str, messages: int) -> None:
    """Store `messages` messages, a multiple of 100, in `replay`; one of each hundred has the key HOT."""
    cold, hot = (frame(zeps.Publish(key, BODY)) for key in (KEY, HOT))
    store(endpoint, cold * 50 + hot + cold * 49, messages // 100)


def store(endpoint: str, buffer: bytes, times: int) -> None:
    """Send `buffer`, which contains PUBLISH frames, to the stream `replay` `times` times; wait until all are stored."""
    source = Source(endpoint, zeps.Attach("replay"))
    source.expect(zeps.AttachOk())
    blast(source.sock, buffer, times).join()
    source.send(zeps.Ping())
    source.expect(zeps.PingOk())
    source.close()


def replay(endpoint: str, pattern: str, expected: int, size: int = SIZE) -> float:
    """Seconds from SUBSCRIBE to the last of the `expected` messages that match, each of `size` bytes on the wire."""
    sink = Sink(endpoint, zeps.Attach("replay"), zeps.Credit(1 << 62))
    sink.expect(zeps.AttachOk())
    start = time.monotonic()
    sink.send(zeps.Subscribe(pattern, zeps.LATEST_ALL))
    sink.expect(zeps.SubscribeOk())
    elapsed = drain([sink], expected * size) - start
    sink.send(zeps.Detach())
    sink.sock.setblocking(True)
    sink.expect(zeps.DetachOk())
    sink.close()
    return elapsed


def live(endpoint: str, messages: int) -> float:
    """Messages/s from one publisher to one subscriber; `messages` is a multiple of CHUNK."""
    sink = Sink(endpoint, zeps.Attach("live"), zeps.Subscribe("", zeps.LATEST_NEW), zeps.Credit(1 << 62))
    sink.expect(zeps.AttachOk(), zeps.SubscribeOk())
    source = Source(endpoint, zeps.Attach("live"))
    source.expect(zeps.AttachOk())
    start = time.monotonic()
    sender = blast(source.sock, frame(zeps.Publish(KEY, BODY)) * CHUNK, messages // CHUNK)
    elapsed = drain([sink], messages * SIZE) - start
    sender.join()
    sink.close()
    source.close()
    return messages / elapsed


def main() -> int:
    options = parser_of(__doc__, messages=1_000_000, runs=5).parse_args()
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
