"""Documents, sections and kinds of section that a question names narrow the scan."""

import pytest

from services.catalog import Alias, Catalog
from services.domain import ParsedDocument, Scope, SearchFilter
from services.ingestion.registry import aliases_of
from services.retrieval.named import named_documents
from services.retrieval.scan.asked import scan_asked
from services.retrieval.scan.scanner import Scanner
from services.retrieval.scan.values import ScanRequest
from tests.services.retrieval.scan.conftest import ANNA
from tests.support.documents import law, store

FREIGRENZE = ScanRequest(term="Freigrenze")


def add(catalog: Catalog, parsed: ParsedDocument, name: str) -> str:
    place = catalog.collections.ensure(ANNA, "laws").collection_id
    document_id = store(catalog, place, parsed, name=name)
    aliases: list[Alias] = aliases_of(parsed, document=name, document_id=document_id)
    catalog.documents.attach(place, document_id, document=name, source=None, aliases=aliases)
    return document_id


@pytest.fixture
def scope(catalog: Catalog) -> Scope:
    act = law(
        "Die Freigrenze gilt.",
        "Nach dem Atomgesetz.",
        "Freigrenze und Freigrenzen.",
        title="Gesetz zum Schutz vor ionisierender Strahlung (StrlSchG)",
    )
    rules = law("Eine Freigrenze.", title="Verordnung zum Schutz vor Strahlung (StrlSchV)")
    add(catalog, act, "StrlSchG.pdf")
    add(catalog, rules, "StrlSchV.pdf")
    add(catalog, law("Freigrenze im report", title="Bericht"), "report.txt")
    return catalog.collections.scope(ANNA, None)


@pytest.mark.parametrize(
    ("question", "named", "sections", "searched"),
    [
        (
            "In wie vielen Paragraphen des Strahlenschutzgesetzes kommt das Wort Freigrenze vor?",
            ("StrlSchG.pdf",),
            2,
            3,
        ),
        ("How many sections of StrlSchV.pdf mention Freigrenze?", ("StrlSchV.pdf",), 1, 1),
        (
            "Wie oft nennen StrlSchG und StrlSchV die Freigrenze?",
            ("StrlSchG.pdf", "StrlSchV.pdf"),
            3,
            4,
        ),
        ("Wie oft steht Freigrenze in § 3 StrlSchG?", ("StrlSchG.pdf",), 1, 1),
        ("Is Freigrenze in the report?", (), 4, 5),
        ("Is Freigrenze in report.txt?", ("report.txt",), 1, 1),
        ("Welche Anlagen nennen die Freigrenze?", (), 4, 5),  # no such section: all are counted
    ],
)
def test_the_question_narrows(
    scanner: Scanner,
    catalog: Catalog,
    scope: Scope,
    question: str,
    named: tuple[str, ...],
    sections: int,
    searched: int,
) -> None:
    result = scan_asked(scanner, catalog, question, FREIGRENZE, scope=scope)
    assert sorted(result.named) == sorted(named)
    assert (result.sections.any, result.sections_searched) == (sections, searched)
    assert result.missing == ()


def test_kinds_of_section(scanner: Scanner, catalog: Catalog, scope: Scope) -> None:
    def labels(question: str) -> str:
        return scan_asked(scanner, catalog, question, FREIGRENZE, scope=scope).labels

    assert labels("Wie viele Paragraphen nennen Freigrenze?") == "§"
    assert labels("Welche §§ nennen Freigrenze?") == "§"
    assert labels("Welche Abschnitte nennen Freigrenze?") == ""


@pytest.mark.parametrize(
    ("term", "question", "named", "missing", "exact"),
    [
        ("Freigrenze", "Wie oft steht Freigrenze im Atomgesetz?", (), ("Atomgesetz",), 4),
        # the term is no name of a document, and hides none that it is a part of
        ("Atomgesetz", "Wie oft nennt das StrlSchG das Atomgesetz?", ("StrlSchG.pdf",), (), 1),
        ("Gesetz", "Wie oft steht Gesetz im Strahlenschutzgesetz?", ("StrlSchG.pdf",), (), 0),
    ],
)
def test_names_that_are_there_and_not(
    scanner: Scanner,
    catalog: Catalog,
    scope: Scope,
    term: str,
    question: str,
    named: tuple[str, ...],
    missing: tuple[str, ...],
    exact: int,
) -> None:
    result = scan_asked(scanner, catalog, question, ScanRequest(term=term), scope=scope)
    assert (result.named, result.missing) == (named, missing)
    assert result.documents_searched == (1 if named else 3)
    assert result.occurrences.exact == exact


def test_what_the_person_chose_counts_before_the_question(
    scanner: Scanner, catalog: Catalog, scope: Scope
) -> None:
    result = scan_asked(
        scanner,
        catalog,
        "Wie oft steht Freigrenze im StrlSchG?",
        ScanRequest(term="Freigrenze", only=SearchFilter(documents=("StrlSchV.pdf",))),
        scope=scope,
    )
    assert (result.documents_searched, result.occurrences.exact) == (1, 1)


def test_documents_outside_the_scope_have_no_name(catalog: Catalog, scope: Scope) -> None:
    empty = Scope(user="anna", collections=())
    assert named_documents("im StrlSchG", scope=empty, catalog=catalog).documents == ()
    assert len(named_documents("im StrlSchG", scope=scope, catalog=catalog).documents) == 1
