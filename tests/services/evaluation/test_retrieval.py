"""The evaluation over real indexes and catalog, with word counts for an embedder."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from services.build import build_services
from services.domain.errors import InvalidInput
from services.evaluation.beir import Record, read_corpus, read_questions
from services.evaluation.retrieval import (
    MeasuredEmbedder,
    OpenParts,
    RetrievalPlan,
    evaluate_retrieval,
    open_cache,
)
from services.evaluation.statistics import RetrievalReport, measure
from services.retrieval.embedders import Embedder
from services.settings import Settings
from tests.contracts.embedder_contract import EmbedderContract
from tests.support.fakes_retrieval import HashEmbedder
from tests.support.ingestion import CountingEmbedder
from tests.support.question_sets import write_set

MEASURES = {"ndcg@10", "recall@10", "recall@50", "mrr@10"}


class TestMeasuredEmbedder(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return MeasuredEmbedder(HashEmbedder())


def evaluate(folder: Path, embedder: Embedder | None = None, **values: object) -> RetrievalReport:
    plan = RetrievalPlan.of(folder, language="de", **values)
    return evaluate_retrieval(
        plan, Settings(llm="none"), embedder or HashEmbedder(), build_services
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    return evaluate(write_set(tmp_path_factory.mktemp("sets") / "small")).as_json()


def test_the_report_has_the_shape_of_the_contract(report: dict) -> None:
    assert report["dataset"] == "small"
    # Two of the five records have the same text, one has none.
    assert (report["documents"], report["chunks"], report["queries"]) == (4, 3, 3)
    assert list(report["modes"]) == ["hybrid", "vector", "keyword"]
    for values in report["modes"].values():
        assert set(values) == MEASURES | {"ms_p50", "ms_p95", "intervals"}
        assert 0 < values["ms_p50"] <= values["ms_p95"]
        assert set(values["intervals"]) == MEASURES
    assert set(report["ingest"]) == {"seconds", "parse_s", "embed_s", "index_s", "embedded"}
    assert report["ingest"]["embedded"] == 3


def test_what_is_found_first_counts_fully_and_a_twin_comes_second(report: dict) -> None:
    keyword = report["modes"]["keyword"]
    assert keyword["recall@10"] == keyword["recall@50"] == 1
    # q1 and q2 are right at rank 1; the relevant twin of q3 follows its copy at rank 2.
    assert keyword["mrr@10"] == pytest.approx((1 + 1 + 1 / 2) / 3, abs=1e-4)
    assert keyword["ndcg@10"] == pytest.approx((1 + 1 + 1 / np.log2(3)) / 3, abs=1e-4)


def test_the_first_mode_is_compared_with_the_others(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "set")
    report = evaluate(folder, modes=("keyword", "vector")).as_json()
    assert list(report["modes"]) == ["keyword", "vector"]
    (pair,) = report["differences"]
    means = [report["modes"][mode]["ndcg@10"] for mode in ("keyword", "vector")]
    difference = report["differences"][pair]["ndcg@10"]
    assert pair == "keyword-vector"
    assert difference["mean"] == pytest.approx(means[0] - means[1], abs=2e-4)
    assert difference["low"] <= difference["mean"] <= difference["high"]


def test_a_document_ranks_by_its_best_chunk(tmp_path: Path) -> None:
    filler = "\n\n".join(f"Absatz {n} über Katzen, Hunde und Pferde. " * 20 for n in range(3))
    records = {
        "long": ("", f"{filler}\n\n{'Dezibel Lärm Grenzwert. ' * 40}"),
        "short": ("", "Ein Grenzwert steht in jedem Gesetz."),
    }
    folder = write_set(
        tmp_path / "set",
        records=records,
        queries={"q": "Grenzwert Lärm Dezibel"},
        judgements={"q": {"long": 1}},
    )
    report = evaluate(folder).as_json()
    assert report["chunks"] > report["documents"] == 2
    assert {values["mrr@10"] for values in report["modes"].values()} == {1}


def test_the_cache_saves_embedding_and_changes_no_figure(tmp_path: Path) -> None:
    folder, cache = write_set(tmp_path / "set"), tmp_path / "vectors"
    first, second = CountingEmbedder(), CountingEmbedder()
    reports = [evaluate(folder, each, cache=cache) for each in (first, second)]
    assert (len(first.embedded), len(second.embedded)) == (3, 0)
    assert [report.embedded for report in reports] == [3, 0]
    for before, after in zip(*(report.results for report in reports), strict=True):
        assert all((before.values[name] == after.values[name]).all() for name in MEASURES)


def test_the_cache_of_another_model_is_not_used(tmp_path: Path) -> None:
    folder, cache = write_set(tmp_path / "set"), tmp_path / "vectors"
    evaluate(folder, CountingEmbedder(), cache=cache)
    other = CountingEmbedder(dimension=64)
    evaluate(folder, other, cache=cache)
    assert len(other.embedded) == 3


def test_a_file_that_is_no_cache_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("my notes\n" * 200)
    with pytest.raises(InvalidInput, match=r"notes\.txt"):
        open_cache(tmp_path / "notes.txt")


def test_the_home_is_temporary_and_private(tmp_path: Path) -> None:
    seen: list[Settings] = []

    def make(settings: Settings, embedder: Embedder) -> OpenParts:
        seen.append(settings)
        return build_services(settings, embedder)

    settings = Settings(home=tmp_path / "home", database_url=f"sqlite:///{tmp_path / 'shared.db'}")
    folder = write_set(tmp_path / "set")
    evaluate_retrieval(RetrievalPlan(folder=folder, limit=1), settings, HashEmbedder(), make)
    (used,) = seen
    assert used.home != settings.home and used.database_url is None
    assert not used.home.exists() and not settings.home.exists()
    assert not (tmp_path / "shared.db").exists()


def test_searches_do_not_pay_for_embedding_the_query(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    report = evaluate(write_set(tmp_path / "set"), embedder)
    assert len(embedder.queries) == len(report.query_seconds) == 3


def test_a_limit_asks_fewer_questions(tmp_path: Path) -> None:
    assert evaluate(write_set(tmp_path / "set"), limit=2).questions == 2


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"modes": ()}, "modes"),
        ({"modes": ("bm25",)}, "modes"),
        ({"limit": 0}, "limit"),
        ({"modes": ("vector", "vector")}, "each once"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(tmp_path: Path, values: dict, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        RetrievalPlan.of(tmp_path, **values)


def test_a_corpus_without_texts_is_refused(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "set", records={"noise": ("", " ")})
    with pytest.raises(InvalidInput, match="No record"):
        evaluate(folder)


@pytest.mark.parametrize(
    ("ranking", "expected"),
    [
        (["a", "b"], {"ndcg@10": 1, "recall@10": 1, "recall@50": 1, "mrr@10": 1}),
        (["x", "a"], {"ndcg@10": 0.3869, "recall@10": 0.5, "recall@50": 0.5, "mrr@10": 0.5}),
        (
            [f"x{n}" for n in range(10)] + ["a"],
            {"ndcg@10": 0, "recall@10": 0, "recall@50": 0.5, "mrr@10": 0},
        ),
        ([], dict.fromkeys(sorted(MEASURES), 0)),
    ],
)
def test_measures_by_hand(ranking: Sequence[str], expected: dict[str, float]) -> None:
    found = measure({"q": {"a": 1, "b": 1}}, {"q": ranking})
    assert {name: values.tolist() for name, values in found.items()} == {
        name: [pytest.approx(value, abs=1e-4)] for name, value in expected.items()
    }


def test_the_order_of_the_ranking_counts_whatever_the_ids_are() -> None:
    judgements = {"q": {"b": 1}}
    for ranking in (["b", "a", "c"], ["b", "c", "a"]):
        assert measure(judgements, {"q": ranking})["mrr@10"].tolist() == [1]


def test_reranking_orders_what_is_measured(tmp_path: Path) -> None:
    noise = "Katzen schlafen sechzehn Stunden am Tag. Hunde bellen nachts im Garten. " * 4
    records = {
        "long": ("", f"{noise}Der Grenzwert für Lärm beträgt 85 Dezibel."),
        "near": ("", "Der Grenzwert für Lärm steht im Anhang der Verordnung."),
    }
    folder = write_set(
        tmp_path / "small",
        records=records,
        queries={"q": "Welcher Grenzwert für Lärm beträgt Dezibel?"},
        judgements={"q": {"long": 1}},
    )
    plain, reranked = (
        evaluate(folder, modes=("vector",), reranking=reranking).as_json()
        for reranking in ("none", "sentences")
    )
    assert plain["modes"]["vector"]["mrr@10"] == 0.5
    assert reranked["modes"]["vector"]["mrr@10"] == 1
    assert reranked["ingest"]["embedded"] == 2  # passages; sentences are looked at afterwards


def test_a_reranking_that_fails_measures_nothing(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="Nothing was measured"):
        evaluate(write_set(tmp_path / "small"), reranking="llm")


def test_records_come_in_order_with_their_titles(tmp_path: Path) -> None:
    records = list(read_corpus(write_set(tmp_path / "set")))
    assert [record.record_id for record in records] == ["noise", "dose", "cats", "twin", "blank"]
    assert records[2] == Record("cats", "", "Katzen schlafen sechzehn Stunden am Tag.")


def test_only_questions_with_a_relevant_record_are_asked(tmp_path: Path) -> None:
    judgements = {"q1": {"noise": 0}, "q2": {"dose": 1}, "gone": {"dose": 1}}
    questions = read_questions(write_set(tmp_path / "set", judgements=judgements))
    assert dict(questions.queries) == {"q2": "Wie hoch darf die Dosis im Jahr sein?"}
    assert questions.judgements == {"q2": {"dose": 1}}


def test_a_sample_is_always_the_same_and_keeps_its_judgements(tmp_path: Path) -> None:
    questions = read_questions(write_set(tmp_path / "set"))
    sample = questions.sample(2)
    assert len(sample.queries) == 2 and sample == questions.sample(2)
    assert sample.judgements == {query: questions.judgements[query] for query in sample.queries}
    assert questions.sample(3) is questions and questions.sample(None) is questions


def test_judgements_need_no_header(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "set")
    (folder / "qrels" / "test.tsv").write_text("q1\tnoise\t1\n")
    assert list(read_questions(folder).queries) == ["q1"]


HEADER = "query-id\tcorpus-id\tscore\n"


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        *(
            ("corpus.jsonl", f'{{"_id": 1, "text": "a"}}\n\n{line}', r"corpus\.jsonl, line 3")
            for line in ("{", "[1]", '"text"', '{"_id": "x"}', "3")
        ),
        *(
            ("qrels/test.tsv", f"{HEADER}{row}\n", r"test\.tsv, line 2")
            for row in ("q1 noise 1", "q1\tnoise\thigh", "q1\tnoise")
        ),
        *((name, None, name) for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")),
    ],
)
def test_a_broken_or_missing_file_is_named(
    tmp_path: Path, file: str, content: str | None, said: str
) -> None:
    folder = write_set(tmp_path / "set")
    (folder / file).unlink()
    if content is not None:
        (folder / file).write_text(content)
    with pytest.raises(InvalidInput, match=said):
        read_questions(folder)
        list(read_corpus(folder))


def test_judgements_of_other_questions_are_an_error(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "set", judgements={"other": {"noise": 1}})
    with pytest.raises(InvalidInput, match="no question with a relevant record"):
        read_questions(folder)
