"""Find what a question is about: section labels, documents, abbreviations, names, quoted words.

It also finds the term that a question asks to look for. German capitalises every noun, so there
names are two capitalised words side by side (``Firma Nordtec``), or names of the documents.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from services.domain.value import Language, Span
from services.language.query.heads import QuestionReader
from services.language.query.values import CountRequest
from services.language.vocabulary import FUNCTION_WORDS, months, word_set

_MOST: Final = 12
_LONGEST: Final = 2_000
_SHORT_TITLE: Final = 3
_MOST_WORDS: Final = 3
_RATHER_NOT: Final = -1.0  # log-odds below which a word probably is no "mention" word
_SURELY: Final = 6.0  # log-odds from which a word certainly is one
_QUOTED: Final = re.compile(
    r"„([^“”\"\n]{2,80})[“”\"]|“([^”\n]{2,80})”|\"([^\"\n]{2,80})\"|«\s*([^»\n]{2,80}?)\s*»"
)
_WORD: Final = re.compile(r"[^\W_][\w.'’-]*\w|\w")
_UPPER: Final = "A-ZÄÖÜÀÂÇÉÈÊËÎÏÔÛÁÍÓÚÑ"
_NUMERAL: Final = r"\d+(?:[.-]\d+)*[a-z]?"

_SECTION = re.compile(
    r"(?P<sign>§§?\s*\d+[a-z]?)"
    r"|(?<!\w)(?P<word>(?:Art(?:\.|ikels?|icles?|ículos?|iculos?)|Anlagen?|Anhangs?|Anhänge"
    r"|Annex(?:es?)?"
    r"|Appendix|Anexos?|Kapitels?|Chapters?|Chapitres?|Capítulos?|Abschnitte?s?|Sections?"
    r"|Sec(?:\.|ci[oó]n)"
    r"|Clauses?|Cl[aá]usulas?|Klauseln?|Ziffern?|Tabellen?|Tables?|Tableaux?|Tablas?|Apartados?"
    r"|Nr\.|No\."
    r"|Absatz|Abs\.|Teils?|Part|Parte|Partie|Schedule|Regel|Rule|Punkt|Point)"
    rf"(?:\s*(?:n[°º]\s*)?{_NUMERAL}|\s+(?-i:[IVXLC]+)(?![\w.])))"
    r"|(?<!\w)(?:categor(?:y|ies|[ií]as?)|cat[eé]gories?|kategorien?|class|clases?|classes?"
    r"|klassen?|types?|typs?"
    r"|tipos?|groups?|gruppen?|groupes?|grupos?)\s+(?:(?-i:[A-Z])|\d{1,2})(?!\w)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(
    r"(?<![\w.,§])(?:\d{1,2}(?:\.\d{1,3}){2,}|\d{1,2}\.\d{1,2})(?![\w.,]?\d)"
    r"(?!\s*(?:[kMGTµmnp]?(?:Sv|Gy|Bq|eV|V|W|A|Hz|m|g|l|s)\b|%|€|\$|°|prozent|percent|million"
    r"|euro))"
)
_FILE = re.compile(r"(?<!\S)[\w.-]*\w\.(?:pdf|docx?|odt|rtf|txt|md|html?)(?!\w)", re.IGNORECASE)
_STANDARD = re.compile(
    r"(?<![\w-])[A-ZÄÖÜ]{2,}(?:[ /-][A-Z]{2,})*[ -]?\d[\d./:-]*(?<![./:-])(?:-[A-Z]\w*)?(?!\w)"
    r"|(?:Real Decreto|Ley|Directiv[ea]|Richtlinie|Directive|Regulation|Reglamento|Verordnung"
    r"|Décret"
    r"|Loi|Decreto|Règlement)\s+(?:\(\w+\)\s+)?(?:n[°º]\s*)?\d+[\d/-]*(?:/\w+)?"
)
_ABBREVIATION = re.compile(rf"(?<![\w/.-])[{_UPPER}]\w*[{_UPPER}]\w*(?:-\w+)*(?![\w/])")
_CODE = re.compile(r"`[^`\n]+`|(?<!\w)\w+_\w+(?!\w)|(?<![\w.])[a-z]\w+(?:\.\w+)+\b(?!\.)")
_SINGLE_LETTER = re.compile(r"(?<![\w.'’-])(?<!rayons )(?<!rayos )[B-HJ-NP-Z](?![\w.'’&-])")
_UNIT_BEFORE = re.compile(r"\d\s*$")
_TITLE: Final = r"(?:Dr|Prof|Mr|Mrs|Ms|Herr|Herrn|Frau|Mme|M|Sr|Sra|Sres|Dra)\.?"
_NAME_WORD: Final = rf"[{_UPPER}][\w'’&-]*"
_NAME = re.compile(
    rf"(?<![\w.'’-])(?:{_TITLE} )?{_NAME_WORD}"
    rf"(?: (?:(?:de|del|la|du|des|von|van|der|of) ){{0,2}}{_NAME_WORD}| \d{{1,3}}(?![\w.,]))*"
)
# Nouns of verb phrases, which are no names: "auf die Richtlinie Bezug nehmen".
_WITH_VERB: Final = (
    r"(?:Bezug|Stellung|Gebrauch|Rechnung|Anwendung|Geltung|Bescheid|Auskunft|Einsicht|Folge"
    rf"|Kenntnis|{'|'.join(months('de')).title()})\b"
)
_GERMAN_NAME = re.compile(
    rf"(?<![\w.'’-])(?:{_TITLE} {_NAME_WORD}(?: {_NAME_WORD})?"
    rf"|{_NAME_WORD} (?!{_WITH_VERB})(?:{_NAME_WORD}|\d{{1,3}}(?![\w.,]))(?: {_NAME_WORD})*)"
)
_UNITS: Final = word_set(
    """MeV GeV TeV MBq GBq TBq MHz GHz MW GW MPa GPa MV kWh GB MB TB EUR USD PDF DOCX
        FAQ OK II III IV VI VII"""
)
# Words that English capitalises although they are no names.
_NO_NAMES: Final = months("en").keys() | word_set(
    """i i'm i'd i've monday tuesday wednesday thursday friday saturday sunday english german french
    spanish x-ray x-rays"""
)
_GERMAN_OPENERS: Final = FUNCTION_WORDS | {"wort", "begriff", "ausdruck"}


def entities(
    question: str, language: Language, *, known_names: Collection[str] = ()
) -> tuple[str, ...]:
    """Return at most 12 things that a question is about, as written, in their order."""
    text = question[:_LONGEST]
    spans: list[Span] = []
    for start, end in _candidates(text, language, known_names):
        if end > start and not any(start < stop and begin < end for begin, stop in spans):
            spans.append((start, end))
    names = dict.fromkeys(text[start:end].strip("`. ") for start, end in sorted(spans))
    return tuple(list(names)[:_MOST])


def quoted(text: str) -> Iterator[Span]:
    for match in _QUOTED.finditer(text):
        yield match.span(match.lastindex or 0)


def phrases_of(question: str) -> tuple[str, ...]:
    words = [match.group() for match in _WORD.finditer(question[:_LONGEST])]
    runs = (
        words[start : start + length]
        for length in range(1, _MOST_WORDS + 1)
        for start in range(len(words) - length + 1)
    )
    named = (run for run in runs if not any(word.casefold() in FUNCTION_WORDS for word in run))
    return tuple(dict.fromkeys(" ".join(run) for run in named))


def search_term(
    question: str, reader: QuestionReader, *, known_names: Collection[str] = ()
) -> CountRequest | None:
    """Return the term that a question looks for, None if there is none.

    That is the text in quotation marks. Else it is the word least likely to be a "mention" word
    (``section``, ``occur``), with such words next to it; a document's name only in need.
    """
    for start, end in quoted(question):
        words = question[start:end].strip()
        return CountRequest(term=words, core=words, wide=words)
    documents = tuple(name.casefold() for name in known_names if name)
    runs = [[(word, reader.frame(word)) for word in run] for run in _content_runs(question)]
    others = [_without_document(run, documents) for run in runs]
    return _term_in(others, below=_RATHER_NOT) or _term_in(runs, below=0.0)


def suggests_mention(question: str, reader: QuestionReader) -> bool:
    """Return whether one word certainly asks where a word occurs, and at most three do not."""
    words = _WORD.findall(question[:_LONGEST])
    frames = [reader.frame(word) for word in words if word.casefold() not in FUNCTION_WORDS]
    return max(frames, default=0.0) >= _SURELY and 0 < sum(frame < 0 for frame in frames) <= 3


def _term_in(runs: Sequence[Sequence[tuple[str, float]]], *, below: float) -> CountRequest | None:
    """Return the term in runs of words, each with its log-odds of being a "mention" word."""
    candidates = [
        (frame, n, at)
        for n, run in enumerate(runs)
        for at, (word, frame) in enumerate(run)
        if not word.isdigit()  # the number of a section narrows a search
    ]
    least, n, at = min(candidates, default=(below, 0, 0))
    if least >= below:
        return None
    near = runs[n][max(0, at - _MOST_WORDS + 1) : at + _MOST_WORDS]
    at = min(at, _MOST_WORDS - 1)
    first, end = at, at + 1
    while first and near[first - 1][1] < 0:
        first -= 1
    while end < len(near) and near[end][1] < 0:
        end += 1
    return CountRequest(term=_text(near[first:end]), core=near[at][0], wide=_text(near))


def _without_document(
    run: list[tuple[str, float]], documents: Sequence[str]
) -> list[tuple[str, float]]:
    name = next((name for name in documents if _text(run).casefold().startswith(name)), "")
    return run[len(name.split()) :]


def _text(run: Sequence[tuple[str, float]]) -> str:
    return " ".join(word for word, _ in run)


def _content_runs(question: str) -> Iterator[list[str]]:
    run: list[str] = []
    end = 0
    for match in list(_WORD.finditer(question))[1:]:
        word = match.group()
        content = word.casefold() not in FUNCTION_WORDS
        if run and not (content and question[end : match.start()].isspace()):
            yield run
            run = []
        if content:
            run.append(word)
        end = match.end()
    if run:
        yield run


def _candidates(text: str, language: Language, known_names: Collection[str]) -> Iterator[Span]:
    yield from _known_spans(text, known_names)
    yield from quoted(text)
    for pattern in (_CODE, _FILE, _SECTION, _STANDARD, _NUMBERED):
        yield from (match.span() for match in pattern.finditer(text))
    yield from _names(text, language)
    if not text.isupper():
        abbreviated = _ABBREVIATION.finditer(text)
        yield from (match.span() for match in abbreviated if match.group() not in _UNITS)
    yield from (match.span() for match in _SINGLE_LETTER.finditer(text))


def _known_spans(text: str, known_names: Collection[str]) -> Iterator[Span]:
    # casefold() expands ß, and lower() expands İ; both would shift the spans.
    small = text.replace("İ", "I").lower()
    for name in sorted(known_names, key=lambda name: (-len(name), name)):
        at = small.find(name.lower()) if len(name) > 1 else -1
        while at >= 0:
            end = at + len(name)
            if not text[at - 1 : at].isalnum() and not text[end : end + 1].isalnum():
                yield at, end
            at = small.find(name.lower(), end)


def _names(text: str, language: Language) -> Iterator[Span]:
    if text.isupper() or (text.istitle() and len(text.split()) > _SHORT_TITLE):
        return
    pattern = _GERMAN_NAME if language == "de" else _NAME
    for match in pattern.finditer(text):
        start, end = match.span()
        if _UNIT_BEFORE.search(text, 0, start):
            continue
        first, blank, _ = match.group().partition(" ")
        if _begins_sentence(text, start) or (
            language == "de" and first.casefold() in _GERMAN_OPENERS
        ):
            start += len(first + blank)  # a first word is capitalised anyway: "Which Northgate"
        word = text[start:end]
        named = len(word) > 1 and word.casefold() not in _NO_NAMES
        if named and (language != "de" or " " in word):
            yield start, end


def _begins_sentence(text: str, start: int) -> bool:
    """Return whether a sentence begins here, where every word is capitalised."""
    before = text[:start].rstrip(" \n\t\"'„“«¿¡(*-•")
    return not before or before[-1] in ".?!:;"
