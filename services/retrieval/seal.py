"""Checksums of files that a library writes in place, to detect damage before it loads them."""

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

SEAL_NAME = "seal.json"


class Seal:
    """Checksums of a folder's files, in a file beside them, to detect changes by others.

    The folder need not exist yet; without the file ``last`` there is nothing to seal.
    """

    def __init__(self, folder: Path, last: str) -> None:
        self._folder = folder
        self._last = folder / last
        self._file, self._lifted = folder / SEAL_NAME, folder / f"{SEAL_NAME}.lifted"

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Allow changes in the block, then seal again; after a failure or kill no seal is left."""
        before = self._stamps()
        if self._file.exists():
            self._file.replace(self._lifted)
        else:
            self._lifted.unlink(missing_ok=True)  # of a killed change
        done = False
        try:
            yield
            done = True
        finally:
            if self._stamps() == before:
                with suppress(FileNotFoundError):
                    self._lifted.replace(self._file)
            elif done and self._last.exists():
                self._renew()

    def _renew(self) -> None:
        """Seal the files as they are now; without disk space they stay unsealed."""
        draft = self._folder / f"{SEAL_NAME}.partial"
        checksums = {name: self._checksum(name) for name in self._stamps()}
        with suppress(OSError):
            draft.write_text(json.dumps(checksums), encoding="utf-8")
            draft.replace(self._file)

    def broken(self) -> str | None:
        """Return the first file that is missing or changed; None if none is, or without a seal."""
        if not self._file.exists():
            return None
        try:
            for name, checksum in json.loads(self._file.read_bytes()).items():
                if self._checksum(name) != checksum:
                    return str(name)
        except (OSError, ValueError, AttributeError) as error:
            return str(error)
        return None

    def _checksum(self, name: str) -> int:
        return zlib.crc32((self._folder / name).read_bytes())

    def _stamps(self) -> dict[str, tuple[int, int]]:
        files = [file for file in self._folder.glob("*") if not file.name.startswith(SEAL_NAME)]
        return {file.name: (file.stat().st_mtime_ns, file.stat().st_size) for file in files}
