"""Random interleavings of all inputs, compared with a simple model of each session's messages and their order."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from core_bench import Bench, MakeBench
from hypothesis import given
from hypothesis import strategies as st

from zeps_wire import zeps
from zeps_wire.zeps import Attach, Credit, Deliver, Detach, Ping, Publish, Subscribe

PEERS = "abc"
PLENTY = 10**9


class Model:
    """One session: its requests, its credit, its deliveries."""

    def __init__(self) -> None:
        self.subscriptions: list[tuple[str, int]] = []
        self.granted = 0
        self.got: list[Deliver] = []
        self.questions: list[str] = []
        self.answers: list[str] = []

    def shares(self, keys: list[str], matches: Callable[[str, str], bool]) -> list[list[int]]:
        """Returns for each subscription the sequences that it covers and that no earlier subscription covers."""
        shares: list[list[int]] = [[] for _ in self.subscriptions]
        for sequence, key in enumerate(keys, 1):
            for place, (pattern, start) in enumerate(self.subscriptions):
                if sequence > start and matches(pattern, key):
                    shares[place].append(sequence)
                    break
        return shares

    def check(self, keys: list[str], matches: Callable[[str, str], bool], complete: bool) -> None:
        assert sum(message.size() for message in self.got) <= self.granted
        got = [message.sequence for message in self.got]
        assert len(set(got)) == len(got), "a message was delivered twice"
        shares = self.shares(keys, matches)
        assert set(got) <= {sequence for share in shares for sequence in share}, (
            "a message without subscription"
        )
        for share in shares:
            members = set(share)
            came = [sequence for sequence in got if sequence in members]
            assert came == share[: len(came)], "out of order, or a message is missing"
            if complete:
                assert came == share, "a message was never delivered"


COMMANDS = st.one_of(
    st.tuples(st.just("subscribe"), st.sampled_from(("", "a", "ab", "b")), st.integers(0, 30)),
    st.tuples(st.just("subscribe"), st.sampled_from(("", "a", "b")), st.just(zeps.LATEST_NEW)),
    st.tuples(st.just("credit"), st.just(""), st.sampled_from((0, 1, 15, 18, 40, 100, 1000, PLENTY))),
    st.tuples(
        st.just("publish"), st.sampled_from(("", "a", "ab", "abc", "b")), st.sampled_from((0, 0, 1, 60))
    ),
    st.tuples(st.just("publish"), st.sampled_from(("a", "b")), st.just(0)),
    st.tuples(st.just("ping"), st.just(""), st.just(0)),
)
STEPS = st.one_of(
    st.tuples(st.just("say"), st.sampled_from(PEERS), st.lists(COMMANDS, min_size=1, max_size=6)),
    st.tuples(st.just("say"), st.sampled_from(PEERS), st.lists(COMMANDS, min_size=1, max_size=6)),
    st.tuples(st.just("all publish"), st.sampled_from(("a", "ab", "b")), st.integers(1, 4)),
    st.tuples(st.just("all publish"), st.sampled_from(("a", "ab", "b")), st.integers(1, 4)),
    st.tuples(st.just("space"), st.sampled_from(PEERS), st.sampled_from((0, 1, 3, None))),
    st.tuples(st.just("tick"), st.just(""), st.integers(1, 3)),
    st.tuples(st.just("anew"), st.sampled_from(PEERS), st.sampled_from(("twice", "detach"))),
)
SETTINGS = st.fixed_dictionaries(
    {
        "low_gear_bytes": st.sampled_from((1, 60, 1000)),
        "low_gear_bytes_max": st.sampled_from((1, 100_000)),
        "low_gear_turn_bytes": st.sampled_from((1, 50, 1000)),
        "block_messages_max": st.sampled_from((1, 2, 100)),
        "cache_bytes_max": st.sampled_from((1, 100_000)),
        "route_keys_max": st.sampled_from((1, 100)),
    }
)


class Run:
    """The core and the model of each of its sessions."""

    def __init__(self, bench: Bench, style: str) -> None:
        self.bench = bench
        self.keys: list[str] = []
        self.models: dict[str, Model] = {}
        self.attaches: dict[str, int] = {}
        """ATTACH-OKs that each peer will still receive: messages before the last one belong to an older session."""
        self.matches: Callable[[str, str], bool] = (
            (lambda pattern, key: key.startswith(pattern))
            if style == "prefix"
            else (lambda pattern, key: re.search(pattern, key) is not None)
        )
        for peer in PEERS:
            self.begin(peer)

    def open(self, peer: str, pattern: str | None, credit: int, room: int | None) -> None:
        """Sets up a session before the first step."""
        if pattern is not None:
            self.say(peer, [("subscribe", pattern, 0), ("credit", "", credit)])
        self.collect()
        self.step("space", peer, room)

    def begin(self, peer: str) -> None:
        self.attach(peer)
        self.models[peer] = Model()
        self.collect()

    def attach(self, peer: str) -> None:
        self.collect()
        self.attaches[peer] = self.attaches.get(peer, 0) + 1
        self.bench.say(peer, Attach("s"))

    def step(self, kind: str, peer: str, what: Any) -> None:
        if kind == "say":
            self.say(peer, what)
        elif kind == "all publish":
            self.keys += [peer] * what * len(PEERS)
            self.bench.handle(*[(who, Publish(peer, b"")) for _ in range(what) for who in PEERS])
        elif kind == "space":
            if what is None:
                self.bench.room.pop(peer, None)
            else:
                self.bench.room[peer] = what
            self.bench.broker.writable([peer])
            self.bench.send()
        elif kind == "tick":
            for _ in range(what):
                self.bench.tick()
        else:
            if what == "twice":
                self.attach(peer)
            else:
                self.bench.say(peer, Detach())
            self.begin(peer)
        self.collect()
        self.check(complete=False)

    def say(self, peer: str, commands: list[tuple[str, str, int]]) -> None:
        model, messages = self.models[peer], []
        for command, text, number in commands:
            if command == "subscribe":
                messages.append(Subscribe(text, number))
                if len(self.keys) < number < zeps.LATEST_NEW:
                    model.questions.append("INVALID")
                else:
                    model.subscriptions.append((text, min(number, len(self.keys))))
                    model.questions.append("SUBSCRIBE-OK")
            elif command == "credit":
                model.granted += number
                messages.append(Credit(number))
            elif command == "publish":
                self.keys.append(text)
                messages.append(Publish(text, bytes(number)))
            else:
                model.questions.append("PING-OK")
                messages.append(Ping())
        self.bench.say(peer, *messages)

    def collect(self) -> None:
        for peer, model in self.models.items():
            for message in self.bench.take(peer):
                if message.NAME == "ATTACH-OK":
                    self.attaches[peer] -= 1
                elif self.attaches[peer]:
                    continue
                elif isinstance(message, Deliver):
                    model.got.append(message)
                    assert "SUBSCRIBE-OK" in model.answers
                else:
                    model.answers.append(message.NAME)

    def check(self, complete: bool) -> None:
        for model in self.models.values():
            model.check(self.keys, self.matches, complete)

    def finish(self) -> None:
        """Opens all pipes and grants credit: all messages must arrive, and the remaining credit must be right."""
        self.bench.room.clear()
        self.bench.broker.writable(list(PEERS))
        self.bench.send()
        self.bench.settle()
        for peer in PEERS:
            self.say(peer, [("credit", "", PLENTY)])
        self.bench.settle()
        self.collect()
        self.check(complete=True)
        for peer, model in self.models.items():
            session = self.bench.broker.session(peer)
            assert session.machine.credit == model.granted - sum(message.size() for message in model.got)
            assert (session.group is not None) == bool(model.subscriptions)
            assert model.answers == model.questions


OPENINGS = st.lists(
    st.tuples(
        st.sampled_from((None, "", "", "a")),
        st.sampled_from((0, 60, PLENTY)),
        st.sampled_from((None, None, 1, 4)),
    ),
    min_size=len(PEERS),
    max_size=len(PEERS),
)


@given(SETTINGS, st.sampled_from(("prefix", "regex")), st.booleans(), OPENINGS, st.lists(STEPS, max_size=30))
def test_every_session_gets_what_it_asked_for(
    make_bench: MakeBench,
    settings: dict[str, int],
    style: str,
    reports_all: bool,
    openings: list[tuple[str | None, int, int | None]],
    steps: list[tuple[str, str, Any]],
) -> None:
    bench = make_bench(match=style, outbox_messages_max=1000, **settings)
    bench.reports_all = reports_all
    run = Run(bench, style)
    for peer, opening in zip(PEERS, openings, strict=True):
        run.open(peer, *opening)
    for step in steps:
        run.step(*step)
    run.finish()
