import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from services.ownership import WAITING, OwnerLock, Presence, is_present

HOLD = """
import os
import sys
from pathlib import Path
from services.ownership import OwnerLock, Presence
home = Path(sys.argv[1])
print({}, flush=True)
sys.stdin.read()
"""


@contextmanager
def killed(home: Path, expression: str) -> Iterator[str]:
    """What another process prints of an expression; at the end it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD.format(expression), str(home)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()
        process.wait()


def test_one_of_two_owns_a_home(tmp_path: Path) -> None:
    first, second = OwnerLock(tmp_path / "home"), OwnerLock(tmp_path / "home")
    assert first.owner_pid() is None
    assert first.acquire() and first.acquire()
    assert OwnerLock(tmp_path / "other").acquire()
    assert not second.acquire()
    assert second.owner_pid() == os.getpid()
    second.release()
    assert not second.acquire()
    first.release()
    assert second.acquire()
    second.release()
    assert second.owner_pid() is None


def test_the_lock_dies_with_its_process(tmp_path: Path) -> None:
    lock = OwnerLock(tmp_path)
    with killed(tmp_path, "(lock := OwnerLock(home)).acquire() and os.getpid()") as pid:
        assert not lock.acquire()
        assert lock.owner_pid() == int(pid)
    assert lock.acquire()
    assert lock.owner_pid() == os.getpid()
    lock.release()


def test_who_looks_at_the_same_time_is_no_owner(tmp_path: Path) -> None:
    """Ten looks a thread, by two processes' locks: all see that it is free."""
    locks = [OwnerLock(tmp_path), OwnerLock(tmp_path)]

    def look(n: int) -> set[bool]:
        return {locks[n % 2].free() for _ in range(10)}

    with ThreadPoolExecutor(8) as pool:
        assert set.union(*pool.map(look, range(8))) == {True}
    assert all(lock.free() for lock in locks), "none of them is the owner"


def test_who_waits_is_seen_until_it_ends(tmp_path: Path) -> None:
    here = Presence(tmp_path)
    assert not is_present(tmp_path, here.name)
    assert is_present(tmp_path, here.show()) and is_present(tmp_path, here.show())
    here.hide()
    assert not is_present(tmp_path, here.name)
    with killed(tmp_path, "(presence := Presence(home)).show()") as name:
        assert is_present(tmp_path, name)
    assert not is_present(tmp_path, name)
    assert list((tmp_path / WAITING).iterdir()) == [], "what it left is cleared away"
