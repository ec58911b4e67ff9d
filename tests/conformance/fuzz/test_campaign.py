"""Fuzzing campaigns against a broker in this process: what they find, and how they shrink it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import toy_broker
from mutants_sessions import AttachKeepsCredit
from slow_brokers import KeepsLittle
from toy_broker import Place, ToyBroker

from zeps_conformance.broker.options import Options
from zeps_conformance.broker.probes import probed
from zeps_conformance.cli import main
from zeps_conformance.common.verdicts import FailureError, OutOfTimeError
from zeps_conformance.fuzz.campaign import CASE, FuzzResult, play, run_campaign
from zeps_conformance.fuzz.player import GOALS
from zeps_conformance.fuzz.steps import Action, Step
from zeps_conformance.model.interpreter import Decoded, Interpreter
from zeps_conformance.nulls import NULLS
from zeps_conformance.wire.endpoint import parse_endpoint
from zeps_conformance.wire.router_server import Remote


class ForgetsOnReturn(ToyBroker):
    """Drops the first message that a connection publishes in its second session, after it had a subscription in the
    first. The shortest conversation that shows it has six actions: attach, subscribe, attach, publish, and a reader's
    subscribe and credit.
    """

    def __init__(self, codec: Interpreter, client_timeout: float = 20.0) -> None:
        super().__init__(codec, client_timeout)
        self.subscribed: set[Remote] = set()
        self.returned: set[Remote] = set()

    def attach(self, remote: Remote, message: Decoded) -> None:
        if remote in self.subscribed:
            self.returned.add(remote)
        super().attach(remote, message)

    def add(self, place: Place, pattern: str, start: int) -> None:
        self.subscribed.add(next(remote for remote, other in self.places.items() if other is place))
        super().add(place, pattern, start)

    def publish(self, remote: Remote, place: Place, key: str, body: bytes) -> None:
        if remote in self.returned:
            self.returned.discard(remote)
            return
        super().publish(remote, place, key, body)


class ClosesIdle(ToyBroker):
    """Answers after 0.05 seconds, and closes connections that have had no session for half a second."""

    def __init__(self, codec: Interpreter, client_timeout: float = 20.0) -> None:
        super().__init__(codec, client_timeout)
        self.idle: dict[Remote, float] = {}

    def received(self, remote: Remote, parts: tuple[bytes, ...]) -> None:
        time.sleep(0.05)
        super().received(remote, parts)

    def turn(self, now: float) -> None:
        super().turn(now)
        self.idle = {
            remote: self.idle.get(remote, now) for remote in self.remotes() if remote not in self.places
        }
        for remote in [remote for remote, since in self.idle.items() if now - since > 0.5]:
            self.hang_up(remote)


class IgnoresInvalid(ToyBroker):
    """Does not answer INVALID of a client."""

    def unexpected(self, remote: Remote, place: Place, name: str) -> None:
        if name != "INVALID":
            super().unexpected(remote, place, name)


def campaign(broker: ToyBroker, conversations: int, seed: int = 0, timeout: float = 2.0) -> FuzzResult:
    with broker:
        options = Options(parse_endpoint(broker.endpoint), timeout=timeout, client_timeout=20.0)
        return run_campaign(
            broker.codec, options, FuzzResult(seed), lambda now: now.conversations >= conversations
        )


@pytest.mark.slow
def test_a_broker_without_a_mistake_passes_and_the_goals_are_reached(codec: Interpreter) -> None:
    result = campaign(ToyBroker(codec, 20.0), 400)
    assert result.finding is None
    assert result.conversations >= 400
    assert len(result.missed) <= len(GOALS) // 10, result.missed


@pytest.mark.slow
def test_a_mistake_of_six_actions_is_found_and_shrunk(codec: Interpreter) -> None:
    result = campaign(ForgetsOnReturn(codec), 2000)
    assert result.finding is not None
    assert result.finding.reproduced
    assert sum(len(step.actions) for step in result.finding.steps) <= 8


@pytest.mark.slow
def test_a_missing_answer_violates_the_rule_that_requires_it(codec: Interpreter) -> None:
    result = campaign(IgnoresInvalid(codec), 400, timeout=0.3)
    assert result.finding is not None
    assert (result.finding.rule, "INVALID unexpected" in result.finding.expected) == ("ZEPS-INVALID-7", True)


ATTACH, DETACH = Action("attach", (0,)), Action("detach")
SUBSCRIBE, BEYOND = (Action("subscribe", ("", start, 0)) for start in ("all", "beyond"))
PUBLISH_LARGE, COVER = Action("publish", ("a", 70_000, 2)), Action("cover", (2, 0))


@pytest.mark.parametrize(
    "actions",
    [
        (SUBSCRIBE, DETACH),
        (SUBSCRIBE, DETACH, ATTACH),
        (SUBSCRIBE, Action("malformed", (0, 0))),
        (BEYOND,),
        (SUBSCRIBE, BEYOND, SUBSCRIBE),
    ],
)
def test_a_broker_may_limit_subscriptions(
    codec: Interpreter, monkeypatch: pytest.MonkeyPatch, actions: tuple[Action, ...]
) -> None:
    monkeypatch.setattr(toy_broker, "SUBSCRIPTIONS_MAX", 1)
    steps = [Step(0, (ATTACH, SUBSCRIBE)), Step(0, actions), Step(1, (ATTACH, SUBSCRIBE))]
    with ToyBroker(codec, 20.0) as broker:
        play(steps, codec, Options(parse_endpoint(broker.endpoint), timeout=2.0), set())


def test_a_broker_may_close_connections_without_a_session(
    codec: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A slow conversation lets the other clients wait for long."""
    steps = [
        Step(0, (ATTACH,)),
        *[Step(0, (SUBSCRIBE,))] * 5,
        Step(1, (ATTACH, SUBSCRIBE)),
        Step(2, (SUBSCRIBE,)),
    ]
    with ClosesIdle(codec) as broker:
        options = Options(parse_endpoint(broker.endpoint), timeout=2.0)
        with pytest.raises(FailureError, match=r"closed by the broker|stays open"):
            play(steps, codec, options, set())
        monkeypatch.setattr("zeps_conformance.fuzz.player.IDLE_SECONDS", 0.2)
        play(steps, codec, options, set())


