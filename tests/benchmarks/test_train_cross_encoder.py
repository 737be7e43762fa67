"""Edits keep, turn or leave the truth of a sentence as their label says."""

import gzip
import json
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

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
from tests.benchmarks.train_cross_encoder.construct.markdown import blocks
from tests.benchmarks.train_cross_encoder.construct.overlap import auc
from tests.benchmarks.train_cross_encoder.construct.passages import Listing, Passage

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
