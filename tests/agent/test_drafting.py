"""What becomes of a model's sentences."""

import pytest

from agent.drafting import checked_prose
from services.domain import EvidenceSentence
from services.evidence.judge import Judge
from tests.support.fake_cross_encoder import FakeCrossEncoder

EVIDENCE = EvidenceSentence(
    document_id="d",
    document="LärmG.txt",
    section="§ 2",
    page=1,
    start=0,
    end=90,
    quote="Für Beschäftigte beträgt der Grenzwert der Lärmbelastung 80 Dezibel im Tagesmittel.",
    context="§ 2 Grenzwerte",
)


def test_a_proven_sentence_names_its_place() -> None:
    prose = "Der Grenzwert der Lärmbelastung beträgt für Beschäftigte 80 Dezibel."
    (sentence,), left_out = checked_prose(prose, [EVIDENCE], "de", Judge(FakeCrossEncoder()))
    assert sentence.standing == "follows" and sentence.citations[0].section == "§ 2"
    assert left_out == []


def test_a_number_that_the_evidence_contradicts_is_left_out() -> None:
    prose = "Der Grenzwert der Lärmbelastung beträgt für Beschäftigte 85 Dezibel."
    kept, left_out = checked_prose(prose, [EVIDENCE], "de", Judge(FakeCrossEncoder()))
    assert kept == [] and prose in left_out[0]


@pytest.mark.parametrize(
    "prose",
    [
        "Der Betriebsrat wird vor jeder Messung angehört.",
        "Xylophone kosten 300 Euro.",
    ],
)
def test_what_no_quote_says_is_no_proof(prose: str) -> None:
    (sentence,), left_out = checked_prose(prose, [EVIDENCE], "de", Judge(FakeCrossEncoder()))
    assert not sentence.supported and sentence.reason and left_out == []
