"""Results belong to calls: a caller never gets, or loses, the result of another call."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from scripted_broker import ScriptedBroker

from zeps_client import AsyncClient, Client, PublishLost, SubscribeRefused, Timeout
from zeps_client.events import Event, PublishesLost, Refused
from zeps_client.results import RECORDS_MAX, Losses
from zeps_wire import zeps

QUICK = {"backoff_min": 0.001, "backoff_max": 0.01, "confirm_interval": 0.005, "rate_min": 1e9}


class Threads:
    """Named threads, each of which runs one call at a time: the thread is part of a call's identity."""

    def __init__(self) -> None:
        self._pools: dict[str, ThreadPoolExecutor] = {}

    def start(self, name: str, call: Callable[[], object]) -> Future[object]:
        pool = self._pools.setdefault(name, ThreadPoolExecutor(1, name))
        return pool.submit(call)

    def run(self, name: str, call: Callable[[], object]) -> object:
        return self.start(name, call).result(60)

    def end(self) -> None:
        for pool in self._pools.values():
            pool.shutdown()


@pytest.fixture
def threads() -> Iterator[Threads]:
    made = Threads()
    yield made
    made.end()


def test_the_streams_end_wakes_the_call_that_asks(scripted: ScriptedBroker) -> None:
    with Client(scripted.endpoint, "s", **QUICK) as client:
        assert client.last_sequence() == 0
        client.publish_many(("k", b"") for _ in range(3))
        client.flush(60)
        assert [client.last_sequence() for _ in range(3)] == [3, 3, 3]


async def test_the_streams_end_wakes_the_task_that_asks(scripted: ScriptedBroker) -> None:
    async with AsyncClient(scripted.endpoint, "s", **QUICK) as client:
        assert await client.last_sequence() == 0
        await client.publish("k", b"")
        await client.flush(60)
        assert await client.last_sequence() == 1


def test_a_refusal_reaches_the_call_that_is_refused(scripted: ScriptedBroker) -> None:
    patterns = [f"({number}" for number in range(20)]
    scripted.model.refused_patterns.update(patterns)
    ended: list[BaseException] = []

    def consume() -> None:
        try:
            for _ in client:
                pass
        except BaseException as error:
            ended.append(error)

    with Client(scripted.endpoint, "s", **QUICK) as client:
        consumers = [threading.Thread(target=consume) for _ in range(10)]
        for thread in consumers:
            thread.start()
        for pattern in patterns:
            with pytest.raises(SubscribeRefused) as refusal:
                client.subscribe(pattern, timeout=60)
            assert refusal.value.pattern == pattern
    for thread in consumers:
        thread.join(60)
    assert ended == []


def test_two_threads_that_ask_for_the_same_are_both_refused(
    scripted: ScriptedBroker, threads: Threads
) -> None:
    scripted.model.refused_patterns.add("(")
    with Client(scripted.endpoint, "s", **QUICK) as client:
        calls = [threads.start(name, lambda: client.subscribe("(", timeout=60)) for name in "abcd"]
        for call in calls:
            assert isinstance(call.exception(60), SubscribeRefused)


def test_an_older_start_of_the_same_pattern_waits_for_its_own_answer(scripted: ScriptedBroker) -> None:
    scripted.answer(zeps.Subscribe, [], lambda command: command.latest == 2)
    scripted.store(*[("a", b"%d" % number) for number in range(5)])
    with Client(scripted.endpoint, "s", **QUICK) as client:
        client.subscribe("a", 4, timeout=60)
        with pytest.raises(Timeout, match="not confirmed"):
            client.subscribe("a", 2, timeout=0.05)
        client.subscribe("a", 4, timeout=0.05)  # granted with the first call


def test_a_refusal_that_no_call_waits_for_is_an_event(scripted: ScriptedBroker) -> None:
    scripted.answer(zeps.Subscribe, [], lambda command: command.pattern == "(")
    scripted.model.refused_patterns.add("(")
    events: list[Event] = []
    refused = threading.Event()

    def on_event(event: Event) -> None:
        events.append(event)
        if isinstance(event, Refused):
            refused.set()

    with Client(scripted.endpoint, "s", on_event=on_event, heartbeat=0.02, **QUICK) as client:
        client.subscribe("k", timeout=60)
        with pytest.raises(Timeout):
            client.subscribe("(", timeout=0.02)
        scripted.script = None
        scripted.forget()
        assert refused.wait(60)
        client.publish("k", b"1")
        assert client.receive(60).body == b"1"
    assert [event.pattern for event in events if isinstance(event, Refused)] == ["("]


def test_every_flush_after_a_loss_learns_of_it(scripted: ScriptedBroker, threads: Threads) -> None:
    """A publishes a message that is refused; B has published nothing and flushes first."""
    scripted.model.refused_keys.add("bad")
    events: list[Event] = []
    with Client(scripted.endpoint, "s", on_event=events.append, **QUICK) as client:
        threads.run("a", lambda: client.publish_many([("k", b"1"), ("bad", b"2"), ("k", b"3")]))
        for name in ("b", "a"):
            with pytest.raises(PublishLost, match="bad key") as lost:
                threads.run(name, lambda: client.flush(60))
            assert (lost.value.count, lost.value.numbers) == (1, ((2, 2),))
        for name in ("b", "a"):  # each got the error
            threads.run(name, lambda: client.flush(60))

        def later() -> None:
            client.publish("k", b"4")
            client.flush(60)

        threads.run("c", later)  # it was published and reported before this thread published
    assert [event for event in events if isinstance(event, PublishesLost)] == [
        PublishesLost(2, 2, "the broker refuses it: malformed bad key")
    ]


