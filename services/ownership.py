"""One process owns the stores of a home folder, until it ends; the operating system decides which.

A process that does not get the lock sends commands through the catalog instead.
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
"""Longer than another process needs to test whether the lock is free, for which it takes it."""

WAITING: Final = "waiting"
"""The folder of the lock files of waiting processes."""

_TESTING: Final = threading.Lock()
"""Only the owner tests the lock files, in one thread at a time: a test takes the lock."""


class OwnerLock:
    """The lock of a home folder. One object may be used from all threads of a process."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._lock = FileLock(home / "owner.lock", thread_local=False)
        self._mutex = threading.Lock()  # a test takes the lock for a moment, too

    def acquire(self) -> bool:
        """Try to become the owner, without waiting; return whether this object holds the lock."""
        with self._mutex:
            if self._lock.is_locked:
                return True
            self._home.mkdir(parents=True, exist_ok=True)
            try:
                self._lock.acquire(blocking=False)
            except Timeout:
                return False
            with suppress(OSError):  # a full disk can still be read
                self._pid_file.write_text(str(os.getpid()))
            return True

    def free(self) -> bool:
        """Return whether nobody holds the lock, without keeping it."""
        with self._mutex:
            if self._lock.is_locked:
                return False
            try:
                with self._lock.acquire(timeout=LOOK_S, poll_interval=LOOK_S / 10):
                    return True
            except (Timeout, OSError):
                return False

    def release(self) -> None:
        """Give up ownership, if held."""
        with self._mutex:
            if self._lock.is_locked:
                self._pid_file.unlink(missing_ok=True)
                self._lock.release(force=True)

    def owner_pid(self) -> int | None:
        """Return the process id of the last owner, for messages: it may be dead by now."""
        try:
            return int(self._pid_file.read_text())
        except (FileNotFoundError, ValueError):
            return None

    @property
    def _pid_file(self) -> Path:
        return self._home / "owner.pid"


class Presence:
    """A lock file that shows all processes of a home that this one waits for an answer."""

    def __init__(self, home: Path) -> None:
        self.name = uuid.uuid4().hex
        self._lock = FileLock(home / WAITING / self.name, thread_local=False, mode=0o600)
        self._mutex = threading.Lock()

    def show(self) -> str:
        """Be visible until ``hide`` or the end of this process; return the name."""
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
    """Return whether the process with this ``Presence`` lives; delete the file of a dead one."""
    file = home / WAITING / name
    with _TESTING:
        if not file.exists():
            return False
        try:
            with FileLock(file).acquire(blocking=False):
                file.unlink(missing_ok=True)
                return False
        except Timeout:
            return True


def present(home: Path) -> set[str]:
    """Return the names of all processes that live and wait."""
    names = [file.name for file in (home / WAITING).glob("*")]
    return {name for name in names if is_present(home, name)}


@contextmanager
def owned(home: Path) -> Iterator[None]:
    """Own the stores of a home during the ``with`` block; raise StoresBusy."""
    make_private(home)
    lock = OwnerLock(home)
    if not lock.acquire():
        raise StoresBusy(
            "A process is using {home} (pid {pid}). Stop it first.", home=home, pid=lock.owner_pid()
        )
    try:
        yield
    finally:
        lock.release()
