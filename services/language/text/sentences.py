"""Find sentences in prose, statutes and technical documents, and recognise headings.

Statutes put whole lists into one sentence, ``beträgt 1. für die Augenlinse …, 2. für die Haut …``;
counting along tells these numbers from sentence ends.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from services.language.text.layout import Unit, units
from services.language.vocabulary import STOP_WORDS, months, word_lists, word_set

_END = re.compile(r"(?:\\|(?<![.!?…]))[.!?…]++[\"'“”’»)\]`*_]*+(?=\s)")
_NEXT = re.compile(r"\s*([„“\"'»«(\[`*_]*)([^\s.,;:!?)\]`*_]*)")
_OPENING = "„“\"'»«(["
_REFERENCE_WORD: Final = (
    r"(?:§+|Abs|Abs[aä]tze?n?s?|Nr|Nrn|Nummern?|S[aä]tze?n?s?|Art|Artikeln?|Anlagen?|Anl|Kapiteln?"
    r"|Teile?n?|Abschnitte?n?s?|Tabellen?|Abbildung(?:en)?|Kategorien?|Klassen?|Typ|Stufen?|Buch"
    r"|PEPs?|Figures?|Fig|Tables?|Sections?|Sec|Chapters?|Steps?|Versions?|Python|Rules?|Levels?"
    r"|Parts?|Items?|Examples?|Equations?|Eq)\.?"
)
_REFERENCE = re.compile(
    rf"\b{_REFERENCE_WORD}\s+\d+[a-z]?(?P<more>\s*(?:,|bis|und|oder|sowie|and|or|to|-|–)\s*\d+[a-z]?)*$"
)
_AFTER_ARTICLE = re.compile(
    r"\b(?:[Dd](?:er|ie|as|en|em|es)|[Ii]m|[Aa]m|[Vv]om|[Zz]u[mr]|[Bb]eim|[Ss]eit"
    r"|(?:[Ii]hr|[Ss]ein|[Ee]in|[Jj]ed)(?:e[mnrs]?)?)\s+\d+$"
)
_AFTER_CONJUNCTION = re.compile(
    r"(?:\b(?:und|oder|sowie|bis|ab|nach|vor|jeweils|and|or)|[,;:])\s+\d+$"
)
_GERMAN = re.compile(r"\b(?:der|die|das|des|den|dem|und|ist|nicht|für|von|mit)\b|[äöüß]")
_ITEM = re.compile(r"(?<![^\s(])(\d{1,2})([a-z]?)\.(?=\s+\S)")
_LETTERED_ITEM = re.compile(r"(?<!\S)([a-z])\)(?=\s+\S)")
_LIST_MARKER = re.compile(r"\d{1,3}[a-z]?|[IVXLC]{1,5}|[A-Za-z]")
_SHORT_NUMBER = re.compile(r"\d{1,3}|\d{1,2}\.?/\d{1,2}")
_GAZETTE = re.compile(r"[A-Z]\w*Bl")
_LOOK_BACK: Final = 80
_ABBREVIATIONS: Final = word_set(word_lists()["abbreviations"]["all"])
_CLOSABLE: Final = word_set(word_lists()["abbreviations"]["closing"])
"""Abbreviations that may also be the last word of a sentence."""
_MONTHS: Final = months("de", "en")
_HEADING_WORDS: Final = 14
_LABELLED_HEADING_WORDS: Final = 30
_LABELLED = re.compile(
    r"\s*(?i:§+|(?:art(?:ikel|icle|\.)|abschnitt|kapitel|teil|anlage|anhang|section|chapter|part"
    r"|annex|schedule)\b)\s*(?:\d+[a-z]?|[IVXLC]+|[A-Z])\s+(?!Abs|Satz|Nummer|Nr)[A-ZÄÖÜ]"
)
_ENTRY = re.compile(r"(?:\.\s?){4}\d*\s*$|…\s*\d+\s*$")
"""The end of a line in a table of contents."""
_COMPLETE = re.compile(r"[.!?:;,…][\"'“”’»)\]`*]*\s*$")
_VERB = re.compile(
    r"\b(?:ist|sind|war|wird|werden|hat|haben|gilt|gelten|beträgt|darf|dürfen|muss|müssen|kann|können"
    r"|soll|sollen|is|are|was|were|has|have|does|do|must|may|can|cannot|should|will|shall)\b"
)


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of a text, in order, disjoint, without outer white space.

    Headings, list items, table rows and code blocks are sentences of their own; line breaks that
    only wrap a sentence do not cut it.
    """
    return [span for unit in units(text) for span in _split(text, unit)]


def sentences_between(text: str, start: int, end: int) -> list[tuple[int, int]]:
    return list(_split(text, Unit(start, end, prose=True)))


def clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Cut a sentence at the top-level items of its enumeration, numbered from 1 or from ``a)``.

    The words before the first item are a span of their own; those after the last stay with it.
    """
    begins = _numbered_items(text, start, end)
    if len(begins) < 2:
        begins = _lettered_items(text, start, end)
    if len(begins) < 2:
        return [(start, end)]
    borders = [*sorted({start, *begins}), end]
    spans = (_trimmed(text, *span) for span in pairwise(borders))
    return [span for span in spans if span[0] < span[1]]


def is_heading(sentence: str) -> bool:
    """Return whether a span is a title or a cell: short or labelled, open-ended, no verb."""
    if _ENTRY.search(sentence):
        return True
    longest = _LABELLED_HEADING_WORDS if _LABELLED.match(sentence) else _HEADING_WORDS
    if len(sentence.split()) > longest or _COMPLETE.search(sentence):
        return False
    return not _VERB.search(sentence)


def _split(text: str, unit: Unit) -> Iterator[tuple[int, int]]:
    begin = unit.start
    if unit.prose:
        items = set(_numbered_items(text, unit.start, unit.end))
        for match in _END.finditer(text, unit.start, unit.end):
            if _ends_sentence(text, begin, match, items):
                yield begin, match.end()
                begin = _skip_space(text, match.end())
    if begin < unit.end:
        yield begin, unit.end


def _ends_sentence(text: str, begin: int, stop: re.Match[str], items: set[int]) -> bool:
    """Return whether the punctuation at ``stop`` ends the sentence that starts at ``begin``."""
    opening, following = _next_word(text, stop.end())
    if following[:1].islower() and "`" not in opening:
        return False
    before = text[max(begin, stop.start() - _LOOK_BACK) : stop.start()]
    word = before.rsplit(maxsplit=1)[-1].lstrip(_OPENING) if before.strip() else ""
    if not stop.group().removeprefix("\\").startswith(".") or not word:
        return True
    word_start = stop.start() - len(word)
    if word_start in items or (word_start == begin and _LIST_MARKER.fullmatch(word)):
        return False
    if _SHORT_NUMBER.fullmatch(word):
        return _number_ends(before, following)
    closes = word.casefold() in _CLOSABLE and _begins_sentence(following)  # ``… usw. Die …``
    return closes or not _is_abbreviation(word, before)


def _next_word(text: str, offset: int) -> tuple[str, str]:
    match = _NEXT.match(text, offset)
    return (match.group(1), match.group(2)) if match else ("", "")


def _is_abbreviation(word: str, before: str) -> bool:
    folded = word.casefold()
    if len(word) == 1 and word.isalpha():
        return not re.search(r"\b(?:Buchstaben?|Klasse|Typ|Kategorie)\s+\w$", before)
    pieces = folded.split(".")
    dotted = len(pieces) > 1 and all(len(piece) <= 2 and piece.isalpha() for piece in pieces)
    return dotted or pieces[-1] in _ABBREVIATIONS or bool(_GAZETTE.fullmatch(word))


def _begins_sentence(word: str) -> bool:
    return word.istitle() and any(word.casefold() in words for words in STOP_WORDS.values())


def _number_ends(before: str, following: str) -> bool:
    """Return whether a number with a full stop ends a sentence, not an ordinal (``27. Juni``)."""
    if following.casefold() in _MONTHS:
        return False
    if _REFERENCE.search(before) or _begins_sentence(following):
        return True
    if (
        following[:1].isdigit()
        or _AFTER_ARTICLE.search(before)
        or _AFTER_CONJUNCTION.search(before)
    ):
        return False
    return not _GERMAN.search(before)


def _numbered_items(text: str, start: int, end: int) -> list[int]:
    """Return where items of enumerations begin: 1., 2., 3. in sequence; a new 1. starts again."""
    starts: list[int] = []
    expected = 1
    for match in _ITEM.finditer(text, start, end):
        number, letter = int(match.group(1)), match.group(2)
        due = number == expected - 1 if letter else number in (expected, 1)
        if match.start() == start or (due and not _is_reference(text, start, match)):
            starts.append(match.start())
            expected = number + 1
    return starts


def _is_reference(text: str, start: int, item: re.Match[str]) -> bool:
    """Return whether a number belongs to the words before it: ``Absatz 1.``, ``am 1. Januar``."""
    before = text[max(start, item.start() - _LOOK_BACK) : item.end() - 1]
    following = _next_word(text, item.end())[1]
    reference = _REFERENCE.search(before)
    if reference and (not reference["more"] or _begins_sentence(following)):
        return True
    return following.casefold() in _MONTHS or bool(_AFTER_ARTICLE.search(before))


def _lettered_items(text: str, start: int, end: int) -> list[int]:
    starts: list[int] = []
    for match in _LETTERED_ITEM.finditer(text, start, end):
        if ord(match.group(1)) == ord("a") + len(starts):
            starts.append(match.start())
    return starts


def _skip_space(text: str, offset: int) -> int:
    while offset < len(text) and text[offset].isspace():
        offset += 1
    return offset


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