def test_a_loss_that_nobody_was_told_of_reaches_whoever_flushes_next(
    scripted: ScriptedBroker, threads: Threads
) -> None:
    scripted.model.refused_keys.add("bad")
    lost = threading.Event()

    def on_event(event: Event) -> None:
        if isinstance(event, PublishesLost):
            lost.set()

    def finish() -> None:
        client.publish("k", b"the end")
        client.flush(60)

    with Client(scripted.endpoint, "s", on_event=on_event, **QUICK) as client:
        threads.run("worker", lambda: client.publish("bad", b""))
        assert lost.wait(60)
        with pytest.raises(PublishLost):
            threads.run("main", finish)


def test_losses_are_told_apart_by_their_numbers() -> None:
    losses = Losses()
    losses.add(PublishesLost(3, 4, "x"))
    losses.add(PublishesLost(9, 9, "y"))
    assert losses.report(0, 2) is None  # a flush of earlier messages
    assert _numbers(losses.report(0, 4)) == ((3, 4),)
    assert _numbers(losses.report(4, 9)) == ((9, 9),)
    assert losses.report(None, 9) is None
    assert losses.report(9, 20) is None
    assert _numbers(losses.report(3, 9)) == ((3, 4), (9, 9))
    assert losses.unreported() is None
    losses.add(PublishesLost(12, 12, "z"))
    assert _numbers(losses.unreported()) == ((12, 12),)
    assert _numbers(losses.report(None, 12)) == ((12, 12),)


def test_losses_take_bounded_memory() -> None:
    losses = Losses()
    for number in range(1, 5001):
        losses.add(PublishesLost(2 * number, 2 * number, "x"))
    error = losses.report(None, 10_000)
    assert error is not None
    assert (error.count, len(error.numbers)) == (5000, RECORDS_MAX)
    assert (error.numbers[0][0], error.numbers[-1][1]) == (2, 10_000)


def _numbers(error: PublishLost | None) -> tuple[tuple[int, int], ...]:
    assert error is not None
    return error.numbers


def test_flush_and_close_at_once(scripted: ScriptedBroker, threads: Threads) -> None:
    """Another thread closes: it waits for confirmation, and so does the flush, which gets the result."""
    scripted.answer(zeps.Ping, [])
    client = Client(scripted.endpoint, "s", **QUICK)
    client.wait(60)
    client.publish("k", b"1")
    flush = threads.start("a", lambda: client.flush(60))
    close = threads.start("b", lambda: client.close(60))
    while not client._engine.session.closing:
        pass
    scripted.script = None
    scripted.forget()
    assert flush.result(60) is None
    assert close.result(60) is None


def test_every_close_reports_what_is_not_confirmed(threads: Threads) -> None:
    client = Client("tcp://127.0.0.1:1", "s", **QUICK)
    client.publish("k", b"1")
    calls = [threads.start(name, lambda: client.close(0.2)) for name in "abc"]
    errors = [call.exception(60) for call in calls]
    assert [str(error) for error in errors] == [str(errors[0])] * 3
    assert isinstance(errors[0], PublishLost)
    client.close()  # a second call does nothing


async def test_asyncio_a_refusal_reaches_the_call_that_is_refused(scripted: ScriptedBroker) -> None:
    scripted.model.refused_patterns.update("([")
    async with AsyncClient(scripted.endpoint, "s", **QUICK) as client:
        consumers = [asyncio.create_task(client.receive()) for _ in range(10)]
        calls = [asyncio.create_task(client.subscribe(pattern, timeout=60)) for pattern in ("(", "(", "[")]
        for call in calls:
            with pytest.raises(SubscribeRefused):
                await call
        await client.subscribe("k", timeout=60)
        assert not any(consumer.done() for consumer in consumers)
        await client.publish_many([("k", b"")] * 10)
        messages = await asyncio.gather(*consumers)
    assert sorted(message.sequence for message in messages) == list(range(1, 11))


async def test_asyncio_every_flush_after_a_loss_learns_of_it(scripted: ScriptedBroker) -> None:
    """A task publishes a message that is refused; another, which has published nothing, flushes first."""
    scripted.model.refused_keys.add("bad")
    reported = asyncio.Event()

    async def publisher() -> None:
        await client.publish("bad", b"")
        await reported.wait()
        with pytest.raises(PublishLost):
            await asyncio.wait_for(client.flush(), 60)  # a separate task, on behalf of this one
        await asyncio.wait_for(client.flush(), 60)
        await client.flush(60)

    async def later() -> None:
        await client.publish("k", b"")
        await client.flush(60)

    async with AsyncClient(scripted.endpoint, "s", **QUICK) as client:
        task = asyncio.create_task(publisher())
        await asyncio.sleep(0)
        with pytest.raises(PublishLost):
            await client.flush(60)
        reported.set()
        await task
        await client.flush(60)
        await asyncio.create_task(later())
