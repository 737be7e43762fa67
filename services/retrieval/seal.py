"""A seal on the files of a folder, which tells whether they are as they were written."""

import json
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

NAME: Final = "seal.json"


class Seal:
    """Checksums of the files of a folder, in one more file there.

    Args:
        folder: may not be there yet.
        last: the file that is written when the others are; without it there is nothing to seal.
    """

    def __init__(self, folder: Path, last: str) -> None:
        self._folder = folder
        self._last = folder / last
        self._file, self._lifted = folder / NAME, folder / f"{NAME}.lifted"

    @contextmanager
    def lifted(self) -> Iterator[None]:
        """Let the files change within the block, and seal them again at its end.

        Where it ends with an error, or is killed, changed files stay without a seal.
        """
        before = self._stamps()
        with suppress(FileNotFoundError):
            self._file.replace(self._lifted)
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
        """Seal the files as they are now; where there is no room they stay without a seal."""
        draft = self._folder / f"{NAME}.partial"
        sums = {name: self._sum(name) for name in self._stamps()}
        with suppress(OSError):
            draft.write_text(json.dumps(sums), encoding="utf-8")
            draft.replace(self._file)

    def broken(self) -> str | None:
        """The first file that is gone or has changed; None where all is well, or nothing sealed."""
        if not self._file.exists():
            return None
        try:
            for name, kept in json.loads(self._file.read_bytes()).items():
                if self._sum(name) != kept:
                    return str(name)
        except (OSError, ValueError, AttributeError) as error:
            return str(error)
        return None

    def _sum(self, name: str) -> int:
        return zlib.crc32((self._folder / name).read_bytes())

    def _stamps(self) -> dict[str, tuple[int, int]]:
        files = [each for each in self._folder.glob("*") if not each.name.startswith(NAME)]
        return {file.name: (file.stat().st_mtime_ns, file.stat().st_size) for file in files}
