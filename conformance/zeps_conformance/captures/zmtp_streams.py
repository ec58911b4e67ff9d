"""What one side of a captured connection sent, decoded from its bytes."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from zeps_conformance.captures.tcp_streams import Direction
from zeps_conformance.wire.zmtp_codec import Wire
from zeps_conformance.wire.zmtp_side import Fault, Item, SideReader, Spoken

__all__ = ["SpokenItems", "misfit_pongs", "spoken"]

PROGRESS_EVERY = 5000  # messages


@dataclass(slots=True)
class SpokenItems:
    """What one side sent, with all its messages and commands in order."""

    said: Spoken
    items: list[Item] = field(default_factory=list)


def spoken(
    direction: Direction, wire: Wire, progress: Callable[[str, int], None] = lambda what, count: None
) -> SpokenItems:
    """Decodes what one side sent, up to the end or what `said.stopped` of the result names. `progress` is called
    with an activity and a number of messages.
    """
    items: list[Item] = []

    def heard(item: Item) -> None:
        items.append(item)
        if len(items) % PROGRESS_EVERY == 0:
            progress("messages of a connection decoded", len(items))

    reader = SideReader(wire, heard)
    reader.feed(bytes(direction.data))
    return SpokenItems(reader.result, items)


def misfit_pongs(
    answering: Sequence[Item], asking: Sequence[Item], one: Direction, another: Direction
) -> Iterator[Fault]:
    """Yields a fault for each PONG of `answering` without a PING of `asking` that had begun before and has its context;
    not after a PING that does not decode. `one` and `another` are the directions of the two.
    """
    pings = deque((another.sent_by(item.start), item) for item in asking if item.name == "PING")
    contexts: set[bytes] = set()
    for item in answering:
        if item.name == "PONG":
            packet = one.complete_at(item.end).packet
            while pings and pings[0][0] <= packet:
                ping = pings.popleft()[1]
                contexts.add(ping.context)
                if not ping.is_sound:
                    return
            if item.context not in contexts:
                yield Fault(
                    "ZMTP-H-3",
                    "PONG with the context of a PING",
                    f"PONG with the context {item.context.hex(' ') or 'of no bytes'}",
                    item.start,
                    item.end,
                )
