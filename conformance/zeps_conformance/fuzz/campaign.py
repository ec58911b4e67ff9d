"""Campaign of fuzzed conversations: draws, plays, shrinks the first violation over the wire, and can be resumed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Flaky

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.trial import BrokerTrial
from zeps_conformance.common.case import Case, Needs, Polarity
from zeps_conformance.common.verdicts import FailureError, OutOfTimeError
from zeps_conformance.fuzz.player import GOALS, Player
from zeps_conformance.fuzz.steps import Action, Step, conversations
from zeps_conformance.model.interpreter import Interpreter

__all__ = ["Finding", "FuzzResult", "play", "run_campaign"]

BATCH = 50  # conversations of one seed
ATTEMPTS = 400  # conversations that a violation may take to be shrunk
#: The simplest arguments of actions, for shrinking.
SIMPLEST: dict[str, tuple[Any, ...]] = {
    "attach": (0,),
    "subscribe": ("", "all", 0),
    "cover": (1, 0),
    "publish": ("a", 0, 1),
    "drop": (False,),
}
TIME_LIMIT = 60.0  # seconds for one conversation

CASE = Case(
    "zeps1.fuzz.conversation",
    "A fuzzed conversation",
    ("ZEPS-INVALID-1",),
    Polarity.POSITIVE,
    Needs.NOTHING,
    lambda trial: None,
    limit=TIME_LIMIT,
)


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation, and the shortest conversation found that shows it. `reproduced`: each repetition failed."""

    steps: tuple[Step, ...]
    expected: str
    seen: str
    rule: str
    reproduced: bool


@dataclass(slots=True)
class FuzzResult:
    """Progress of a campaign. `seed` is the next one, `conversations` the number so far; `reached` are goals."""

    seed: int
    conversations: int = 0
    reached: set[str] = field(default_factory=set)
    finding: Finding | None = None

    @property
    def missed(self) -> list[str]:
        """The goals that the campaign has not reached, in alphabetical order."""
        return sorted(GOALS - self.reached)


def play(steps: Sequence[Step], codec: Interpreter, options: Options, reached: set[str]) -> None:
    """Plays one conversation. Raises FailureError at a violation, OutOfTimeError if it takes too long for a verdict."""
    trial = BrokerTrial(CASE, codec, options)
    try:
        Player(trial, reached).play(steps)
    except FailureError:
        trial.check_time()
        raise
    finally:
        trial.close()


def run_campaign(
    codec: Interpreter,
    options: Options,
    result: FuzzResult,
    stop: Callable[[FuzzResult], bool],
    progress: Callable[[FuzzResult], None] = lambda result: None,
) -> FuzzResult:
    """Continues the campaign of `result` until it finds a violation, or `stop` returns True; calls `progress` after
    each seed of 50 conversations. The same seed draws the same conversations. Raises OutOfTimeError after a seed
    without a violation if a conversation took too long for a verdict.
    """
    counter = 0

    def fresh() -> Options:
        nonlocal counter
        counter += 1
        return replace(options, nonce=f"{options.nonce}-{counter}")

    while result.finding is None and not stop(result):
        result.finding = _batch(codec, fresh, result)
        result.seed += 1
        progress(result)
    return result


def _batch(codec: Interpreter, fresh: Callable[[], Options], result: FuzzResult) -> Finding | None:
    """Plays the conversations of one seed. Returns the first violation, shrunk."""
    last: tuple[tuple[Step, ...], FailureError] | None = None
    late: OutOfTimeError | None = None

    @settings(
        max_examples=BATCH,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
        print_blob=False,
        report_multiple_bugs=False,
    )
    @seed(result.seed)
    @given(conversations())
    def attempt(steps: list[Step]) -> None:
        nonlocal last, late
        result.conversations += 1
        try:
            play(steps, codec, fresh(), result.reached)
        except FailureError as error:
            last = tuple(steps), error
            raise
        except OutOfTimeError as error:
            late = error

    try:
        attempt()
    except (FailureError, Flaky):
        assert last is not None
        steps, error = last
        smaller = _minimise(steps, lambda candidate: _failure(candidate, codec, fresh()))
        steps, error = smaller or (steps, error)
        reproduced = all(_failure(steps, codec, fresh()) is not None for _ in range(2))
        return Finding(steps, error.expected, error.seen, error.rule or "", reproduced)
    if late is not None:
        raise late
    return None


def _failure(steps: Sequence[Step], codec: Interpreter, options: Options) -> FailureError | None:
    try:
        play(steps, codec, options, set())
    except FailureError as error:
        return error
    except OutOfTimeError:
        return None
    return None


def _minimise(
    steps: tuple[Step, ...], fails: Callable[[tuple[Step, ...]], FailureError | None]
) -> tuple[tuple[Step, ...], FailureError] | None:
    """Makes `steps` smaller while they still fail, until no candidate of :func:`_smaller` fails, in at most
    :data:`ATTEMPTS` attempts. Returns None if they cannot be made smaller.
    """
    smallest: tuple[tuple[Step, ...], FailureError] | None = None
    left = ATTEMPTS
    candidates = _smaller(steps)
    while left > 0 and (candidate := next(candidates, None)) is not None:
        left -= 1
        error = fails(candidate)
        if error is not None:
            smallest = candidate, error
            candidates = _smaller(candidate)
    return smallest


def _smaller(steps: tuple[Step, ...]) -> Iterator[tuple[Step, ...]]:
    """Yields `steps` without a half, a quarter and so on, with only one client, without one action, and with simpler
    arguments of an action; the largest reductions first.
    """
    size = len(steps) // 2
    while size:
        for end in range(len(steps), 0, -size):
            yield steps[: max(end - size, 0)] + steps[end:]
        size //= 2
    if len(steps) == 1:
        yield ()
    if any(step.client for step in steps):
        yield tuple(replace(step, client=0) for step in steps)
    for index, step in enumerate(steps):
        for place in reversed(range(len(step.actions))):
            if len(step.actions) > 1:
                yield _with(steps, index, step.actions[:place] + step.actions[place + 1 :])
    for index, step in enumerate(steps):
        for place, action in enumerate(step.actions):
            for arguments in _simpler(action):
                simpler = replace(action, arguments=arguments)
                yield _with(steps, index, (*step.actions[:place], simpler, *step.actions[place + 1 :]))


def _simpler(action: Action) -> Iterator[tuple[Any, ...]]:
    """Yields arguments of `action` of which all, or one more, are the simplest."""
    simplest, arguments = SIMPLEST.get(action.kind, action.arguments), action.arguments
    if arguments != simplest:
        yield simplest
    for place, (argument, simple) in enumerate(zip(arguments, simplest, strict=True)):
        if argument != simple:
            yield (*arguments[:place], simple, *arguments[place + 1 :])


def _with(steps: tuple[Step, ...], index: int, actions: tuple[Action, ...]) -> tuple[Step, ...]:
    return (*steps[:index], replace(steps[index], actions=actions), *steps[index + 1 :])
