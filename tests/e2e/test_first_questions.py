"""The questions of the first page, asked of the sample without a model."""

from pathlib import Path

import pytest

from app.samples import CONTRACTS, QUESTIONS
from tests.support.shell import Shell

SAMPLES = Path(__file__).parents[2] / "kb" / "samples"


@pytest.mark.slow
def test_one_quote_answers_each_question_of_the_first_page(tmp_path: Path) -> None:
    shell = Shell(tmp_path / "home")
    paths = [SAMPLES / document for document in CONTRACTS.documents]
    shell.json("ingest", *paths, "--collection", CONTRACTS.collection)
    for question in (question for asked in QUESTIONS.values() for question in asked):
        sentences = shell.json("ask", question)["sentences"]
        assert [sentence["standing"] for sentence in sentences] == ["quote"], question
        assert "\n" not in sentences[0]["text"], question
