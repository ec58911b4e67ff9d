"""What processes use, as the kernel reports it."""

from __future__ import annotations

import mmap
import os
import time

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
