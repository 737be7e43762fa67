"""Citations of sections: ``§§ 6, 7 bis 9a``, ``Anlage 4 Tabelle 1``, ``sections 2 and 3``."""

import re
from dataclasses import dataclass
from typing import Final

from services.ingestion.references.grammar import (
    GAP,
    LETTER,
    LISTED,
    NOT_I,
    NUMBER,
    OPT,
    ROMAN,
    collapse,
    expand,
)
from services.ingestion.references.subdivisions import Listed, read_subdivisions


@dataclass(frozen=True, slots=True)
class Mark:
    """A word that announces section numbers.

    ``label`` formats the number; ``annex`` is set where parts and tables may follow it; ``word``
    is what to show in front of labels that are mere numbers.
    """

    words: str
    label: str
    numeral: str
    annex: bool = False
    word: str = "section"


_MARKS: Final = {
    "paragraph": Mark(r"§{1,2}", "§ {}", NUMBER),
    "artikel": Mark(r"Artikel[ns]?|Art\.", "Artikel {}", rf"{NUMBER}|{ROMAN}"),
    "anlage": Mark(r"Anlagen?", "Anlage {}", rf"{NUMBER}|{ROMAN}|{LETTER}", annex=True),
    "anhang": Mark(
        r"Anhang(?:e?s)?|Anhängen?", "Anhang {}", rf"{NUMBER}|{ROMAN}|{LETTER}", annex=True
    ),
    "abschnitt": Mark(
        r"Abschnitt(?:s|e[sn]?)?|Kapiteln?",
        "{}",
        r"\d{1,3}(?:\.\d{1,3})+(?!\.\d)",
        word="Abschnitt",
    ),
    "section": Mark(r"[Ss]ections?|[Ss]ect?\.", "{}", rf"{NUMBER}|{NOT_I}"),
    "clause": Mark(r"(?:[Ss]ub)?[Cc]lauses?|[Ss]ubsections?", "{}", NUMBER, word="clause"),
    "chapter": Mark(r"[Cc]hapters?", "Chapter {}", NUMBER),
    "article": Mark(r"[Aa]rticles?", "Article {}", rf"{NUMBER}|{NOT_I}"),
    "appendix": Mark(r"[Aa]ppendix|[Aa]ppendices", "Appendix {}", rf"{NUMBER}|{ROMAN}|{LETTER}"),
    "annex": Mark(r"[Aa]nnex(?:es)?", "Annex {}", rf"{NUMBER}|{ROMAN}|{LETTER}", annex=True),
}
_ALTERNATIVES: Final = "|".join(
    rf"(?P<{name}>{mark.words}){OPT if name == 'paragraph' else GAP}"
    rf"(?P<n_{name}>{mark.numeral})"
    for name, mark in _MARKS.items()
)
MARK: Final = rf"(?<![\w§])(?:{_ALTERNATIVES})"
"""A mark with its first number; a pattern with named groups, so it may stand only once."""
FIRST_MARK = re.compile(MARK)
_LISTS: Final = re.compile(
    r"§§|Artikeln?|Art\.|Anlagen|Anhängen?|Abschnitten?|Kapiteln|"
    r"(?:(?:sub)?section|(?:sub)?clause|chapter|article)s|annexes|appendices",
    re.IGNORECASE,
)
_AMBIGUOUS: Final = ("Artikel", "Art.")
_SPACED_LETTER = re.compile(rf" [a-z](?={GAP}(?:Abs|Satz|S\.|Nr|Nummer|des\b|der\b))")
_CLOSED = re.compile(rf"{OPT}[,;)\]]|{OPT}\Z|{GAP}(?:des|der|dem|und|oder|bis|sowie|and|or|of|Abs)")


