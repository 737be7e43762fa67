"""Archives that were damaged or tampered with change nothing."""

import hashlib
import json
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from services.domain.errors import InvalidInput
from services.library.library import Library
from tests.support.archives import (
    ADMIN,
    ANNA,
    Change,
    cut_off,
    flipped,
    manifest_with,
    member,
    opened,
    rewritten,
    with_two_versions,
)


def listed(change: Callable[[dict[str, Any]], dict[str, Any]], **more: bytes) -> Change:
    """Another archive, with a list of members that says something else."""

    def changed(archive: Path) -> Path:
        with zipfile.ZipFile(archive) as file:
            members = json.loads(file.read("manifest.json"))["members"]
        return rewritten(archive, manifest_with(members=change(members)), **more)

    return changed


def documents_with(old: bytes, new: bytes) -> Change:
    """Another archive, whose list of documents says something else, and is sealed."""

    def changed(archive: Path) -> Path:
        with zipfile.ZipFile(archive) as file:
            members = json.loads(file.read("manifest.json"))["members"]
            data = re.sub(old, new, file.read("documents.jsonl"))
        seal = {"size": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        sealed = manifest_with(members=members | {"documents.jsonl": seal})
        return rewritten(archive, lambda n, d: data if n == "documents.jsonl" else sealed(n, d))

    return changed


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """One for all: nothing changes it, as each test finds."""
    work = tmp_path_factory.mktemp("damaged")
    with opened(work / "home") as parts:
        yield with_two_versions(parts, work / "folder")


EVIL = {"size": 1, "sha256": hashlib.sha256(b"x").hexdigest()}
DAMAGES: dict[str, tuple[Change, str]] = {
    **{
        f"flipped {kind}": (member(kind, flipped), "has changed")
        for kind in ("originals", "texts", "cuts", "vectors", "documents")
    },
    "missing": (member("texts", lambda data: None), "table of contents"),
    "path": (lambda a: rewritten(a, lambda n, d: d, **{"../../evil": b"x"}), "table of contents"),
    "listed path": (
        listed(lambda members: members | {"../evil": EVIL}, **{"../evil": b"x"}),
        r"evil.*does not belong in an archive",
    ),
    "larger than the disk": (
        listed(lambda members: {name: {**EVIL, "size": 10**18} for name in members}),
        "Free some space",
    ),
    "larger than declared": (
        listed(lambda members: {name: {**seal, "size": 1} for name, seal in members.items()}),
        "larger than declared",
    ),
    "overset": (
        documents_with(b'"people_set":{"tags":null', b'"people_set":{"tags":["%s"]' % (b"x" * 201)),
        r"andere\.txt.*up to 200",
    ),
    "id that is a path": (
        documents_with(b'"document_id":"[0-9a-f]{64}"', b'"document_id":"../catalog.sqlite3"'),
        "documents.* cannot be read",
    ),
    "newer": (lambda archive: rewritten(archive, manifest_with(format=2)), "format 2"),
    "no manifest": (member("manifest.json", lambda data: None), "no"),
    "not JSON": (member("manifest.json", lambda data: b"{"), "read"),
    **{f"cut off at {length}": (cut_off(length), "damaged") for length in (0, 100, -100)},
}


@pytest.mark.parametrize(("damage", "fault"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_archive_changes_nothing(
    library: Library, archive: Path, damage: Change, fault: str
) -> None:
    before = list(library.collections(ANNA))
    with pytest.raises(InvalidInput, match=fault):
        library.restore_collection(ADMIN, damage(archive), "copy")
    assert library.collections(ADMIN) == before
