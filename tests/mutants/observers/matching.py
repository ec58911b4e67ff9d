"""Observes `zeps_broker.core.matching`: all sets of patterns of up to two characters, blocks of few and many messages,
and all sequences of four additions and removals of an index.
"""

from __future__ import annotations

from itertools import combinations, product

from recorder import Recorder

from zeps_broker.core.columns import Columns
from zeps_broker.core.matching import STYLES, Prefix, PrefixIndex, PrefixMatcher
from zeps_broker.core.settings import Settings
from zeps_broker.ports import Block
from zeps_wire.zeps import Deliver

LETTERS = "ab"
PATTERNS = [b"", *("".join(word).encode() for size in (1, 2) for word in product(LETTERS, repeat=size))]
KEYS = [*PATTERNS, *("".join(word).encode() for word in product(LETTERS, repeat=3)), b"c", b"\xc3\xa9"]
SETS: list[tuple[bytes, ...]] = [
    chosen for size in range(len(PATTERNS) + 1) for chosen in combinations(PATTERNS, size)
]
INDEXED: list[tuple[bytes, ...]] = [(), (b"",), (b"a",), (b"ab",), (b"a", b"b"), (b"ab", b"b"), (b"", b"ab")]
MEMBERS = "xyz"
CHANGES_MAX = 4


def columns(keys: list[bytes], body: bytes = b"b") -> Columns:
    frames = [
        Deliver(sequence=n + 1, key=key.decode(), body=body * (n % 3)).encode() for n, key in enumerate(keys)
    ]
    ends, end = [], 0
    for frame in frames:
        end += len(frame)
        ends.append(end)
    return Columns(Block(1, b"".join(frames), ends, [0] * len(frames)))


def observe_matchers(recorder: Recorder) -> None:
    blocks = [columns(KEYS * repeats) for repeats in (1, 3, 4, 5, 7)]
    blocks += [columns([key] * count) for key in (b"", b"a", b"ab") for count in (1, 63, 64, 65, 66, 130)]
    style = Prefix()
    for patterns in SETS:
        for order in (patterns, patterns[::-1], patterns * 2):
            recorder.add(style.reduce(order))
        for known in {patterns, style.reduce(patterns)}:
            for matcher in (PrefixMatcher(known), style.matcher(known)):
                recorder.add([matcher.matches(key) for key in KEYS], matcher.judge(KEYS), matcher.judge([]))
                for block in blocks:
                    indices, searched = matcher.select(block, range(block.count))
                    recorder.add(type(indices) is range, list(indices), searched)


def observe_index(recorder: Recorder) -> None:
    changes = list(product(INDEXED, MEMBERS))

    def extend(done: tuple[tuple[bool, tuple[tuple[bytes, ...], str]], ...]) -> None:
        index: PrefixIndex[str] = PrefixIndex()
        for adds, (patterns, member) in done:
            (index.add if adds else index.remove)(patterns, member)
        recorder.add([index.find(key) for key in KEYS])
        if len(done) == CHANGES_MAX:
            return
        held: dict[str, tuple[bytes, ...]] = {}
        for adds, (patterns, member) in done:
            if adds:
                held[member] = patterns
            else:
                del held[member]
        for patterns, member in changes:
            if held.get(member) == patterns:
                extend((*done, (False, (patterns, member))))
            elif member not in held:
                extend((*done, (True, (patterns, member))))

    # A member has one set of patterns at a time. Members are alike: the first addition is of the first.
    for patterns in INDEXED:
        extend(((True, (patterns, MEMBERS[0])),))


def observe_style(recorder: Recorder) -> None:
    style = Prefix()
    recorder.add(style.name, style.costs, style.work, style.limit, style.for_stream(3) is style)
    recorder.add(type(style.index()).__name__, type(style.matcher((b"a",))).__name__, sorted(STYLES))
    for pattern in PATTERNS:
        recorder.add(
            style.cost(pattern), style.check(pattern, [b"a"]), style.hold(pattern), style.release([pattern])
        )
    recorder.add(
        style.work, style.limit, [type(STYLES[name](Settings())).__name__ for name in sorted(STYLES)]
    )


def main() -> None:
    recorder = Recorder()
    observe_matchers(recorder)
    observe_index(recorder)
    observe_style(recorder)
    recorder.finish("matching")


if __name__ == "__main__":
    main()
