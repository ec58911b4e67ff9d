"""The client with the real broker: threads, kills, windows, starting points."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from campaigns import random_of, sized
from real_broker import RealBroker
from waiting import until

from zeps_client import NEW, Client, ClientError, Message, Timeout
from zeps_client.events import Attached, Event

pytestmark = pytest.mark.slow  # processes

KILLS = sized(6, 100)
QUICK = {"backoff_min": 0.01, "backoff_max": 0.2}


def numbers(messages: list[Message]) -> list[int]:
    return [message.sequence for message in messages]


def receive(client: Client, count: int) -> list[Message]:
    got: list[Message] = []
    while len(got) < count:
        got += client.receive_many(count - len(got), timeout=60)
    return got


def test_publish_and_receive(broker: RealBroker) -> None:
    with Client(broker.endpoint, "s") as client:
        client.subscribe("a")
        assert client.publish("a1", b"one") == 1
        assert client.publish_many([("b", b"two"), ("a2", bytes(range(256)))]) == 3
        client.flush(30)
        assert receive(client, 2) == [Message(1, "a1", b"one"), Message(3, "a2", bytes(range(256)))]
        statistics = client.statistics()
        assert (statistics.published, statistics.confirmed, statistics.received) == (3, 3, 2)


def test_starting_points(broker: RealBroker) -> None:
    with Client(broker.endpoint, "s") as client:
        client.publish_many([("k", b"%d" % number) for number in range(1, 11)])
        client.flush(30)
    with Client(broker.endpoint, "s") as client:
        client.subscribe("", 7)
        assert numbers(receive(client, 3)) == [8, 9, 10]
        client.subscribe("", 5)  # older: adds messages
        assert numbers(receive(client, 2)) == [6, 7]
    with Client(broker.endpoint, "s") as client:
        client.subscribe("", NEW)
        client.publish("k", b"new")
        assert receive(client, 1) == [Message(11, "k", b"new")]


def test_streams_are_isolated(broker: RealBroker) -> None:
    with Client(broker.endpoint, "one") as first, Client(broker.endpoint, "../two") as second:
        first.subscribe()
        second.subscribe()
        first.publish("k", b"1")
        second.publish("k", b"2")
        assert first.receive(30).body == b"1"
        assert second.receive(30).body == b"2"
        with pytest.raises(Timeout):
            first.receive(0.05)


def test_a_window_smaller_than_a_message(broker: RealBroker) -> None:
    with Client(broker.endpoint, "s", window=2000, quiet=0.02) as client:
        client.subscribe()
        bodies = [bytes(size) for size in (10, 1500, 1900, 3_000_000, 10, 1_000_000, 1_000_000, 10)]
        for body in bodies:
            client.publish("k", body)
        assert [len(message.body) for message in receive(client, len(bodies))] == [
            len(body) for body in bodies
        ]


def test_a_slow_reader_holds_no_more_than_its_window(broker: RealBroker) -> None:
    with Client(broker.endpoint, "s") as client:
        client.publish_many([("k", bytes(1000))] * 2000)
        client.flush(60)
    with Client(broker.endpoint, "s", window=50_000) as client:
        client.subscribe()
        for got, message in enumerate(client, 1):
            assert message.sequence == got
            if got % 10 == 1:
                assert client.statistics().waiting * 1000 <= 50_000
            if got == 2000:
                break


def test_eight_publishers_and_three_readers_share_a_client(broker: RealBroker) -> None:
    publishers, count = 8, 500
    got: list[Message] = []
    lock = threading.Lock()

    def publish(number: int) -> None:
        for index in range(count):
            client.publish(f"p{number}", b"%d" % index, timeout=60)

    def read() -> None:
        for message in client:
            with lock:
                got.append(message)

    with Client(broker.endpoint, "s", buffer_messages=300, window=20_000) as client:
        client.subscribe()
        readers = [threading.Thread(target=read) for _ in range(3)]
        writers = [threading.Thread(target=publish, args=(number,)) for number in range(publishers)]
        for thread in readers + writers:
            thread.start()
        for thread in writers:
            thread.join()
        client.flush(60)
        until(lambda: len(got) == publishers * count)
    for thread in readers:
        thread.join(30)
        assert not thread.is_alive()
    got.sort(key=lambda message: message.sequence)
    assert numbers(got) == list(range(1, publishers * count + 1))
    for number in range(publishers):
        assert [int(m.body) for m in got if m.key == f"p{number}"] == list(range(count))


@pytest.mark.slow
@pytest.mark.timeout(60 * KILLS)
@pytest.mark.parametrize("window", [1 << 20, 3000])
def test_kills_do_not_show(broker: RealBroker, tmp_path: Path, window: int) -> None:
    """SIGKILL and restart under load: each message arrives once, in order, and no published message is missing."""
    chance = random_of(window)
    count = 600 * KILLS
    events: list[Event] = []
    published = threading.Event()

    def publish() -> None:
        with Client(broker.endpoint, "s", **QUICK) as client:
            for number in range(count):
                client.publish(f"k{number % 7}", b"%d" % number, timeout=60)
                if number % 20 == 0:
                    time.sleep(0.008)
            client.flush(60)
        published.set()

    with Client(broker.endpoint, "s", window=window, on_event=events.append, **QUICK) as client:
        client.subscribe("k1")
        client.subscribe("k")
        thread = threading.Thread(target=publish)
        thread.start()
        got: list[Message] = []
        client.wait(60)
        for kills in range(KILLS):
            end = time.monotonic() + chance.uniform(0.02, 0.2)
            while time.monotonic() < end:
                try:
                    got += client.receive_many(timeout=0.01)
                except Timeout:
                    continue
            broker.kill()
            broker.start()
            until(lambda: client.statistics().sessions == kills + 2)  # noqa: B023
        assert published.wait(600)
        thread.join()
        with Client(broker.endpoint, "s") as other:
            other.subscribe("")
            other.publish("end", b"")
            other.flush(60)
            stored = [other.receive(60)]
            while stored[-1].key != "end":
                stored += other.receive_many(timeout=60)
        got += receive(client, len(stored) - 1 - len(got))
        with pytest.raises(Timeout):
            client.receive(0.1)
    assert numbers(stored) == list(range(1, len(stored) + 1))
    assert sorted(got, key=lambda message: message.sequence) == stored[:-1]
    assert [event.resumed for event in events if isinstance(event, Attached)] == [False] + [True] * KILLS
    first_copies = list(dict.fromkeys(int(message.body) for message in stored[:-1]))
    assert first_copies == list(range(count))


def test_a_stop_does_not_show(broker: RealBroker) -> None:
    with Client(broker.endpoint, "s", **QUICK) as client:
        client.subscribe()
        client.publish("k", b"1")
        client.flush(30)  # otherwise it would be sent again: DETACH does not report stored messages
        assert client.receive(30).body == b"1"
        broker.stop()
        client.publish("k", b"2")
        broker.start()
        assert client.receive(60).body == b"2"
        client.flush(30)


def test_a_broker_with_too_many_sessions_is_tried_again(tmp_path: Path) -> None:
    with (
        RealBroker(tmp_path, "[limits]\nsessions_max = 1\n") as broker,
        Client(broker.endpoint, "s") as first,
    ):
        first.wait(30)
        with Client(broker.endpoint, "s", **QUICK) as second:
            until(lambda: "too-many-sessions" in second.statistics().last_error)
            first.close()
            second.publish("k", b"")
            second.flush(60)


def test_forgotten_and_closed_by_nobody(broker: RealBroker) -> None:
    client = Client(broker.endpoint, "s")
    client.publish_many([("k", b"")] * 100)
    with pytest.warns(ResourceWarning, match="was not closed"):
        del client
    with Client(broker.endpoint, "s") as other:
        other.subscribe()
        assert len(receive(other, 100)) == 100


@pytest.mark.parametrize("forgetful", ["client", "Client(sys.argv[1], 's')"])
def test_what_a_program_publishes_at_its_end_is_stored(broker: RealBroker, forgetful: str) -> None:
    program = f"""
import sys
from zeps_client import Client
client = Client(sys.argv[1], "s")
{forgetful}.publish("k", b"last words")
"""
    subprocess.run([sys.executable, "-c", program, broker.endpoint], check=True, timeout=60)
    with Client(broker.endpoint, "s") as client:
        client.subscribe()
        assert client.receive(30).body == b"last words"


def test_methods_from_other_threads_end_with_the_client(broker: RealBroker) -> None:
    ended: list[str] = []

    def wait() -> None:
        try:
            client.receive()
        except ClientError as error:
            ended.append(str(error))

    client = Client(broker.endpoint, "s")
    client.subscribe()
    threads = [threading.Thread(target=wait) for _ in range(3)]
    for thread in threads:
        thread.start()
    client.close()
    for thread in threads:
        thread.join(30)
    assert ended == ["the client is closed"] * 3
