"""What becomes of a model's sentences."""

import pytest

from agent.drafting import checked_prose
from services.evidence import EvidenceSentence

EVIDENCE = EvidenceSentence(
    document_id="d",
    document="LärmG.txt",
    section="§ 2",
    page=1,
    start=0,
    end=90,
    text="Für Beschäftigte beträgt der Grenzwert der Lärmbelastung 80 Dezibel im Tagesmittel.",
    context="§ 2 Grenzwerte",
)


def test_a_proven_sentence_names_its_place() -> None:
    prose = "Der Grenzwert der Lärmbelastung beträgt für Beschäftigte 80 Dezibel."
    (sentence,), left_out = checked_prose(prose, [EVIDENCE], "de")
    assert sentence.supported and sentence.citations[0].section == "§ 2"
    assert left_out == []


@pytest.mark.parametrize(
    "prose",
    [
        "Der Grenzwert der Lärmbelastung beträgt für Beschäftigte 85 Dezibel.",
        "Aufzeichnungen über Messungen sind 80 Jahre lang im Betrieb zu verwahren.",
        "Xylophone kosten 300 Euro.",
    ],
)
def test_a_number_without_proof_is_left_out(prose: str) -> None:
    kept, left_out = checked_prose(prose, [EVIDENCE], "de")
    assert kept == [] and prose in left_out[0]


def test_other_words_without_proof_stay_and_are_marked() -> None:
    prose = "Der Betriebsrat wird vor jeder Messung angehört."
    (sentence,), left_out = checked_prose(prose, [EVIDENCE], "de")
    assert not sentence.supported and sentence.citations == () and left_out == []
