"""A campaign: subscribers connect and disconnect, a node is killed, and the idle tree is checked after each phase."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from trees.net import End, Relay, Subscriber, TreeError
from trees.nodes import Node, Tree

__all__ = ["CAP", "FULL", "SMALL", "Phase", "Size", "Traffic", "run"]

CAP = 16


@dataclass(frozen=True, slots=True)
class Size:
    """Size of a campaign: nodes in each layer, from the root on; subscribers; changes in the phase `churn`; topics:
    `markets`, and `symbols` below each of them.
    """

    widths: tuple[int, ...]
    subscribers: int
    steps: int
    markets: int = 4
    symbols: int = 20


FULL = Size((1, 2, 4, 8), 200, 2000)
SMALL = Size((1, 1, 1, 2), 40, 200, symbols=8)


@dataclass(slots=True)
class Phase:
    """Traffic of a phase, counted on the wire."""

    name: str
    wishes: int
    """Subscriptions and cancellations that reached the publisher."""
    octets: int
    """Bytes of these."""
    wishes_below: int
    """Subscriptions and cancellations on the links below the root."""


@dataclass(slots=True)
class Traffic:
    """Figures of a campaign."""

    policies: tuple[str, ...]
    phases: list[Phase] = field(default_factory=list)
    crossings: int = 0
    """Messages on links in all check rounds."""
    unwanted: int = 0
    """Those that no subscriber below needs; only the full feed of a cap may cause them."""

    @property
    def wishes(self) -> int:
        return sum(phase.wishes for phase in self.phases)

    @property
    def byte_count(self) -> int:
        return sum(phase.octets for phase in self.phases)


def run(policies: Sequence[str], size: Size, seed: int = 1) -> Traffic:
    """Run a campaign on a new tree, whose nodes get `policies` in turn. Raises TreeError if a check fails."""
    with Tree(size.widths, policies) as tree:
        campaign = _Campaign(tree, size, random.Random(seed), Traffic(tuple(policies)))
        for phase in (campaign.arrive, campaign.churn, campaign.lose_a_node, campaign.leave):
            campaign.measure(phase.__name__, phase())
        return campaign.traffic


class _Campaign:
    def __init__(self, tree: Tree, size: Size, chance: random.Random, traffic: Traffic) -> None:
        self.tree = tree
        self.traffic = traffic
        self._size = size
        self._chance = chance
        markets = [b"market%d." % number for number in range(size.markets)]
        self._topics = [
            b"market",
            *markets,
            *(m + b"%02d." % n for m in markets for n in range(size.symbols)),
        ]
        self._weights = [
            1,
            *[3] * len(markets),
            *(10 / (1 + n) for _ in markets for n in range(size.symbols)),
        ]
        self._subscribers = [
            Subscriber(tree.net, f"subscriber {number}", as_messages=number % 2 == 0)
            for number in range(size.subscribers)
        ]
        self._published = 0

    def measure(self, name: str, phase: Iterator[None]) -> None:
        """Run a phase; check the idle tree at each of its yields and at its end. Adds a Phase to `traffic`."""
        tallies = [node.tally for node in self.tree.nodes]
        before = [(tally.wishes, tally.wish_bytes) for tally in tallies]
        for _ in phase:
            self._look()
        self._look()
        wishes = [tally.wishes - old for tally, (old, _) in zip(tallies, before, strict=True)]
        byte_count = tallies[0].wish_bytes - before[0][1]
        self.traffic.phases.append(Phase(name, wishes[0], byte_count, sum(wishes[1:])))

    # The phases

    def arrive(self) -> Iterator[None]:
        """All subscribers connect, most of them to the leaves."""
        inner = [node for layer in self.tree.layers[:-1] for node in layer]
        leaves = self.tree.layers[-1]
        for number, subscriber in enumerate(self._subscribers):
            node = inner[number // 5 % len(inner)] if number % 5 == 0 else leaves[number % len(leaves)]
            node.subscribers.append(subscriber)
            for topic in self._some_topics(self._chance.randint(1, 4)):
                subscriber.wants[topic] += 1
            self._connect(node, subscriber)
        yield from ()

    def churn(self) -> Iterator[None]:
        """Subscribers change, disconnect and reconnect while messages are published; every seventh only listens."""
        listening, changing = self._subscribers[::7], [s for i, s in enumerate(self._subscribers) if i % 7]
        for half in range(2):
            expected = {subscriber: list(subscriber.messages) for subscriber in listening}
            self._keep_covered(listening)
            for _ in range(self._size.steps // 2):
                self._change(self._chance.choice(changing))
                self._publish_one(expected)
            self._rest()
            for subscriber in listening:
                _compare(f"{subscriber.name}, which never moved", subscriber.messages, expected[subscriber])
            if not half:
                yield

    def lose_a_node(self) -> Iterator[None]:
        """A node in a middle layer is killed and restarted; while it is down, the other subscribers change."""
        self._keep_covered(())
        victim = self.tree.layers[len(self.tree.layers) // 2][0]
        lost = [*victim.subscribers]
        victim.kill()
        self.tree.net.until(
            lambda: not any(s.end for s in lost) and not victim.link.open, "detection of the lost node"
        )
        others = [subscriber for subscriber in self._subscribers if subscriber not in lost]
        for _ in range(self._size.steps // 10):
            self._change(self._chance.choice(others))
            self._publish_one({})
        victim.spawn()
        victim.await_ready()
        yield from ()

    def leave(self) -> Iterator[None]:
        """All subscribers disconnect: all subscriptions are cancelled, and no message is sent."""
        for subscriber in self._subscribers:
            subscriber.disconnect()
            self.tree.net.step()
        for node in self.tree.nodes:
            node.subscribers.clear()
        self.tree.net.until(
            lambda: not self.tree.publisher.tally.asked, "cancellation of all subscriptions at the publisher"
        )
        yield from ()

    # Steps of the phases

    def _keep_covered(self, listening: Sequence[Subscriber]) -> None:
        """Require that from now on a subscription on every link above these subscribers covers their topics."""
        for node in self.tree.nodes:
            below = {subscriber for lower_node in node.below() for subscriber in lower_node.subscribers}
            node.tally.kept = {
                topic for subscriber in listening if subscriber in below for topic in subscriber.wants
            }

    def _some_topics(self, count: int) -> list[bytes]:
        return self._chance.choices(self._topics, self._weights, k=count)

    def _change(self, subscriber: Subscriber) -> None:
        what = self._chance.random()
        if subscriber.end is None:
            node = self._node_of(subscriber)
            if what < 0.3 and node.endpoint:
                self._connect(node, subscriber)
        elif what < 0.05:
            subscriber.disconnect()
        elif what < 0.5 or not subscriber.wants:
            subscriber.subscribe(self._some_topics(1)[0])
        else:
            subscriber.cancel(self._chance.choice(sorted(subscriber.wants)))
        self.tree.net.step()

    def _connect(self, node: Node, subscriber: Subscriber) -> None:
        assert node.endpoint is not None
        subscriber.connect(node.endpoint)

    def _node_of(self, subscriber: Subscriber) -> Node:
        return next(node for node in self.tree.nodes if subscriber in node.subscribers)

    def _publish_one(self, expected: dict[Subscriber, list[bytes]]) -> None:
        first = self._message(self._chance.choice(self._topics))
        for subscriber, messages in expected.items():
            if subscriber.selects(first):
                messages.append(first)
        self._publish(first)

    def _message(self, topic: bytes) -> bytes:
        self._published += 1
        return topic + b"#%d" % self._published

    def _publish(self, first: bytes) -> None:
        self.tree.publisher.publish(first, *(b"part", b"")[: self._published % 3])
        self.tree.net.step()

    # Checks of the idle tree

    def _look(self) -> None:
        """Reconnect subscribers, wait until the tree is idle, and check subscriptions and the paths of messages."""
        self.tree.net.until(self.tree.connected, "connection of every node to its upstream")
        for node in self.tree.nodes:
            for subscriber in node.subscribers:
                if subscriber.end is None:
                    self._connect(node, subscriber)
        self._rest()
        for node in self.tree.nodes:
            _check_asked(node)
        self._round()

    def _rest(self) -> None:
        """Wait until all subscriptions have reached the publisher, and all messages the subscribers."""
        net = self.tree.net
        net.until(
            lambda: all(end.ready for node in self.tree.nodes for end in _ends_below(node)), "handshakes"
        )
        for layer in reversed(self.tree.layers):
            net.settle((end for node in layer for end in _ends_below(node)), 2)
            net.settle(_ends_above(layer))
        for layer in self.tree.layers:
            net.settle(_ends_above(layer), 2)
            net.settle(end for node in layer for end in _ends_below(node))

    def _round(self) -> None:
        """Publish a message of each topic, and two without subscribers; check receivers and links; add to `traffic`."""
        for subscriber in self._subscribers:
            subscriber.messages.clear()
        for node in self.tree.nodes:
            node.tally.messages.clear()
        messages = [self._message(topic) for topic in [*self._topics, b"absent.", b"mark"]]
        for message in messages:
            self._publish(message)
        self._rest()
        for subscriber in self._subscribers:
            _compare(
                subscriber.name,
                subscriber.messages,
                [m for m in messages if subscriber.selects(m) and subscriber.end],
            )
        for node in self.tree.nodes:
            self._check_link(node, messages)

    def _check_link(self, node: Node, messages: list[bytes]) -> None:
        topics = node.subscribed_topics()
        expected = [m for m in messages if any(m.startswith(topic) for topic in topics)]
        seen = node.tally.messages
        self.traffic.crossings += len(seen)
        self.traffic.unwanted += len(seen) - len(expected)
        full = _has_full_feed(node) or _is_capped(node, seen == messages)
        _compare(f"the link above {node.name}", seen, messages if full else expected)


def _ends_below(node: Node) -> Iterator[End]:
    for child in node.children:
        assert isinstance(child.link, Relay)
        if child.link.up:
            yield child.link.up
    yield from (subscriber.end for subscriber in node.subscribers if subscriber.end)


def _ends_above(layer: Iterable[Node]) -> list[End]:
    return [node.link.down for node in layer if node.link.down]


def _check_asked(node: Node) -> None:
    """Raise TreeError unless the subscriptions that `node` sent follow from those that it received and its policy."""
    asked, inputs = node.tally.asked, _inputs(node)
    if node.policy == "every":
        right = asked == inputs
    elif node.policy == "cover":
        right = _shortest(asked) == _shortest(inputs) and asked <= _each_once(inputs)
    elif node.policy == "count":
        right = asked == _each_once(inputs)
    else:
        modest = Counter(topic for topics in _consumers(node) if not _is_greedy(topics) for topic in topics)
        right = _each_once(modest) <= asked <= _each_once(inputs + Counter([b""]))
        right = right and (asked == _each_once(inputs) or (b"" in asked and _has_reason(node)))
    if not right:
        raise TreeError(
            f"{node.name}, {node.policy}: subscribes to {dict(asked)}, but its downstream subscribes to "
            f"{dict(inputs)}"
        )


def _has_full_feed(node: Node) -> bool:
    """Whether the node or one below it has a cap, subscribes to all messages, and has an input that may exceed it."""
    return any(
        lower_node.policy.startswith("cap") and b"" in lower_node.tally.asked and _has_reason(lower_node)
        for lower_node in node.below()
    )


def _is_capped(node: Node, doubtful: bool) -> bool:
    """Whether `node` exceeds the cap of the node above; from three quarters of the cap up to the cap, `doubtful`."""
    if node.parent is None or not node.parent.policy.startswith("cap"):
        return False
    topics = node.tally.asked
    return len(topics) > CAP or (_is_greedy(topics) and doubtful)


def _has_reason(node: Node) -> bool:
    """Whether a subscriber or node directly below may exceed the cap (has more topics than three quarters of it)."""
    return any(map(_is_greedy, _consumers(node)))


def _is_greedy(topics: Counter[bytes]) -> bool:
    return len(topics) > CAP - CAP // 4


def _consumers(node: Node) -> Iterator[Counter[bytes]]:
    """Subscriptions of each connected subscriber and of each node directly below `node`."""
    yield from (subscriber.wants for subscriber in node.subscribers if subscriber.end)
    yield from (child.tally.asked for child in node.children)


def _inputs(node: Node) -> Counter[bytes]:
    """Sum of the subscriptions of all connected subscribers and nodes directly below `node`."""
    inputs: Counter[bytes] = Counter()
    for topics in _consumers(node):
        inputs.update(topics)
    return inputs


def _each_once(topics: Counter[bytes]) -> Counter[bytes]:
    return Counter(dict.fromkeys(topics, 1))


def _shortest(topics: Iterable[bytes]) -> set[bytes]:
    """The topics that are not covered by another of `topics`."""
    distinct = set(topics)
    return {
        topic for topic in distinct if not any(topic[:length] in distinct for length in range(len(topic)))
    }


def _compare(name: str, seen: Sequence[bytes], expected: Sequence[bytes]) -> None:
    if list(seen) != list(expected):
        missing = sorted(set(expected) - set(seen))[:5]
        stray = sorted(set(seen) - set(expected))[:5]
        raise TreeError(
            f"{name}: {len(seen)} messages, expected {len(expected)}; missing {missing}, unexpected {stray}"
        )