def test_a_broker_may_retain_little(codec: Interpreter) -> None:
    steps = [Step(0, (ATTACH,)), Step(0, (PUBLISH_LARGE,)), Step(0, (SUBSCRIBE, COVER))]
    with KeepsLittle(codec, 20.0) as broker:
        options = Options(parse_endpoint(broker.endpoint), timeout=2.0)
        with pytest.raises(FailureError, match="receives sequence 1"):
            play(steps, codec, options, set())
        play(steps, codec, probed(options, codec), set())


def test_a_conversation_that_exceeds_its_time_is_not_a_violation(
    codec: Interpreter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zeps_conformance.fuzz.campaign.CASE", replace(CASE, limit=0.05))
    with NULLS["silent"](codec) as broker:
        options = Options(parse_endpoint(broker.endpoint), timeout=2.0)
        with pytest.raises(OutOfTimeError):
            play([Step(0, (ATTACH,))], codec, options, set())
        with pytest.raises(OutOfTimeError):
            run_campaign(codec, options, FuzzResult(0), lambda now: now.conversations >= 1)


def test_the_same_seed_draws_the_same_conversations(codec: Interpreter) -> None:
    first, second = (campaign(ToyBroker(codec, 20.0), 20, seed=3) for _ in range(2))
    assert (first.seed, first.conversations, first.reached) == (
        second.seed,
        second.conversations,
        second.reached,
    )


@pytest.mark.slow
def test_the_command_keeps_replays_and_resumes(
    codec: Interpreter, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with AttachKeepsCredit(codec, 20.0) as broker:
        folder = tmp_path / "kept"
        arguments = ["fuzz", broker.endpoint, "--timeout", "2", "--work-dir", str(folder)]
        assert main([*arguments, "--time", "60s"]) == 1
        assert "VIOLATION (ZEPS-CREDIT-1)" in capsys.readouterr().out
        (finding,) = folder.glob("finding-*.json")
        empty = tmp_path / "empty"
        empty.mkdir()
        replay = [sys.executable, "-m", "zeps_conformance", "fuzz", broker.endpoint, "--replay", str(finding)]
        done = subprocess.run(replay, cwd=empty, env={}, capture_output=True, text=True, timeout=60)
        assert done.returncode == 1, done.stderr
        assert "VIOLATION (ZEPS-CREDIT-1)" in done.stdout
    with ToyBroker(codec, 20.0) as broker:
        replay = ["fuzz", broker.endpoint, "--replay", str(finding)]
        assert main(replay) == 0
        state = json.loads((folder / "campaign.json").read_text(encoding="utf-8"))
        arguments = ["fuzz", broker.endpoint, "--work-dir", str(folder), "--conversations", "1"]
        assert main(arguments) == 0
        after = json.loads((folder / "campaign.json").read_text(encoding="utf-8"))
    assert after["seed"] == state["seed"] + 1
    assert after["conversations"] > state["conversations"]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--time", "0"], "is not a time"),
        (["--time", "1d"], "is not a time"),
        (["--time", "1m", "--conversations", "3"], "not allowed with"),
    ],
)
def test_options_that_are_refused(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["fuzz", "tcp://127.0.0.1:1", *arguments])
    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err


def test_a_file_that_is_not_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "other.json"
    path.write_text('{"format": "other", "steps": []}', encoding="utf-8")
    assert main(["fuzz", "tcp://127.0.0.1:1", "--replay", str(path)]) == 2
    assert "not a finding of zeps-conform fuzz" in capsys.readouterr().err
