"""Control of faultfs, a file system in memory that forgets on command what was not synced (`faultfs.c`, with FUSE)."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import hashlib
import os
import queue
import shutil
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

__all__ = ["FaultFs", "FaultFsError", "Flip", "build_faultfs"]

_SOURCES = ("faultfs.c", "faultfs_nodes.h")
_PATIENCE = 20.0
_REMEDY = (
    "the durability profile needs a C compiler and FUSE 3: as root, apt-get install gcc pkg-config fuse3 libfuse3-dev; "
    "in a container, also run it with --device /dev/fuse --cap-add SYS_ADMIN"
)
_DETACH = 2  # MNT_DETACH


class FaultFsError(OSError):
    """The file system cannot be built, mounted or unmounted, or its program fails. The text says why."""


class Flip(NamedTuple):
    """A flipped bit: the file's path below the mount point, and the byte's offset."""

    path: str
    offset: int


def build_faultfs(cache: Path | None = None) -> Path:
    """Returns the program, which is compiled if `cache` (default: the user's cache folder) does not have it. Raises
    FaultFsError.
    """
    here = Path(__file__).parent
    digest = hashlib.sha256(b"".join((here / name).read_bytes() for name in _SOURCES)).hexdigest()[:16]
    default = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "zeps-conform"
    program = (cache or default) / f"faultfs-{digest}"
    if program.exists():
        return program
    if shutil.which("cc") is None or shutil.which("pkg-config") is None:
        raise FaultFsError(f"cc or pkg-config not found; {_REMEDY}")
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "fuse3"], capture_output=True, text=True)
    if flags.returncode:
        raise FaultFsError(f"libfuse3 not found; {_REMEDY}")
    program.parent.mkdir(parents=True, exist_ok=True)
    partial = program.with_name(f"{program.name}.{os.getpid()}.{threading.get_ident()}")
    command = ["cc", "-O1", "-o", str(partial), str(here / _SOURCES[0]), *flags.stdout.split(), "-lpthread"]
    compiled = subprocess.run(command, capture_output=True, text=True)
    if compiled.returncode:
        raise FaultFsError(f"cannot compile {here / _SOURCES[0]}:\n{compiled.stderr}\n{_REMEDY}")
    partial.replace(program)
    return program


class FaultFs:
    """A file system for the folder `mountpoint`, empty at first, which is mounted and unmounted on request; a context
    manager. `on_frozen` is called, in another thread, when an armed mount stops answering: it must kill the processes
    that use it, and not wait for their end. All methods raise FaultFsError.
    """

    def __init__(self, mountpoint: Path) -> None:
        self.mountpoint = mountpoint
        self.on_frozen: Callable[[], None] = lambda: None
        self.frozen = threading.Event()
        self._mounted = False
        self._answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        if not os.access("/dev/fuse", os.R_OK | os.W_OK):
            raise FaultFsError(f"/dev/fuse does not exist, or access is denied; {_REMEDY}")
        mountpoint.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [build_faultfs(), str(mountpoint)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> FaultFs:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def limit(self, size: int) -> None:
        """Limits the content of all files to `size` bytes; 0: unlimited."""
        self._ask(f"limit {size}")

    def entries(self, kind: str) -> None:
        """Sets what makes a folder's entries durable: ``journaled``, any later fsync; ``posix``, only the folder's."""
        self._ask(f"entries {kind}")

    def mount(self, freeze_at: int = 0) -> None:
        """Mounts; the mount stops answering before its `freeze_at`-th call that changes something (0: never)."""
        self.frozen.clear()
        self._ask(f"arm {freeze_at}")
        if self._ask("mount") != "mounted":
            raise FaultFsError(f"cannot mount a file system at {self.mountpoint}; {_REMEDY}")
        self._mounted = True

    def unmount(self) -> int:
        """Unmounts; all processes that use it must have exited. Returns the number of calls that changed something."""
        self._unmount(0)
        self._mounted = False
        return int(self._answer().split()[1])

    def settle(self) -> None:
        """Makes everything durable, as the kernel does in time without a sync."""
        self._ask("settle")

    def cut(self, writes: str, seed: int) -> tuple[int, int]:
        """Cuts the power: forgets what was not synced; of unsynced writes, ``torn`` keeps a random part, and ``lost``
        nothing. Returns the number of files that were not synced, and of their unsynced bytes.
        """
        _, files, size = self._ask(f"cut {writes} {seed}").split()
        return int(files), int(size)

    def flip(self, count: int, seed: int) -> list[Flip]:
        """Flips `count` random bits of files."""
        flips = []
        line = self._ask(f"flip {count} {seed}")
        while line != "done":
            _, offset, path = line.split(" ", 2)
            flips.append(Flip(path, int(offset)))
            line = self._answer()
        return flips

    def close(self) -> None:
        """Unmounts, even if processes still use it, and ends the program."""
        if self._mounted:
            self._mounted = False
            with contextlib.suppress(FaultFsError):
                self._unmount(_DETACH)
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()

    def _unmount(self, flags: int) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        deadline = time.monotonic() + _PATIENCE
        while libc.umount2(os.fsencode(self.mountpoint), flags):
            if (
                ctypes.get_errno() == errno.EBUSY and time.monotonic() < deadline
            ):  # processes are about to exit
                time.sleep(0.02)
                continue
            reason = os.strerror(ctypes.get_errno())
            raise FaultFsError(f"cannot unmount {self.mountpoint}: {reason}; a process may still use it")

    def _ask(self, command: str) -> str:
        self._send(command)
        return self._answer()

    def _send(self, command: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise FaultFsError(f"faultfs has exited: {error}; {_REMEDY}") from error

    def _answer(self) -> str:
        try:
            return self._answers.get(timeout=_PATIENCE)
        except queue.Empty:
            raise FaultFsError(f"faultfs does not answer; {_REMEDY}") from None

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                if line == "frozen\n":
                    self.frozen.set()
                    self.on_frozen()
                    self._send("continue")
                else:
                    self._answers.put(line.rstrip("\n"))
