"""Questions about the documents themselves, answered from the catalog."""

from datetime import date

import pytest

from services.catalog import Catalog
from services.domain import MetadataChanges, Principal, Scope
from services.retrieval.scan.facts import corpus_facts
from tests.services.retrieval.scan.conftest import ANNA
from tests.support.documents import law, store


@pytest.fixture
def scope(catalog: Catalog) -> Scope:
    place = catalog.collections.ensure(ANNA, "laws").collection_id
    other = catalog.collections.ensure(ANNA, "others").collection_id
    for n, name in enumerate(["b.pdf", "a.pdf"], start=1):
        document = store(catalog, place, law(*["Text"] * n, title=f"T{n}"), name=name)
        day = MetadataChanges(date=f"202{n}-01-01")
        catalog.metadata.edit(place, document, day)
    english = law("In English", title="E").model_copy(update={"language": "en", "pages": ()})
    last = store(catalog, other, english, name="c.txt")
    catalog.documents.attach(place, last, document="c.txt", source=None, aliases=[])
    catalog.documents.mark_indexed(place, last)
    hidden = catalog.collections.ensure(Principal(user="ben"), "bens").collection_id
    store(catalog, hidden, law("Ben", title="B"), name="ben.txt")
    return catalog.collections.scope(ANNA, None)


def test_everything_is_counted_once_and_nothing_of_others(catalog: Catalog, scope: Scope) -> None:
    facts = corpus_facts(catalog, scope, "Wie viele Dokumente gibt es?")
    assert facts.topics == ("documents",)
    assert [(each.name, each.documents) for each in facts.collections] == [
        ("laws", 3),
        ("others", 1),
    ]
    assert (facts.documents, facts.pages, facts.without_pages, facts.sections) == (3, 3, 1, 4)
    assert facts.languages == (("de", 2), ("en", 1))
    assert [each.document for each in facts.listed] == ["a.pdf", "b.pdf", "c.txt"]
    assert facts.left_out == 0
    assert facts.earliest is not None and facts.earliest.date == date(2021, 1, 1)
    assert facts.latest is not None and facts.latest.document == "a.pdf"
    assert facts.newest is not None and facts.newest.document == "c.txt"


def test_an_empty_scope(catalog: Catalog) -> None:
    facts = corpus_facts(catalog, Scope(user="anna", collections=()))
    assert (facts.documents, facts.newest, facts.earliest, facts.listed) == (0, None, None, ())
