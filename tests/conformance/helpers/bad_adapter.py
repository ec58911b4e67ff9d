"""An adapter that forwards requests to another adapter, and introduces faults: python bad_adapter.py HOW ADAPTER"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

FATAL = b"fatal"


def main() -> None:
    how, adapter = sys.argv[1:]
    if how == "mute":
        time.sleep(60)
    if how == "leaves a daemon":
        daemon = subprocess.Popen(["sleep", "20"], start_new_session=True)
        print(daemon.pid, file=sys.stderr, flush=True)
    if how == "dies at once":
        sys.exit("no library here")
    if how == "greets badly":
        print("welcome", flush=True)
        time.sleep(60)
    with subprocess.Popen([sys.executable, adapter], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        for line in sys.stdin.buffer:
            spoil(how, line, child)
            child.stdin.write(line)
            child.stdin.flush()
            sys.stdout.buffer.write(child.stdout.readline())
            sys.stdout.buffer.flush()


def spoil(how: str, line: bytes, child: subprocess.Popen[bytes]) -> None:
    """Executes the fault `how`, if the request sends a message that triggers it."""
    request = json.loads(line)
    if how == "babbles at the end" and request["op"] == "close":
        print("no answer", flush=True)
    fatal = request["op"] == "send" and bytes.fromhex(request["parts"][0]).startswith(FATAL)
    if not fatal:
        return
    if how == "crashes":
        print("assertion failed: message != fatal", file=sys.stderr, flush=True)
        child.kill()
        os.abort()
    if how == "crashes once" and not Path(os.environ["ONCE"]).exists():
        Path(os.environ["ONCE"]).touch()
        child.kill()
        os.abort()
    if how == "hangs":
        time.sleep(60)
    if how == "babbles":
        print("no answer", flush=True)


if __name__ == "__main__":
    main()
