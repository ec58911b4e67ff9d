"""The journal has descriptors when connections have taken all others."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import errno, os, resource, sys
from pathlib import Path
from zeps_broker.service.descriptors import ReservingDisk, reserve
from zeps_broker.journal.disk import OsDisk

resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
reserve()
assert resource.getrlimit(resource.RLIMIT_NOFILE) == (150, 200)
folder = Path(sys.argv[1])
taken = []
try:
    while True:
        taken.append(os.open(os.devnull, os.O_RDONLY))
except OSError as error:
    assert error.errno == errno.EMFILE
try:
    OsDisk().open(folder / "file", create=True)
except OSError as error:
    assert error.errno == errno.EMFILE
else:
    raise AssertionError("there was one left")
disk = ReservingDisk()
files = [disk.open(folder / str(number), create=True) for number in range(20)]
disk.sync_folder(folder)
assert len(disk.listdir(folder)) == 20
assert resource.getrlimit(resource.RLIMIT_NOFILE) == (150, 200)
try:
    disk.open(folder / "none")
except FileNotFoundError:
    pass
try:
    while True:
        files.append(disk.open(folder / "0"))
except OSError as error:
    assert error.errno == errno.EMFILE
assert len(taken) + len(files) > 190
for fd in taken:
    os.close(fd)
disk.close(disk.open(folder / "0"))
"""


def test_a_reserve_for_the_journal(tmp_path: object) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
