"""Claims beside quotes: what the measure counts, with a cross-encoder that reads a script."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from services.cross_encoder import Entailment, Reading
from services.domain.errors import InvalidInput
from services.evaluation.claims import ClaimPair, Label, measured
from services.evidence.judge import Judge

QUOTE = "Der Betreiber bewahrt die Aufzeichnungen zehn Jahre lang auf."


class Scripted:
    """Says of each claim what it was told; knows no questions."""

    name = "scripted"

    def __init__(self, **verdicts: Entailment) -> None:
        self._verdicts = verdicts

    def read(self, question: str, passages: Sequence[Sequence[str]]) -> list[Reading]:
        raise NotImplementedError

    def entail(self, pairs: Sequence[tuple[str, str]]) -> list[Entailment]:
        return [
            next(v for word, v in self._verdicts.items() if word in claim) for claim, _ in pairs
        ]


SAYS, NOT, CONTRADICTS = (
    Entailment(*(float(n == i) for n in range(3))) for i in range(3)
)  # fmt: skip
JUDGE = Judge(Scripted(Aufzeichnungen=SAYS, bewahrt=NOT, lang=CONTRADICTS))


def pair(claim: str, label: Label, lang: str = "de") -> ClaimPair:
    return ClaimPair(id=f"{label}-{claim}", lang=lang, claim=claim, quote=QUOTE, label=label)


PAIRS = [
    pair(QUOTE, "says"),
    pair("Aufzeichnungen bewahrt der Betreiber auf.", "says"),
    pair("Der Betreiber bewahrt auf.", "says"),
    pair("Die Aufzeichnungen bewahrt der Betreiber.", "not"),
    pair("Der Bäcker kauft Mehl.", "not"),
    pair("Der Betreiber lang.", "contradicts"),
]


def test_proof_that_is_none_is_counted_by_label() -> None:
    found = measured(PAIRS, JUDGE)
    assert found["accuracy"]["mean"] == pytest.approx(4 / 6)
    assert (found["shown_as_proof"]["not"]["n"], found["shown_as_proof"]["not"]["mean"]) == (2, 0.5)
    assert found["shown_as_proof"]["contradicts"]["mean"] == 0.0
    assert found["kept_as_proof"]["mean"] == pytest.approx(2 / 3)
    assert found["f1"] == {"says": pytest.approx(2 / 3, abs=1e-4), "not": 0.5, "contradicts": 1.0}
    assert found["standings"]["says"] == {"quote": 1, "follows": 1, "loose": 1}
    assert [row["standing"] for row in found["rows"]][-2:] == ["none", "contradicts"]
    low, high = (found["kept_as_proof"][end] for end in ("low", "high"))
    assert 0.0 <= low <= 2 / 3 <= high <= 1.0


def test_languages_are_told_apart_and_a_label_nobody_has_is_left_out() -> None:
    found = measured([pair(QUOTE, "says"), pair(QUOTE, "says", "en")], JUDGE)
    assert {name: value["pairs"] for name, value in found["by_language"].items()} == {
        "de": 1,
        "en": 1,
    }
    assert found["shown_as_proof"] == {} and found["f1"] == {"says": 1.0}


@pytest.mark.parametrize("wrong", [{"label": "maybe"}, {"claim": 3}, {"quote": None}])
def test_pairs_are_read_and_a_malformed_one_names_its_line(
    tmp_path: Path, wrong: dict[str, Any]
) -> None:
    record = {"id": "a", "lang": "de", "claim": "c", "quote": "q", "label": "not", "source": "x"}
    pair, path = ClaimPair(**record), tmp_path / "pairs.jsonl"
    for records, fault in (([record, record | wrong], "line 2"), ([], "holds no pair")):
        path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
        with pytest.raises(InvalidInput, match=fault):
            ClaimPair.load(path)
    path.write_text(json.dumps(record), encoding="utf-8")
    assert ClaimPair.load(path) == [pair]
