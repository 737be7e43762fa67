"""Reading question sets: what counts, and a clear line about what is wrong."""

from pathlib import Path

import pytest

from services.errors import InvalidInput
from services.evaluation.beir import Record, read_corpus, read_questions
from tests.support.question_sets import write_set


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


@pytest.mark.parametrize("line", ["{", "[1]", '"text"', '{"_id": "x"}', "3"])
def test_a_broken_record_is_named_by_its_line(tmp_path: Path, line: str) -> None:
    folder = write_set(tmp_path / "set")
    (folder / "corpus.jsonl").write_text('{"_id": 1, "text": "a"}\n\n' + line)
    with pytest.raises(InvalidInput, match=r"corpus\.jsonl, line 3"):
        list(read_corpus(folder))


@pytest.mark.parametrize("row", ["q1 noise 1", "q1\tnoise\thigh", "q1\tnoise"])
def test_a_broken_judgement_is_named_by_its_line(tmp_path: Path, row: str) -> None:
    folder = write_set(tmp_path / "set")
    (folder / "qrels" / "test.tsv").write_text(f"query-id\tcorpus-id\tscore\n{row}\n")
    with pytest.raises(InvalidInput, match=r"test\.tsv, line 2"):
        read_questions(folder)


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    folder = write_set(tmp_path / "set")
    (folder / name).unlink()
    with pytest.raises(InvalidInput, match=name):
        read_questions(folder)
        list(read_corpus(folder))


def test_judgements_of_other_questions_are_an_error(tmp_path: Path) -> None:
    folder = write_set(tmp_path / "set", judgements={"other": {"noise": 1}})
    with pytest.raises(InvalidInput, match="no question with a relevant record"):
        read_questions(folder)
