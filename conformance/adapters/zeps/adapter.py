"""Adapter of `zeps forward`: each proxy is a process, with the adapter's command-line options."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from adapters.serving import FREE, Adapter, Answer, Request, Unsupported, serve

START_S = 10.0
END_S = 2.0


class Forwarder:
    """A running process."""

    def __init__(self, upstream: str | None) -> None:
        """Starts the process, which connects to `upstream`, or listens for publishers if that is None. Raises OSError
        if it does not start, or prints nothing for 10 s before its endpoints (then it is killed).
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
        """Returns the endpoints in its first lines of output, by the words before them: ``ready`` and ``upstream``."""
        output, text = self._process.stdout, b""
        assert output is not None
        while text.count(b"\n") < lines and select.select([output], [], [], START_S)[0]:
            more = os.read(output.fileno(), 4096)
            if not more:
                break
            text += more
        words = [line.split() for line in text.decode(errors="replace").splitlines()]
        endpoints = {line[0]: line[1] for line in words if len(line) == 2}
        if len(endpoints) < lines:
            self._process.kill()
            self._process.wait()
            output.close()
            raise OSError(f"zeps forward printed {text!r} instead of its endpoints")
        return endpoints

    def stop(self) -> None:
        """Sends SIGTERM. Raises TimeoutError after 2 s (then it is killed), and OSError if its exit code is not 0."""
        self._process.terminate()
        try:
            code = self._process.wait(END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            raise TimeoutError(f"zeps forward does not exit within {END_S:g} s of SIGTERM") from None
        if code:
            raise OSError(f"zeps forward exited with code {code}")


class ForwardAdapter(Adapter):
    """Proxies, by the suite's names for them."""

    def start_proxy(self, connect: str | None) -> Forwarder:
        return Forwarder(connect)

    def op_hello(self, _: Request) -> Answer:
        return {"name": "zeps forward", "version": version("zeps"), "types": ["PROXY"]}

    def op_open(self, request: Request) -> Answer:
        raise Unsupported(f"type {request['type']}")


if __name__ == "__main__":
    serve(ForwardAdapter())
