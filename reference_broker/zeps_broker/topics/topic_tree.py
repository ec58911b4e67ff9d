"""A radix tree of topics: finds the topics that a message begins with, and topics covered by a shorter topic.

Every topic is a node, requested upstream or not. Each node counts the topics at and below it that are not requested and
begin with no other topic of its subtree (`bare`): only these are visited and requested when a covering topic is
removed. So the time of an operation depends only on the length of the topic and the size of the result.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["TopicTree"]


class _Node:
    """A node; `label` is the path from its parent."""

    __slots__ = ("asked", "bare", "children", "label", "topic")

    def __init__(self, label: bytes) -> None:
        self.label = label
        self.topic: bytes | None = None
        """The complete topic; None for a node where topics only branch."""
        self.asked = False
        self.children: dict[int, _Node] = {}
        """Children by the first byte of their labels."""
        self.bare = 0


class TopicTree:
    """A set of topics, requested upstream (`asked`) or not; one that begins with a shorter requested one is covered."""

    def __init__(self) -> None:
        self._root = _Node(b"")

    def beginnings(self, frame: bytes) -> Iterator[bytes]:
        """Yields the topics that `frame` begins with, shortest first."""
        node, at = self._root, 0
        while True:
            if node.topic is not None:
                yield node.topic
            child = node.children.get(frame[at]) if at < len(frame) else None
            if child is None or not frame.startswith(child.label, at):
                return
            node, at = child, at + len(child.label)

    def covered(self, topic: bytes) -> bool:
        """Returns whether `topic` begins with a shorter topic that is requested."""
        node, at = self._root, 0
        while at < len(topic):
            if node.asked:
                return True
            child = node.children.get(topic[at])
            if child is None or not topic.startswith(child.label, at):
                return False
            node, at = child, at + len(child.label)
        return False

    def add(self, topic: bytes, *, asked: bool = True) -> None:
        """Adds a topic, which must be absent; `asked`: it is requested upstream."""
        node = self._root
        path = [node]
        at = 0
        while at < len(topic):
            child = node.children.get(topic[at])
            if child is None:
                child = node.children[topic[at]] = _Node(topic[at:])
            elif not topic.startswith(child.label, at):
                child = _split(node, child, topic[at : at + len(child.label)])
            path.append(child)
            node, at = child, at + len(child.label)
        node.topic, node.asked = topic, asked
        _change_bare(path, 0 if asked else 1)

    def remove(self, topic: bytes) -> None:
        """Removes a topic, which must be present."""
        node = self._root
        path = [node]
        at = 0
        while at < len(topic):
            node = node.children[topic[at]]
            path.append(node)
            at += len(node.label)
        node.topic, node.asked = None, False
        _change_bare(path, sum(child.bare for child in node.children.values()))
        while len(path) > 1 and path[-1].topic is None and len(path[-1].children) < 2:
            node = path.pop()
            del path[-1].children[node.label[0]]
            for child in node.children.values():  # the only child replaces the node
                child.label = node.label + child.label
                path[-1].children[child.label[0]] = child

    def ask_bare(self, beginning: bytes) -> list[bytes]:
        """Marks the topics that begin with `beginning`, which must not be covered, and are neither requested nor
        covered as requested, without those that another of them now covers; returns them, sorted.
        """
        node = self._root
        path = [node]
        at = 0
        while at < len(beginning):
            child = node.children.get(beginning[at])
            if child is None or not child.label.startswith(beginning[at : at + len(child.label)]):
                return []
            path.append(child)
            node, at = child, at + len(child.label)
        for above in path[:-1]:
            above.bare -= node.bare
        bare: list[bytes] = []
        nodes = [node]
        while nodes:
            node = nodes.pop()
            if node.bare and node.topic is not None:
                node.asked = True
                bare.append(node.topic)
            elif node.bare:
                nodes += node.children.values()
            node.bare = 0
        return sorted(bare)


def _split(parent: _Node, child: _Node, other: bytes) -> _Node:
    """Inserts a node where the labels of `child` and `other`, which share a prefix, branch; returns it."""
    pairs = enumerate(zip(child.label, other, strict=False))
    size = next((place for place, (ours, theirs) in pairs if ours != theirs), len(other))
    middle = _Node(child.label[:size])
    middle.bare = child.bare
    child.label = child.label[size:]
    middle.children[child.label[0]] = child
    parent.children[middle.label[0]] = middle
    return middle


def _change_bare(path: list[_Node], bare: int) -> None:
    """Sets `bare` of the last node of `path`, and adds the change to the nodes above it up to the first topic."""
    more = bare - path[-1].bare
    path[-1].bare = bare
    for node in reversed(path[:-1]):
        if node.topic is not None:
            return
        node.bare += more
