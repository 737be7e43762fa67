from functools import partial
from pathlib import Path

import pytest

from services.build import Services
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.library.library import Library
from services.retrieval.named import named_sections
from services.settings import Settings
from tests.support.library_parts import Fakes, search, text_of

ANNA, BEN = Principal(user="anna"), Principal(user="ben")
LAW = """# Strahlenschutzgesetz (StrlSchG)

## § 1 Zweck

Dieses Gesetz schützt den Menschen.

## § 78 Grenzwerte

Der Grenzwert der effektiven Dosis beträgt 20 Millisievert im Kalenderjahr.
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "StrlSchG.md"
    path.write_text(LAW)
    return path


def test_from_a_file_to_a_hit(library: Library, file: Path) -> None:
    events: list[object] = []
    report = library.ingest(ANNA, [file], "law", on_event=events.append)
    assert [outcome.status for outcome in report.files] == ["added"]
    assert events
    (document,) = library.documents(ANNA, "law")
    assert (document.document, document.language) == ("StrlSchG.md", "de")
    hits = search(library, ANNA, "Grenzwert der effektiven Dosis", collections=["law"])
    assert hits[0].section == "§ 78"
    text = text_of(library, ANNA, document.document_id)
    assert text[hits[0].start : hits[0].end] == hits[0].text


def test_a_named_section_comes_first_where_there_is_one(
    parts: Fakes, library: Library, file: Path
) -> None:
    library.ingest(ANNA, [file], "law")
    for query in ("§ 78", "§ 78 StrlSchG", "Was steht in § 78 des StrlSchG?"):
        hit = search(library, ANNA, query, k=1)[0]
        assert hit.section == "§ 78" and "label" in hit.explain
    named = partial(named_sections, catalog=parts.catalog)
    assert named("§ 78 AtG", library.scope(ANNA, None)) == []
    assert named("§ 79", library.scope(ANNA, None)) == []
    assert named("Grenzwert", library.scope(ANNA, None)) == []
    assert named("§ 78", library.scope(BEN, None)) == []


def test_nobody_else_sees_a_private_collection(library: Library, file: Path) -> None:
    library.ingest(ANNA, [file], "law")
    document_id = library.documents(ANNA)[0].document_id
    assert library.collections(BEN) == []
    assert library.documents(BEN) == []
    assert search(library, BEN, "Grenzwert") == []
    for call in (
        lambda: library.documents(BEN, "law"),
        lambda: search(library, BEN, "Grenzwert", collections=["law"]),
        lambda: text_of(library, BEN, document_id),
        lambda: library.scope(BEN, ["law"]),
    ):
        with pytest.raises(NotFound):
            call()


def test_bad_requests_are_refused(library: Library, file: Path) -> None:
    library.ingest(ANNA, [file], "law")
    for call in (
        *(lambda k=k: search(library, ANNA, "Dosis", k=k) for k in (0, -1, 101)),  # type: ignore[misc]
        *(lambda q=q: search(library, ANNA, q) for q in ("", "  \n", "x" * 4001)),  # type: ignore[misc]
        lambda: library.ingest(ANNA, [], "law"),
        lambda: library.ingest(ANNA, [file], " "),
    ):
        with pytest.raises(InvalidInput):
            call()


def test_a_file_is_opened_by_a_name_as_long_as_an_id(
    library: Library, file: Path, tmp_path: Path
) -> None:
    named = file.rename(tmp_path / f"{'Verordnung ' * 5:v<61}.md")
    assert len(named.name) == 64
    library.ingest(ANNA, [named], "law")
    assert library.open_document(ANNA, named.name).info.document == named.name


def test_what_needs_only_the_catalog_opens_nothing_else(tmp_path: Path) -> None:
    services = Services(Settings(home=tmp_path, embedding="/no/such/model"))
    services.catalog.collections.create(ANNA, "law")
    assert [info.name for info in services.library.collections(ANNA)] == ["law"]
    assert services.library.documents(ANNA) == []
    assert sorted(path.name for path in tmp_path.iterdir() if path.is_dir()) == []
    services.close()
