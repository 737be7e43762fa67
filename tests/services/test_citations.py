import time

import pytest

from services.citations import (
    EvidenceSentence,
    align,
    check_support,
    repair_quote,
    verify_quote,
)
from services.text import normalise, sentences

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

SPANS = sentences(PASSAGE)
GENERAL, SINGLE, ORGANS, MINORS, TRAINEES = (PASSAGE[slice(*span)] for span in SPANS[1:6])
WRITTEN, RECORDS, HINDERED, OMITTED, NOTICE = (PASSAGE[slice(*span)] for span in SPANS[6:11])


def evidence() -> list[EvidenceSentence]:
    return [
        EvidenceSentence(
            document_id="law",
            document="StrlSchG.pdf",
            section="§ 78",
            page=48,
            start=start,
            end=end,
            text=PASSAGE[start:end],
            context=PASSAGE,
        )
        for start, end in SPANS
    ]


def supported(sentence: str, quote: str, language: str = "de", section: str = "§ 78") -> bool:
    return check_support(sentence, quote, language, section=section, context=PASSAGE).ok


# verify_quote and repair_quote


@pytest.mark.parametrize(
    "quote",
    [
        "für beruflich exponierte Personen 20 Millisievert im Kalenderjahr.",
        "2. für die Haut 500 Millisievert im Kalenderjahr und",
        "„Die Einwilligung ist schriftlich zu erteilen.“",
        "… insgesamt 100\u00a0Millisievert   nicht überschritten",
        "Organ–Äquivalentdosis",
        "Organ-Äquivalent\u00addosis",
    ],
)
def test_a_quote_is_found_whatever_its_layout(quote: str) -> None:
    span = verify_quote(quote, PASSAGE)
    assert span is not None
    assert normalise(PASSAGE[slice(*span)]) == normalise(quote.strip("„“… "))


@pytest.mark.parametrize(
    "quote", ["", "  ", "…", "20 Mikrosievert", "Die Einwilligung ist mündlich"]
)
def test_what_is_not_there_is_not_found(quote: str) -> None:
    assert verify_quote(quote, PASSAGE) is None


def test_a_quote_prefers_whole_words() -> None:
    assert verify_quote("eine", "keine und eine Frist") == (10, 14)
    assert verify_quote("ein", "keine") == (1, 4)


def test_a_wrong_quote_is_repaired_to_the_real_sentence() -> None:
    wrong = (
        "Die zuständige Behörde kann im Einzelfall für ein Jahr eine effektive Dosis von 60 "
        + (
            "Millisievert zulassen, wobei in fünf aufeinander folgenden Jahren insgesamt 100 "
            "Millisievert nicht überschritten werden dürfen."
        )
    )
    assert repair_quote(wrong, PASSAGE) == SPANS[2]


def test_a_wrong_fragment_is_repaired_to_the_real_words() -> None:
    wrong = "in fünf aufeinander folgenden Jahren insgesamt 200 Millisievert"
    span = repair_quote(wrong, PASSAGE)
    assert span is not None
    assert "insgesamt 100 Millisievert" in normalise(PASSAGE[slice(*span)])


def test_what_is_too_far_off_is_not_repaired() -> None:
    assert (
        repair_quote("Die Behörde kann Milch und Honig zulassen, wenn sie will.", PASSAGE) is None
    )
    half = "Die Behörde kann im Einzelfall eine effektive Dosis zulassen, wenn sie es will."
    assert repair_quote(half, PASSAGE) is None
    assert repair_quote(half, PASSAGE, minimum=0.3) is not None


def test_quotes_in_long_documents_take_bounded_time() -> None:
    filler = "Der Strahlenschutzverantwortliche hat dafür zu sorgen, dass Grenzwerte gelten. "
    document = filler * 1900 + PASSAGE + filler * 1900
    begin = time.process_time()
    assert repair_quote(GENERAL.replace("20", "25"), document) is not None
    assert verify_quote("steht nirgends", document) is None
    assert time.process_time() - begin < 1.0


# check_support


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("Für beruflich exponierte Personen beträgt der Grenzwert 20 mSv pro Jahr.", GENERAL),
        ("Die effektive Dosis darf 20 Millisievert im Jahr nicht überschreiten.", GENERAL),
        ("Nach § 78 StrlSchG beträgt der Grenzwert der effektiven Dosis 20 mSv.", GENERAL),
        ("Für Personen unter 18 Jahren gilt ein Grenzwert von 1 Millisievert.", MINORS),
        ("Die Behörde kann für 16- bis 18-Jährige 6 mSv als Grenzwert zulassen.", TRAINEES),
        ("Für die Haut beträgt der Grenzwert 500 Millisievert im Kalenderjahr.", ORGANS),
        ("Die Aufzeichnungen müssen dreißig Jahre aufbewahrt werden.", RECORDS),
        ("Die Einwilligung muss schriftlich erteilt werden.", WRITTEN),
        ("Der Strahlenschutzbeauftragte darf nicht behindert werden.", HINDERED),
    ],
)
def test_support(sentence: str, quote: str) -> None:
    assert supported(sentence, quote)


