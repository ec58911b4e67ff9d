"""All attacks at random beside 20 honest clients: nothing is lost, memory stays bounded, turns stay small.

`make soak` attacks for longer, and from a core that the broker does not use; there the bystander's waiting time is
compared with that of a run in which the same processor time is used without a connection.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from attack_harness import (
    CONFIGURATION,
    MEMORY_BYTES_MAX,
    AttackProcess,
    BurningProcess,
    ProcessMeter,
    check_turns,
    newest_figures,
    pin,
    ports_of,
)
from attacks import ATTACKS
from bystander import Bystander, HonestProcess, Waits
from campaigns import SEED, SOAK, sized
from harness import BrokerProcess, Peers

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600), pytest.mark.xdist_group("attacks")]

SECONDS = float(sized(25, 600))
THREADS = 6
SLICE_SECONDS = 2.0
DELAY_SECONDS_MAX = 0.1
"""Maximum slowdown of 99 of 100 rounds of the bystander, on a core reserved for the broker."""

Attacking = Callable[..., AttackProcess]


def test_all_attacks_beside_honest_clients(
    attacked: BrokerProcess, bystander: Bystander, honest: HonestProcess, attacking: Attacking
) -> None:
    meter = ProcessMeter(attacked.pid)
    base = meter.restart()
    attackers = attacking(ports_of(attacked), SECONDS, SEED, threads=THREADS, slice_seconds=SLICE_SECONDS)
    tallies = attackers.finish()
    waits = bystander.finish()
    report = honest.finish()
    growth = meter.memory_bytes_highest() - base
    assert not report.faults
    assert report.clients == 20
    assert report.delivered == report.expected > 0
    assert growth <= MEMORY_BYTES_MAX, (
        f"{growth / (1 << 20):.0f} MiB more than before; the bystander: {waits}; the broker used "
        f"{meter.cpu_seconds():.1f} s of a processor, the attackers {attackers.cpu_seconds:.1f} s"
    )
    assert tallies.keys() == ATTACKS.keys()
    assert not [name for name, tally in tallies.items() if not tally.connections], "some did not attack"
    check_turns(newest_figures(attacked))
    assert attacked.stop() == 0


if SOAK:

    def test_waiting_time_beside_attacks(
        launch: Callable[..., BrokerProcess], peers: Peers, tmp_path: Path
    ) -> None:
        """The broker has one core, and everything else another one."""
        broker_core, other_core = sorted(os.sched_getaffinity(0))[:2]
        before = os.sched_getaffinity(0)
        pin(os.getpid(), other_core)
        try:
            run = functools.partial(_measure, peers, broker_core)
            attacked, cpu_seconds = run(
                launch(config=CONFIGURATION, data=tmp_path / "attacked"),
                lambda ports: AttackProcess(
                    ports, SECONDS, SEED, threads=THREADS, slice_seconds=SLICE_SECONDS
                ),
            )
            calm, _ = run(
                launch(config=CONFIGURATION, data=tmp_path / "calm"),
                lambda _ports: BurningProcess(SECONDS, cpu_seconds / SECONDS),
            )
        finally:
            for thread in Path("/proc/self/task").iterdir():
                os.sched_setaffinity(int(thread.name), before)
        assert attacked.quantile(0.99) <= calm.quantile(0.99) + DELAY_SECONDS_MAX, f"{attacked}; {calm}"


def _measure(
    peers: Peers,
    core: int,
    broker: BrokerProcess,
    start: Callable[[dict[str, str]], AttackProcess | BurningProcess],
) -> tuple[Waits, float]:
    """Returns the bystander's waits beside honest clients and the processes of `start`, and their processor seconds.
    The broker runs on `core`.
    """
    pin(broker.pid, core)
    honest = HonestProcess(broker.endpoint)
    bystander = Bystander(peers.connect(broker.endpoint))
    load = start(ports_of(broker))
    try:
        load.finish()
        waits = bystander.finish()
        assert not honest.finish().faults
    finally:
        load.kill()
        honest.kill()
    assert broker.stop() == 0
    return waits, load.cpu_seconds
