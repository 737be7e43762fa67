"""Find the terms that a text defines, in German and English, with the defining span.

Entries of sections headed as definitions, sentences (``X means …``) and paragraphs that explain
their heading name the term first. Others name it after its meaning: ``… (Eilverordnungen)``, ``(im
Folgenden: X)``. Brackets also hold remarks; a term is a noun phrase that the text uses again.
"""

import re
from collections.abc import Iterator, Set
from itertools import pairwise
from typing import Final, NamedTuple

from services.domain import Language, SectionSpan
from services.graph.text import SourceText, name_keys, tokenise
from services.graph.values import ADJECTIVE, clean_name
from services.language.text.sentences import sentences
from services.language.text.words import is_stop_word

LONGEST_DEFINITION: Final = 2_000
_STATED_WORDS: Final = 6
_COMPOUND: Final = 8
"""Letters of a word that makes a longer word ending with it a kind of it."""
_HEADED = re.compile(
    r"Begriffsbestimmung|Begriffsdefinition|Begriffserklärung|Glossar|Terminology|Glossary"
    r"|\bBegriff\b|\b(?:Begriffe|Definition(?:en|s)?|Defined Terms|Interpretation)\W*$",
    re.IGNORECASE,
)
_MARK: Final = r"(?:\(\d{1,3}[a-z]{0,2}\)|\d{1,3}[a-z]{0,2}[.)]|\([a-z]{1,2}\)|[a-z]{1,2}\)|[-*•])"
_ENTRY = re.compile(
    rf"(?:^|(?<=\n))[ \t]*(?:{_MARK}[ \t]+)?"
    r"(?P<name>[^\s(§\d][^.:;\n]{1,110}?)\s?:(?=\s*\S)(?!:|//)"
)
_INNER_ENTRY = re.compile(
    r"(?<=[\s;:])\d{1,3}[a-z]?\.\s+(?P<name>[^.:;,()\n\d]{3,80}?)\s?:(?=\s*\S)(?!:|//)"
)
_SENSE = re.compile(
    r"(?<!\s)\s+im Sinne (?:dieses|dieser) \w+(?: und (?:der|des|dieser|dieses) [\w ]{3,60}?)?,?\s+"
    r"(?:ist|sind|bedeutet|bedeuten|gilt|gelten)\b(?! (?:nicht|kein))"
)
_EXPRESSION = re.compile(
    r"\b[Dd](?:er|ie) (?:Ausdruck|Begriff|Bezeichnung)\s+[„\"»](?P<name>[^“”\"«\n]{2,90})[“”\"«]\s+"
    r"(?:bedeutet|bezeichnet|umfasst|meint|steht für|ist)\b"
)
_STATED = re.compile(
    rf"(?:(?P<begun>^|(?<=\n))[ \t]*(?:{_MARK}\s+)?|(?<=[.;]\s))"
    r"(?P<name>[A-ZÄÖÜ][^.:;,()\n\d]{2,90}?)(?:\s+nach (?:Absatz|Satz) \d+\w?)?\s+"
    r"(?:(?P<who>ist,? (?:\d\. )?wer)|(?:ist|sind|bezeichnet|bezeichnen):?\s+"
    r"(?:ein|eine|der|die|das|den|jede[rs]?|alle|besondere|solche|\d\.(?=\s)))(?!\w)"
)
_MEANS = re.compile(
    r"(?:^|(?<=\n)|(?<=[.;:]\s)|(?<=\)\s))[ \t]*"
    r"(?:[Ff]or the purposes? of (?:this|these) [\w ]{3,40},\s+)?"
    r"(?:(?:the|The) term\s+)?(?:[\"'“‘*]{1,2}(?P<quoted>[^\"'”’*\n]{2,80})[\"'”’*]{1,2}"
    r"|(?:(?:An?|The)\s+(?=[a-z])|(?=[A-Z]))(?P<name>[A-Za-z][\w-]*(?:\s[\w-]+){0,4}?))\s+"
    r"(?:(?:shall )?means?|refers? to|is defined as|denotes?)\s"
)
_ARTICLE = re.compile(r"^(?:der|die|das|ein|eine|als|the|an?)\s+", re.IGNORECASE)
_REFUSED = re.compile(
    r"^(?:keine?|soweit|wenn|sofern|hier\w*|da\w*|dies\w*|es|er|sie|it|this|that|these|those"
    r"|which|what|there|he|she|they|und|oder|and|or|im|in|bei|für|zu"
    r"|satz|absatz|aufgaben|pflichten|ziele?|verantwortlich|zuständig|zulässig|unzulässig|befugt"
    r"|erforderlich|verpflichtet|berechtigt|unberührt)\b(?! Sinne)"
    r"|\bim Sinne dies|\b(?:ist|sind|wird|werden|gilt|gelten|muss|kann|is|are|must|can)\b",
    re.IGNORECASE,
)
_BOUNDARY = re.compile(r"[.;:]\s+|\n\s*|(?<=\s)\(\d{1,3}[a-z]?\)\s+|^\(\d{1,3}[a-z]?\)\s+")
_PARENTHESES = re.compile(r"\s*\([^()]*\)")

