"""A scan counts everything once, and only what the request may read as it is now."""

import time

import pytest

from services.catalog import Catalog
from services.domain import ChunkSpan, ParsedDocument, Principal, Scope, SearchFilter, SectionSpan
from services.domain.errors import InvalidInput
from services.retrieval.scan.matcher import Matcher, ScannedText, folded, relation
from services.retrieval.scan.scanner import Scanner
from services.retrieval.scan.values import KindCounts, ScanRequest, ScanResult
from tests.services.retrieval.scan.conftest import ANNA
from tests.support.documents import law, store


@pytest.fixture
def scope(catalog: Catalog) -> Scope:
    """Two laws of anna's; other tests add what must not be found."""
    place = catalog.collections.ensure(ANNA, "laws").collection_id
    first = law(
        "Die Freigrenze gilt. FREIGRENZE, nicht Grenze.",
        "Nichts davon.",
        "Freigrenzen und die Tätigkeitsfreigrenze; eine Freigrenze.",
        title="A",
    )
    store(catalog, place, first, name="a.txt")
    store(
        catalog,
        place,
        law("Die Freigrenzenregelung.", "Freigrenzen-Liste", title="B"),
        name="b.txt",
    )
    return catalog.collections.scope(ANNA, None)


def scanned(
    scanner: Scanner, scope: Scope, term: str = "Freigrenze", **wanted: object
) -> ScanResult:
    request = ScanRequest.model_validate({"term": term, **wanted})
    return scanner.scan(request, scope=scope)


def test_counts_by_kind_with_the_whole_as_measure(scanner: Scanner, scope: Scope) -> None:
    result = scanned(scanner, scope)
    assert (result.documents_searched, result.sections_searched) == (2, 5)
    assert result.occurrences == KindCounts(exact=3, inflection=1, compound=3, any=7)
    assert result.sections == KindCounts(exact=2, inflection=1, compound=3, any=4)
    assert result.documents == KindCounts(exact=1, inflection=1, compound=2, any=2)
    assert (result.sections_searched, result.documents_searched) == (5, 2)
    assert {each.form: each.count for each in result.forms if each.kind == "compound"} == {
        "tätigkeitsfreigrenze": 1,
        "freigrenzenregelung": 1,
        "freigrenzen-liste": 1,
    }


def test_places_are_proof_in_the_order_of_the_texts(
    scanner: Scanner, scope: Scope, catalog: Catalog
) -> None:
    places = scanned(scanner, scope).places
    assert [(each.document, each.section, each.page) for each in places] == [
        ("a.txt", "§ 1", 1),
        ("a.txt", "§ 3", 3),
        ("b.txt", "§ 1", 1),
        ("b.txt", "§ 2", 2),
    ]
    for place in places:
        text = catalog.documents.text(place.document_id)
        assert text[place.start : place.end] == place.quote == place.bare().quote
        assert "reigrenze" in text[place.word_start : place.word_end].lower()
    assert places[1].kind == "exact"  # the best of the section, though it is its last
    assert places[1].occurrences == KindCounts(exact=1, inflection=1, compound=1, any=3)


def test_no_more_places_than_wanted_but_all_counted(scanner: Scanner, scope: Scope) -> None:
    result = scanned(scanner, scope, most_places=1)
    assert (len(result.places), result.places_left_out, result.sections.any) == (1, 3, 4)


def test_hyphenation_ligatures_and_soft_hyphens_do_not_hide_a_word(
    scanner: Scanner, catalog: Catalog
) -> None:
    place = catalog.collections.ensure(ANNA, "pdf").collection_id
    text = law(
        "Frei-\ngrenze",
        "Frei\u00adgrenze",
        "Freigrenze\u0301s",
        "ein\nGrenz-\nwert",
        "eﬀektive  \n Dosis",
    )
    store(catalog, place, text, name="x.pdf")
    scope = catalog.collections.scope(ANNA, ["pdf"])
    assert scanned(scanner, scope).occurrences.exact == 2
    assert scanned(scanner, scope, "grenzwert").occurrences.exact == 1
    assert scanned(scanner, scope, "effektive Dosis").occurrences.exact == 1
    (found,) = scanned(scanner, scope, "Grenzwert").places
    assert (
        catalog.documents.text(found.document_id)[found.word_start : found.word_end]
        == "Grenz-\nwert"
    )


