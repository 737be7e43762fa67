"""A scan counts everything once, and only what the request may read as it is now."""

import re
import time
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from services.catalog import Alias, Catalog
from services.catalog.values import NewMember
from services.domain import (
    MetadataChanges,
    ParsedDocument,
    Principal,
    Scope,
    SearchFilter,
    SectionSpan,
)
from services.domain.errors import InvalidInput
from services.language.query.values import DateRange
from services.references.registry import aliases_of
from services.retrieval.named import dated_filter, named_documents, named_sections
from services.retrieval.scan.facts import corpus_facts
from services.retrieval.scan.matcher import Matcher, ScannedText, folded, relation
from services.retrieval.scan.scanner import (
    QUOTE_BEFORE,
    KindCounts,
    Scanner,
    ScanRequest,
    ScanResult,
)
from services.settings import Settings
from tests.support.catalogs import new_catalog
from tests.support.documents import law, store
from tests.support.parsed_files import parse_file

ANNA = Principal(user="anna")
FREIGRENZE = ScanRequest(term="Freigrenze")


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    with new_catalog(tmp_path / "catalog.sqlite3") as opened:
        yield opened


@pytest.fixture
def scanner(catalog: Catalog) -> Scanner:
    return Scanner(catalog)


def collection_of(catalog: Catalog, name: str = "laws", who: Principal = ANNA) -> str:
    return catalog.collections.ensure(who, name).collection_id


def stored(catalog: Catalog, name: str, *texts: ParsedDocument) -> Scope:
    """A collection of its own with these texts."""
    for n, text in enumerate(texts):
        store(catalog, collection_of(catalog, name), text, name=f"{name}{n}.txt")
    return catalog.collections.scope(ANNA, [name])


@pytest.fixture
def scope(catalog: Catalog) -> Scope:
    """Two laws of anna's; other tests add what must not be found."""
    first = law(
        "Die Freigrenze gilt. FREIGRENZE, nicht Grenze.",
        "Nichts davon.",
        "Freigrenzen und die Tätigkeitsfreigrenze; eine Freigrenze.",
        title="A",
    )
    second = law("Die Freigrenzenregelung.", "Freigrenzen-Liste", title="B")
    return stored(catalog, "laws", first, second)


def scanned(
    scanner: Scanner, scope: Scope, term: str = "Freigrenze", **fields: object
) -> ScanResult:
    return scanner.scan(ScanRequest.model_validate({"term": term, **fields}), scope=scope)


def test_counts_by_kind_with_the_whole_as_measure(scanner: Scanner, scope: Scope) -> None:
    result = scanned(scanner, scope)
    assert (result.documents_searched, result.sections_searched) == (2, 5)
    assert result.occurrences == KindCounts(exact=3, inflection=1, compound=3, any=7)
    assert result.sections == KindCounts(exact=2, inflection=1, compound=3, any=4)
    assert result.documents == KindCounts(exact=1, inflection=1, compound=2, any=2)
    few = scanned(scanner, scope, limit=1)
    assert (len(few.hits), few.hits_left_out, few.sections.any) == (1, 3, 4)


def test_places_are_proof_in_the_order_of_the_texts(
    scanner: Scanner, scope: Scope, catalog: Catalog
) -> None:
    hits = scanned(scanner, scope).hits
    assert [(hit.document, hit.section, hit.page) for hit in hits] == [
        ("laws0.txt", "§ 1", 1),
        ("laws0.txt", "§ 3", 3),
        ("laws1.txt", "§ 1", 1),
        ("laws1.txt", "§ 2", 2),
    ]
    for hit in hits:
        text = catalog.documents.text(hit.document_id)
        assert text[hit.start : hit.end] == hit.quote == hit.bare().quote
        assert "reigrenze" in hit.quote.lower()
    assert hits[1].kind == "exact"  # the best of the section, though it is its last
    assert hits[1].occurrences == KindCounts(exact=1, inflection=1, compound=1, any=3)


def test_a_place_begins_shortly_before_its_word(scanner: Scanner, catalog: Catalog) -> None:
    scope = stored(catalog, "long", law(f"{'Wort ' * 80}Freigrenze{' Wort' * 80}"))
    (hit,) = scanned(scanner, scope).hits
    assert 0 < hit.quote.index("Freigrenze") <= QUOTE_BEFORE and hit.quote.endswith("Wort")


