"""The asyncio client, with the real broker and with one that misbehaves."""

from __future__ import annotations

import asyncio

import pytest
from real_broker import RealBroker
from scripted_broker import ScriptedBroker, silent

from zeps_client import NEW, AsyncClient, BrokerLost, Closed, Message, PublishLost, SubscribeRefused, Timeout
from zeps_wire import zeps

pytestmark = pytest.mark.slow  # processes

QUICK = {"backoff_min": 0.005, "backoff_max": 0.05, "rate_min": 1e9}


async def receive(client: AsyncClient, count: int) -> list[Message]:
    got: list[Message] = []
    while len(got) < count:
        got += await client.receive_many(count - len(got), timeout=60)
    return got


async def test_publish_and_receive(broker: RealBroker) -> None:
    async with AsyncClient(broker.endpoint, "s") as client:
        await client.wait(30)
        await client.subscribe("a")
        assert await client.publish("a", b"one") == 1
        assert await client.publish_many([("b", b"two"), ("a", b"three")]) == 3
        await client.flush(30)
        async for message in client:
            if message.sequence == 3:
                break
            assert message == Message(1, "a", b"one")
        with pytest.raises(Timeout):
            await client.receive(0.02)
        assert client.statistics().confirmed == 3
    with pytest.raises(Closed):
        await client.publish("a", b"")
    async for _ in client:
        raise AssertionError


async def test_many_tasks_share_a_client(broker: RealBroker) -> None:
    async def publish(number: int) -> None:
        for index in range(200):
            await client.publish(f"p{number}", b"%d" % index)

    async with AsyncClient(broker.endpoint, "s", buffer_messages=64, window=10_000) as client:
        await client.subscribe("")
        tasks = [asyncio.create_task(publish(number)) for number in range(8)]
        got = await receive(client, 1600)
        await asyncio.gather(*tasks)
    assert [message.sequence for message in got] == list(range(1, 1601))
    for number in range(8):
        assert [int(m.body) for m in got if m.key == f"p{number}"] == list(range(200))


async def test_kills_do_not_show(broker: RealBroker) -> None:
    async with AsyncClient(broker.endpoint, "s", **QUICK) as client:
        await client.subscribe("", NEW)
        for number in range(4):
            await client.publish_many(
                [("k", b"%d" % index) for index in range(number * 100, number * 100 + 100)]
            )
            await asyncio.to_thread(broker.kill)
            await asyncio.to_thread(broker.start)
        await client.flush(60)
        await client.publish("end", b"")
        got = [await client.receive(60)]
        while got[-1].key != "end":
            got.append(await client.receive(60))
    assert [m.sequence for m in got] == list(range(got[0].sequence, got[0].sequence + len(got)))
    assert list(dict.fromkeys(int(m.body) for m in got[:-1]))[-300:] == list(range(100, 400))


async def test_the_loop_is_not_blocked(scripted: ScriptedBroker) -> None:
    scripted.script = silent
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counter = asyncio.create_task(count())
    async with AsyncClient(scripted.endpoint, "s", attach_timeout=0.02, buffer_messages=2, **QUICK) as client:
        with pytest.raises(Timeout, match="no session"):
            await client.wait(0.05)
        await client.publish_many([("k", b"1"), ("k", b"2")])
        with pytest.raises(Timeout, match="the buffer is full"):
            await client.publish("k", b"3", timeout=0.05)
        assert turns > 10
        scripted.script = None
        await client.publish("k", b"3", timeout=30)
    counter.cancel()
    assert [body for _, body in scripted.model.log] == [b"1", b"2", b"3"]


async def test_refusals(scripted: ScriptedBroker) -> None:
    scripted.model.refused_patterns.add("(")
    scripted.model.refused_keys.add("bad")
    async with AsyncClient(scripted.endpoint, "s", **QUICK) as client:
        with pytest.raises(SubscribeRefused):
            await client.subscribe("(", timeout=30)
        await client.publish("bad", b"")
        with pytest.raises(PublishLost):
            await client.flush(30)


async def test_silence_and_giving_up(scripted: ScriptedBroker) -> None:
    async with AsyncClient(
        scripted.endpoint, "s", heartbeat=0.01, attach_timeout=0.02, give_up=0.3, **QUICK
    ) as client:
        await client.subscribe("")
        scripted.script = silent
        with pytest.raises(BrokerLost):
            await client.receive()


async def test_cancelling_leaves_the_client_whole(broker: RealBroker) -> None:
    async with AsyncClient(broker.endpoint, "s") as client:
        await client.subscribe("")
        for number in range(20):
            task = asyncio.create_task(client.receive())
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait((task,))
            await client.publish("k", b"%d" % number)
            assert (await client.receive(30)).body == b"%d" % number


async def test_close_tells_what_is_not_confirmed() -> None:
    client = AsyncClient("tcp://127.0.0.1:1", "s", **QUICK)
    await client.publish("k", b"")
    with pytest.raises(PublishLost, match="1 published message "):
        await client.close(0.02)
    await client.close()


async def test_detach_is_answered(scripted: ScriptedBroker) -> None:
    scripted.answer(zeps.Ping, [zeps.PingOk().encode(), zeps.Detach().encode()], scripted.first)
    async with AsyncClient(scripted.endpoint, "s", **QUICK) as client:
        await client.publish("k", b"")
        await client.flush(30)
        await client.subscribe("")
        assert (await client.receive(30)).key == "k"
        while not scripted.seen(zeps.DetachOk):
            await asyncio.sleep(0.01)
