"""Terms that stand behind what they mean: ``… (Eilverordnungen)``, ``(im Folgenden: X)``.

German statutes define so without a word about it. Parentheses also hold remarks; a term is told
from them by being a noun phrase that the text uses again.
"""

import re
from collections.abc import Iterator
from typing import Final

from services.knowledge_graph.names import clean_name
from services.knowledge_graph.structure.definitions import LONGEST_DEFINITION, Definition
from services.knowledge_graph.structure.source import Source
from services.knowledge_graph.structure.tokens import name_keys
from services.text import is_stop_word

_ASIDE = re.compile(
    r"(?<=[^\W\d_,]\s)\((?P<name>[A-Za-zÄÖÜäöü][^()\d§.:;,/=]{2,60})\)(?=[\s.,;:]|$)"
)
_HENCEFORTH = re.compile(
    r"\(?\b(?:im Folgenden|im folgenden|nachfolgend|hereinafter|hereafter|henceforth)"
    r"(?:\s+(?:kurz|auch|referred to as|called|the))*\s*:?\s+"
    r"(?:[„“\"'»‘](?P<quoted>[^“”\"'«’\n]{2,80})[“”\"'«’]|(?P<name>[A-ZÄÖÜ][\w-]*(?:\s[A-ZÄÖÜ][\w-]+){0,4})\))"
)
_LISTED = re.compile(r"\b(?:und|oder|and|or|z\.|insbesondere|einschließlich|sowie|siehe|see)\b")
_ADJECTIVE = re.compile(r"[a-zäöüß-]{3,}(?:e[nrsm]?|lich|ig|isch|bar|sam)$")
_STARTS = re.compile(r"(?:[.;:!?]|\n)\s+(?:\(\d{1,3}[a-z]?\)\s+|\d{1,3}[a-z]?\.\s+)?")
_AGAIN: Final = 2
"""How often a text must use such a term, the parentheses included."""
_MOST_WORDS: Final = 4
_DESCRIPTION: Final = 3
"""Words that a description has at least."""
_MARKUP: Final = 6
"""Characters that a heading may have beside its title."""
_SOURCE = re.compile(r"(?:Verordnung|Richtlinie|Band|Beschluss)(?:en|s)?")
_LOOK_BACK: Final = 600


def asides(source: Source) -> Iterator[Definition]:
    """The terms that parentheses and ``hereinafter`` give to what stands before them."""
    for match in _HENCEFORTH.finditer(source.text):
        group = "quoted" if match["quoted"] else "name"
        name = clean_name(match[group])
        if name:
            yield _defined(source.text, name, match.span(group), match.end())
    if source.language != "de":
        return
    headings = [(each.start, each.start + len(each.title) + _MARKUP) for each in source.sections]
    for match in _ASIDE.finditer(source.text):
        name = clean_name(match["name"])
        if name is None or any(start <= match.start() < end for start, end in headings):
            continue
        if _is_noun_phrase(name) and _is_used(source, name) and _describes(source.text, match):
            yield _defined(source.text, name, match.span("name"), match.end())


def _defined(text: str, name: str, named: tuple[int, int], end: int) -> Definition:
    """The definition begins with the sentence or item that the term ends."""
    before = text[max(0, named[0] - _LOOK_BACK) : named[0]]
    start = max((border.end() for border in _STARTS.finditer(before)), default=0)
    from_ = named[0] - len(before) + start
    return Definition(name, *named, from_, min(end, from_ + LONGEST_DEFINITION))


def _is_noun_phrase(name: str) -> bool:
    """Adjectives and a noun, as in ``externe Notfallpläne``; no list, remark or abbreviation."""
    *before, noun = name.split()
    if len(before) >= _MOST_WORDS or _LISTED.search(name) or is_stop_word(noun, "de"):
        return False
    if not noun[0].isupper() or sum(
        each.isupper() for each in noun.replace("-", "")
    ) > 1 + noun.count("-"):
        return False
    return all(_ADJECTIVE.fullmatch(word) or word[0].isupper() for word in before)


def _describes(text: str, match: re.Match[str]) -> bool:
    """Whether a phrase stands before the parentheses, and not a number, formula or source."""
    words = re.split(r"[.;:()|=\n]", text[max(0, match.start() - 80) : match.start()])[-1].split()
    return len(words) >= _DESCRIPTION and not _SOURCE.fullmatch(words[-1])


def _is_used(source: Source, name: str) -> bool:
    """Whether the text uses it again: by the beginning of its last word, in any inflection."""
    noun = name.split()[-1]
    stem = noun[: max(4, len(noun) - 3)]
    return source.text.count(stem) >= _AGAIN and bool(name_keys(name, source.language))