def test_layout_hides_no_word_and_a_phrase_stays_in_its_section(
    scanner: Scanner, catalog: Catalog
) -> None:
    bodies = ("Frei-\ngrenze", "Frei\u00adgrenze", "Freigrenze\u0301s", "ein\nGrenz-\nwert")
    scope = stored(catalog, "pdf", law(*bodies, "eﬀektive  \n Dosis"))
    for term, exact in (("Freigrenze", 2), ("grenzwert", 1), ("effektive Dosis", 1)):
        assert scanned(scanner, scope, term).occurrences.exact == exact
    (hit,) = scanned(scanner, scope, "Grenzwert").hits
    assert "Grenz-\nwert" in hit.quote
    assert scanned(scanner, scope, "Dosis § 2").occurrences.any == 0
    assert scanned(scanner, scope, "§ 2 Überschrift").occurrences.exact == 1


def test_the_scope_decides_and_everything_in_it_counts_once_as_it_is_now(
    scanner: Scanner, scope: Scope, catalog: Catalog
) -> None:
    before, collection = scanned(scanner, scope), collection_of(catalog)
    hidden = collection_of(catalog, "bens", Principal(user="ben"))
    store(catalog, hidden, law("Freigrenze von Ben", title="C"), name="ben.txt")
    store(
        catalog,
        collection,
        law("Freigrenze, noch nicht da", title="D"),
        name="d.txt",
        indexed=False,
    )
    more = collection_of(catalog, "more")
    for document in catalog.documents.list(scope):
        name = document.document
        catalog.documents.attach(more, NewMember(document.document_id, name, None, []))
        catalog.documents.mark_indexed(more, document.document_id)
    both = catalog.collections.scope(ANNA, None)
    assert len(both.collections) == 2 and scanned(scanner, both) == before
    old = store(catalog, collection, law("Freigrenze Freigrenze", title="E"), name="e.txt")
    new = store(catalog, collection, law("Freigrenze heute", title="F"), name="e.txt")
    catalog.documents.mark_indexed(collection, new, retire=[old])
    after = scanned(scanner, scope)
    assert after.occurrences.exact == before.occurrences.exact + 1
    assert after.sections_searched == before.sections_searched + 1
    small = Scanner(catalog, capacity=1)
    assert scanned(small, scope) == after, "what is larger than all room is not kept"


def test_filters_narrow_what_is_searched(scanner: Scanner, scope: Scope) -> None:
    of_a = scanned(scanner, scope, only=SearchFilter(documents=("laws0.txt",)))
    assert (of_a.documents_searched, of_a.sections_searched) == (1, 3)
    only = SearchFilter(documents=("laws0.txt",), sections=("§ 3",))
    third = scanned(scanner, scope, only=only)
    assert (third.sections_searched, third.sections.any, third.occurrences.any) == (1, 1, 3)
    nothing = scanned(scanner, scope, only=SearchFilter(tags=("none",)))
    assert (nothing.documents_searched, nothing.sections_searched, nothing.hits) == (0, 0, ())


def sections(*spans: tuple[str, str]) -> ParsedDocument:
    """A text of a beginning without section, then of (label, body)."""
    text, sections = "Freigrenze am Anfang. ", []
    for label, body in spans:
        start, text = len(text), f"{text}{body} "
        span = {"start": start, "end": len(text), "level": 0}
        sections.append(SectionSpan(label=label, title=body, heading_path=(body,), **span))
    return ParsedDocument(
        title="T", text=text, pages=(), sections=sections, language="de", parser_version="1"
    )


def test_kinds_of_section_are_counted_by_their_labels(scanner: Scanner, catalog: Catalog) -> None:
    text = sections(
        ("Teil 1", "Erster Teil"),
        ("§ 1", "Freigrenze"),
        ("§ 1", "Unterabschnitt, Freigrenze"),
        ("§ 2", "nichts"),
        ("Anlage 1", "Freigrenze"),
        ("Anlagen und Fristen", "Freigrenze"),  # a plain heading
    )
    scope = stored(catalog, "kinds", text)
    plain = scanned(scanner, scope)
    assert (plain.sections.exact, plain.sections_searched, plain.occurrences.exact) == (4, 6, 5)
    assert plain.hits[0].section == ""  # ahead of the first section, in none
    laws = scanned(scanner, scope, labels="§")
    assert (laws.sections.exact, laws.sections_searched) == (1, 2)
    assert laws.occurrences.exact == 2
    assert [hit.section for hit in laws.hits] == ["§ 1"]
    annexes = scanned(scanner, scope, labels="Anlage")
    assert [hit.section for hit in annexes.hits] == ["Anlage 1"]
    assert annexes.sections_searched == 1
    unsectioned = scanned(scanner, stored(catalog, "unsectioned", sections()))
    assert (unsectioned.sections.exact, unsectioned.sections_searched) == (1, 1)


