"""Each attack alone on a broker: its memory stays bounded, its turns stay small, and a bystander loses nothing.

Required closed connections, and refusals by their codes, are counted. A flood of valid commands is only slowed down.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from attack_harness import (
    MEMORY_BYTES_MAX,
    AttackProcess,
    ProcessMeter,
    check_turns,
    newest_figures,
    ports_of,
)
from attacker_links import Tally
from attacks import ATTACKS
from bystander import Bystander, HonestProcess
from campaigns import SEED, SOAK
from harness import BrokerProcess, Peer

pytestmark = [pytest.mark.slow, *([pytest.mark.xdist_group("attacks")] if SOAK else [])]
"""In `make soak` one attack at a time: a measurement must not wait for another."""
SECONDS = 2.0
LONG_SECONDS = 40.0
"""Duration of an attack that the broker must end; it is reached only if the broker does not."""


@dataclass(frozen=True)
class Countermeasure:
    """The required reaction of the broker to an attack, besides continuing."""

    closes_some: bool = False
    closes_all: bool = False
    """Every connection, while the attacker keeps it."""
    refuses: str = ""
    """At least once with this code."""

    def check(self, tally: Tally) -> None:
        if self.closes_some:
            assert tally.closed > 0, f"no connection was closed: {tally}"
        if self.closes_all:
            assert tally.closed == tally.connections > 0, f"not all connections were closed: {tally}"
        if self.refuses:
            assert tally.refusals[self.refuses] > 0, f"nothing was refused with {self.refuses}: {tally}"


COUNTERMEASURES = {
    "new_names": Countermeasure(refuses="stream-unavailable"),
    "new_streams": Countermeasure(refuses="stream-unavailable"),
    "held_frames": Countermeasure(closes_some=True),
    "held_frames_in_sessions": Countermeasure(closes_some=True),
    "slow_senders": Countermeasure(closes_all=True),
    "endless_parts_from_pub": Countermeasure(closes_some=True),
    "endless_parts_from_sub": Countermeasure(closes_some=True),
    "held_parts_from_pub": Countermeasure(closes_some=True),
    "many_topics": Countermeasure(closes_some=True),
    "empty_frames": Countermeasure(closes_some=True, refuses="malformed"),
    "lower_points": Countermeasure(refuses="too-many-subscriptions"),
    "expensive_patterns": Countermeasure(refuses="too-many-subscriptions"),
    "idle_connections": Countermeasure(closes_all=True),
    "rubbish": Countermeasure(closes_some=True, refuses="malformed"),
}
"""By attack. Attacks not listed are only slowed down, or cost nothing."""


@pytest.mark.parametrize("name", sorted(ATTACKS if SOAK else COUNTERMEASURES))
def test_an_attack_alone(
    name: str, attacked: BrokerProcess, bystander: Bystander, attacking: Callable[..., AttackProcess]
) -> None:
    """Attacks that are only slowed down run alone in `make soak`; in `make test` they run among all attacks at once."""
    countermeasure = COUNTERMEASURES.get(name, Countermeasure())
    meter = ProcessMeter(attacked.pid)
    base = meter.restart()
    seconds = LONG_SECONDS if countermeasure.closes_all else SECONDS
    tally = attacking(ports_of(attacked), seconds, SEED, only=[name]).finish()[name]
    waits = bystander.finish()
    growth = meter.memory_bytes_highest() - base
    assert tally.sent_bytes + tally.connections > 0, "the attack did not happen"
    assert growth <= MEMORY_BYTES_MAX, (
        f"{growth / (1 << 20):.0f} MiB more than before; the bystander: {waits}"
    )
    countermeasure.check(tally)
    check_turns(newest_figures(attacked))
    assert attacked.stop() == 0


def test_every_countermeasure_has_its_attack() -> None:
    assert not COUNTERMEASURES.keys() - ATTACKS.keys()


def test_the_innocent_notice_what_is_repeated(
    attacked: BrokerProcess, bystander: Bystander, honest: HonestProcess, connect: Callable[..., Peer]
) -> None:
    """This validates that the other tests detect faults: here another client publishes to their streams."""
    for stream, key in ((Bystander.STREAM, "k"), ("honest.0", "publisher 0")):
        intruder = connect(attacked.endpoint, stream)
        intruder.store(key, b"0:")
    with pytest.raises(AssertionError, match="Deliver"):
        bystander.finish()
    faults = honest.finish().faults
    assert len(faults) == 3, faults
