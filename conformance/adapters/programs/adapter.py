"""Adapter of programs like the example clients: ``python adapter.py NAME COMMAND...`` starts one process per client.

COMMAND gets the arguments ENDPOINT STREAM COUNT PATTERN LATEST. The program subscribes, publishes COUNT messages, ends
with code 0 when all have come back, and with 1, after a message on standard error, if it gives up. On standard output
it prints ``missing FIRST LAST CODE``, ``refused PATTERN: REASON`` and ``reset END``, one line each.
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import threading
from collections import deque
from pathlib import Path
from typing import IO

sys.path.insert(0, str(Path(__file__).parents[2]))

from adapters.serving import Adapter, Answer, EventQueue, Request, Unsupported, serve

FEATURES = ("gaps", "refusals", "losses", "republish", "program")
COUNT = 1
PROGRAM_ERROR = 1  # exit code of a program that reports an error
MISSING = re.compile(r"missing (\d+) (\d+) (\S+)")
RESET = re.compile(r"reset (\d+)")
REFUSED = re.compile(r"refused (.*): ([a-z-]+ .*)")
#: Standard error of a program that ended by an error of its own code, although its exit code is 1.
CRASHES = ("Traceback (most recent call last)", "Exception in thread", "panicked at", "goroutine ", "    at ")


def report(line: str) -> Answer:
    """Returns the event for a line of standard output."""
    if match := MISSING.fullmatch(line):
        return {"event": "gap", "first": int(match[1]), "last": int(match[2]), "code": match[3]}
    if match := RESET.fullmatch(line):
        return {"event": "gap", "first": int(match[1]) + 1, "last": 0, "code": "beyond-end"}
    if match := REFUSED.fullmatch(line):
        return {"event": "refused", "reason": match[2], "pattern": match[1]}
    return {"event": "printed", "line": line}


class Program:
    """A running program, and its events in order."""

    def __init__(self, command: list[str]) -> None:
        self.events = EventQueue()
        self._errors: deque[str] = deque(maxlen=20)
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._log = threading.Thread(target=self._read_errors, args=(self._process.stderr,), daemon=True)
        self._log.start()
        threading.Thread(target=self._read_output, args=(self._process.stdout,), daemon=True).start()

    def stop(self) -> None:
        """Kills it, and waits for its end."""
        with contextlib.suppress(OSError):
            self._process.kill()
        self._process.wait()

    def _read_errors(self, stream: IO[str]) -> None:
        for line in stream:
            self._errors.append(line.rstrip("\n"))
            print(line, end="", file=sys.stderr, flush=True)
            self.events.put({"event": "lost", "reason": line.rstrip("\n")})

    def _read_output(self, stream: IO[str]) -> None:
        for line in stream:
            self.events.put(report(line.rstrip("\n")))
        code = self._process.wait()
        self._log.join()
        text = "\n".join(self._errors)
        if code not in (0, PROGRAM_ERROR) or any(sign in text for sign in CRASHES):
            self.events.put({"event": "crashed", "reason": f"exit code {code}: {text}"})
        elif code:
            self.events.put({"event": "failed", "reason": text})
        else:
            self.events.put({"event": "closed"})


class ProgramAdapter(Adapter):
    """Programs, by the suite's names for them."""

    def __init__(self, name: str, command: list[str]) -> None:
        super().__init__()
        self._name = name
        self._command = command
        self._programs: dict[str, Program] = {}

    def close(self) -> None:
        for program in self._programs.values():
            program.stop()

    def op_hello(self, _: Request) -> Answer:
        return {
            "name": self._name,
            "version": "of this repository",
            "types": ["CLIENT"],
            "features": FEATURES,
        }

    def op_open(self, request: Request) -> Answer:
        if request["pattern"] is None:
            raise Unsupported("a client without a subscription")
        if "\0" in request["pattern"] or "\0" in request["stream"]:
            raise ValueError("the command line cannot contain NUL")
        arguments = [
            request["endpoint"],
            request["stream"],
            str(COUNT),
            request["pattern"],
            str(request["latest"]),
        ]
        self._programs[request["client"]] = Program([*self._command, *arguments])
        return {}

    def op_subscribe(self, _: Request) -> Answer:
        raise Unsupported("a second subscription")

    def op_publish(self, _: Request) -> Answer:
        raise Unsupported("publishing on request")

    def op_close(self, _: Request) -> Answer:
        raise Unsupported("closing on request")

    def op_events(self, request: Request) -> Answer:
        return {"events": self._programs[request["client"]].events.take(request["timeout"] / 1000)}

    def op_drop(self, request: Request) -> Answer:
        self._programs.pop(request["client"]).stop()
        return {}


if __name__ == "__main__":
    serve(ProgramAdapter(sys.argv[1], sys.argv[2:]))