@pytest.mark.parametrize(
    "hostile", ["abc", "abc-", "abcd ", "abcx-", "ab\u00adc", "abc_", "\u0301abc"]
)
def test_hostile_texts_take_no_longer_than_others(hostile: str) -> None:
    text = ScannedText(hostile * 50_000)
    started = time.process_time()
    assert len(list(Matcher("abc", ["de", "en"]).find(text))) <= 50_000
    assert time.process_time() - started < 10.0


@pytest.mark.parametrize("term", ["", "  ", "„“", "-", "x" * 201])
def test_a_term_must_be_a_word(scanner: Scanner, scope: Scope, term: str) -> None:
    with pytest.raises(InvalidInput, match="word or phrase"):
        scanned(scanner, scope, term)


def test_the_nearest_relation_in_any_language_counts() -> None:
    assert relation("Freigrenze", "Freigrenzen", ["en"]) is None
    assert relation("Freigrenze", "Freigrenzen", ["en", "de"]) == "inflection"
    assert folded("İÄÖÜß ﬁ") == "iaouß ﬁ"


def attached(catalog: Catalog, parsed: ParsedDocument, name: str, **options: object) -> str:
    """Store a document under all its names."""
    collection = collection_of(catalog)
    document = store(catalog, collection, parsed, name=name, **options)  # type: ignore[arg-type]
    aliases = aliases_of(parsed, document=name, document_id=document)
    catalog.documents.attach(collection, NewMember(document, name, None, aliases))
    return document


@pytest.fixture
def acts(catalog: Catalog) -> Scope:
    act = law(
        "Die Freigrenze gilt.",
        "Nach dem Atomgesetz.",
        "Freigrenze und Freigrenzen.",
        title="Gesetz zum Schutz vor ionisierender Strahlung (StrlSchG)",
    )
    rules = law("Eine Freigrenze.", title="Verordnung zum Schutz vor Strahlung (StrlSchV)")
    attached(catalog, act, "StrlSchG.pdf")
    attached(catalog, rules, "StrlSchV.pdf")
    attached(catalog, law("Freigrenze im report", title="Bericht"), "report.txt")
    return catalog.collections.scope(ANNA, None)


def test_the_question_narrows(scanner: Scanner, catalog: Catalog, acts: Scope) -> None:
    both = ("StrlSchG.pdf", "StrlSchV.pdf")
    for question, named, sections, searched in (
        ("In wie vielen Paragraphen des Strahlenschutzgesetzes steht Freigrenze?", both[:1], 2, 3),
        ("How many sections of StrlSchV.pdf mention Freigrenze?", both[1:], 1, 1),
        ("Wie oft nennen StrlSchG und StrlSchV die Freigrenze?", both, 3, 4),
        ("Wie oft steht Freigrenze in § 3 StrlSchG?", both[:1], 1, 1),
        ("Is Freigrenze in the report?", (), 4, 5),
        ("Is Freigrenze in report.txt?", ("report.txt",), 1, 1),
        ("Welche Anlagen nennen die Freigrenze?", (), 4, 5),  # no such section: all are counted
    ):
        result = scanner.scan_question(question, FREIGRENZE, scope=acts)
        assert tuple(sorted(result.named)) == named, question
        assert (result.sections.any, result.sections_searched) == (sections, searched), question
        assert result.missing == ()
    for question, labels in (
        ("Wie viele Paragraphen nennen Freigrenze?", "§"),
        ("Welche §§ nennen Freigrenze?", "§"),
        ("Welche Abschnitte nennen Freigrenze?", ""),
    ):
        assert scanner.scan_question(question, FREIGRENZE, scope=acts).labels == labels


def test_names_that_are_there_and_not(scanner: Scanner, catalog: Catalog, acts: Scope) -> None:
    for term, question, named, missing, exact in (
        ("Freigrenze", "Wie oft steht Freigrenze im Atomgesetz?", (), ("Atomgesetz",), 4),
        # the term is no name of a document, and hides none that it is a part of
        ("Atomgesetz", "Wie oft nennt das StrlSchG das Atomgesetz?", ("StrlSchG.pdf",), (), 1),
        ("Gesetz", "Wie oft steht Gesetz im Strahlenschutzgesetz?", ("StrlSchG.pdf",), (), 0),
    ):
        result = scanner.scan_question(question, ScanRequest(term=term), scope=acts)
        assert (result.named, result.missing) == (named, missing)
        assert result.documents_searched == (1 if named else 3)
        assert result.occurrences.exact == exact
    empty = Scope(user="anna", collections=())
    assert named_documents("im StrlSchG", scope=empty, catalog=catalog).documents == ()


