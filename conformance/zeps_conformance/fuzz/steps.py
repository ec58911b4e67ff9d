"""Steps of a fuzzed conversation, as data: a strategy that draws them, and their form in a JSON file."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

__all__ = [
    "CLIENTS",
    "KINDS",
    "Action",
    "Step",
    "conversations",
    "format_step",
    "steps_from_json",
    "steps_to_json",
]

CLIENTS = 3
STREAMS = 2
STEPS_MAX = 25
ACTIONS_MAX = 3
KEYS = ("a", "ab", "b", "")
PATTERNS = ("", "a", "ab", "b", "c")
STARTS = ("all", "new", "from", "beyond")
SIZES = (0, 1, 40, 300, 70_000)
LITERAL_CREDITS = (
    0,
    1,
    255,
    256,
    65_535,
    65_536,
    (1 << 31) - 1,
    1 << 32,
    (1 << 63) - 1,
    1 << 63,
    (1 << 64) - 1,
)

#: Names of actions, and the types of their arguments in a JSON file.
KINDS: dict[str, tuple[type, ...]] = {
    "attach": (int,),  # index of a stream
    "subscribe": (str, str, int),  # pattern; all, new, from or beyond; sequences before or behind the end
    "credit": (int,),
    "cover": (int, int),  # credit for as many due messages, plus bytes
    "publish": (str, int, int),  # key; bytes of the body; number of messages
    "ping": (),
    "ping-ok": (),
    "detach": (),
    "malformed": (int, int),  # number of a command and of a malformation
    "unexpected": (int,),  # number of a command that only a broker sends
    "drop": (bool,),  # closes the connection, with RST if true, and opens another
}


#: Arguments of which not all values of the type are allowed: their place, and the allowed ones.
_ALLOWED: dict[str, tuple[int, Collection[Any]]] = {
    "attach": (0, range(STREAMS)),
    "credit": (0, range(1 << 64)),
    "subscribe": (1, STARTS),
}


@dataclass(frozen=True, slots=True)
class Action:
    """One action of a client; `kind` is a key of :data:`KINDS`, with `arguments` of its types."""

    kind: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class Step:
    """Actions that the client with this number takes in one write, which a ``drop`` divides."""

    client: int
    actions: tuple[Action, ...]


def conversations() -> st.SearchStrategy[list[Step]]:
    """Draws conversations of up to 25 steps."""
    action = st.one_of(
        st.builds(lambda stream: Action("attach", (stream,)), st.integers(0, STREAMS - 1)),
        st.builds(
            lambda pattern, start, distance: Action("subscribe", (pattern, start, distance)),
            st.sampled_from(PATTERNS),
            st.sampled_from(STARTS),
            st.integers(0, 6),
        ),
        st.builds(
            lambda count, more: Action("cover", (count, more)),
            st.integers(0, 4),
            st.sampled_from((0, -1, 1, 50)),
        ),
        st.builds(lambda credit: Action("credit", (credit,)), st.sampled_from(LITERAL_CREDITS)),
        st.builds(
            lambda key, size, count: Action("publish", (key, size, count)),
            st.sampled_from(KEYS),
            st.sampled_from(SIZES),
            st.integers(1, 5),
        ),
        st.sampled_from((Action("ping"), Action("ping-ok"), Action("detach"))),
        st.builds(
            lambda command, way: Action("malformed", (command, way)), st.integers(0, 6), st.integers(0, 99)
        ),
        st.builds(lambda command: Action("unexpected", (command,)), st.integers(0, 3)),
        st.builds(lambda reset: Action("drop", (reset,)), st.booleans()),
    )
    opening = st.builds(
        lambda stream, pattern, count: [
            Action("attach", (stream,)),
            Action("subscribe", (pattern, "all", 0)),
            Action("cover", (count, 0)),
        ],
        st.integers(0, STREAMS - 1),
        st.sampled_from(PATTERNS),
        st.integers(0, 4),
    )
    step = st.builds(
        lambda client, actions: Step(client, tuple(actions)),
        st.integers(0, CLIENTS - 1),
        st.one_of(st.lists(action, min_size=1, max_size=ACTIONS_MAX), opening),
    )
    return st.one_of(st.lists(step, max_size=6), st.lists(step, min_size=12, max_size=STEPS_MAX))


def format_step(step: Step) -> str:
    """Formats a step for people: ``client 0: attach 1, credit 5``."""
    actions = (" ".join((action.kind, *map(repr, action.arguments))) for action in step.actions)
    return f"client {step.client}: {', '.join(actions)}"


def steps_to_json(steps: Sequence[Step]) -> list[Any]:
    """Returns `steps` as JSON values."""
    return [[step.client, [[action.kind, *action.arguments] for action in step.actions]] for step in steps]


def steps_from_json(document: Any) -> list[Step]:
    """Parses the result of :func:`steps_to_json`. Raises ValueError, for the user, if it has another form."""
    try:
        return [
            Step(_client(client), tuple(_action(kind, arguments) for kind, *arguments in actions))
            for client, actions in document
        ]
    except (TypeError, ValueError) as error:
        raise ValueError(f"not a list of steps: {error}") from error


def _client(number: Any) -> int:
    if type(number) is not int or not 0 <= number < CLIENTS:
        raise ValueError(f"no client {number!r}")
    return number


def _action(kind: Any, arguments: list[Any]) -> Action:
    types = KINDS.get(kind)
    if types is None or tuple(map(type, arguments)) != types:
        raise ValueError(f"no action {[kind, *arguments]!r}")
    place, allowed = _ALLOWED.get(kind, (0, arguments))
    if arguments and arguments[place] not in allowed:
        raise ValueError(f"no such argument: {[kind, *arguments]!r}")
    return Action(kind, tuple(arguments))
