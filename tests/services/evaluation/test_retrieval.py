"""The evaluation over real indexes and catalog, with word counts for an embedder."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from services.domain.errors import InvalidInput
from services.evaluation.datasets import read_corpus, read_questions
from services.evaluation.retrieval import MeasuredEmbedder, evaluate_retrieval, open_cache
from services.evaluation.statistics import measure
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


def evaluate(folder: Path, embedder: Embedder | None = None, **values: object) -> dict[str, Any]:
    embedder = embedder or HashEmbedder()
    settings = Settings(llm="none")
    return evaluate_retrieval(folder, settings, language="de", embedder=embedder, **values)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_set(tmp_path / "small")


def test_the_report_has_the_shape_of_the_contract(folder: Path) -> None:
    embedder = HashEmbedder()
    report = evaluate(folder, embedder)
    # Two of the five records have the same text, one has none.
    assert [report[name] for name in ("dataset", "documents", "chunks", "queries")] == [
        "small", 4, 3, 3,
    ]  # fmt: skip
    assert list(report["modes"]) == ["hybrid", "vector", "keyword"]
    for values in report["modes"].values():
        assert set(values) == MEASURES | {"ms_p50", "ms_p95", "intervals"}
        assert 0 < values["ms_p50"] <= values["ms_p95"]
        assert set(values["intervals"]) == MEASURES
    assert set(report["ingest"]) == {"seconds", "parse_s", "embed_s", "index_s", "embedded"}
    assert report["ingest"]["embedded"] == 3
    assert len(embedder.queries) == 3  # searches do not pay for embedding the question
    assert list(report["differences"]) == ["hybrid-vector", "hybrid-keyword"]
    ahead = report["differences"]["hybrid-vector"]["ndcg@10"]
    means = [report["modes"][mode]["ndcg@10"] for mode in ("hybrid", "vector")]
    assert ahead["mean"] == pytest.approx(means[0] - means[1], abs=2e-4)
    assert ahead["low"] <= ahead["mean"] <= ahead["high"]
    keyword = report["modes"]["keyword"]
    assert keyword["recall@10"] == keyword["recall@50"] == 1
    # q1 and q2 are right at rank 1; the relevant twin of q3 follows its copy at rank 2.
    assert keyword["mrr@10"] == pytest.approx((1 + 1 + 1 / 2) / 3, abs=1e-4)
    assert keyword["ndcg@10"] == pytest.approx((1 + 1 + 1 / np.log2(3)) / 3, abs=1e-4)


def test_a_document_ranks_by_its_best_chunk(tmp_path: Path) -> None:
    filler = "\n\n".join(f"Absatz {n} über Katzen, Hunde und Pferde. " * 20 for n in range(3))
    records = {
        "long": ("", f"{filler}\n\n{'Dezibel Lärm Grenzwert. ' * 40}"),
        "short": ("", "Ein Grenzwert steht in jedem Gesetz."),
    }
    asked = {"q": "Grenzwert Lärm Dezibel"}
    judgements = {"q": {"long": 1}}
    report = evaluate(
        write_set(tmp_path / "set", records=records, queries=asked, judgements=judgements)
    )
    assert report["chunks"] > report["documents"] == 2
    assert {values["mrr@10"] for values in report["modes"].values()} == {1}


def test_the_cache_saves_embedding_of_the_same_model_and_changes_no_figure(
    folder: Path, tmp_path: Path
) -> None:
    cache = tmp_path / "vectors"
    embedders = CountingEmbedder(), CountingEmbedder(), CountingEmbedder(dimension=64)
    first, second, _ = (evaluate(folder, each, cache=cache) for each in embedders)
    assert [len(each.embedded) for each in embedders] == [3, 0, 3]
    assert [report["ingest"]["embedded"] for report in (first, second)] == [3, 0]
    for mode, values in first["modes"].items():
        assert all(values[name] == second["modes"][mode][name] for name in MEASURES)


def test_the_home_is_temporary_and_private(folder: Path, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path / "home", database=f"sqlite:///{tmp_path / 'shared.db'}")
    report = evaluate_retrieval(folder, settings, limit=2, embedder=HashEmbedder())
    assert report["queries"] == 2
    assert not settings.home.exists() and not (tmp_path / "shared.db").exists()


def test_what_makes_no_sense_is_refused(folder: Path, tmp_path: Path) -> None:
    for modes in ((), ("bm25",), ("vector",) * 2):
        with pytest.raises(InvalidInput, match="modes hybrid, vector, keyword, and each once"):
            evaluate(folder, modes=modes)
    (tmp_path / "notes.txt").write_text("my notes\n" * 200)
    with pytest.raises(InvalidInput, match=r"notes\.txt"):
        open_cache(tmp_path / "notes.txt")
    with pytest.raises(InvalidInput, match="No record"):
        evaluate(write_set(tmp_path / "blank", records={"noise": ("", " ")}))
    with pytest.raises(InvalidInput, match="Nothing was measured"):
        evaluate(folder, reranking="llm")


RANKINGS: list[tuple[Sequence[str], list[float]]] = [
    (["a", "b"], [1, 1, 1, 1]),
    (["x", "a"], [0.3869, 0.5, 0.5, 0.5]),
    ([*(f"x{n}" for n in range(10)), "a"], [0, 0, 0.5, 0]),
    (["b", "x", "a"], [0.9197, 1, 1, 1]),
    (["b", "a", "x"], [1, 1, 1, 1]),
    ([], [0, 0, 0, 0]),
]


@pytest.mark.parametrize(("ranking", "expected"), RANKINGS)
def test_measures_by_hand(ranking: Sequence[str], expected: list[float]) -> None:
    rated = measure({"q": {"a": 1, "b": 1}}, {"q": ranking})
    assert [rated[name].item() for name in ("ndcg@10", "recall@10", "recall@50", "mrr@10")] == (
        pytest.approx(expected, abs=1e-4)
    )


def test_reranking_orders_what_is_measured(tmp_path: Path) -> None:
    noise = "Katzen schlafen sechzehn Stunden am Tag. Hunde bellen nachts im Garten. " * 4
    records = {
        "long": ("", f"{noise}Der Grenzwert für Lärm beträgt 85 Dezibel."),
        "near": ("", "Der Grenzwert für Lärm steht im Anhang der Verordnung."),
    }
    asked = {"q": "Welcher Grenzwert für Lärm beträgt Dezibel?"}
    folder = write_set(
        tmp_path / "s", records=records, queries=asked, judgements={"q": {"long": 1}}
    )
    plain, reranked = (
        evaluate(folder, modes=("vector",), reranking=each) for each in ("none", "cross-encoder")
    )
    assert plain["modes"]["vector"]["mrr@10"] == 0.5
    assert reranked["modes"]["vector"]["mrr@10"] == 1


def test_only_questions_with_a_relevant_record_are_asked_and_a_sample_stays(tmp_path: Path) -> None:
    judgements = {"q1": {"noise": 0}, "q2": {"dose": 1}, "gone": {"dose": 1}}
    questions = read_questions(write_set(tmp_path / "one", judgements=judgements))
    assert dict(questions.queries) == {"q2": "Wie hoch darf die Dosis im Jahr sein?"}
    assert questions.judgements == {"q2": {"dose": 1}}
    folder = write_set(tmp_path / "all")
    questions = read_questions(folder)
    sample = questions.sample(2)
    assert len(sample.queries) == 2 and sample == questions.sample(2)
    assert sample.judgements == {query: questions.judgements[query] for query in sample.queries}
    assert questions.sample(3) is questions and questions.sample(None) is questions
    records = [(record.record_id, record.title) for record in read_corpus(folder)]
    assert records[:3] == [("noise", "Lärm"), ("dose", "Dosis"), ("cats", "")]
    (folder / "qrels" / "test.tsv").write_text("q1\tnoise\t1\n")  # without a header
    assert list(read_questions(folder).queries) == ["q1"]
    with pytest.raises(InvalidInput, match="no question with a relevant record"):
        read_questions(write_set(tmp_path / "other", judgements={"other": {"noise": 1}}))


BROKEN: list[tuple[str, str | None, str]] = [
    *(
        ("corpus.jsonl", f'{{"_id": 1, "text": "a"}}\n\n{line}', r"corpus\.jsonl, line 3")
        for line in ("{", "[1]", '"text"', '{"_id": "x"}', "3")
    ),
    *(
        ("qrels/test.tsv", f"query-id\tcorpus-id\tscore\n{row}\n", r"test\.tsv, line 2")
        for row in ("q1 noise 1", "q1\tnoise\thigh", "q1\tnoise")
    ),
    *((name, None, name) for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv")),
]


@pytest.mark.parametrize(("file", "content", "said"), BROKEN)
def test_a_broken_or_missing_file_is_named(
    folder: Path, file: str, content: str | None, said: str
) -> None:
    (folder / file).unlink()
    if content is not None:
        (folder / file).write_text(content)
    with pytest.raises(InvalidInput, match=said):
        read_questions(folder)
        list(read_corpus(folder))