@pytest.mark.parametrize(
    ("question", "by_title"),
    [
        ("Which data protection duties do suppliers have?", True),
        ("What is a duty under the Data Protection?", False),
        ("Which duties are in privacy.txt?", False),
        ("Which data protection duties does the StrlSchG set out?", False),
        ("Which duties do suppliers have?", False),
    ],
)
def test_a_title_that_may_be_an_ordinary_phrase_is_told_from_other_names(
    catalog: Catalog, acts: Scope, question: str, by_title: bool
) -> None:
    attached(catalog, law("Duties", title="Data protection"), "privacy.txt")
    named = named_documents(question, scope=acts, catalog=catalog)
    assert named.by_title is by_title


def test_sections_are_counted_in_the_documents_that_a_question_names_with_them(
    scanner: Scanner, catalog: Catalog
) -> None:
    for name, *more in (("AtG",), ("WaG", "Ende.")):
        text = law("Frist.", "Frist und Frist.", "Frist.", *more, title=f"Gesetz ({name})")
        attached(catalog, text, f"{name}.txt")
    scope = catalog.collections.scope(ANNA, None)
    for question, searched, count, missing in (
        ("Wie oft steht Frist in § 2 AtG und § 3 WaG?", 2, 3, ()),
        ("How often is Frist in § 2 AtG and in § 2 WaG?", 2, 4, ()),
        ("Wie oft steht Frist in § 2?", 2, 4, ()),
        ("Wie oft steht Frist in § 2 AtG und im WaG?", 5, 6, ()),
        ("Wie oft steht Frist in § 99 AtG?", 3, 4, ("§ 99 AtG",)),
        ("Of AtG.txt alone: how often is Frist in § 4?", 3, 4, ("§ 4",)),
        ("Wie oft steht Frist in § 99?", 7, 8, ("§ 99",)),
        ("Wie oft steht Frist in § 1 AtG und § 99 WaG?", 1, 1, ("§ 99 WaG",)),
        ("Wie oft steht Frist in § 2 XyG?", 7, 8, ("XyG",)),
    ):
        result = scanner.scan_question(question, ScanRequest(term="Frist"), scope=scope)
        counts = result.sections_searched, result.occurrences.any, result.missing
        assert counts == (searched, count, missing), question


def test_names_of_documents_are_read_only_where_a_question_has_one(
    catalog: Catalog, acts: Scope, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Scope] = []
    aliases = catalog.references.aliases

    def record_call(scope: Scope) -> list[Alias]:
        read.append(scope)
        return aliases(scope)

    monkeypatch.setattr(catalog.references, "aliases", record_call)
    named_sections("Was steht in § 78?", acts, catalog)
    assert read == []
    named_sections("Was steht in § 78 StrlSchG?", acts, catalog)
    assert read == [acts]


@pytest.mark.parametrize(
    ("days", "dates", "applied", "undated"),
    [
        (("2021-05-01", "2023-05-01", None), DateRange(since=date(2022, 1, 1)), True, 1),
        (("2021-05-01", None), DateRange(since=date(2022, 1, 1)), True, 1),
        (("2021-05-01", None, None), DateRange(since=date(2022, 1, 1)), False, 2),
        (("2021-05-01",), DateRange(), False, 0),
        (("2021-05-01",), None, False, 0),
    ],
)
def test_dates_narrow_a_search_where_documents_have_dates(
    catalog: Catalog,
    days: tuple[str | None, ...],
    dates: DateRange | None,
    applied: bool,
    undated: int,
) -> None:
    for n, day in enumerate(days):
        document = attached(catalog, law("Text", title=f"T{n}"), f"{n}.txt", data=bytes([n]))
        if day is not None:
            catalog.metadata.edit(collection_of(catalog), document, MetadataChanges(date=day))
    dated = dated_filter(dates, scope=catalog.collections.scope(ANNA, None), catalog=catalog)
    assert (dated.applied, dated.undated) == (applied, undated)
    assert dated.only == (SearchFilter(since=date(2022, 1, 1)) if applied else SearchFilter())


