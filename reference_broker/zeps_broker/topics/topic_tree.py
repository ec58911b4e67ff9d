"""A radix tree of topics: which of them a message begins with, and which are covered by a shorter one.

Every topic is a node, asked for or not. Each node knows how many topics at and below it are not asked for and are not
covered from within its own part of the tree (`bare`). When a cover goes, only the branches with such topics are
visited, and each of these topics is asked for then: so an operation takes as long as the topic is and as its result
is, however many topics there are.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["TopicTree"]


class _Node:
    """`label` leads here from the node above."""

    __slots__ = ("asked", "bare", "children", "label", "topic")

    def __init__(self, label: bytes) -> None:
        self.label = label
        self.topic: bytes | None = None
        """The whole of it; None for a node where topics only part."""
        self.asked = False
        self.children: dict[int, _Node] = {}
        """By the first byte of their labels."""
        self.bare = 0


class TopicTree:
    """Topics, each of them asked for or not."""

    def __init__(self) -> None:
        self._root = _Node(b"")

    def beginnings(self, frame: bytes) -> Iterator[bytes]:
        """The topics that `frame` begins with, shortest first."""
        node, at = self._root, 0
        while True:
            if node.topic is not None:
                yield node.topic
            child = node.children.get(frame[at]) if at < len(frame) else None
            if child is None or not frame.startswith(child.label, at):
                return
            node, at = child, at + len(child.label)

    def covered(self, topic: bytes) -> bool:
        """Whether a shorter topic is asked for that `topic` begins with."""
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
        """Add a topic that is not there."""
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
        """Remove a topic that is there."""
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
            for child in node.children.values():  # the only one takes its place
                child.label = node.label + child.label
                path[-1].children[child.label[0]] = child

    def ask_bare(self, beginning: bytes) -> list[bytes]:
        """Count as asked for what begins with `beginning` and is not covered; these topics.

        The beginning itself must not be covered.
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
    """A node where `child` and the label `other`, which begin alike, part."""
    pairs = enumerate(zip(child.label, other, strict=False))
    size = next((place for place, (ours, theirs) in pairs if ours != theirs), len(other))
    middle = _Node(child.label[:size])
    middle.bare = child.bare
    child.label = child.label[size:]
    middle.children[child.label[0]] = child
    parent.children[middle.label[0]] = middle
    return middle


def _change_bare(path: list[_Node], bare: int) -> None:
    """The last node of `path` has so many bare topics now; those above that are no topics themselves count them."""
    more = bare - path[-1].bare
    path[-1].bare = bare
    for node in reversed(path[:-1]):
        if node.topic is not None:
            return
        node.bare += more
