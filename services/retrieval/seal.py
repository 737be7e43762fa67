"""A seal on the files of a folder, which tells whether they are as they were written."""

import json
import zlib
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
        self._seen = self._stamps()

    def renew(self) -> None:
        """Seal the files as they are now; without effect while none changes."""
        stamps = self._stamps()
        if stamps == self._seen or not self._last.exists():
            return
        draft = self._folder / f"{NAME}.partial"
        sums = {name: zlib.crc32((self._folder / name).read_bytes()) for name in stamps}
        draft.write_text(json.dumps(sums), encoding="utf-8")
        draft.replace(self._folder / NAME)
        self._seen = stamps

    def broken(self) -> str | None:
        """The first file that is gone or has changed; None where all is well, or nothing sealed."""
        seal = self._folder / NAME
        if not seal.exists():
            return None
        try:
            for name, kept in json.loads(seal.read_bytes()).items():
                if zlib.crc32((self._folder / name).read_bytes()) != kept:
                    return str(name)
        except (OSError, ValueError, AttributeError) as error:
            return str(error)
        return None

    def _stamps(self) -> dict[str, tuple[int, int]]:
        files = [each for each in self._folder.glob("*") if not each.name.startswith(NAME)]
        return {file.name: (file.stat().st_mtime_ns, file.stat().st_size) for file in files}
