from pathlib import Path

import pytest
from tantivy import Index

from services.domain.errors import Broken, StoresBusy
from services.retrieval import lexical_query
from services.retrieval.lexical import LexicalIndex
from services.retrieval.lexical_query import MOST_RELATIVES, Vocabulary
from tests.contracts.lexical_index_contract import LexicalIndexContract, doc, found
from tests.support.fakes_retrieval import WordIndex


class TestWordIndex(LexicalIndexContract):
    @pytest.fixture
    def index(self) -> LexicalIndex:
        return WordIndex()


class TestTantivy(LexicalIndexContract):
    @pytest.fixture
    def index(self, tmp_path: Path) -> LexicalIndex:
        return LexicalIndex(tmp_path)

    def test_german_and_english_words_are_stemmed(self, index: LexicalIndex) -> None:
        index.upsert(
            "a",
            [
                doc("de", "Die Grenzwerte der beruflichen Exposition", language="de"),
                doc("en", "Annotated parameters of generic functions", language="en"),
            ],
        )
        assert found(index, "Grenzwert") == ["de"]
        assert found(index, "Expositionen") == ["de"]
        assert found(index, "functional annotation parameter") == ["en"]

    def test_other_languages_are_found_as_written(self, index: LexicalIndex) -> None:
        index.upsert("a", [doc("fr", "La dose efficace maximale", language="fr")])
        assert found(index, "DOSE maximale") == ["fr"]
        assert found(index, "maximal") == []

    def test_stop_words_belong_to_their_language(self, index: LexicalIndex) -> None:
        index.upsert(
            "a",
            [
                doc("de", "Der Wert war in der Anlage", language="de"),
                doc("en", "The war ended", language="en"),
            ],
        )
        assert found(index, "war") == ["en"]
        assert found(index, "der") == []
        assert found(index, "the") == []

    def test_a_word_finds_its_compounds_and_a_compound_its_parts(self, index: LexicalIndex) -> None:
        index.upsert(
            "a",
            [
                doc("compound", "Dosisgrenzwerte festlegen", language="de"),
                doc("word", "Grenzwerte festlegen", language="de"),
                doc("other", "Pflichten festlegen", language="de"),
            ],
        )
        assert found(index, "Grenzwert") == ["word", "compound"]
        assert found(index, "Dosisgrenzwert") == ["compound", "word"]

    def test_english_has_no_compounds(self, index: LexicalIndex) -> None:
        index.upsert("a", [doc("1", "understanding", language="en")])
        assert found(index, "standing") == []

    def test_heading_counts_more_than_text(self, index: LexicalIndex) -> None:
        index.upsert(
            "a",
            [
                doc("text", "Radon in Gebäuden", heading="Allgemeines zu Pflichten", language="de"),
                doc("heading", "Pflichten in Gebäuden", heading="Radon und Luft", language="de"),
            ],
        )
        assert found(index, "Radon") == ["heading", "text"]

    def test_a_word_in_heading_and_text_is_not_paid_twice(self, index: LexicalIndex) -> None:
        index.upsert(
            "a",
            [
                doc("both", "radon in rooms", heading="radon"),
                doc("heading", "limits in rooms", heading="radon"),
                *(doc(f"other{n}", "fine and register", heading="penalty") for n in range(5)),
            ],
        )
        both, heading = index.search("a", "radon", 2)
        assert both[1] == pytest.approx(heading[1])

    def test_the_score_approaches_1_for_a_chunk_made_of_the_query(
        self, index: LexicalIndex
    ) -> None:
        index.upsert("a", [doc("1", "radon " * 500), *(doc(str(i), "x y") for i in range(2, 9))])
        assert 0.8 < index.search("a", "radon", 1)[0][1] <= 1.0

    def test_scores_of_collections_of_any_size_are_comparable(self, index: LexicalIndex) -> None:
        passage = "radon measurement at workplaces"
        index.upsert("small", [doc("s", passage), doc("t", "other words of a text")])
        index.upsert("large", [doc("l", passage), *(doc(f"l{i}", "other text") for i in range(99))])
        small = index.search("small", "radon measurement", 1)[0][1]
        large = index.search("large", "radon measurement", 1)[0][1]
        assert small == pytest.approx(large, abs=0.25)


def test_documents_outlive_the_process(tmp_path: Path) -> None:
    first = LexicalIndex(tmp_path)
    first.upsert("a", [doc("1", "Grenzwerte", language="de")])
    first.close()
    assert found(LexicalIndex(tmp_path), "Grenzwert") == ["1"]


def test_many_small_writes_leave_few_files(tmp_path: Path) -> None:
    index = LexicalIndex(tmp_path)
    for n in range(25):
        index.upsert("a", [doc(str(n % 10), f"apple {n}")])
    assert index.count("a") == 10
    assert len(list((tmp_path / "a").iterdir())) < 120


def test_a_writer_elsewhere_is_named_as_such(tmp_path: Path) -> None:
    index = LexicalIndex(tmp_path)
    index.upsert("a", [doc("1", "apple")])
    other = Index(lexical_query.make_schema(), path=str(tmp_path / "a")).writer(15_000_000, 1)
    with pytest.raises(StoresBusy, match="try again"):
        index.upsert("a", [doc("2", "pear")])
    other.rollback()
    del other
    index.upsert("a", [doc("2", "pear")])
    assert index.ids("a") == ["1", "2"]


def test_a_damaged_index_says_how_to_rebuild_it(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "meta.json").write_text("{not json")
    with pytest.raises(Broken, match="doctor"):
        LexicalIndex(tmp_path).search("a", "apple", 5)


def test_labels_in_a_query_are_runs_with_a_number() -> None:
    assert "§ 78" in lexical_query.labels_in("Was sagt §78 StrlSchG?")
    assert "pep 604" in lexical_query.labels_in("Explain PEP 604.")
    assert "3.2" in lexical_query.labels_in("see 3.2.")
    assert lexical_query.labels_in("no numbers here") == []


def test_a_word_inside_a_compound_or_inflected_is_known(tmp_path: Path) -> None:
    index = LexicalIndex(tmp_path)
    index.upsert("a", [doc("1", "Dosisgrenzwerte der Einsatzkräfte", language="de")])
    words = ["Grenzwert", "Einsatzkraft", "Grenzwertschürze", "Schürze"]
    assert index.unknown("a", words, "de") == ["Grenzwertschürze", "Schürze"]


def test_compounds_and_parts_are_relatives() -> None:
    words = Vocabulary(["grenzwert", "dosisgrenzwert", "grenzwertüberschreit", "dosis", "wert"])
    assert set(words.relatives("grenzwert")) == {"dosisgrenzwert", "grenzwertüberschreit"}
    assert set(words.relatives("dosisgrenzwert")) == {"grenzwert", "dosis"}


def test_short_stems_and_numbers_have_none() -> None:
    words = Vocabulary(["wert", "grenzwert", "10000", "100001"])
    assert words.relatives("wert") == []
    assert words.relatives("10000") == []


def test_a_word_inside_another_is_no_relative() -> None:
    assert Vocabulary(["betrieb", "vertrieben"]).relatives("trieb") == ["betrieb"]


def test_the_closest_in_length_are_kept() -> None:
    long = [f"strahl{'x' * n}" for n in range(1, 60)]
    found = Vocabulary(long).relatives("strahl")
    assert found == long[:MOST_RELATIVES]
