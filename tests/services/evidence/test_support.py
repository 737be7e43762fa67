"""The standing of sentences beside quotes, judged by the weights that are shipped."""

from pathlib import Path

import pytest

from services.evaluation.claims import judged, load_pairs
from services.evidence import EvidenceSentence, Judge
from services.factories import make_judge
from services.language.text import sentences

PASSAGE = """§ 78 Grenzwerte für beruflich exponierte Personen
(1) Der Grenzwert der effektiven Dosis beträgt für beruflich exponierte Personen 20
Millisievert im Kalenderjahr. Die zuständige Behörde kann im Einzelfall für ein einzelnes Jahr
eine effektive Dosis von 50 Millisievert zulassen, wobei in fünf aufeinander folgenden Jahren
insgesamt 100 Millisievert nicht überschritten werden dürfen.
(2) Der Grenzwert der Organ-Äquivalentdosis beträgt für beruflich exponierte Personen 1. für
die Augenlinse 20 Millisievert im Kalenderjahr, 2. für die Haut 500 Millisievert im Kalender-
jahr und 3. für die Hände und Füße jeweils 500 Millisievert im Kalenderjahr.
(3) Für beruflich exponierte Personen unter 18 Jahren beträgt der Grenzwert der effektiven
Dosis 1 Millisievert im Kalenderjahr. Abweichend davon kann die zuständige Behörde für
Auszubildende und Studierende im Alter zwischen 16 und 18 Jahren einen Grenzwert von 6
Millisievert im Kalenderjahr für die effektive Dosis zulassen.
(4) Die Einwilligung ist schriftlich zu erteilen. Die Aufzeichnungen sind 30 Jahre
aufzubewahren. Der Strahlenschutzbeauftragte darf nicht behindert werden. Die Messung kann
entfallen. Die Kündigung ist innerhalb eines Jahres unzulässig."""

PAIRS = Path(__file__).parents[2] / "benchmarks/data/claims/dev.jsonl"
SPANS = sentences(PASSAGE)
GENERAL, SINGLE, ORGANS, MINORS, TRAINEES = (PASSAGE[slice(*span)] for span in SPANS[1:6])
WRITTEN, RECORDS, HINDERED, OMITTED, NOTICE = (PASSAGE[slice(*span)] for span in SPANS[6:11])


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
        text=quote,
        context=PASSAGE,
        heading="§ 78 Grenzwerte für beruflich exponierte Personen",
    )
    (judged,) = judge.claims([claim], [evidence], language)
    return judged.standing


NOT_SAID = [
    (
        "Ein Gefahrenbereich ist ein Teil der Halle, der gesondert abgegrenzt ist.",
        "Gefahrenbereiche in einem Teil der Halle müssen nicht gesondert abgegrenzt werden.",
    ),
    ("Der Grenzwert der effektiven Dosis beträgt 50 Millisievert.", GENERAL),
    ("Der Grenzwert der effektiven Dosis beträgt 20 Mikrosievert.", GENERAL),
    ("Der Grenzwert der effektiven Dosis beträgt 20 mSv im Monat.", GENERAL),
    ("Für Personen unter 16 Jahren gilt ein Grenzwert von 1 mSv.", MINORS),
    ("Für die Haut beträgt der Grenzwert 20 Millisievert.", ORGANS),
    ("Für die Augenlinse beträgt der Grenzwert 500 Millisievert.", ORGANS),
    ("Die Aufzeichnungen sind höchstens 10 Jahre aufzubewahren.", RECORDS),
    ("Die Einwilligung ist nicht schriftlich zu erteilen.", WRITTEN),
    ("Der Strahlenschutzbeauftragte darf behindert werden.", HINDERED),
    ("Die Kündigung ist innerhalb eines Jahres zulässig.", NOTICE),
    ("Die Einwilligung kann schriftlich erteilt werden.", WRITTEN),
    ("Die Messung muss entfallen.", OMITTED),
    ("Die Behörde muss für Auszubildende 6 mSv zulassen.", TRAINEES),
    ("Nach § 80 ist die Einwilligung schriftlich zu erteilen.", WRITTEN),
    ("Bananen enthalten bekanntlich viel Kalium.", WRITTEN),
]


@pytest.mark.parametrize(("sentence", "quote"), NOT_SAID)
def test_what_a_quote_does_not_say_is_no_proof(sentence: str, quote: str, judge: Judge) -> None:
    assert standing(sentence, quote, judge) not in ("quote", "follows")


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


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("TypeIs cannot narrow both branches.", "``TypeIs`` can narrow both branches."),
        ("It must accept at least three arguments.", "It must accept at least two arguments."),
        ("It must accept at most two arguments.", "It must accept at least two arguments."),
        ("Functions must return bool.", "Functions should return bool values."),
        ("Functions may not return bool.", "Functions may return bool values."),
        ("PEP 484 allows writing X | Y.", "This PEP allows writing ``X | Y``."),
    ],
)
def test_english_that_is_not_said(sentence: str, quote: str, judge: Judge) -> None:
    assert standing(sentence, quote, judge, "en") not in ("quote", "follows")
