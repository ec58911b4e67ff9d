"""Processes of a tree, and the links between them."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Sequence

from trees.net import LinkTally, Net, Publisher, Relay, Subscriber, TreeError

__all__ = ["Node", "Tree"]

_LAST_WORDS = 2.0
"""Seconds in which a failing process can log its error."""


class Node:
    """One `zeps forward` process. `link` is its connection upwards; for the root, the publisher."""

    def __init__(self, tree: Tree, parent: Node | None, policy: str, name: str) -> None:
        self.name = name
        self.policy = policy
        self.parent = parent
        self.children: list[Node] = []
        self.subscribers: list[Subscriber] = []
        self.endpoint: str | None = None
        """Its listening endpoint; None while it is not running."""
        self.link: Publisher | Relay = tree.publisher
        if parent is not None:
            parent.children.append(self)
            self.link = Relay(tree.net, f"{parent.name}-{name}", lambda: parent.endpoint)
        self._process: subprocess.Popen[str] | None = None

    @property
    def tally(self) -> LinkTally:
        return self.link.tally

    def below(self) -> Iterator[Node]:
        """Yield the node and all nodes below it."""
        yield self
        for child in self.children:
            yield from child.below()

    def subscribed_topics(self) -> set[bytes]:
        """Topics of the connected subscribers of this node and of the nodes below it."""
        return {
            topic
            for node in self.below()
            for subscriber in node.subscribers
            if subscriber.end
            for topic in subscriber.wants
        }

    def spawn(self) -> None:
        command = [sys.executable, "-m", "zeps_cli", "forward", "--upstream", self.link.endpoint,
                   "--downstream", "tcp://127.0.0.1:*", "--policy", self.policy, "--log-level", "error"]  # fmt: skip
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    def await_ready(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.startswith("ready "):
            raise RuntimeError(f"{self.name} did not become ready: {line!r}")
        self.endpoint = line.split()[1]

    @property
    def ended(self) -> int | None:
        """Exit code if the process ended by itself; None if it is running, was not started or was killed."""
        return self._process.poll() if self._process else None

    def kill(self) -> None:
        """Kill the process with SIGKILL if it is running."""
        self.endpoint = None
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None


class Tree:
    """Layers of nodes, from the root on. A context manager that starts and ends the processes. Its exit raises
    TreeError if a process had ended by itself.
    """

    def __init__(self, widths: Sequence[int], policies: Sequence[str]) -> None:
        """`widths` are the numbers of nodes in each layer; `policies` are assigned to the nodes in turn."""
        self.net = Net()
        self.publisher = Publisher(self.net)
        self.layers: list[list[Node]] = []
        number = 0
        for depth, width in enumerate(widths):
            layer: list[Node] = []
            for place in range(width):
                parent = self.layers[-1][place * widths[depth - 1] // width] if depth else None
                layer.append(Node(self, parent, policies[number % len(policies)], f"{depth + 1}.{place + 1}"))
                number += 1
            self.layers.append(layer)

    @property
    def nodes(self) -> list[Node]:
        return [node for layer in self.layers for node in layer]

    @property
    def root(self) -> Node:
        return self.layers[0][0]

    def __enter__(self) -> Tree:
        for node in self.nodes:
            node.spawn()
        for node in self.nodes:
            node.await_ready()
        self.net.until(self.connected, "connection of every node to its upstream")
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            time.sleep(_LAST_WORDS)
        ended = {node.name: node.ended for node in self.nodes if node.ended is not None}
        for node in self.nodes:
            node.kill()
            for subscriber in node.subscribers:
                subscriber.disconnect()
            node.link.close()
        self.net.close()
        if ended:
            raise TreeError(f"processes ended unexpectedly, with these exit codes: {ended}")

    def connected(self) -> bool:
        return all(node.link.open for node in self.nodes)
