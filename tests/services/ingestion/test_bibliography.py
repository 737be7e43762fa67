"""What a reference manager exports with the files says who wrote them, and when."""

import json
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from services.domain import DocumentMetadata, IngestReport, MetadataChanges
from services.domain.errors import UnreadableDocument
from services.ingestion.bibliography import Entry, filed, read_bibliography
from services.ingestion.parse import FileParser
from services.settings import Settings
from tests.support.catalogs import new_catalog
from tests.support.ingestion import Bench

NOTE = "Nachts gilt am Institut ein Grenzwert von 40 Dezibel."
BIBTEX = r"""
@article{mueller_noise_2020,
  title = {Noise at {Night}}, author = {M{\"u}ller, Eva and {Bundesamt f{\"u}r L{\"a}rm}},
  year = {2020}, month = mar, keywords = {noise, sleep},
  file = {Full Text:files/12/Full Text.txt:text/plain;Snapshot:files/13/page.html:text/html},
}
@book{jabref, author = {de la Cruz, Juan}, date = {2019-05-03},
  file = {:C\:\\Users\\me\\Zotero\\a\;b.txt:TXT}, month = nomonth}
"""
RIS = """TY  - JOUR
AU  - Müller, Eva
AU  - Bundesamt für Lärm
DA  - 2020/03//
KW  - noise
KW  - sleep
L1  - files/12/Full Text.txt
L1  - files/13/page.html
ER  - 
"""
CSL = [
    {
        "id": "mueller2020",
        "type": "article-journal",
        "author": [{"family": "Müller", "given": "Eva"}, {"literal": "Bundesamt für Lärm"}],
        "issued": {"date-parts": [[2020, 3]]},
        "keyword": "noise, sleep",
    }
]
SAID = DocumentMetadata(
    tags=("noise", "sleep"), author="Eva Müller, Bundesamt für Lärm", date=date(2020, 3, 1)
)


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with new_catalog(tmp_path / "catalog.sqlite") as catalog:
        yield Bench(catalog, tmp_path / "home", parser=FileParser(Settings()))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "export"


def put(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def metadata(bench: Bench, report: IngestReport, document: str) -> DocumentMetadata:
    (found,) = [each for each in report.files if each.document == document]
    assert found.document_id is not None, found.error
    info = bench.catalog.documents.info(found.document_id)
    return DocumentMetadata(**info.model_dump(include=set(DocumentMetadata.model_fields)))


@pytest.mark.parametrize(
    ("name", "content", "file"),
    [
        ("library.bib", BIBTEX, "files/12/Full Text.txt"),
        ("library.ris", RIS, "files/12/Full Text.txt"),
        ("library.json", json.dumps(CSL), "mueller2020.txt"),
    ],
)
def test_an_exported_folder_brings_what_is_said_of_its_files(
    bench: Bench, folder: Path, name: str, content: str, file: str
) -> None:
    put(folder, name, content)
    text = put(folder, file, NOTE)
    put(folder, "other.txt", "Of this nobody says anything.")
    report = bench.ingest(folder)
    assert {each.document for each in report.files} == {text.name, "other.txt"}
    assert not report.warnings and not report.other_formats
    assert metadata(bench, report, text.name) == SAID
    assert metadata(bench, report, "other.txt") == DocumentMetadata()


def test_it_is_taken_for_files_that_are_there_already_but_not_over_what_people_set(
    bench: Bench, folder: Path
) -> None:
    text = put(folder, "files/12/Full Text.txt", NOTE)
    (before,) = bench.ingest(folder).files
    assert before.document_id is not None
    mine = MetadataChanges(author="Eva")
    bench.catalog.metadata.edit(bench.collection(), before.document_id, mine)
    put(folder, "library.bib", BIBTEX)
    report = bench.ingest(folder)
    assert [each.status for each in report.files] == ["unchanged"]
    assert metadata(bench, report, text.name) == SAID.model_copy(update={"author": "Eva"})


def test_what_cannot_be_read_is_told_and_the_files_go_in(bench: Bench, folder: Path) -> None:
    text = put(folder, "a.txt", NOTE)
    put(folder, "broken.bib", "@article{key, title = {no end")
    put(folder, "idle.bib", "@article{nothing, title = {Of no file}}")
    (folder / "data.json").write_bytes(bytes(range(256)))
    report = bench.ingest(folder)
    assert {each.document: each.status for each in report.files} == {
        text.name: "added",
        "broken.bib": "failed",
    }
    assert [str(each) for each in report.warnings] == [
        "idle.bib names none of the files that were ingested; export it with its files, and "
        "ingest the folder that holds both"
    ]
    assert report.other_formats == {".json": 1}


def test_one_named_by_itself_belongs_to_the_files_that_are_named_with_it(
    bench: Bench, folder: Path
) -> None:
    bibliography = put(folder, "library.bib", BIBTEX)
    text = put(folder, "a;b.txt", NOTE)
    report = bench.ingest(text, bibliography)
    said = DocumentMetadata(author="Juan de la Cruz", date=date(2019, 5, 3))
    assert [each.document for each in report.files] == ["a;b.txt"]
    assert metadata(bench, report, "a;b.txt") == said
    (other,) = bench.ingest(put(folder, "data.json", '{"rows": [1, 2]}')).files
    assert other.status == "failed" and ".json" in str(other.error)
    alone = bench.ingest(bibliography)
    assert not alone.files and len(alone.warnings) == 1


def test_a_name_that_fits_several_entries_is_left_alone_and_a_path_decides(tmp_path: Path) -> None:
    first = Entry(("files/1/Full Text.pdf",), DocumentMetadata(author="A"))
    second = Entry(("files/2/Full Text.pdf",), DocumentMetadata(author="B"))
    exact, moved = tmp_path / "files/2/Full Text.pdf", tmp_path / "Full Text.pdf"
    outside = tmp_path.parent / "paper.pdf"
    third = Entry(("paper.pdf", str(outside)), DocumentMetadata(author="C"))
    said = filed(tmp_path / "library.bib", [first, second, third], [exact, moved, outside])
    assert said == {exact: second}


def test_a_year_that_is_not_understood_is_not_stated(tmp_path: Path) -> None:
    file = tmp_path / "library.ris"
    entry = "TY  - BOOK\nL1  - a.pdf\n{}\nER  - \n"
    file.write_text(entry.format("DA  - 12.2023") + entry.format("DA  - 2023/12//"), "utf-8")
    days = [entry.stated.date for entry in read_bibliography(file)]
    assert days == [None, date(2023, 12, 1)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("deep.json", "[" * 100_000),
        ("wrong.json", '[{"id": 1, "type": "book", "author": 3, "issued": {"date-parts": [[]]}}]'),
        ("wrong.ris", "TY  - JOUR\nTY  - JOUR\nPY  - 9999999999\nER  - \n"),
        ("wrong.bib", "@article{a, author = {,,,,,}, year = {-1}}" * 3),
    ],
)
def test_whatever_stands_in_it_is_read_or_refused(tmp_path: Path, name: str, text: str) -> None:
    path = put(tmp_path, name, text)
    try:
        assert all(each.stated.author is None for each in read_bibliography(path))
    except UnreadableDocument as refused:
        assert "export it again" in str(refused)
