"""What a reference manager exports beside the files: BibTeX, RIS, or CSL as JSON.

Its entries are no documents. They say of the files that they name who wrote them, when, and under
which keywords. An entry names a file by its path, or by a path of another machine that ends in the
file's name, or because the file is called as its key is (``mueller2020.pdf``).
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path, PureWindowsPath
from typing import Any, Final

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from services.domain import DocumentMetadata
from services.domain.errors import UnreadableDocument
from services.domain.notices import Notice
from services.ingestion.extraction import require_length
from services.ingestion.file_metadata import file_metadata
from services.ingestion.files import Candidate, problem_of, reachable, unhidden
from services.ingestion.plain_parser import decode

BIBLIOGRAPHIES: Final = frozenset({".bib", ".ris", ".json"})
"""Endings of the names of files with entries; a JSON file may be anything else."""


@dataclass(frozen=True)
class Entry:
    """What is said of the files of ``names``: paths, and the key by which texts cite it."""

    names: tuple[str, ...]
    stated: DocumentMetadata


@dataclass
class Beside:
    """What bibliographies say of files that were found with them.

    ``others`` are the files without bibliographies; of these those that cannot be read are among
    them, with the reason. ``told`` are bibliographies of which people hear nothing more as files,
    ``idle`` those that say nothing of any file.
    """

    others: list[Candidate] = field(default_factory=list)
    stated: dict[Path, DocumentMetadata] = field(default_factory=dict)
    told: set[Path] = field(default_factory=set)
    idle: list[Path] = field(default_factory=list)


def read_beside(
    paths: Sequence[Path], found: Sequence[Candidate], read: Callable[[Path], list[Entry]]
) -> Beside:
    """Read the bibliographies among ``paths`` and in folders, about the files that are found."""
    named = {path for path in paths if reachable(path) and path.is_file()}
    lying = {each for path in paths for each in unhidden(path)}
    exported = {path for path in named | lying if path.suffix.lower() in BIBLIOGRAPHIES}
    beside = Beside([each for each in found if each.path not in exported])
    files = [each.path for each in beside.others if each.problem is None]
    for path in sorted(exported):
        entries, problem = list[Entry](), problem_of(path)
        try:
            entries = [] if problem else read(path)
        except UnreadableDocument as error:
            problem = error.notice
        if path.suffix.lower() == ".json" and not entries:  # it is something else
            beside.others += [each for each in found if each.path == path]
            continue
        beside.told.add(path)
        said = filed(path, entries, files)
        beside.stated |= {file: entry.stated for file, entry in said.items()}
        if problem:
            beside.others.append(Candidate(path, problem))
        elif not said:
            beside.idle.append(path)
    return beside


def filed(bibliography: Path, entries: Iterable[Entry], files: Iterable[Path]) -> dict[Path, Entry]:
    """What a bibliography says of files in its folder; nothing of one that several entries fit."""
    folder = bibliography.parent.resolve()
    by_path, by_name = defaultdict[Path, list[Entry]](list), defaultdict[str, list[Entry]](list)
    for entry in entries:
        for path in {folder / name for name in entry.names}:
            by_path[path].append(entry)
        for last in {PureWindowsPath(name).name for name in entry.names}:
            by_name[last].append(entry)
    found = {}
    for file in files:
        place = file.resolve()
        fits = by_path.get(place) or by_name.get(place.name) or by_name.get(place.stem) or []
        if len(fits) == 1 and place.is_relative_to(folder):
            found[file] = fits[0]
    return found


def idle(bibliography: Path) -> Notice:
    """What is said of a bibliography that says nothing of the files."""
    return Notice.of(
        "{document} names none of the files that were ingested; export it with its files, and "
        "ingest the folder that holds both",
        document=bibliography.name,
    )


def read_bibliography(path: Path) -> list[Entry]:
    """The entries of a file, in its order; none of a JSON file that is no bibliography.

    Raises:
        UnreadableDocument: it is not what its name says.
    """
    text = decode(path.read_bytes())
    require_length(text)
    try:
        return list(_READERS[path.suffix.lower()](text))
    except ValueError as error:
        raise UnreadableDocument(
            "it is no bibliography that can be read ({cause}); export it again",
            cause=str(error)[:200],
        ) from error


def _bibtex(text: str) -> Iterator[Entry]:
    from pybtex import errors
    from pybtex.database import parse_string
    from pybtex.database.input.bibtex import UndefinedMacro
    from pybtex.richtext import Text
    from pybtex.scanner import PybtexSyntaxError

    with errors.capture() as found:  # of which an unknown month loses no more than the month
        entries = parse_string(text, "bibtex").entries
    for error in found:
        if isinstance(error, PybtexSyntaxError) and not isinstance(error, UndefinedMacro):
            raise ValueError(error)
    for key, entry in entries.items():
        says = {name.casefold(): value for name, value in entry.fields.items()}
        day = says.get("date") or " ".join(says.get(part, "") for part in ("year", "month", "day"))
        people = [str(Text.from_latex(_natural(each))) for each in entry.persons.get("author", ())]
        keywords = str(Text.from_latex(says.get("keywords", "")))
        yield _entry(key, _paths(says.get("file", "")), people, keywords, day)


def _ris(text: str) -> Iterator[Entry]:
    import rispy
    from pybtex.database import Person

    class Attachments(rispy.RisParser):
        """With all files of a record."""

        DEFAULT_LIST_TAGS = (*rispy.RisParser.DEFAULT_LIST_TAGS, "L1", "L2")

    for says in rispy.loads(text, implementation=Attachments):
        files = [name for tag in "12" for name in says.get(f"file_attachments{tag}", ())]
        authors = says.get("authors") or says.get("first_authors") or ()
        people = [_natural(Person(each)) for each in authors]
        day = says.get("date") or says.get("year") or says.get("publication_year") or ""
        yield _entry(says.get("id", ""), files, people, says.get("keywords"), day)


class _Name(BaseModel):
    given: str = ""
    family: str = ""
    literal: str = ""


class _Issued(BaseModel):
    parts: list[list[int | str]] = Field([], alias="date-parts")
    raw: str = ""


class _Item(BaseModel):
    """What is read of an item, as the schema of the Citation Style Language says."""

    id: str | int
    type: str
    author: list[_Name] = []
    issued: _Issued = _Issued()
    keyword: str = ""


def _csl(text: str) -> Iterator[Entry]:
    """Such a file names no files; any other JSON has no entries."""
    try:
        items = TypeAdapter(list[_Item]).validate_json(text)
    except ValidationError:
        return
    for says in items:
        people = [f"{each.given} {each.family} {each.literal}" for each in says.author]
        day = says.issued.raw or "-".join(map(str, next(iter(says.issued.parts), [])))
        yield _entry(str(says.id), [], people, says.keyword, day)


_READERS: Final[Mapping[str, Callable[[str], Iterator[Entry]]]] = {
    ".bib": _bibtex,
    ".ris": _ris,
    ".json": _csl,
}


def _entry(key: str, paths: Sequence[str], people: list[str], tags: object, day: str) -> Entry:
    stated = file_metadata(tags=tags, author=people, day=_first_day(day))
    return Entry((*paths, *filter(None, [key])), stated)


def _natural(person: Any) -> str:
    """A name in the order in which it is spoken."""
    names = person.first_names + person.middle_names + person.prelast_names
    return " ".join(names + person.last_names + person.lineage_names)


def _paths(field: str) -> list[str]:
    r"""All that a field of BibTeX may mean by ``title:a\:b.pdf:type;…`` or a path alone."""
    parts = (part for each in re.split(r"(?<!\\);", field) for part in re.split(r"(?<!\\):", each))
    return [plain for part in parts if (plain := re.sub(r"\\(.)", r"\1", part).strip())]


def _first_day(text: str) -> date | None:
    """The day of a date, which in RIS may end in slashes; what is left out of it is the first.

    Where the year is left out, or was not understood (``12.2023``), there is none.
    """
    from dateutil.parser import parse

    stated = text.strip("/ ")
    try:
        day = parse(stated, default=datetime(1, 1, 1)).date() if stated else None
    except (ValueError, OverflowError):
        return None
    return None if day is None or day.year == 1 else day
