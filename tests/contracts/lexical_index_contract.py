"""What every keyword index must do. Subclass and provide the fixture ``index``."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from services.retrieval.indexes import LexicalDocument, LexicalIndex


def doc(
    chunk_id: str,
    text: str = "",
    *,
    language: str = "en",
    title: str = "",
    heading: str = "",
    label: str = "",
) -> LexicalDocument:
    return LexicalDocument(
        chunk_id=chunk_id, language=language, title=title, heading=heading, text=text, label=label
    )


def search_ids(index: LexicalIndex, query: str, collection: str = "a") -> list[str]:
    return [identifier for identifier, _ in index.search(collection, query, 10)]


HOSTILE = [
    "",
    "   ",
    '(a: "`',
    "text:secret AND NOT (",
    "* ? ~ ^ [a TO b] \\",
    "a\0b",
    "\ud800",
    "'; DROP TABLE chunks; --",
    "/.*/",
    "§§§",
    "word " * 5000,
    "x" * 100_000,
]


class LexicalIndexContract:
    @pytest.fixture
    def index(self) -> LexicalIndex:
        raise NotImplementedError

    def test_the_chunk_with_more_of_the_query_comes_first(self, index: LexicalIndex) -> None:
        index.upsert("a", [doc("1", "red apple"), doc("2", "red car"), doc("3", "blue sky")])
        assert search_ids(index, "red apple") == ["1", "2"]

    def test_a_rare_word_counts_more_than_a_common_one(self, index: LexicalIndex) -> None:
        common = [doc(f"c{i}", "dose of radiation") for i in range(6)]
        index.upsert("a", [*common, doc("rare", "thyroid of children")])
        assert search_ids(index, "dose thyroid")[0] == "rare"

    def test_a_search_among_given_chunks_finds_them_alone_with_their_scores(
        self, index: LexicalIndex
    ) -> None:
        index.upsert("a", [doc("1", "red apple"), doc("2", "red car"), doc("3", "blue sky")])
        everywhere = dict(index.search("a", "red apple", 10))
        assert dict(index.search("a", "red apple", 10, only=["2", "3", "nowhere"])) == {
            "2": pytest.approx(everywhere["2"])
        }
        assert index.search("a", "red apple", 10, only=[]) == []

    def test_what_is_rewritten_finds_the_same(self, index: LexicalIndex) -> None:
        docs = [doc("1", "red apple"), doc("2", "red car"), doc("3", "blue sky")]
        index.upsert("a", docs)
        index.delete("a", ["2"])
        index.rewrite("a", iter([docs[:1], docs[2:]]))
        assert search_ids(index, "red") == ["1"] and index.count("a") == 2

    def test_title_and_heading_are_searched(self, index: LexicalIndex) -> None:
        index.upsert("a", [doc("1", "x", title="Zebra"), doc("2", "x", heading="Giraffe")])
        assert search_ids(index, "zebra") == ["1"]
        assert search_ids(index, "giraffe") == ["2"]

    def test_a_label_finds_its_section_however_it_is_spaced(self, index: LexicalIndex) -> None:
        index.upsert(
            "a",
            [
                doc("78", "limits", label="§ 78"),
                doc("7", "penalties", label="§ 7"),
                doc("9a", "waste", label="§ 9a"),
                doc("annex", "tables", label="Anlage 4"),
            ],
        )
        for query in ("§ 78", "§78", "Was sagt § 78?", "(§ 78)", "§\u00a078 Absatz 1"):
            assert search_ids(index, query) == ["78"], query
        assert search_ids(index, "§ 9A") == ["9a"]
        assert search_ids(index, "ANLAGE 4") == ["annex"]
        assert search_ids(index, "anlage") == []

    def test_scores_lie_between_0_and_1_and_fall(self, index: LexicalIndex) -> None:
        index.upsert("a", [doc(str(i), "red apple " * i, label=f"§ {i}") for i in range(1, 9)])
        for query in ("red", "red apple", "apple § 3", "red unicorn", "red red red"):
            scores = [score for _, score in index.search("a", query, 10)]
            assert scores == sorted(scores, reverse=True)
            assert scores
            assert all(0.0 < score <= 1.0 for score in scores)

    def test_words_that_are_nowhere_lower_the_score(self, index: LexicalIndex) -> None:
        index.upsert("a", [doc("1", "red apple"), doc("2", "blue sky")])
        all_words = index.search("a", "red apple", 1)[0][1]
        half_of_words = index.search("a", "red apple unicorn rainbow", 1)[0][1]
        assert half_of_words < all_words

    def test_chunks_are_counted_that_have_a_word(self, index: LexicalIndex) -> None:
        index.upsert("a", [doc("1", "The dose of workers"), doc("2", "dose", heading="Children")])
        counts = index.frequencies("a", ["dose", "apron", "Children", "§§"], "en")
        assert counts == {"dose": 2, "apron": 0, "Children": 1}
        assert index.frequencies("nowhere", ["dose"], "en") == {}

    def test_words_of_a_language_that_no_chunk_has_are_not_counted(
        self, index: LexicalIndex
    ) -> None:
        index.upsert("a", [doc("1", "Die Dosis", language="de")])
        assert index.frequencies("a", ["apron"], "en") == {}

    @pytest.mark.parametrize("query", HOSTILE)
    def test_any_text_is_a_query(self, index: LexicalIndex, query: str) -> None:
        index.upsert("a", [doc("1", "red apple")])
        assert search_ids(index, query) == []

    def test_any_text_can_be_indexed(self, index: LexicalIndex) -> None:
        index.upsert("a", [doc("1", f"apple {text}", heading=text) for text in HOSTILE])
        assert search_ids(index, "apple") == ["1"]

    def test_upsert_replaces(self, index: LexicalIndex) -> None:
        index.upsert("a", [doc("1", "apple")])
        index.upsert("a", [doc("1", "pear"), doc("2", "plum")])
        assert index.count("a") == 2
        assert search_ids(index, "apple") == []
        assert search_ids(index, "pear") == ["1"]

    def test_an_id_twice_in_one_call_counts_once_by_its_last_text(
        self, index: LexicalIndex
    ) -> None:
        index.upsert("a", [doc("1", "apple"), doc("1", "pear")])
        assert index.count("a") == 1
        assert search_ids(index, "apple pear") == ["1"]
        assert search_ids(index, "apple") == []

    def test_k_limits(self, index: LexicalIndex) -> None:
        index.upsert("a", [doc(str(i), "apple") for i in range(5)])
        assert len(index.search("a", "apple", 3)) == 3
        assert index.search("a", "apple", 0) == []

    def test_collections_do_not_see_each_other(self, index: LexicalIndex) -> None:
        index.upsert("a", [doc("1", "apple")])
        index.upsert("b", [doc("2", "apple")])
        assert search_ids(index, "apple", "a") == ["1"]
        index.drop("a")
        assert search_ids(index, "apple", "a") == []
        assert search_ids(index, "apple", "b") == ["2"]

    def test_any_collection_id_works(self, index: LexicalIndex) -> None:
        names = ["x", "Größe & mehr", "a/../b", "-", "A", "a", "z" * 300]
        for name in names:
            index.upsert(name, [doc(f"in {name}", "apple")])
        for name in names:
            assert index.ids(name) == [f"in {name}"]

    def test_delete_forgets_and_ignores_unknown_ids(self, index: LexicalIndex) -> None:
        index.upsert("a", [doc("1", "apple"), doc("2", "apple")])
        index.delete("a", ["1", "unknown"])
        assert index.ids("a") == ["2"]
        assert search_ids(index, "apple") == ["2"]

    def test_a_missing_collection_is_empty(self, index: LexicalIndex) -> None:
        assert search_ids(index, "apple", "none") == []
        assert index.ids("none") == []
        assert index.count("none") == 0
        index.delete("none", ["1"])
        index.drop("none")

    def test_a_dropped_collection_can_be_filled_again(self, index: LexicalIndex) -> None:
        index.upsert("a", [doc("1", "apple")])
        index.drop("a")
        index.upsert("a", [doc("2", "apple")])
        assert index.ids("a") == ["2"]

    def test_threads_may_write_and_search_at_once(self, index: LexicalIndex) -> None:
        def write(writer: int) -> None:
            for n in range(3):
                index.upsert("a", [doc(f"{writer}-{n}", "apple")])
                index.search("a", "apple", 3)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(write, range(4)))
        assert index.count("a") == 12