def test_a_phrase_does_not_run_over_the_border_of_sections(
    scanner: Scanner, catalog: Catalog
) -> None:
    place = catalog.collections.ensure(ANNA, "one").collection_id
    store(catalog, place, law("Ende", "Mehr"), name="x.txt")
    scope = catalog.collections.scope(ANNA, ["one"])
    assert scanned(scanner, scope, "Ende § 2").occurrences.any == 0
    assert scanned(scanner, scope, "§ 2 Überschrift").occurrences.exact == 1


def test_the_scope_decides_and_old_versions_are_gone(
    scanner: Scanner, scope: Scope, catalog: Catalog
) -> None:
    before = scanned(scanner, scope)
    place = catalog.collections.ensure(ANNA, "laws").collection_id
    hidden = catalog.collections.ensure(Principal(user="ben"), "bens").collection_id
    store(catalog, hidden, law("Freigrenze von Ben", title="C"), name="ben.txt")
    store(catalog, place, law("Freigrenze, noch nicht da", title="D"), name="d.txt", indexed=False)
    assert scanned(scanner, catalog.collections.scope(ANNA, None)) == before
    old = store(catalog, place, law("Freigrenze Freigrenze", title="E"), name="e.txt")
    new = store(catalog, place, law("Freigrenze heute", title="F"), name="e.txt")
    catalog.documents.mark_indexed(place, new, retire=[old])
    after = scanned(scanner, scope)
    assert after.occurrences.exact == before.occurrences.exact + 1
    assert after.sections_searched == before.sections_searched + 1


def test_a_document_in_two_collections_counts_once(
    scanner: Scanner, scope: Scope, catalog: Catalog
) -> None:
    before = scanned(scanner, scope)
    other = catalog.collections.ensure(ANNA, "more").collection_id
    for document in catalog.documents.list(scope):
        catalog.documents.attach(
            other, document.document_id, document=document.document, source=None, aliases=[]
        )
        catalog.documents.mark_indexed(other, document.document_id)
    both = catalog.collections.scope(ANNA, None)
    assert len(both.collections) == 2
    assert scanned(scanner, both) == before


def test_filters_narrow_what_is_searched(scanner: Scanner, scope: Scope) -> None:
    of_a = scanned(scanner, scope, only=SearchFilter(documents=("a.txt",)))
    assert (of_a.documents_searched, of_a.sections_searched) == (1, 3)
    third = scanned(scanner, scope, only=SearchFilter(documents=("a.txt",), sections=("§ 3",)))
    assert (third.sections_searched, third.sections.any, third.occurrences.any) == (1, 1, 3)
    assert third.elsewhere == KindCounts(exact=2, any=2)
    nothing = scanned(scanner, scope, only=SearchFilter(tags=("none",)))
    assert (nothing.documents_searched, nothing.sections_searched, nothing.places) == (0, 0, ())


def parts(*spans: tuple[str, str]) -> ParsedDocument:
    """A text of a beginning without section, then of (label, body)."""
    text, sections = "Freigrenze am Anfang. ", []
    for label, body in spans:
        start = len(text)
        text += f"{body} "
        sections.append(
            SectionSpan(
                label=label, title=body, level=0, start=start, end=len(text), heading_path=(body,)
            )
        )
    return ParsedDocument(
        title="T",
        text=text,
        pages=(),
        sections=tuple(sections),
        language="de",
        parser_version="1",
    )


