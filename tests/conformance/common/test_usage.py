"""What processes use, as the kernel reports it."""

from __future__ import annotations

import mmap
import os
import time
from pathlib import Path

import pytest

from zeps_conformance.common import processes
from zeps_conformance.common.processes import family_of
from zeps_conformance.common.usage import Usage, usage


def test_descriptors_memory_and_work_are_counted() -> None:
    before = usage(os.getpid())
    held = [os.dup(0) for _ in range(20)]
    memory = mmap.mmap(-1, 32 << 20)  # pages that the process does not have yet
    memory.write(b"x" * len(memory))
    until = time.process_time() + 0.05
    while time.process_time() < until:
        pass
    now = usage(os.getpid())
    assert now.descriptors - before.descriptors == 20
    assert now.memory - before.memory > len(memory) // 2
    assert now.busy - before.busy > 0.03
    for descriptor in held:
        os.close(descriptor)


def test_a_process_that_does_not_exist_uses_nothing() -> None:
    assert usage(1 << 30) == Usage(0, 0, 0.0)


def test_a_thread_that_ends_meanwhile_does_not_hide_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        folder = tmp_path / "proc/7/task" / str(number)
        folder.mkdir(parents=True)
        if number % 2:
            (folder / "schedstat").write_text("900000000 100000000 1\n")
            (folder / "children").write_text(f"{100 + number} ")
    monkeypatch.setattr(processes, "Path", lambda path: tmp_path / path.removeprefix("/"))
    assert usage(7).busy == 10.0
    assert sorted(family_of(7)) == [7, *range(101, 120, 2)]