def test_the_documents_themselves_are_counted_once_and_nothing_of_others(catalog: Catalog) -> None:
    collection, other = collection_of(catalog), collection_of(catalog, "others")
    for n, name in enumerate(["b.pdf", "a.pdf"], start=1):
        document = store(catalog, collection, law(*["Text"] * n, title=f"T{n}"), name=name)
        catalog.metadata.edit(collection, document, MetadataChanges(date=f"202{n}-01-01"))
    english = law("In English", title="E").model_copy(update={"language": "en", "pages": ()})
    last = store(catalog, other, english, name="c.txt")
    catalog.documents.attach(collection, NewMember(last, "c.txt", None, []))
    catalog.documents.mark_indexed(collection, last)
    hidden = collection_of(catalog, "bens", Principal(user="ben"))
    store(catalog, hidden, law("Ben", title="B"), name="ben.txt")
    everything = catalog.collections.scope(ANNA, None)
    facts = corpus_facts(catalog, everything, "Wie viele Dokumente gibt es?")
    assert facts.topics == ("documents",)
    assert {row.name: row.documents for row in facts.collections} == {"laws": 3, "others": 1}
    assert (facts.documents, facts.pages, facts.without_pages, facts.sections) == (3, 3, 1, 4)
    assert facts.languages == (("de", 2), ("en", 1))
    assert [document.document for document in facts.listed] == ["a.pdf", "b.pdf", "c.txt"]
    assert facts.earliest and facts.latest and facts.newest
    named = (facts.earliest.document, facts.latest.document, facts.newest.document)
    assert named == ("b.pdf", "a.pdf", "c.txt")
    none = corpus_facts(catalog, Scope(user="anna", collections=()))
    assert (none.documents, none.newest, none.earliest, none.listed) == (0, None, None, ())


def words_in(text: str) -> list[str]:
    """Words by a rule of this test's own: hyphens at the ends of lines are left out."""
    plain = re.sub("[\u00ad\ufffe\u200b]", "", text)
    joined = re.sub(r"(?<=[a-zäöüß])-\s*\n\s*(?=[a-zäöüß])(?!und|oder|bis|sowie)", "", plain)
    return re.findall(r"[^\W_]+(?:-[^\W_]+)*", joined.lower())


def test_the_counts_of_the_sample_law_are_those_of_an_independent_rule(
    catalog: Catalog, scanner: Scanner
) -> None:
    file = Settings().samples / "strahlenschutz" / "StrlSchG.pdf"
    parsed = parse_file(file, timeout_s=120, memory_mb=2000)
    attached(catalog, parsed, file.name, chunks=[])
    everything = catalog.collections.scope(ANNA, None)

    def scan(word: str) -> ScanResult:
        question = f"In wie vielen Paragraphen des Strahlenschutzgesetzes kommt {word} vor?"
        request = ScanRequest(term=word, languages=("de",))
        return scanner.scan_question(question, request, scope=everything)

    texts = [
        (section.label, words_in(parsed.text[section.start : section.end]))
        for section in parsed.sections
        if section.label.startswith("§")
    ]
    for word in ("Freigrenze", "Überwachungsbereich", "Strahlenschutzbeauftragte"):
        result, stem = scan(word), word.lower()[:-2]
        exact = [hit.section for hit in result.hits if hit.occurrences.exact]
        assert exact == [label for label, words in texts if word.lower() in words]
        forms = [label for label, words in texts if any(stem in form for form in words)]
        assert [hit.section for hit in result.hits] == forms
        assert (result.named, result.sections_searched) == ((file.name,), len(texts))
    freigrenze = scan("Freigrenze")
    assert freigrenze.sections == KindCounts(exact=1, inflection=9, any=9)
    assert freigrenze.occurrences == KindCounts(exact=1, inflection=16, any=17)
    assert freigrenze.sections_searched == 230


def test_the_documents_decide_which_words_are_a_term_and_what_is_a_name(
    scanner: Scanner, scope: Scope, catalog: Catalog
) -> None:
    def decided(words: str, core: str) -> str | None:
        request = ScanRequest(term=words, languages=("de",))
        return scanner.longest_known_run(request, core=core, scope=scope)

    assert decided("nicht Grenze steht", "Grenze") == "Grenze"
    assert decided("eine Freigrenze", "Freigrenze") == "eine Freigrenze"
    assert decided("Nichts Rasen", "Rasen") is None
    assert catalog.corpus.named_phrases(["überschrift", "Über", ""], scope=scope) == {"überschrift"}
    assert not catalog.corpus.named_phrases(["Freigrenze"], scope=scope)
    nowhere = catalog.collections.scope(Principal(user="bert"), None)
    assert not catalog.corpus.named_phrases(["Überschrift"], scope=nowhere)