_PARENTHESISED = re.compile(
    r"(?<=[^\W\d_,]\s)\((?P<name>[A-Za-zÄÖÜäöü][^()\d§.:;,/=]{2,60})\)(?=[\s.,;:]|$)"
)
_HENCEFORTH = re.compile(
    r"\(?\b(?:im Folgenden|im folgenden|nachfolgend|hereinafter|hereafter|henceforth)"
    r"(?:\s++(?:kurz|auch|referred to as|called|the))*(?:\s*+:)?\s++"
    r"(?:[„“\"'»‘](?P<quoted>[^“”\"'«’\n]{2,80})[“”\"'«’]|(?P<name>[A-ZÄÖÜ][\w-]*(?:\s[A-ZÄÖÜ][\w-]+){0,4})\))"
)
_LISTED = re.compile(r"\b(?:und|oder|and|or|z\.|insbesondere|einschließlich|sowie|siehe|see)\b")
_STARTS = re.compile(r"(?:[.;:!?]|\n)\s+(?:\(\d{1,3}[a-z]?\)\s+|\d{1,3}[a-z]?\.\s+)?")
_AGAIN: Final = 2
_MOST_WORDS: Final = 4
_DESCRIPTION: Final = 3
_MARKUP: Final = 6
"""Characters that a heading may have besides its title."""
_SOURCE = re.compile(r"(?:Verordnung|Richtlinie|Band|Beschluss)(?:en|s)?")
_LOOK_BACK: Final = 600


class Definition(NamedTuple):
    """A term, the span that names it (``start``, ``end``), and the span that defines it."""

    name: str
    start: int
    end: int
    defined_from: int
    defined_until: int


def definitions(source: SourceText) -> list[Definition]:
    """Return the definitions of a text in order; a term may be defined twice."""
    return sorted(
        [*_term_first(source), *_term_last(source)],
        key=lambda definition: (definition.start, definition.end),
    )


def _term_first(source: SourceText) -> Iterator[Definition]:
    whole_text = SectionSpan(
        label="", title="", level=0, start=0, end=len(source.text), heading_path=()
    )
    for section in source.sections or (whole_text,):
        body = source.text[section.start : section.end]
        for name, *offsets in _section_definitions(body, section, source.language):
            yield Definition(name, *(section.start + offset for offset in offsets))


def _section_definitions(
    body: str, section: SectionSpan, language: Language
) -> Iterator[Definition]:
    headed = any(_HEADED.search(title) for title in (section.title, *section.heading_path))
    if headed:
        yield from _entries(body)
    if language == "en":
        yield from _sentences(body, _MEANS)
    else:
        yield from _senses(body)
        yield from _sentences(body, _EXPRESSION)
        yield from _stated(body, section.title, headed, language)


def _entries(body: str) -> Iterator[Definition]:
    """Yield entries ``(7) Name: meaning``, each up to the next; an entry may list further ones."""
    heads = [match for match in _ENTRY.finditer(body) if _term(match["name"])]
    names = {head["name"] for head in heads}
    inner = (match for match in _INNER_ENTRY.finditer(body) if match["name"] not in names)
    entries = [*heads, *(match for match in inner if _term(match["name"]))]
    entries.sort(key=lambda match: match.start("name"))
    borders = [*(match.start("name") for match in entries), len(body)]
    for match, (start, border) in zip(entries, pairwise(borders), strict=True):
        name = _term(match["name"])
        end = start + len(re.sub(rf"\s*{_MARK}?\s*$", "", body[start:border]))
        until = min(end, start + LONGEST_DEFINITION)
        yield Definition(name or "", *match.span("name"), start, until)


