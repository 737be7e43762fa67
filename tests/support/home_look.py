"""All that a home holds, to be compared with another."""

import hashlib
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from services.domain import Principal
from services.library.archive.checked import opened
from services.library.backup import Backup
from tests.support.deadly_works import Place

RECORDS: Final = {
    "commands",
    "jobs",
    "events",
    "leases",
    "parameters",
    "alembic_version",
    "sqlite_sequence",
}
"""Tables that tell of works, not of what they made."""
CHANGING: Final = ("_at", "content_version")
STALE: Final = {"collection_id", "stale_vectors", "stale_keywords"}
"""Of what the doctor says: stale entries do no harm, and come with a kill."""
WORDS: Final = ("Lärm", "Grenzwert", "Staub", "Licht")


def look(place: Place) -> dict[str, Any]:
    """All that a home holds, but for times and the records of works; needs no owner."""
    home = place.home
    found: dict[str, Any] = {"files": _files(home), "beside": _archive(place)}
    if not (home / "catalog.sqlite3").exists():
        return found
    with closing(sqlite3.connect(home / "catalog.sqlite3")) as catalog:
        names = dict(catalog.execute("SELECT collection_id, name FROM collections"))
        parts = catalog.execute("SELECT 'part_id', part_id, text_id FROM graph_parts")
        made_up = {**names, **{(column, part): text for column, part, text in parts}}
        found |= {name: _rows(catalog, name, made_up) for name in _tables(catalog)}
    services = place.services()
    try:
        for collection, name in names.items():
            ids = sorted(services.vectors.ids(collection))
            vectors = services.vectors.vectors(collection, ids)
            found[f"vectors {name}"] = [[each, _hash(vectors[each].tobytes())] for each in ids]
            found[f"keywords {name}"] = sorted(services.lexical.ids(collection))
            for words in WORDS:
                hits = services.lexical.search(collection, words, 50)
                found[f"{words} {name}"] = sorted(each for each, _ in hits)
            health = services.library.health(Principal(role="admin"), collection)
            found[f"health {name}"] = [each.model_dump_json(exclude=STALE) for each in health]
        found["folders"] = _folders(home, names)
    finally:
        services.close()
    return json.loads(json.dumps(found))  # as the parent reads it


def _tables(catalog: sqlite3.Connection) -> list[str]:
    query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
    return [name for (name,) in catalog.execute(query) if name not in RECORDS]


def _rows(catalog: sqlite3.Connection, table: str, names: dict[Any, str]) -> list[str]:
    """Rows without times and counters; numbers and ids that are made up stand as their names."""
    cursor = catalog.execute(f'SELECT * FROM "{table}"')
    columns = [column[0] for column in cursor.description]
    return sorted(
        repr([_named(name, value, names) for name, value in zip(columns, row, strict=True)])
        for row in cursor
    )


def _named(column: str, value: Any, names: dict[Any, str]) -> Any:
    if column == "at" or column.endswith(CHANGING):
        return None
    if column == "found":  # what a model read, and how long that took
        return {**json.loads(value), "seconds": None}
    known = (column, value) if column == "part_id" else value
    return _hash(value) if isinstance(value, bytes) else names.get(known, value)


def _files(home: Path) -> list[list[str]]:
    """Files of a home by name and hash; stores by name alone, logs and locks not at all."""
    passed = ("owner.", "catalog.sqlite3-", "checkpoints.sqlite3")
    found = []
    for file in sorted(each for each in home.rglob("*") if each.is_file()):
        name = str(file.relative_to(home))
        if not name.startswith((*passed, "vectors/", "keywords/")):
            found.append([name, "" if "sqlite3" in name else _hash(file.read_bytes())])
    return found


def _folders(home: Path, names: dict[str, str]) -> list[str]:
    """Folders of the indexes; those of vectors bear random names and are counted."""
    keywords = home / "keywords"
    named = (
        sorted(names.get(each.name, "?") for each in keywords.iterdir())
        if keywords.exists()
        else []
    )
    count = sum(each.is_dir() for each in (home / "vectors").iterdir())
    return [*named, str(count)]


def _archive(place: Place) -> list[str]:
    """The files beside the home; of a backup, that it is whole."""
    names = sorted(each.name for each in place.archive.parent.iterdir())
    if place.archive.exists() and "catalog.sqlite3" in _members(place.archive):
        with opened(place.archive, Backup, place.home) as archive:
            names.append(f"{archive.listing.documents} documents")
    return names


def _members(file: Path) -> list[str]:
    from zipfile import ZipFile

    with ZipFile(file) as archive:
        return archive.namelist()


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]
