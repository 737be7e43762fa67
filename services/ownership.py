"""One process owns the stores of a home folder; the operating system decides which.

The lock is one of the system, not a file that says "locked": it ends with its process, however
that ends. Whoever does not get it sends commands through the catalog instead.
"""

import os
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from services.domain.errors import StoresBusy
from services.home import make_private

LOOK_S: Final = 0.02
"""Longer than another process holds the lock that only looks whether it is free."""

WAITING: Final = "waiting"
"""The folder of the lock files of those who wait."""

_LOOKING: Final = threading.Lock()
"""Only the owner looks, with one thread at a time: whoever looks holds the lock for a moment."""


class OwnerLock:
    """The lock of a home folder. One object may be used from all threads of a process."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock = FileLock(home / "owner.lock", thread_local=False)
        self._mutex = threading.Lock()  # whoever looks holds the lock for a moment, too

    def acquire(self) -> bool:
        """Become the owner, without waiting; True when this object holds the lock now."""
        with self._mutex:
            if self._lock.is_locked:
                return True
            self._home.mkdir(parents=True, exist_ok=True)
            try:
                self._lock.acquire(blocking=False)
            except Timeout:
                return False
            with suppress(OSError):  # a full disk, where there is much to read still
                self._pid_file.write_text(str(os.getpid()))
            return True

    def free(self) -> bool:
        """Whether nobody holds the lock; it is not kept."""
        with self._mutex:
            if self._lock.is_locked:
                return False
            try:
                with self._lock.acquire(timeout=LOOK_S, poll_interval=LOOK_S / 10):
                    return True
            except (Timeout, OSError):
                return False

    def release(self) -> None:
        """Give the ownership up; without effect when it is not held."""
        with self._mutex:
            if self._lock.is_locked:
                self._pid_file.unlink(missing_ok=True)
                self._lock.release(force=True)

    def owner_pid(self) -> int | None:
        """Process id that the last owner left: for messages only, it may be dead by now."""
        try:
            return int(self._pid_file.read_text())
        except (FileNotFoundError, ValueError):
            return None

    @property
    def _pid_file(self) -> Path:
        return self._home / "owner.pid"


class Presence:
    """A lock file by which all processes of a home see that this one waits for an answer."""

    def __init__(self, home: Path) -> None:
        self.name = uuid.uuid4().hex
        self._lock = FileLock(home / WAITING / self.name, thread_local=False, mode=0o600)
        self._mutex = threading.Lock()

    def show(self) -> str:
        """Have others see it until ``hide``, or the end of this process; its name."""
        with self._mutex:
            if not self._lock.is_locked:
                Path(self._lock.lock_file).parent.mkdir(mode=0o700, exist_ok=True)
                self._lock.acquire()
        return self.name

    def hide(self) -> None:
        with self._mutex:
            if self._lock.is_locked:
                Path(self._lock.lock_file).unlink(missing_ok=True)
                self._lock.release(force=True)


def is_present(home: Path, name: str) -> bool:
    """Whether the process with this ``Presence`` lives; what a dead one left is cleared away."""
    file = home / WAITING / name
    with _LOOKING:
        if not file.exists():
            return False
        try:
            with FileLock(file).acquire(blocking=False):
                file.unlink(missing_ok=True)
                return False
        except Timeout:
            return True


def present(home: Path) -> set[str]:
    """The names of all processes that live and wait."""
    names = [file.name for file in (home / WAITING).glob("*")]
    return {name for name in names if is_present(home, name)}


@contextmanager
def owned(home: Path) -> Iterator[None]:
    """Own the stores of a home for the block.

    Raises:
        StoresBusy: another process works in the home.
    """
    make_private(home)
    lock = OwnerLock(home)
    if not lock.acquire():
        raise StoresBusy(
            "A process works in {home} (pid {pid}). End it first.", home=home, pid=lock.owner_pid()
        )
    try:
        yield
    finally:
        lock.release()
