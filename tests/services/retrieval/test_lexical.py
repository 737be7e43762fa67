import shutil
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from unittest.mock import Mock

import pytest
from tantivy import Index

from services.domain.errors import AskPerson, Broken, StoresBusy
from services.retrieval.indexes import LexicalIndex
from services.retrieval.lexical import ENDINGS, TantivyIndex, make_schema
from services.retrieval.postgres_words import PostgresWords
from services.retrieval.terms import MOST_RELATIVES, Vocabulary
from tests.contracts.lexical_index_contract import LexicalIndexContract, doc, search_ids
from tests.support.fakes_retrieval import WordIndex
from tests.support.postgres import needs_postgres, plans


class TestWordIndex(LexicalIndexContract):
    @pytest.fixture
    def index(self) -> LexicalIndex:
        return WordIndex()


class TestTantivy(LexicalIndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> LexicalIndex:
        return TantivyIndex(tmp_path)


@needs_postgres
class TestPostgres(LexicalIndexContract):
    @pytest.fixture
    def index(self, cleared: str) -> Iterator[LexicalIndex]:
        with closing(PostgresWords(cleared)) as index:
            yield index

    def test_a_search_goes_by_the_inverted_index(self, index: PostgresWords) -> None:
        index.upsert("a", [doc("1", "red apple")])
        plan = plans(index._database.engine, lambda: index.search("a", "apple", 1))
        assert "_postings_pkey" in plan and "Seq Scan" not in plan

    def test_compounds_are_found_where_a_collection_was_dropped_and_filled_again(
        self, index: LexicalIndex
    ) -> None:
        for compound in ("Dosisgrenzwerte", "Arbeitsplatzgrenzwerte"):
            index.upsert("a", [doc(compound, f"{compound} festlegen", language="de")])
            assert search_ids(index, "Grenzwert") == [compound]
            index.drop("a")

    def test_chunks_rank_as_in_tantivy(self, index: LexicalIndex, tmp_path: Path) -> None:
        other = TantivyIndex(tmp_path)
        texts = (
            "Dosis der Haut",
            "Dosis " * 9,
            "Grenzwerte der Dosis im Jahr",
            "Strahlung im Jahr",
        )
        docs = [
            doc(str(n), text, language="de", heading=texts[n - 1], label=f"§ {n}")
            for n, text in enumerate(texts)
        ]
        for target in (index, other):
            target.upsert("a", docs)
        for query in ("Dosis Grenzwert", "Haut § 2", "im Jahr", "Strahlung Dosis Laut"):
            expected = other.search("a", query, 9)
            assert index.search("a", query, 9) == [
                (chunk, pytest.approx(score, rel=1e-4)) for chunk, score in expected
            ]


def test_a_rewritten_index_keeps_no_word_of_a_deleted_chunk(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    docs = [doc(str(n), f"red apple {'xylomancy' * (n == 3)}") for n in range(20)]
    for part in (docs[:10], docs[10:]):
        index.upsert("a", part)

    def stored() -> list[object]:
        searcher = Index.open(str(tmp_path / "a")).searcher()
        return list(searcher.terms_with_prefix("text_en", "xylo"))

    index.delete("a", ["3"])
    assert stored(), "until it is rewritten"
    index.rewrite("a", [[each for each in docs if each.text.count("xylo") == 0]])
    assert not stored() and index.count("a") == 19


def test_words_are_found_as_their_language_writes_them(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    texts = [
        ("exposure", "Die Grenzwerte der beruflichen Exposition", "de"),
        ("compound", "Dosisgrenzwerte festlegen", "de"),
        ("war", "Der Wert war in der Anlage", "de"),
        ("generic", "Annotated parameters of generic functions", "en"),
        ("ended", "The war ended, to our understanding", "en"),
        ("french", "La dose efficace maximale", "fr"),
    ]
    index.upsert("a", [doc(name, text, language=language) for name, text, language in texts])
    for query, names in (
        ("Expositionen", ["exposure"]),
        ("Grenzwert", ["exposure", "compound"]),  # a word finds its compounds
        ("Dosisgrenzwert", ["compound", "exposure"]),  # and a compound its parts
        ("functional annotation parameter", ["generic"]),
        ("standing", []),  # English has no compounds
        ("DOSE maximale", ["french"]),
        ("maximal", []),
        ("war", ["ended"]),  # stop words belong to their language
        ("der", []),
        ("the", []),
    ):
        assert search_ids(index, query) == names, query
    words = ["Grenzwert", "Exposition", "Grenzwertschürze", "Schürze"]
    counts = index.frequencies("a", words, "de")
    assert [counts[word] for word in words] == [2, 1, 0, 0]


@pytest.mark.parametrize("harm", ["gone", "halved", "flipped"])
@pytest.mark.parametrize("ending", [*ENDINGS, "json"])
def test_a_damaged_file_is_named_and_nothing_panics(tmp_path: Path, ending: str, harm: str) -> None:
    TantivyIndex(tmp_path).upsert("a", [doc(f"c{n}", f"dose limit {n}") for n in range(9)])
    (file,) = (tmp_path / "a").glob(f"[!.]*.{ending}")
    data = file.read_bytes()
    changed = data[: len(data) // 2] if harm == "halved" else bytes([data[0] ^ 255]) + data[1:]
    file.unlink() if harm == "gone" else file.write_bytes(changed)
    index = TantivyIndex(tmp_path)
    with pytest.raises(Broken, match="doctor --repair"):
        index.verify("a")
    with suppress(Broken):
        index.search("a", "dose limit", 5)
    with suppress(Broken):
        index.ids("a")
    index.drop("a")
    index.verify("a")


def test_a_file_that_is_written_while_an_index_is_deleted_stops_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = TantivyIndex(tmp_path)
    index.upsert("a", [doc("c", "dose limit")])
    rmtree = Mock(side_effect=[OSError(39, "Directory not empty"), None], wraps=shutil.rmtree)
    monkeypatch.setattr(shutil, "rmtree", rmtree)
    index.drop("a")
    assert rmtree.call_count == 2


def test_scores_are_shares_that_collections_can_compare(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    others = [doc(f"other{n}", "fine and register", heading="penalty") for n in range(5)]
    both = doc("both", "radon in rooms", heading="radon")
    index.upsert("a", [both, doc("heading", "limits in rooms", heading="radon"), *others])
    (_, first), (_, second) = index.search("a", "radon", 2)
    assert first == pytest.approx(second), "a word in heading and text is not paid twice"
    text = doc("text", "Radon in Gebäuden", heading="Allgemeines zu Pflichten", language="de")
    headed = doc("heading", "Pflichten in Gebäuden", heading="Radon und Luft", language="de")
    index.upsert("b", [text, headed])
    assert [name for name, _ in index.search("b", "Radon", 2)] == ["heading", "text"]
    index.upsert("c", [doc("1", "radon " * 500), *(doc(f"c{n}", "x y") for n in range(7))])
    assert 0.8 < index.search("c", "radon", 1)[0][1] <= 1.0
    shares = []
    for name, size in (("small", 1), ("large", 99)):
        passage = doc(name, "radon measurement at workplaces")
        index.upsert(name, [passage, *(doc(f"{name}{n}", "other text") for n in range(size))])
        shares.append(index.search(name, "radon measurement", 1)[0][1])
    assert shares[0] == pytest.approx(shares[1], abs=0.25)


def test_documents_outlive_the_process_in_few_files(tmp_path: Path) -> None:
    first = TantivyIndex(tmp_path)
    for n in range(15):
        first.upsert("a", [doc(str(n % 5), f"apple {n}")])
    first.close()
    second = TantivyIndex(tmp_path)
    assert second.count("a") == 5 and search_ids(second, "14") == ["4"]
    assert len(list((tmp_path / "a").iterdir())) < 120


def test_a_writer_elsewhere_is_named_as_such(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    index.upsert("a", [doc("1", "apple")])
    other = Index(make_schema(), path=str(tmp_path / "a")).writer(15_000_000, 1)
    with pytest.raises(StoresBusy, match="try again"):
        index.upsert("a", [doc("2", "pear")])
    other.rollback()
    del other
    index.upsert("a", [doc("2", "pear")])
    assert index.ids("a") == ["1", "2"]


def test_a_panic_of_the_library_is_a_damaged_index_and_control_c_is_none(tmp_path: Path) -> None:
    panic = type("PanicException", (BaseException,), {"__module__": "pyo3_runtime"})
    for raised, expected in ((panic, Broken), (KeyboardInterrupt, KeyboardInterrupt)):
        with pytest.raises(expected), TantivyIndex(tmp_path)._reading("a"):
            raise raised("index out of bounds")


def test_where_nothing_can_be_written_the_way_out_is_named(tmp_path: Path) -> None:
    index = TantivyIndex(tmp_path)
    index.upsert("a", [doc("1", "apple")])
    with (
        pytest.raises(AskPerson, match=r"cannot be written.*Free some space"),
        index._writer("a") as writer,
    ):
        writer.delete_documents_by_term("chunk_id", "1")
        shutil.rmtree(tmp_path / "a")


def test_a_damaged_index_says_how_to_rebuild_it(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "meta.json").write_text("{not json")
    with pytest.raises(Broken, match="doctor"):
        TantivyIndex(tmp_path).search("a", "apple", 5)


def test_the_closest_in_length_of_many_relatives_are_kept() -> None:
    long = [f"strahl{'x' * n}" for n in range(1, 60)]
    assert Vocabulary(long).relatives("strahl") == long[:MOST_RELATIVES]
