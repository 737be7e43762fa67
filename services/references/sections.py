"""Citations of sections: ``§§ 6, 7 bis 9a``, ``Anlage 4 Tabelle 1``, ``section 3.2``.

A number may be followed by subdivisions (``Absatz 3 Satz 1``, ``(1)(a)``, ``ff.``). Citations form
chains: ``§ 6 Absatz 1, § 7 oder § 9 des Atomgesetzes`` is one of three groups; the law at its end
belongs to all of them, as German drafting rules have it. Without one, they cite the text itself.
"""

import re
from dataclasses import dataclass
from typing import Final

from services.references.documents import (
    ABBREVIATED,
    ABBREVIATED_BEHIND_ARTICLE,
    CITED,
    read_dated,
    read_version,
)
from services.references.grammar import (
    END,
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

_PROVISION: Final = (
    r"Absatz(?:es)?|Absätzen?|Abs\.|Unterabsatz(?:es)?|UAbs\.|Satz(?:es)?|Sätzen?|S\.(?=\s?\d)|"
    r"Nummern?|Nrn?\.|Buchstaben?|Buchst\.|[Ll]it\.|Doppelbuchstaben?|Ziffern?|Ziff\.|"
    r"Halbsatz(?:es)?|Alternative|Alt\.|Variante|Var\.|Fall|Spiegelstrich|Anstrich|"
    r"paragraphs?|para\.|subparagraphs?|points?|sentences?"
)
_ANNEX: Final = (
    r"Teil(?:e[ns]?|s)?|Tabellen?|Spalten?|Zeilen?|Kapitel|Abschnitt(?:s|e[ns]?)?|Abbildung|"
    r"Tables?|Columns?|Rows?|Parts?|Figures?"
)
_ORDINAL: Final = (
    r"(?:(?:erste|zweite|dritte|vierte|fünfte|letzte)[rnms]?|\d\.)"
    rf"{GAP}(?:Halbsatz(?:es)?|Hs\.|HS|(?:Satzteil|Teilsatz)(?:e?s)?|Unterabsatz|Alternative|"
    rf"Alt\.|Variante|Spiegelstrich|Anstrich|Satz){END}"
)
_VALUE: Final = (
    rf"(?:\d{{1,4}}(?:\.\d{{1,3}})*(?!\.\d)[a-z]{{0,2}}|aa|bb|cc|dd|ee|ff|gg|hh|[a-z]|[ivx]{{1,4}}|"
    rf"[IVX]{{1,5}}|[A-Z]|\([a-z\d]{{1,3}}\)){END}"
    rf"(?:(?<=[a-z])\)(?={GAP}(?:(?:und|oder|bis|and|or|to){GAP}[a-z]{{1,2}}\)|[A-ZÄÖÜ]\w*[A-ZÄÖÜ])))?"
)
_AND: Final = r"(?:und|oder|bis|sowie|bzw\.|and|or|to)"
_ALSO: Final = (
    r"(?:und|oder|sowie|bis|auch|jeweils|nach|and|or|"
    rf"in{GAP}Verbindung{GAP}mit|i\.{OPT}V\.{OPT}m\.)"
)

_FIRST_VALUE = re.compile(rf"{GAP}{_VALUE}")
_TO_SECTION_VALUE = re.compile(rf"{OPT}\([1-9]\d?[a-z]?\)(?:{OPT}\([a-z]{{1,3}}\)){{0,3}}")
_LEGAL_ROMAN = re.compile(rf"{GAP}[IVX]{{1,4}}{END}(?=,?{OPT}(?:\d|Nr\.|S\.|[A-ZÄÖÜ]\w*[A-ZÄÖÜ]))")
# A number after a comma that is followed by a full stop begins the next item of an enumeration.
_NEXT_VALUE = re.compile(
    rf"(?:(?P<comma>{OPT},{OPT})|{GAP}{_AND}{GAP}|[-–/])(?P<value>{_VALUE})"
    r"(?!\.\s+[a-zäöüß(])(?(comma)(?!\.(?:\s|$)|\)))"
)
_JOIN = rf"(?:,?{GAP}(?:{_ALSO}{GAP}){{0,5}}|,{OPT})"
_UNIT = re.compile(rf"{_JOIN}(?:(?P<ordinal>{_ORDINAL})|(?:{_PROVISION})(?={GAP}))")
_ANNEX_UNIT = re.compile(rf"{_JOIN}(?:(?P<ordinal>{_ORDINAL})|(?:{_PROVISION}|{_ANNEX})(?={GAP}))")
_FOLLOWING = re.compile(rf"{OPT}ff?{END}\.?")

BARE_UNIT: Final = rf"(?:{_PROVISION}|{_ANNEX}){GAP}(?:\d{{1,4}}[a-z]{{0,2}}|[a-z]|[A-Z]){END}"
"""A subdivision in front of its section: ``Absatz 2`` of ``Absatz 2 des § 5``."""
_ABSATZ = re.compile(rf"{GAP}Ab(?:satz|s\.|sätze)")


@dataclass(frozen=True, slots=True)
class Listed:
    """The section number before the subdivisions, where a list of sections may go on.

    In such a list a higher number is the next section if it has an ``Absatz`` of its own (``§§ 5
    Absatz 1, 7 Absatz 2``) or if there is ``no_other`` section yet (``§§ 2 Absatz 1, 3``).
    """

    section: int
    no_other: bool


def read_subdivisions(text: str, start: int, *, annex: bool, listed: Listed | None) -> int:
    """Return where the subdivisions after a section number end; the number ends at ``start``.

    An ``annex`` may have parts, tables and columns; ``listed`` is set where sections are listed.
    """
    end = start
    if match := _TO_SECTION_VALUE.match(text, end) or _LEGAL_ROMAN.match(text, end):
        end = match.end()
    unit = _ANNEX_UNIT if annex else _UNIT
    while match := unit.match(text, end):
        behind = match.end() if match["ordinal"] else _read_values(text, match.end(), listed)
        if behind is None:
            break
        end = behind
    if match := _FOLLOWING.match(text, end):
        end = match.end()
    return end


def _read_values(text: str, start: int, listed: Listed | None) -> int | None:
    match = _FIRST_VALUE.match(text, start)
    end = None
    while match and not (end and _is_next_section(text, match, listed)):
        end = match.end()
        match = _NEXT_VALUE.match(text, end)
    return end


def _is_next_section(text: str, match: re.Match[str], listed: Listed | None) -> bool:
    digits = re.match(r"\d+", match["value"])
    if listed is None or digits is None or int(digits.group()) <= listed.section:
        return False
    return listed.no_other or _ABSATZ.match(text, match.end()) is not None


@dataclass(frozen=True, slots=True)
class Mark:
    """A word that announces section numbers.

    ``label`` formats the number; ``annex`` is set where parts and tables may follow it; ``word`` is
    what to show in front of labels that are mere numbers.
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
    """Return patterns for the next number of a list and for the upper end of a range.

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
class SectionRange:
    """A section of a citation, or a range of them, with its subdivisions."""

    labels: tuple[str, ...]
    subdivision: str | None


@dataclass(frozen=True, slots=True)
class Group:
    """All sections that one mark announces, at ``text[start:end]``."""

    start: int
    end: int
    items: tuple[SectionRange, ...]
    word: str


def read_group(text: str, first: re.Match[str]) -> Group:
    """Read the list of sections that begins with a match of `MARK`.

    A plural mark announces any list. After a singular one (``§ 4, 6 oder 9 des …``) a number counts
    only if the clause ends there or goes on like a citation.
    """
    name = next(name for name in _MARKS if first[name])
    mark, is_list = _MARKS[name], _LISTS.fullmatch(first[name]) is not None
    following, upper = _CONTINUATIONS[name]
    number, end = first[f"n_{name}"], first.end()
    items: list[SectionRange] = []
    while True:
        numbers, end = _read_range(text, number, end, upper, is_list)
        no_other = not items and first[name] not in _AMBIGUOUS
        listed = _listed(numbers, no_other) if is_list else None
        behind = read_subdivisions(text, end, annex=mark.annex, listed=listed)
        labels = tuple(mark.label.format(numeral) for numeral in numbers)
        items.append(SectionRange(labels, collapse(text[end:behind]).strip(", ") or None))
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
    """Return whether an apparent citation is the heading of its section: ``§ 78 Grenzwerte``.

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


_LINK: Final = (
    rf"(?:und|oder|sowie|bis|beziehungsweise|bzw\.|auch|jeweils|den|der|des|die|"
    rf"in{GAP}Verbindung{GAP}mit|i\.{OPT}V\.{OPT}m\.|iVm|and|or|to)"
)
_SEPARATOR = re.compile(
    rf"(?:{OPT},)?{GAP}(?:{_LINK}{GAP}){{1,6}}|{OPT},{GAP}|(?<=\d){GAP}(?=§)|/(?=§)"
)
_THIS = re.compile(
    rf",?{GAP}(?:dieses|dieser|diesem|this|of{GAP}this){GAP}"
    rf"(?:Gesetz(?:es|buch(?:e?s)?)?|Verordnung|Übereinkommens?|Vertrag(?:e?s)?|Richtlinie|Ordnung|"
    rf"Satzung|Regulation|Directive|Act|document|standard|specification|PEP|RFC){END}"
)
_INTRODUCED = re.compile(rf"{GAP}(?:des|der|zum|zur|im|von|(?:of|in|to)(?:{GAP}the)?){GAP}")
_AFTER_COMMA = re.compile(rf",{GAP}(?:des|der){GAP}")
_OF_LAWS: Final = ("§", "Art")
_JOINED = re.compile(r"Verbindung\s+mit|i\.\s?V\.\s?m\.")


@dataclass(frozen=True, slots=True)
class Chain:
    """Groups of sections with the document of all of them, up to ``end``.

    ``cites`` says that one is named; then a ``document`` of None is the text itself.
    """

    groups: tuple[Group, ...]
    end: int
    cites: bool = False
    document: str | None = None


def read_chain(text: str, first: re.Match[str]) -> Chain:
    """Read the chain that begins with a match of `MARK`."""
    groups: list[Group] = []
    match: re.Match[str] | None = first
    while match is not None:
        groups.append(read_group(text, match))
        if cited := _read_cited(text, groups[-1]):
            name, end = cited
            return Chain(tuple(groups), end, True, name)
        separator = _SEPARATOR.match(text, groups[-1].end)
        match = FIRST_MARK.match(text, separator.end()) if separator else None
    return Chain(tuple(groups), groups[-1].end)


def _read_cited(text: str, group: Group) -> tuple[str | None, int] | None:
    """Return the document after a group, None for the text itself, and where its name ends."""
    if match := _THIS.match(text, group.end):
        return None, match.end()
    abbreviated = ABBREVIATED.match(text, group.end)
    if abbreviated is None and group.items[0].labels[0].startswith(_OF_LAWS):
        abbreviated = ABBREVIATED_BEHIND_ARTICLE.match(text, group.end)
    if abbreviated:
        return read_dated(text, abbreviated["name"], abbreviated.end())
    introduced = _INTRODUCED.match(text, group.end)
    if introduced is None and _JOINED.search(text, group.start, group.end):
        introduced = _AFTER_COMMA.match(text, group.end)
    if introduced and (match := CITED.match(text, introduced.end())):
        return read_dated(text, match.group(), match.end())
    version, end = read_version(text, group.end, dated=False)
    return (version, end) if version else None
