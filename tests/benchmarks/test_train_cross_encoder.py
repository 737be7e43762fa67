"""Edits keep, turn or leave the truth of a sentence as their label says."""

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.benchmarks.train_cross_encoder import data
from tests.benchmarks.train_cross_encoder.construct import (
    against_de,
    against_en,
    beyond_de,
    beyond_en,
    claims,
    lists,
    says_de,
    says_en,
)
from tests.benchmarks.train_cross_encoder.construct.choose import auc
from tests.benchmarks.train_cross_encoder.construct.passages import Listing, Passage, blocks

Edit = Callable[[str, Random], str | None]
CASES: list[tuple[Edit, str, str | None]] = [
    (says_de.condition_first, "Die Frist ruht, wenn die Akten fehlen.", None),
    (
        says_de.condition_first,
        "Die Frist kann ruhen, wenn die Akten fehlen.",
        "Wenn die Akten fehlen, kann die Frist ruhen.",
    ),
    (
        says_de.condition_last,
        "Wenn die Akten fehlen, kann die Frist neu beginnen.",
        "Die Frist kann neu beginnen, wenn die Akten fehlen.",
    ),
    (says_en.drop_parenthesis, "The key (see below) must be kept.", "The key must be kept."),
    (
        says_en.condition_first,
        "The session must be closed if the token has expired.",
        "If the token has expired, the session must be closed.",
    ),
    (against_de.ban, "Der Halter muss das Tier melden.", "Der Halter darf das Tier nicht melden."),
    (against_de.negation_in, "Der Antrag ist zulässig.", None),
    (
        against_de.negation_in,
        "Der Antrag ist innerhalb der Frist zulässig.",
        "Der Antrag ist innerhalb der Frist nicht zulässig.",
    ),
    (beyond_de.modality, "Das Amt kann den Plan ändern.", "Das Amt muss den Plan ändern."),
    (
        beyond_de.condition_dropped,
        "Das Amt kann den Plan ändern, soweit die Länder zustimmen.",
        "Das Amt kann den Plan ändern.",
    ),
    (
        against_en.ban,
        "The client must send the token.",
        "The client is not allowed to send the token.",
    ),
    (
        beyond_en.modality,
        "The client may send the token.",
        "The client is required to send the token.",
    ),
    (
        beyond_en.condition_dropped,
        "The client must send the token again if the server has lost it.",
        "The client must send the token again.",
    ),
]


@pytest.mark.parametrize(("edit", "before", "after"), CASES)
def test_an_edit_gives_its_sentence_or_none(edit: Edit, before: str, after: str | None) -> None:
    assert edit(before, Random(3)) == after


def test_a_list_item_holds_alone_but_one_of_several_conditions_does_not() -> None:
    [block] = blocks(
        "Die Erlaubnis wird erteilt, wenn\n\n1.  der Plan vorliegt und\n\n2.  das Amt zustimmt.\n"
    )
    passage = Passage(
        "g", "law", "de", "§ 1", (block.text,), (Listing(0, block.lead, block.items),)
    )
    assert lists.list_item(passage, 0, Random(1)) is None
    made = lists.one_of_conditions(passage, 0, Random(1))
    assert made and made.claim in {
        "Die Erlaubnis wird erteilt, wenn der Plan vorliegt.",
        "Die Erlaubnis wird erteilt, wenn das Amt zustimmt.",
    }


def test_overlap_alone_is_measured_as_area_under_the_curve() -> None:
    rows = [
        {"claim": "a b", "quote": "a b c", "label": "says"},
        {"claim": "a d", "quote": "a b c", "label": "not"},
        {"claim": "a c", "quote": "a b c", "label": "contradicts"},
    ]
    assert auc(rows) == 0.75


def test_the_same_seed_writes_the_same_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "rules.md").write_text(
        "# Keys\n\nThe user must keep the key in a safe place if the key is old. "
        "The server may delete the log after 30 days of service.\n"
    )
    written = []
    for name in ("one.gz", "two.gz"):
        out = tmp_path / name
        given = ["claims", "--texts", str(tmp_path), "--lang", "en", "--out", str(out)]
        monkeypatch.setattr(sys, "argv", [*given, "--limit", "60", "--seed", "4"])
        claims.main()
        with gzip.open(out, "rt", encoding="utf-8") as lines:
            written.append([json.loads(line) for line in lines])
    assert written[0] == written[1]
    keys = {"claim", "quote", "label", "src", "lang", "grp", "how"}
    assert written[0] and all(set(row) == keys for row in written[0])


def test_lines_of_one_question_make_a_list(tmp_path: Path) -> None:
    one = {"q": "Who?", "s": ["Ann."], "g": [0], "src": "faq", "lang": "en", "grp": "a"}
    two = {**one, "s": ["Bob.", "Sun."], "g": [], "src": "faq+bm25"}
    listed = {**one, "q": "When?", "passages": [{"s": ["Now."], "g": [0]}, {"s": ["No."], "g": []}]}
    path = tmp_path / "set.jsonl.gz"
    with gzip.open(path, "wt") as out:
        out.writelines(json.dumps(each) + "\n" for each in (one, two, listed))
    questions, claimed = data.read([path])
    pool = questions.train or questions.held
    found = {e.first: [(p.sentences, p.gold) for p in e.passages] for e in pool["faq/en"]}
    assert found == {
        "Who?": [(("Ann.",), (0,)), (("Bob.", "Sun."), ())],
        "When?": [(("Now.",), (0,)), (("No.",), ())],
    }
    assert not claimed.train and not claimed.held


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