def test_kinds_of_section_are_counted_by_their_labels(scanner: Scanner, catalog: Catalog) -> None:
    place = catalog.collections.ensure(ANNA, "kinds").collection_id
    text = parts(
        ("Teil 1", "Erster Teil"),
        ("§ 1", "Freigrenze"),
        ("§ 1", "Unterabschnitt, Freigrenze"),
        ("§ 2", "nichts"),
        ("Anlage 1", "Freigrenze"),
    )
    store(catalog, place, text, name="x.txt")
    scope = catalog.collections.scope(ANNA, ["kinds"])
    plain = scanned(scanner, scope)
    assert (plain.sections.exact, plain.sections_searched, plain.occurrences.exact) == (3, 5, 4)
    assert plain.places[0].section == ""  # ahead of the first section, in none
    laws = scanned(scanner, scope, labels="§")
    assert (laws.sections.exact, laws.sections_searched) == (1, 2)
    assert (laws.occurrences.exact, laws.elsewhere.exact) == (2, 2)
    assert [each.section for each in laws.places] == ["§ 1"]


def test_a_document_without_sections_counts_as_one(scanner: Scanner, catalog: Catalog) -> None:
    place = catalog.collections.ensure(ANNA, "plain").collection_id
    store(catalog, place, parts(), name="x.txt")
    result = scanned(scanner, catalog.collections.scope(ANNA, ["plain"]))
    assert (result.sections.exact, result.sections_searched) == (1, 1)


def test_how_a_text_is_cut_does_not_matter(scanner: Scanner, catalog: Catalog) -> None:
    place = catalog.collections.ensure(ANNA, "cut").collection_id
    document = store(catalog, place, law("Die Freigrenze gilt."), name="x.txt")
    scope = catalog.collections.scope(ANNA, ["cut"])
    before = scanned(scanner, scope)
    overlapping = [
        ChunkSpan(start=start, end=start + 30, section="§ 1", heading_path=(), page=1, page_end=1)
        for start in (0, 5, 10)
    ]
    catalog.documents.add_chunks(document, "fixed:200:100", overlapping)
    catalog.documents.mark_indexed(place, document, chunking="fixed:200:100")
    assert scanned(scanner, scope) == before


@pytest.mark.parametrize(
    "hostile", ["abc", "abc-", "abcd ", "abcx-", "ab\u00adc", "abc_", "\u0301abc"]
)
def test_hostile_texts_take_no_longer_than_others(hostile: str) -> None:
    text = ScannedText.of(hostile * 50_000)
    started = time.process_time()
    assert len(list(Matcher("abc", ["de", "en"]).find(text))) <= 50_000
    assert time.process_time() - started < 10.0


@pytest.mark.parametrize("term", ["", "  ", "„“", "-", "x" * 201])
def test_a_term_must_be_a_word(scanner: Scanner, scope: Scope, term: str) -> None:
    with pytest.raises(InvalidInput, match="word or phrase"):
        scanned(scanner, scope, term)


def test_only_so_many_texts_are_kept(catalog: Catalog, scope: Scope) -> None:
    small = Scanner(catalog, capacity=1)
    assert scanned(small, scope) == scanned(Scanner(catalog), scope)
    assert len(small._kept) == 1


def test_plain_headings_are_no_kind_of_section(scanner: Scanner, catalog: Catalog) -> None:
    place = catalog.collections.ensure(ANNA, "plain").collection_id
    text = parts(("Anlagen und Fristen", "Freigrenze"), ("Anlage 1", "Freigrenze"))
    store(catalog, place, text, name="x.txt")
    found = scanned(scanner, catalog.collections.scope(ANNA, ["plain"]), labels="Anlage")
    assert (found.sections.exact, found.sections_searched) == (1, 1)
    assert [each.section for each in found.places] == ["Anlage 1"]


def test_the_nearest_relation_in_any_language_counts() -> None:
    assert relation("Freigrenze", "Freigrenzen", ["en"]) is None
    assert relation("Freigrenze", "Freigrenzen", ["en", "de"]) == "inflection"


def test_folding_keeps_every_place() -> None:
    assert folded("İÄÖÜß ﬁ") == "iaouß ﬁ"
    assert len(folded("İstanbul ẞ")) == len("İstanbul ẞ")
