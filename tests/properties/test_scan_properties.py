"""A scan finds what was planted, neither more nor less, however the text is laid out."""

from collections.abc import Callable, Iterator
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.catalog import Catalog
from services.domain import Principal
from services.retrieval.scan.matcher import KINDS, Matcher, MatchKind, ScannedText, folded
from services.retrieval.scan.scanner import Scanner, ScanRequest
from tests.support.catalogs import new_catalog
from tests.support.documents import law, store

FORMS: dict[MatchKind, list[str]] = {
    "exact": ["Freigrenze", "freigrenze", "FREIGRENZE", "Frei-\ngrenze", "Frei\u00adgrenze"],
    "inflection": ["Freigrenzen", "Frei-\ngrenzen"],
    "compound": [
        "Tätigkeitsfreigrenze",
        "Freigrenzenregelung",
        "Freigrenzen-Liste",
        "EU-Freigrenze",
    ],
}
OTHERS = [
    "Grenze",
    "der",
    "frei",
    "§ 7",
    "freigeben",
    "Freistellung",
    "20 mSv",
    "x\u0301y",
    "ﬁn",
    "—",
]
SPACES = [" ", "\n", "  ", " \n ", ", ", ". ", " („"]

planted = st.one_of(
    st.sampled_from([(kind, form) for kind, forms in FORMS.items() for form in forms]),
    st.sampled_from([(None, word) for word in OTHERS]),
)
bodies = st.lists(st.tuples(planted, st.sampled_from(SPACES)), max_size=8)
corpora = st.lists(st.lists(bodies, min_size=1, max_size=4), min_size=1, max_size=3)
Body = list[tuple[tuple[MatchKind | None, str], str]]


def written(body: Body) -> str:
    return "".join(f"{word}{space}" for (_, word), space in body)


def kinds_of(body: Body) -> list[MatchKind]:
    return [kind for (kind, _), _ in body if kind is not None]


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    with new_catalog(tmp_path_factory.mktemp("scan") / "catalog.sqlite3") as opened:
        yield opened


@settings(deadline=None, max_examples=40)
@given(corpus=corpora)
def test_counts_are_those_of_what_was_planted(catalog: Catalog, corpus: list[list[Body]]) -> None:
    anna, name = Principal(user="anna"), uuid4().hex
    place = catalog.collections.ensure(anna, name).collection_id
    for n, sections in enumerate(corpus):
        parsed = law(*map(written, sections), title=f"T{n}")
        store(catalog, place, parsed, name=f"{n}.txt", data=f"{name} {n}".encode())
    scope = catalog.collections.scope(anna, [name])
    result = Scanner(catalog).scan(ScanRequest(term="Freigrenze"), scope=scope)
    sections = [kinds_of(body) for document in corpus for body in document]
    documents = [[kind for body in document for kind in kinds_of(body)] for document in corpus]
    for kind in KINDS:
        assert getattr(result.occurrences, kind) == sum(each.count(kind) for each in sections)
        assert getattr(result.sections, kind) == sum(kind in each for each in sections)
        assert getattr(result.documents, kind) == sum(kind in each for each in documents)
    assert result.sections.any == len(result.hits) == sum(map(bool, sections))
    assert result.sections_searched == len(sections)
    assert sum(each.occurrences.any for each in result.hits) == result.occurrences.any


@settings(deadline=None)
@given(
    text=st.text(), term=st.text(min_size=1, max_size=12).filter(lambda t: any(map(str.isalnum, t)))
)
def test_any_text_can_be_looked_through(text: str, term: str) -> None:
    done = 0
    for found in Matcher(term, ["de", "en"]).find(ScannedText(text)):
        assert done <= found.start < found.end <= len(text)
        done = found.start + 1


@settings(deadline=None)
@given(text=st.text())
def test_folding_keeps_the_length(text: str) -> None:
    assert len(folded(text)) == len(text)


@settings(deadline=None)
@given(
    word=st.from_regex(r"[A-Za-zäöü][A-Za-zäöüß]{2,11}", fullmatch=True),
    written_as=st.sampled_from([str.lower, str.upper, str.title, str]),
    before=st.sampled_from(["", "Der ", "(", "„", "a\n"]),
    after=st.sampled_from(["", ".", " ist", ")", "\n", " – x", "—x"]),
)
def test_every_word_is_found_as_itself(
    word: str, written_as: Callable[[str], str], before: str, after: str
) -> None:
    text = ScannedText(before + written_as(word) + after)
    found = list(Matcher(word, ["de"]).find(text))
    assert [each.kind for each in found if each.start == len(before)] == ["exact"]
