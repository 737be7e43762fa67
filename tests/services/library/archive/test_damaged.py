"""Archives that were damaged or tampered with change nothing."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from services.domain.errors import InvalidInput
from services.library.library import Library
from tests.support.archives import ADMIN, ANNA, manifest_with, rewritten
from tests.support.library_parts import Fakes


def flipped(kind: str) -> Callable[[str, bytes], bytes | None]:
    return lambda name, data: data[:-1] + bytes([data[-1] ^ 1]) if name.startswith(kind) else data


DAMAGES: list[tuple[str, Callable[[Path], Path], str]] = [
    *((f"flipped {kind}", lambda a, kind=kind: rewritten(a, flipped(kind)), "has changed")  # type: ignore[misc]
      for kind in ("originals", "texts", "cuts", "vectors", "documents")),
    ("missing", lambda a: rewritten(a, lambda n, d: None if n.startswith("texts") else d), "list"),
    ("path", lambda a: rewritten(a, lambda n, d: d, **{"../../evil": b"x"}), "list"),
    ("newer", lambda a: rewritten(a, manifest_with(format=2)), "format 2"),
    ("no manifest", lambda a: rewritten(a, lambda n, d: None if n == "manifest.json" else d), "no"),
    ("not JSON", lambda a: rewritten(a, lambda n, d: b"{" if n == "manifest.json" else d), "read"),
]  # fmt: skip


@pytest.mark.parametrize(("damage", "fault"), [d[1:] for d in DAMAGES], ids=[d[0] for d in DAMAGES])
def test_a_damaged_archive_changes_nothing(
    parts: Fakes, library: Library, archive: Path, damage: Callable[[Path], Path], fault: str
) -> None:
    before = list(library.collections(ANNA))
    with pytest.raises(InvalidInput, match=fault):
        library.restore_collection(ADMIN, damage(archive), "copy")
    assert library.collections(ADMIN) == before


@pytest.mark.parametrize("length", [0, 100, -100])
def test_a_cut_off_archive_changes_nothing(library: Library, archive: Path, length: int) -> None:
    archive.write_bytes(archive.read_bytes()[:length])
    with pytest.raises(InvalidInput):
        library.restore_collection(ANNA, archive, "copy")
    assert len(library.collections(ANNA)) == 1


def test_an_archive_with_a_path_in_its_list_is_refused(library: Library, archive: Path) -> None:
    with zipfile.ZipFile(archive) as file:
        members = json.loads(file.read("manifest.json"))["members"]
    seal = {"size": 1, "sha256": hashlib.sha256(b"x").hexdigest()}
    changed = rewritten(
        archive, manifest_with(members={**members, "../evil": seal}), **{"../evil": b"x"}
    )
    with pytest.raises(InvalidInput, match=r"evil.*no archive has"):
        library.restore_collection(ADMIN, changed, "copy")


def test_an_archive_that_unpacks_beyond_the_disk_is_refused(
    library: Library, archive: Path
) -> None:
    with zipfile.ZipFile(archive) as file:
        members = json.loads(file.read("manifest.json"))["members"]
    huge = {name: {**seal, "size": 10**18} for name, seal in members.items()}
    with pytest.raises(InvalidInput, match="Free some space"):
        library.restore_collection(ADMIN, rewritten(archive, manifest_with(members=huge)), "copy")
