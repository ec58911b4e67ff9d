"""Adapter of `zeps forward`, which is only a proxy: each proxy is a process, started and stopped on request.

``conformance/adapters/README.md`` describes requests and answers. The adapter passes command-line options,
and reads the endpoints from the output. Options of the adapter are options of each process.
"""

from __future__ import annotations

import itertools
import json
import os
import select
import subprocess
import sys
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

Request = Mapping[str, Any]
Answer = dict[str, object]

FREE = "tcp://127.0.0.1:*"
START_S = 10.0
END_S = 2.0


class Unsupported(Exception):  # noqa: N818
    """A feature that `zeps forward` lacks; the text names it."""


class Proxy:
    """A running process."""

    def __init__(self, upstream: str | None) -> None:
        """Starts it; it connects to `upstream`, or listens for publishers. Raises OSError if it does not
        start.
        """
        above = ["--upstream", upstream] if upstream else ["--upstream-bind", FREE]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "zeps_cli", "forward", *above, "--downstream", FREE, *sys.argv[1:]],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
        )
        where = self._printed(1 if upstream else 2)
        self.backend = where["ready"]
        self.frontend = where.get("upstream")

    def _printed(self, lines: int) -> dict[str, str]:
        """Returns the endpoints in its first lines of output, by the words before them."""
        output, text = self._process.stdout, b""
        assert output is not None
        while text.count(b"\n") < lines and select.select([output], [], [], START_S)[0]:
            more = os.read(output.fileno(), 4096)
            if not more:
                break
            text += more
        found = dict(line.split() for line in text.decode().splitlines())
        if len(found) < lines:
            self._process.kill()
            raise OSError(f"it printed {text!r} instead of its endpoints")
        return found

    def stop(self) -> None:
        """Stops it by a signal, as a user would. Raises TimeoutError if it does not exit."""
        self._process.terminate()
        try:
            code = self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise TimeoutError("the process does not exit") from None
        if code:
            raise OSError(f"the process exited with code {code}")


class Adapter:
    """Proxies, by the suite's names for them."""

    def __init__(self) -> None:
        self.proxies: dict[str, Proxy] = {}
        self.ended = False
        self._names = (f"p{number}" for number in itertools.count(1))

    def answer(self, line: bytes) -> Answer:
        """Executes a request. Returns an error as an answer."""
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise TypeError("a request must be an object")
            operation = getattr(self, f"op_{request['op']}", None)
            if operation is None:
                raise ValueError(f"unknown op {request['op']!r}")
            return {"ok": True, **operation(request)}
        except Unsupported as error:
            return {"ok": False, "unsupported": str(error)}
        except KeyError as error:
            return {"ok": False, "error": f"unknown name {error.args[0]}"}
        except Exception as error:
            return {"ok": False, "error": f"{type(error).__name__}: {error}"}

    def op_hello(self, _: Request) -> Answer:
        return {"name": "zeps forward", "version": version("zeps"), "types": ["PROXY"]}

    def op_open(self, request: Request) -> Answer:
        raise Unsupported(f"type {request['type']}")

    def op_proxy(self, request: Request) -> Answer:
        if (request["frontend"], request["backend"]) != ("XSUB", "XPUB"):
            raise Unsupported("a proxy other than from XSUB to XPUB")
        proxy = Proxy(request.get("connect"))
        name = next(self._names)
        self.proxies[name] = proxy
        return {"proxy": name, "frontend": proxy.frontend, "backend": proxy.backend}

    def op_proxy_close(self, request: Request) -> Answer:
        self.proxies.pop(request["proxy"]).stop()
        return {}

    def op_exit(self, _: Request) -> Answer:
        self.ended = True
        return {}


def main() -> None:
    """Answers requests until the exit request, or the end of input."""
    adapter = Adapter()
    for line in sys.stdin.buffer:
        print(json.dumps(adapter.answer(line)), flush=True)
        if adapter.ended:
            break
    for proxy in adapter.proxies.values():
        proxy.stop()


if __name__ == "__main__":
    main()