def _continuations(numeral: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns for the next number of a list and for the upper end of a range.

    A number that a full stop follows may begin the next item of an enumeration: ``§ 5, 2. die``.
    """
    following = (
        rf"(?:{OPT}(?P<comma>,){OPT}(?:(?:und|oder|sowie|and|or){GAP})?|"
        rf"{GAP}(?:und|oder|sowie|bzw\.|and|or|&){GAP}|/)"
        rf"(?P<number>{numeral})(?!\.\s+[a-zäöüß(])(?(comma)(?!\.(?:\s|$)))"
    )
    upper = (
        rf"(?:{GAP}(?:bis|to|through|until){GAP}|{OPT}[-–—]{OPT})(?P<mark>§?){OPT}"
        rf"(?P<number>{numeral})(?!\.\s+[a-zäöüß(])"
    )
    return re.compile(following), re.compile(upper)


_CONTINUATIONS: Final = {name: _continuations(mark.numeral) for name, mark in _MARKS.items()}


@dataclass(frozen=True, slots=True)
class Item:
    """A section of a citation, or a range of them, with its subdivisions."""

    labels: tuple[str, ...]
    subdivision: str | None


@dataclass(frozen=True, slots=True)
class Group:
    """All sections that one mark announces, at ``text[start:end]``."""

    start: int
    end: int
    items: tuple[Item, ...]
    word: str


def read_group(text: str, first: re.Match[str]) -> Group:
    """Read the list of sections that begins with a match of `MARK`.

    A plural mark announces any list. After a singular one (``§ 4, 6 oder 9 des …``) a number
    counts only if the clause ends there or goes on like a citation.
    """
    name = next(name for name in _MARKS if first[name])
    mark, is_list = _MARKS[name], _LISTS.fullmatch(first[name]) is not None
    following, upper = _CONTINUATIONS[name]
    number, end = first[f"n_{name}"], first.end()
    items: list[Item] = []
    while True:
        numbers, end = _read_range(text, number, end, upper, is_list)
        no_other = not items and first[name] not in _AMBIGUOUS
        listed = _listed(numbers, no_other) if is_list else None
        behind = read_subdivisions(text, end, annex=mark.annex, listed=listed)
        labels = tuple(mark.label.format(numeral) for numeral in numbers)
        items.append(Item(labels, collapse(text[end:behind]).strip(", ") or None))
        end = behind
        match = following.match(text, end)
        goes_on = match and len(items) < LISTED and (is_list or _CLOSED.match(text, match.end()))
        if match is None or not goes_on:
            return Group(first.start(), end, tuple(items), mark.word)
        number, end = match["number"], match.end()


def _read_range(
    text: str, number: str, end: int, upper: re.Pattern[str], is_list: bool
) -> tuple[list[str], int]:
    if match := _SPACED_LETTER.match(text, end):
        return [number + match.group().strip()], match.end()
    match = upper.match(text, end)
    if match and (is_list or match["mark"] or _CLOSED.match(text, match.end())):
        return expand(number, match["number"]), match.end()
    return [number], end


def _listed(numbers: list[str], no_other: bool) -> Listed | None:
    digits = re.match(r"\d+", numbers[-1])
    return Listed(int(digits.group()), no_other and len(numbers) == 1) if digits else None


_MARKUP: Final = " \t#*>|"
_LOOK_BACK: Final = 80
_RUNS_ON = re.compile(r"(?:[,(–-]|(?<!\S)[a-zäöüß]+)[^\S\n]*\Z")
_TITLE = re.compile(
    rf"{OPT}\(|\*?[:.–—]{GAP}[A-ZÄÖÜ]|[^\S\n]*\n[^\S\n]*\n|"
    rf"{GAP}[„\"»]?[A-ZÄÖÜ](?![A-Za-zÄÖÜäöüß]{{0,12}}[A-ZÄÖÜ](?![\w-]))"
)
_FIRST_PARAGRAPH = re.compile(rf"{GAP}\(1\){GAP}[A-ZÄÖÜ][a-zäöüß]")


def is_heading(text: str, first: re.Match[str]) -> bool:
    """Whether what looks like a citation is the heading of its section: ``§ 78 Grenzwerte``.

    It stands at the beginning of a line, the line before does not run on into it, and a title
    follows: a capitalised word that is no abbreviation, a parenthesis, a colon, an empty line.
    """
    before = text[max(0, first.start() - _LOOK_BACK) : first.start()]
    line_before, line_break, indent = before.rpartition("\n")
    if indent.strip(_MARKUP) or (not line_break and len(before) == _LOOK_BACK):
        return False
    if not indent.strip() and _RUNS_ON.search(line_before):
        return False
    group = read_group(text, first)
    if any(item.subdivision not in (None, "(1)") for item in group.items):
        return False
    if text[group.end - 1] == ")":
        return _FIRST_PARAGRAPH.match(text, first.end()) is not None
    return _TITLE.match(text, group.end) is not None
