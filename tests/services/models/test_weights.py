"""Joining the pieces of the embedded model."""

import hashlib
import os
import threading
from pathlib import Path

import pytest

from services.domain.errors import CorruptWeights, NoModel
from services.models import embedded
from services.models.embedded import ensure_weights

PIECES = [b"GGUF" + bytes(range(256)), b"middle" * 1000, b"end"]
COMPLETE = b"".join(PIECES)


@pytest.fixture
def pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The installed pieces of a small model."""
    paths = [tmp_path / f"piece{n}.bin" for n in range(len(PIECES))]
    for path, data in zip(paths, PIECES, strict=True):
        path.write_bytes(data)
    monkeypatch.setattr(embedded, "WEIGHTS", "tiny.gguf")
    monkeypatch.setattr(embedded, "SIZE", len(COMPLETE))
    monkeypatch.setattr(embedded, "SHA256", hashlib.sha256(COMPLETE).hexdigest())
    monkeypatch.setattr(embedded, "installed_pieces", lambda: paths)
    return paths


def test_a_second_start_reads_nothing(tmp_path: Path, pieces: list[Path]) -> None:
    first = ensure_weights(tmp_path / "cache")
    assert (first.name, first.read_bytes()) == ("tiny.gguf", COMPLETE)
    before = first.stat()
    for piece in pieces:
        piece.unlink()
    assert ensure_weights(tmp_path / "cache") == first
    assert first.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize("damage", ["shorter", "changed", "unmarked"])
@pytest.mark.usefixtures("pieces")
def test_a_damaged_file_is_joined_again(tmp_path: Path, damage: str) -> None:
    path = ensure_weights(tmp_path / "cache")
    if damage == "shorter":
        path.write_bytes(COMPLETE[:-1])
    elif damage == "changed":
        path.write_bytes(b"X" * len(COMPLETE))
        os.utime(path, ns=(1, 1))
    else:
        path.with_suffix(".verified.json").write_text("{}")
    ensure_weights(tmp_path / "cache")
    assert path.read_bytes() == COMPLETE


@pytest.mark.parametrize("swapped", [False, True])
def test_wrong_or_swapped_pieces_are_refused_and_leave_nothing(
    tmp_path: Path, pieces: list[Path], swapped: bool
) -> None:
    if swapped:
        pieces.reverse()
    else:
        pieces[1].write_bytes(b"muddle" * 1000)
    with pytest.raises(CorruptWeights, match="reinstall"):
        ensure_weights(tmp_path / "cache")
    assert not list((tmp_path / "cache").glob("*.gguf"))
    assert not list((tmp_path / "cache").glob("*.partial"))


def test_missing_pieces_are_named_with_the_remedy(tmp_path: Path, pieces: list[Path]) -> None:
    pieces.clear()
    with pytest.raises(NoModel, match=r"rabbithole\[embedded\]"):
        ensure_weights(tmp_path / "cache")


@pytest.mark.usefixtures("pieces")
def test_a_full_disk_is_said_before_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "SIZE", 1 << 60)
    with pytest.raises(NoModel, match="XDG_CACHE_HOME"):
        ensure_weights(tmp_path / "cache")


@pytest.mark.usefixtures("pieces")
def test_two_processes_at_once_join_one_file(tmp_path: Path) -> None:
    paths: list[Path] = []

    def join() -> None:
        paths.append(ensure_weights(tmp_path / "cache"))

    threads = [threading.Thread(target=join) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(paths)) == 1
    assert paths[0].read_bytes() == COMPLETE
