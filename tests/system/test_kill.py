"""SIGKILL at random moments, under load, and the state after a restart; ten times as often in ``make soak``.

With ``sync = always`` a restart must have: every message that any subscriber was sent, with the same sequence and
content; every message that an earlier restart had; every message that a PING-OK had covered (ZEPS-PING-10); no sequence
used twice, none missing; and a torn tail cut off and logged.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from campaigns import seeds, sized
from harness import BrokerProcess, Peer, Peers, PythonProcess, history

from zeps_broker.journal import JournalStore
from zeps_broker.journal.encoding import encode_blocks
from zeps_wire import zeps

ROUNDS = sized(10, 50)
STREAM = "killed"
PUBLISHERS = 2
MESSAGES = 600
QUIET = 0.1
CONFIG = """
[journal]
sync = "always"
segment_bytes = 65536
"""

Content = tuple[str, bytes]


@dataclass
class Ledger:
    """Facts that must stay true."""

    delivered: dict[int, Content] = field(default_factory=dict)
    """By sequence: every message that any client was ever sent."""
    covered: dict[str, int] = field(default_factory=dict)
    """By publisher: how many of its messages a PING-OK has covered."""

    def show(self, messages: list[zeps.Deliver]) -> None:
        for message in messages:
            content = (message.key, message.body)
            known = self.delivered.setdefault(message.sequence, content)
            assert known == content, f"sequence {message.sequence} was used again"

    def audit(self, messages: list[zeps.Deliver]) -> None:
        """Compares with a replay from 0."""
        assert [message.sequence for message in messages] == list(range(1, len(messages) + 1))
        missing = [sequence for sequence in self.delivered if sequence > len(messages)]
        assert not missing, f"sequences {sorted(missing)} were delivered and are gone"
        self.show(messages)
        numbers: dict[str, list[int]] = {}
        for message in messages:
            numbers.setdefault(message.key, []).append(int(message.body.split(b":")[0]))
        for key, count in self.covered.items():
            mine = numbers.get(key, [])
            assert mine == list(range(len(mine))), f"{key} is not in order, without gap and repeat"
            assert len(mine) >= count, f"{key}: PING-OK covered {count} messages, {len(mine)} are there"


def publish(peer: Peer, key: str, chance: random.Random, dead: threading.Event) -> int:
    """Publishes until the broker is dead; returns how many messages a PING-OK has covered."""
    pings: deque[int] = deque()
    sent = covered = 0
    while not dead.is_set():
        if sent < MESSAGES:
            peer.publish(key, b"%d:" % sent + chance.randbytes(chance.randrange(400)))
            sent += 1
        if chance.random() < 0.1 or sent == MESSAGES:
            pings.append(sent)
            peer.send(zeps.Ping())
            time.sleep(0.001)
        while isinstance(peer.receive(0), zeps.PingOk):
            covered = pings.popleft()
    while isinstance(peer.receive(QUIET), zeps.PingOk):
        covered = pings.popleft()
    return covered


def subscribe(peer: Peer, credit: int, dead: threading.Event) -> list[zeps.Deliver]:
    """Collects until the broker is dead, including messages under way then. Used credit is granted again."""
    got: list[zeps.Deliver] = []
    peer.send(zeps.Credit(credit))
    while True:
        message = peer.receive(QUIET)
        if isinstance(message, zeps.Deliver):
            got.append(message)
            peer.send(zeps.Credit(message.size()))
        elif message is None and dead.is_set():
            return got


def load_and_kill(
    broker: BrokerProcess, peers: Peers, ledger: Ledger, chance: random.Random, name: str
) -> None:
    """Runs publishers and subscribers, and kills the broker in the middle of it."""
    dead = threading.Event()
    end = max(ledger.delivered, default=0)
    threads: list[threading.Thread] = []
    results: list[Callable[[], None]] = []

    def start(work: Callable[[], Callable[[], None]]) -> None:
        thread = threading.Thread(target=lambda: results.append(work()))
        thread.start()
        threads.append(thread)

    def publisher(number: int) -> None:
        peer, key = peers.connect(broker.endpoint, STREAM), f"p{number}.{name}"
        own = random.Random(chance.random())

        def work() -> Callable[[], None]:
            covered = publish(peer, key, own, dead)
            return lambda: ledger.covered.update({key: covered})

        start(work)

    def subscriber(pattern: str, latest: int, credit: int) -> None:
        peer = peers.connect(broker.endpoint, STREAM)
        peer.subscribe(pattern, latest)

        def work() -> Callable[[], None]:
            got = subscribe(peer, credit, dead)

            def check() -> None:
                sequences = [message.sequence for message in got]
                if pattern:
                    assert sequences == sorted(set(sequences))
                    assert all(message.key.startswith(pattern) for message in got)
                elif got:
                    assert sequences == list(range(latest + 1, latest + 1 + len(got)))
                ledger.show(got)

            return check

        start(work)

    subscriber("", end, 2**63)
    subscriber("", 0, chance.randrange(500, 5000))  # starved: always in low gear
    subscriber("p1.", 0, 100_000)
    for number in range(PUBLISHERS):
        publisher(number)
    time.sleep(chance.uniform(0.005, 0.4))
    broker.kill()
    dead.set()
    for thread in threads:
        thread.join()
    assert len(results) == len(threads)
    for settle in results:
        settle()


def tear(data: Path, chance: random.Random) -> int | None:
    """Leaves the beginning of a block, like a writer that dies while it writes; returns its size. Returns None if the
    broker has left one itself, or a segment without a complete header.
    """
    store = JournalStore(data, read_only=True)
    stream = store.open(STREAM)
    torn, sequence = stream.torn, stream.last_sequence + 1
    segments = [segment.path for segment in stream.segments]
    store.close()
    if torn is not None or not segments or not segments[-1].stat().st_size:
        return None
    frames = [zeps.Deliver(sequence + number, "torn", b"x" * 100).encode() for number in range(3)]
    (written,) = encode_blocks(sequence, frames, 1)
    block = b"".join(written.encoded)
    size = chance.randrange(1, len(block))
    with segments[-1].open("ab") as file:
        file.write(block[:size])
    return size


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("campaign", seeds(2, 4))
def test_nothing_that_was_shown_is_lost(
    launch: Callable[..., BrokerProcess], connect: Callable[..., Peer], campaign: int
) -> None:
    chance = random.Random(campaign)
    broker = launch(config=CONFIG, start=False)
    ledger = Ledger()
    torn_tails = 0
    for number in range(ROUNDS):
        if chance.random() < 0.2:  # killed while it starts, or while it recovers
            broker.spawn()
            time.sleep(chance.uniform(0.0, 0.5))
            broker.kill()
        torn = tear(broker.data, chance) if number % 2 else None
        broker.start()
        if torn is not None:
            assert broker.log("torn-tail")[-1]["octets"] == torn
            assert broker.log("ready")[-1]["torn_tails"] == 1
            torn_tails += 1
        with closing(Peers()) as peers:
            ledger.audit(history(peers.connect(broker.endpoint), STREAM))
            load_and_kill(broker, peers, ledger, chance, str(number))
    broker.start()
    ledger.audit(history(connect(broker.endpoint), STREAM))
    assert broker.stop() == 0
    assert torn_tails
    assert not broker.log("journal-damage")
    assert sum(ledger.covered.values()) > 100


LINGERING = """
import sys, time, zmq
from zeps_wire import zeps
socket = zmq.Context().socket(zmq.DEALER)
socket.connect(sys.argv[1])
socket.send(zeps.Attach("s").encode())
assert isinstance(zeps.decode(socket.recv()), zeps.AttachOk)
print("attached", flush=True)
time.sleep(1000)
"""


def test_killed_clients_make_room_for_others(
    launch: Callable[..., BrokerProcess], connect: Callable[..., Peer]
) -> None:
    """Their sessions end with their connections, however long the time-out of silent clients is."""
    broker = launch(config="[broker]\nclient_timeout_seconds = 600\n[limits]\nsessions_max = 3\n")
    with ExitStack() as ends:
        clients = [PythonProcess("-c", LINGERING, broker.endpoint) for _ in range(3)]
        for client in clients:
            ends.callback(client.kill)
        for client in clients:
            assert client.process.stdout is not None
            assert client.process.stdout.readline() == b"attached\n"
        stranger = connect(broker.endpoint)
        assert "too-many-sessions" in stranger.refused(zeps.Attach("s"))
    for _ in range(3):
        connect(broker.endpoint, "s")


def delivered(*sequences: int, key: str = "p") -> list[zeps.Deliver]:
    return [zeps.Deliver(sequence, key, b"%d:" % (sequence - 1)) for sequence in sequences]


@pytest.mark.parametrize(
    ("after", "complaint"),
    [
        (delivered(1, 2), "delivered and are gone"),
        (delivered(1, 2, 4), r"\[1, 2, 4\] == \[1, 2, 3\]"),
        ([*delivered(1, 2), zeps.Deliver(3, "p", b"other")], "used again"),
        ([*delivered(1, 2, 3), zeps.Deliver(4, "q", b"0:")], "covered 2 messages"),
        ([*delivered(1, 2, 3), zeps.Deliver(4, "p", b"2:")], "not in order"),
    ],
)
def test_the_ledger_notices(after: list[zeps.Deliver], complaint: str) -> None:
    ledger = Ledger(covered={"p": 3, "q": 2} if len(after) == 4 else {})
    ledger.audit(delivered(1, 2, 3)) if not ledger.covered else ledger.show(delivered(1, 2, 3))
    with pytest.raises(AssertionError, match=complaint):
        ledger.audit(after)