def _term(written: str) -> str | None:
    """Return a term without article and brackets, ``Kontamination, lose`` turned around."""
    plain = _ARTICLE.sub("", _PARENTHESES.sub("", written).strip(" \t„“\"'»«*"))
    head, comma, qualifier = plain.partition(", ")
    if comma and "," not in qualifier and qualifier and qualifier.split()[-1][0].islower():
        plain = f"{qualifier} {head}"
    elif comma:
        return None
    name = clean_name(plain)
    return None if name is None or _REFUSED.search(name) else name


def _senses(body: str) -> Iterator[Definition]:
    """Yield definitions such as ``Radioaktive Stoffe (…) im Sinne dieses Gesetzes sind alle …``."""
    for match in _SENSE.finditer(body):
        before = body[max(0, match.start() - 200) : match.start()]
        borders = [border.end() for border in _BOUNDARY.finditer(before)]
        start = match.start() - len(before) + (borders[-1] if borders else 0)
        name = _term(body[start : match.start()])
        if name and len(name.split()) <= 8:
            yield Definition(name, start, match.start(), *_sentence(body, start))


def _sentences(body: str, pattern: re.Pattern[str]) -> Iterator[Definition]:
    for match in pattern.finditer(body):
        group = match.lastgroup or "name"
        if name := _term(match[group]):
            yield Definition(name, *match.span(group), *_sentence(body, match.start(group)))


def _stated(body: str, heading: str, headed: bool, language: Language) -> Iterator[Definition]:
    """Yield ``X ist, wer …``, and ``X ist ein …`` under a heading that names X or a glossary."""
    title = {token.key for token in tokenise(heading, language)} - {""}
    for match in _STATED.finditer(body):
        name = _term(match["name"])
        if name is None or name != match["name"].strip() or len(name.split()) > _STATED_WORDS:
            continue
        if is_stop_word(name.split()[0], language):
            continue
        begun = match["begun"] is not None
        if headed or (begun and (match["who"] or _is_titled(name, title, language))):
            yield Definition(name, *match.span("name"), *_sentence(body, match.start("name")))


def _is_titled(name: str, title: Set[str], language: Language) -> bool:
    head = ""
    for token in tokenise(name, language):
        if head and not token.key:
            break
        head = token.key if token.capital else head
    return head in title or any(
        head.endswith(key) for key in title if len(key) >= _COMPOUND and head
    )


def _sentence(body: str, start: int) -> tuple[int, int]:
    piece = body[start : start + LONGEST_DEFINITION]
    return start, start + next((end for _, end in sentences(piece)), len(piece))


def _term_last(source: SourceText) -> Iterator[Definition]:
    """Yield the terms that brackets and ``hereinafter`` give to what stands before them."""
    for match in _HENCEFORTH.finditer(source.text):
        group = match.lastgroup or "name"
        if name := clean_name(match[group]):
            yield _definition_ending_at(source.text, name, match.span(group), match.end())
    if source.language != "de":
        return
    headings = [
        (section.start, section.start + len(section.title) + _MARKUP) for section in source.sections
    ]
    for match in _PARENTHESISED.finditer(source.text):
        name = clean_name(match["name"])
        if name is None or any(start <= match.start() < end for start, end in headings):
            continue
        if _is_noun_phrase(name) and _is_used(source, name) and _describes(source.text, match):
            yield _definition_ending_at(source.text, name, match.span("name"), match.end())


def _definition_ending_at(text: str, name: str, named: tuple[int, int], end: int) -> Definition:
    before = text[max(0, named[0] - _LOOK_BACK) : named[0]]
    start = max((border.end() for border in _STARTS.finditer(before)), default=0)
    from_ = named[0] - len(before) + start
    return Definition(name, *named, from_, min(end, from_ + LONGEST_DEFINITION))


def _is_noun_phrase(name: str) -> bool:
    *before, noun = name.split()
    if len(before) >= _MOST_WORDS or _LISTED.search(name) or is_stop_word(noun, "de"):
        return False
    capitals = sum(letter.isupper() for letter in noun)
    if not noun[0].isupper() or capitals > 1 + noun.count("-"):
        return False
    return all(ADJECTIVE.fullmatch(word) or word[0].isupper() for word in before)


def _describes(text: str, match: re.Match[str]) -> bool:
    words = re.split(r"[.;:()|=\n]", text[max(0, match.start() - 80) : match.start()])[-1].split()
    return len(words) >= _DESCRIPTION and not _SOURCE.fullmatch(words[-1])


def _is_used(source: SourceText, name: str) -> bool:
    noun = name.split()[-1]
    used = source.text.count(noun[: max(4, len(noun) - 3)])
    return used >= _AGAIN and bool(name_keys(name, source.language))
