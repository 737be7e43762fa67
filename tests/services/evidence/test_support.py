"""The standing of sentences beside quotes, judged by the weights that are shipped."""

from pathlib import Path

import pytest

from services.domain import EvidenceSentence
from services.evaluation.claims import judged, load_pairs
from services.evidence.judge import Judge
from services.factories import make_judge
from tests.services.evidence.test_citations import PASSAGE

PAIRS = Path(__file__).parents[2] / "benchmarks/data/claims/dev.jsonl"
WRITTEN = "(4) Die Einwilligung ist schriftlich zu erteilen."


@pytest.fixture(scope="module")
def judge() -> Judge:
    return make_judge()


def standing(claim: str, quote: str, judge: Judge, language: str = "de") -> str:
    evidence = EvidenceSentence(
        document_id="law",
        document="StrlSchG.pdf",
        section="§ 78",
        page=1,
        start=0,
        end=len(quote),
        quote=quote,
        context=PASSAGE,
        heading="§ 78 Grenzwerte für beruflich exponierte Personen",
    )
    (judged,) = judge.claims([claim], [evidence], language)
    return judged.standing


@pytest.mark.xfail(strict=True, reason="it takes soll for ist zu")
def test_what_should_be_is_not_what_must_be(judge: Judge) -> None:
    assert standing("Die Einwilligung soll schriftlich erteilt werden.", WRITTEN, judge) == "loose"


def test_most_of_what_is_said_is_proof_and_little_else(judge: Judge) -> None:
    """On a part of the development pairs (docs/truth.md has all): .74 and .03 of them."""
    pairs = judged(load_pairs(PAIRS)[:80], judge)
    said = [pair.proof for pair in pairs if pair.pair.label == "says"]
    others = [pair.proof for pair in pairs if pair.pair.label != "says"]
    assert sum(said) >= 0.6 * len(said)
    assert sum(others) <= 0.1 * len(others)


def test_a_quote_is_a_quote_and_what_nothing_speaks_of_has_none(judge: Judge) -> None:
    assert standing(WRITTEN, WRITTEN, judge) == "quote"
    assert standing("Bananen enthalten Kalium.", WRITTEN, judge) == "none"