@pytest.mark.parametrize(
    ("sentence", "quote", "problem"),
    [
        ("Der Grenzwert der effektiven Dosis beträgt 50 Millisievert.", GENERAL, "differs"),
        ("Der Grenzwert der effektiven Dosis beträgt 20 Mikrosievert.", GENERAL, "unit"),
        ("Der Grenzwert der effektiven Dosis beträgt 20 mSv im Monat.", GENERAL, "period"),
        ("Für Personen unter 16 Jahren gilt ein Grenzwert von 1 mSv.", MINORS, "differs"),
        ("Für die Haut beträgt der Grenzwert 20 Millisievert.", ORGANS, "something else"),
        ("Für die Augenlinse beträgt der Grenzwert 500 Millisievert.", ORGANS, "something else"),
        ("Die Aufzeichnungen sind höchstens 10 Jahre aufzubewahren.", RECORDS, "differs"),
        ("Die Einwilligung ist nicht schriftlich zu erteilen.", WRITTEN, "negation"),
        ("Der Strahlenschutzbeauftragte darf behindert werden.", HINDERED, "negation"),
        ("Die Kündigung ist innerhalb eines Jahres zulässig.", NOTICE, "negation"),
        ("Die Einwilligung soll schriftlich erteilt werden.", WRITTEN, "recommendation"),
        ("Die Einwilligung kann schriftlich erteilt werden.", WRITTEN, "permission"),
        ("Die Messung muss entfallen.", OMITTED, "obligation"),
        ("Die Behörde muss für Auszubildende 6 mSv zulassen.", TRAINEES, "obligation"),
        ("Nach § 80 ist die Einwilligung schriftlich zu erteilen.", WRITTEN, "names § 80"),
        ("Bananen enthalten bekanntlich viel Kalium.", WRITTEN, "only 0%"),
        ("Die Grenzwerte für beruflich exponierte Personen.", PASSAGE[: SPANS[0][1]], "heading"),
    ],
)
def test_no_support(sentence: str, quote: str, problem: str) -> None:
    support = check_support(sentence, quote, "de", section="§ 78", context=PASSAGE)
    assert not support.ok
    assert any(problem in found for found in support.problems), support


def test_what_says_too_little_does_not_contradict() -> None:
    little = check_support("Bananen enthalten Kalium.", WRITTEN, "de")
    against = check_support("Die Einwilligung ist nicht schriftlich zu erteilen.", WRITTEN, "de")
    assert (little.contradicted, against.contradicted) == (False, True)
    assert all(problem.startswith("only ") for problem in little.problems)


def test_a_law_of_another_name_is_another_section() -> None:
    sentence = "Nach § 78 StrlSchV beträgt der Grenzwert der effektiven Dosis 20 mSv."
    for document, expected in (("StrlSchG.pdf", False), ("StrlSchV.pdf", True)):
        support = check_support(sentence, GENERAL, "de", section="§ 78", document=document)
        assert support.ok is expected


def test_an_amount_is_not_taken_from_the_context() -> None:
    sentence = "Die Einwilligung ist ab 20 Millisievert schriftlich zu erteilen."
    assert not supported(sentence, WRITTEN)
    condition = "Bei unter 18 Jahren ist die Einwilligung schriftlich zu erteilen."
    assert supported(condition, WRITTEN)


@pytest.mark.parametrize(
    ("sentence", "quote", "expected"),
    [
        (
            "TypeIs can narrow both branches.",
            "``TypeIs`` can narrow the type in both branches.",
            True,
        ),
        ("TypeIs cannot narrow both branches.", "``TypeIs`` can narrow both branches.", False),
        ("It must accept at least two arguments.", "It must accept at least two arguments.", True),
        (
            "It must accept at least three arguments.",
            "It must accept at least two arguments.",
            False,
        ),
        ("It must accept at most two arguments.", "It must accept at least two arguments.", False),
        ("Functions must return bool.", "Functions should return bool values.", False),
        ("Functions may not return bool.", "Functions may return bool values.", False),
        ("PEP 604 allows writing X | Y.", "This PEP allows writing ``X | Y``.", True),
        ("PEP 484 allows writing X | Y.", "This PEP allows writing ``X | Y``.", False),
        ("The flag defaults to True.", "The flag defaults to ``False``.", False),
    ],
)
def test_english(sentence: str, quote: str, expected: bool) -> None:
    assert check_support(sentence, quote, "en", section="PEP 604").ok is expected


