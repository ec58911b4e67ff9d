"""Print the mean of the last 100 prices of publish.py, in asyncio: one task receives, another prints every second.

python examples/subscribe_async.py [ENDPOINT]
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque

from zeps_client import NEW, AsyncClient


async def report(prices: deque[float]) -> None:
    while True:
        await asyncio.sleep(1)
        if prices:
            print(f"{sum(prices) / len(prices):.2f} over {len(prices)}", flush=True)


async def main() -> None:
    endpoint = sys.argv[1] if len(sys.argv) > 1 else "tcp://127.0.0.1:5670"
    prices: deque[float] = deque(maxlen=100)
    async with AsyncClient(endpoint, "example") as client, asyncio.TaskGroup() as tasks:
        await client.subscribe("walk.", NEW)
        tasks.create_task(report(prices))
        async for message in client:
            prices.append(float(message.body))


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except KeyboardInterrupt:
        print("stopped")
