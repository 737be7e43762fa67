"""What the cross-encoder learns from, and its loss."""

import gzip
import json
from pathlib import Path
from random import Random

import pytest

from tests.benchmarks.train_cross_encoder import data


def test_lines_of_one_question_make_a_list(tmp_path: Path) -> None:
    one = {"q": "Who?", "s": ["Ann."], "g": [0], "src": "faq", "lang": "en", "grp": "a"}
    two = {**one, "s": ["Bob.", "Sun."], "g": [], "src": "faq+bm25"}
    listed = {**one, "q": "When?", "passages": [{"s": ["Now."], "g": [0]}, {"s": ["No."], "g": []}]}
    path = tmp_path / "set.jsonl.gz"
    with gzip.open(path, "wt") as out:
        out.writelines(json.dumps(each) + "\n" for each in (one, two, listed))
    examples = data.read([path]).train["faq/en"]
    found = {e.first: [(p.sentences, p.gold) for p in e.passages] for e in examples}
    assert found == {
        "Who?": [(("Ann.",), (0,)), (("Bob.", "Sun."), ())],
        "When?": [(("Now.",), (0,)), (("No.",), ())],
    }


def test_of_many_passages_those_that_answer_are_kept_and_some_others() -> None:
    passages = [data.Passage((f"{n}",), (0,) if n == 5 else ()) for n in range(12)]
    kept = data._drawn(passages, Random(2))
    assert len(kept) == 1 + data.BESIDE
    assert passages[5] in kept


def test_the_loss_of_a_list_falls_where_what_answers_comes_first() -> None:
    torch = pytest.importorskip("torch")
    from tests.benchmarks.train_cross_encoder.train import list_loss

    gold = [(1,), (), (-1,)]

    def loss(right: float, wrong: float) -> float:
        sentences = [torch.tensor([wrong, right]), torch.tensor([wrong]), torch.tensor([right])]
        return float(list_loss(torch.tensor([right, wrong, right]), sentences, gold))

    assert loss(3.0, -3.0) < loss(0.0, 0.0) < loss(-3.0, 3.0)