# align


@pytest.mark.parametrize(
    ("sentence", "quote"),
    [
        ("Beruflich exponierte Personen dürfen höchstens 20 mSv im Jahr erhalten.", GENERAL),
        ("Für Personen unter 18 Jahren beträgt der Grenzwert 1 mSv im Kalenderjahr.", MINORS),
        ("Auszubildenden von 16 bis 18 Jahren kann die Behörde 6 mSv zulassen.", TRAINEES),
        ("Die Aufzeichnungen sind 30 Jahre aufzubewahren.", RECORDS),
    ],
)
def test_align_finds_the_sentence(sentence: str, quote: str) -> None:
    found = align(sentence, evidence(), "de")
    assert found[0].evidence.text == quote
    assert found[0].support.ok


def test_two_sentences_prove_together_what_neither_does() -> None:
    sentence = (
        "Die Einwilligung ist schriftlich zu erteilen und die Aufzeichnungen sind 30 Jahre "
        "aufzubewahren."
    )
    found = align(sentence, evidence(), "de")
    assert {aligned.evidence.text for aligned in found} == {WRITTEN, RECORDS}
    assert all(aligned.support.ok for aligned in found)
    assert len(align(sentence, evidence(), "de", limit=1)) == 1
    assert not align(sentence, [item for item in evidence() if item.text == WRITTEN], "de")[
        0
    ].support.ok


def test_two_sentences_do_not_prove_a_mixture() -> None:
    """18 years from one sentence and 20 millisieverts from another."""
    sentence = "Für Personen unter 18 Jahren beträgt der Grenzwert der effektiven Dosis 20 mSv."
    [closest] = align(sentence, evidence(), "de")
    assert not closest.support.ok
    assert closest.support.contradicted


def test_a_contradiction_that_is_closer_wins() -> None:
    near = evidence()
    far = "Die Aufzeichnungen der Kasse sind zehn Jahre aufzubewahren."
    near.append(near[0].model_copy(update={"text": far, "context": far, "section": "§ 1"}))
    claim = "Die Aufzeichnungen sind zehn Jahre aufzubewahren."
    assert not align("Der Strahlenschutzbeauftragte darf behindert werden.", near, "de")[
        0
    ].support.ok
    assert align(claim, near[-1:], "de")[0].support.ok


def test_nothing_shared_and_nothing_given() -> None:
    assert align("Bananen enthalten Kalium.", evidence(), "de") == []
    assert align("Die Messung kann entfallen.", [], "de") == []
    assert align("Die Messung kann entfallen.", evidence(), "de", limit=0) == []


def test_align_is_quick_among_hundreds() -> None:
    many = evidence() * 30
    align("Die Messung kann entfallen.", many, "de")
    begin = time.process_time()
    for _ in range(5):
        align("Für Personen unter 18 Jahren beträgt der Grenzwert 1 mSv.", many, "de")
    assert time.process_time() - begin < 0.5


@pytest.mark.parametrize(
    ("sentence", "quote", "ok"),
    [
        (  # words of a rule in other roles
            "Ein Gefahrenbereich ist ein Teil einer Werkhalle, der gesondert abgegrenzt ist.",
            "Gefahrenbereiche, die in einem Teil der Halle liegen, müssen abweichend von Absatz 3 "
            "nicht abgegrenzt werden.",
            False,
        ),
        (  # the quote defines, so half of the words are enough
            "Ein Gefahrenbereich ist ein Teil einer Werkhalle, wo Lasten Menschen treffen können.",
            "Gefahrenbereich: jeder Bereich, in dem Lasten Menschen verletzen können;",
            True,
        ),
        (  # nearly all words are there
            "Ein Gefahrenbereich ist ein Bereich unter einer schwebenden Last.",
            "Wer unter einer schwebenden Last steht, ist in einem Bereich, den man Gefahrenbereich "
            "nennt.",
            True,
        ),
        (  # not about any such thing
            "Der Gefahrenbereich der Halle ist ein Teil, der abgegrenzt werden muss.",
            "Gefahrenbereiche, die in einem Teil der Halle liegen, müssen abgegrenzt werden.",
            True,
        ),
        (
            "A hazard zone is a part of a workshop that is fenced off.",
            "Hazard zones within a part of the hall need not be marked.",
            False,
        ),
    ],
)
def test_what_a_thing_is_needs_more_of_its_words_unless_the_quote_defines_it(
    sentence: str, quote: str, ok: bool
) -> None:
    language = "en" if sentence.startswith("A ") else "de"
    assert check_support(sentence, quote, language).ok is ok
