"""Adapter for NATS JetStream. The acknowledgement of a publication confirms it."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

import nats
from nats.errors import Error
from nats.js.api import AckPolicy, ConsumerConfig
from nats.js.client import JetStreamContext
from nats.js.errors import APIError, NoStreamResponseError, NotFoundError

sys.path.insert(0, str(Path(__file__).parents[1]))

from durability.lines import batches, id_of

PATIENCE = 10.0
READ_SECONDS = 30.0  # without a message that the server has


async def prepare(js: JetStreamContext, stream: str) -> None:
    await js.add_stream(name=stream, subjects=[stream])


async def publish(js: JetStreamContext, stream: str) -> None:
    source = batches()
    while bodies := await asyncio.to_thread(next, source, None):
        sent = [js.publish(stream, body, timeout=PATIENCE) for body in bodies]
        for body, answer in zip(bodies, await asyncio.gather(*sent, return_exceptions=True), strict=True):
            if isinstance(answer, APIError | NoStreamResponseError):
                print("refused", id_of(body), repr(answer))
            elif isinstance(answer, BaseException):
                raise answer
            else:
                print("confirmed", id_of(body))
        sys.stdout.flush()


async def read(js: JetStreamContext, stream: str) -> None:
    try:
        last = (await js.stream_info(stream)).state.last_seq
    except NotFoundError:
        print("end")
        return
    config = ConsumerConfig(ack_policy=AckPolicy.NONE)
    consumer = await js.pull_subscribe(stream, stream=stream, config=config)
    read_to, progress = 0, time.monotonic()
    while read_to < last:
        try:
            messages = await consumer.fetch(200, timeout=3.0)
        except nats.errors.TimeoutError:
            if not (await consumer.consumer_info()).num_pending:
                break  # the messages up to the last sequence are not there
            if time.monotonic() - progress > READ_SECONDS:
                raise
            continue
        progress = time.monotonic()
        for message in messages:
            print("message", message.data.decode("ascii", "replace").replace("\n", " "))
            read_to = message.metadata.sequence.stream
    print("end")


async def main() -> int:
    command, endpoint, stream = sys.argv[1:4]
    address = endpoint.replace("tcp://", "nats://")
    try:
        client = await nats.connect(address, allow_reconnect=False, connect_timeout=10, error_cb=_ignore)
        js = client.jetstream(timeout=PATIENCE, publish_async_max_pending=1000)
        await {"prepare": prepare, "publish": publish, "read": read}[command](js, stream)
        await client.close()
    except (Error, OSError) as error:
        print(repr(error), file=sys.stderr)
        return 3
    return 0


async def _ignore(_: Exception) -> None:
    pass


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
