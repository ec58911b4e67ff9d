"""receiver.py ENDPOINT STREAM MULTICAST LATEST [SILENCE]: prints a client's messages as JSON until it is ended.

A line, printed on each change, has the new messages (sequence, key, CRC-32 of the body) and the client's statistics.
"""

from __future__ import annotations

import json
import sys
import zlib
from dataclasses import asdict

from zeps_client import Timeout
from zeps_client.multicast import Bounds, MulticastClient

endpoint, stream, multicast, latest, *silence = sys.argv[1:]
bounds = Bounds(silence=float(silence[0]) if silence else 2.0)
with MulticastClient(
    endpoint, stream, multicast, latest=int(latest), bounds=bounds, backoff_max=0.2
) as client:
    client.wait(100.0)
    said = None
    while True:
        try:
            messages = client.receive_many(1000, 0.05)
        except Timeout:
            messages = []
        status = asdict(client.statistics())
        if messages or status != said:
            given = [(message.sequence, message.key, zlib.crc32(message.body)) for message in messages]
            print(json.dumps({"given": given, "status": status}), flush=True)
            said = status
