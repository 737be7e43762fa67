"""What loaded modules brought along is taken out of garbage collection once, not each time."""

import gc
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app import memory


@pytest.fixture(autouse=True)
def thawed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(memory, "_settled", 0)
    yield
    gc.unfreeze()
    gc.enable()


def test_nothing_is_collected_while_a_server_begins_and_everything_after() -> None:
    memory.hold()
    assert not gc.isenabled()
    memory.release()
    assert gc.isenabled()
    assert gc.get_freeze_count() > 10_000, "the modules of this process"
    memory.hold()
    memory.settle()
    assert gc.isenabled(), "the app without its doors: after its first page"


def test_modules_are_settled_when_they_have_come_and_only_then(tmp_path: Path) -> None:
    memory.settle()
    before = gc.get_freeze_count()
    assert before > 10_000, "the modules of this process"
    kept = [[] for _ in range(500)]
    memory.settle()
    assert gc.get_freeze_count() - before < 100, "objects of a session stay collectable"
    (tmp_path / "module_for_memory.py").write_text("VALUES = [[n] for n in range(2000)]")
    sys.path.insert(0, str(tmp_path))
    try:
        import module_for_memory  # noqa: F401
    finally:
        sys.path.remove(str(tmp_path))
    memory.settle()
    assert gc.get_freeze_count() - before > 2000
    assert len(kept) == 500
