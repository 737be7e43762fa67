"""The parts of a question that a complete answer must cover, told by rules."""

import re
from collections.abc import Iterator
from typing import Final

from services.extractive.questions import topic
from services.text import stem_sequence
from services.types import Language, Value

_MOST: Final = 5

_INTERROGATIVE: Final = (
    r"(?:welche[mnrs]?|was|wer|wem|wen|wie|wann|wo|warum|weshalb|wieso|wodurch|womit|ob|inwieweit|inwiefern"
    r"|unter\s+welchen|in\s+welche[mnr]|für\s+welche\w?|bei\s+welche\w?|mit\s+welche\w?|nach\s+welche\w?"
    r"|ab\s+welche\w?|bis\s+wann|darf|dürfen|muss|müssen|kann|können|gibt\s+es|gilt|gelten"
    r"|what|which|who|whom|whose|when|where|why|how|whether|under\s+what|in\s+which|may|must|can|should"
    r"|is\s+there|are\s+there|does|do)"
)
_CLAUSE = re.compile(
    rf"\s*[?;]\s+|\s*,?\s+(?:und|oder|sowie|aber|and|or|but|as\s+well\s+as)\s+(?={_INTERROGATIVE}\b)"
    rf"|\s*,\s+(?={_INTERROGATIVE}\b(?!\s+(?:sich|die|der|das)\b))",
    re.IGNORECASE,
)
_OPENING = re.compile(
    rf"^(?:{_INTERROGATIVE}\s+)(?:(?:ist|sind|is|are)\s+)?(?:(?:der|die|das|eine?|the|an?)\s+)?",
    re.IGNORECASE,
)
_THING: Final = r"(?:(?:der|die|das|den|dem|des|einer?|einem|eines|the|an?)\s+)?(?P<{}>[^,;?]+?)"
_A, _B = _THING.format("a"), _THING.format("b")
_COMPARISONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\bhow\s+(?:does|do|is|are|did)\s+{_A}\s+(?:differ(?:ent)?|distinguished)\s+from\s+{_B}\s*\??$",
        rf"\b(?:difference|distinction|comparison|contrast)s?\s+between\s+{_A}\s+and\s+{_B}\s*\??$",
        rf"\bcompare\s+{_A}\s+(?:and|with|to)\s+{_B}\s*[?.]?$",
        rf"\b(?:unterschied|abgrenzung|vergleich|verhältnis)\w*\s+(?:\w+\s+)?zwischen\s+{_A}\s+und\s+{_B}\s*\??$",
        rf"\bunterscheide[nt]\s+sich\s+{_A}\s+(?:von|und)\s+{_B}\s*\??$",
        rf"\bvergleiche?\s+{_A}\s+(?:und|mit)\s+{_B}\s*[?.]?$",
        rf"^{_A}\s+(?:vs\.?|versus|gegenüber|im\s+vergleich\s+(?:zu|mit)|compared\s+(?:to|with))\s+{_B}\s*\??$",
    )
)
_WORD: Final = r"[^\s,;?]+"
_LISTED = re.compile(
    rf"(?P<head>.*?\b(?:für|bei|von|in|an|auf|gegen|über|for|of|about|on)\s+)"
    rf"(?P<items>{_WORD}(?:\s+{_WORD}){{0,3}}(?:,\s+{_WORD}(?:\s+{_WORD}){{0,3}})*"
    rf"\s+(?:und|sowie|and)\s+(?:(?:für|bei|von|in|for|of)\s+)?{_WORD}(?:\s+{_WORD}){{0,3}})$",
    re.IGNORECASE,
)
_NAME: Final = r"(?:§\s*\d+\w*|`*[A-ZÄÖÜ][\w.-]*\w`*)"
_NAMES = re.compile(
    rf"(?P<head>.*?)(?<!zwischen\s)(?<!between\s)(?P<items>{_NAME}(?:,\s+{_NAME})*,?\s+(?:und|sowie|and)\s+{_NAME})"
    r"(?!\w)(?P<tail>.*)$"
)
_PREPOSITION = re.compile(
    r"(?:am|an|auf|aus|beim?|durch|im|ins?|mit|nach|vo[mnr]|zu[mr]?|at|by|from|in|on|to|with)\s",
    re.IGNORECASE,
)
_ITEM_BORDER = re.compile(
    r"\s*,?\s+(?:und|sowie|and)\s+(?:(?:für|bei|von|in|for|of)\s+)?|\s*,\s+", re.IGNORECASE
)
_LEANING = re.compile(
    r"\b(?:sie|es|er|ihn|ihm|ihnen|deren|dessen|diese[mnrs]?|dies|davon|dafür|dabei|dagegen|daraus|darüber(?!\s+hinaus)|darin"
    r"|daran|damit|danach|dazu|dann|hierfür|hierzu|hiervon|hierbei|it|its|they|them|their|this|these|those|thereof|each|one|both|beide[nr]?)\b",
    re.IGNORECASE,
)


class Facet(Value):
    """A part of a question. ``text`` can be searched on its own; ``stems`` are its content."""

    text: str
    stems: frozenset[str]


def facets(question: str, language: Language) -> list[Facet]:
    """Split a question into what its answer must cover.

    Coordinated questions fall apart (``…, und welche Ausnahmen …``), a comparison becomes both
    things and their difference, a list of things one facet each. A part that leans on another
    (``und wie lange gilt sie?``, ``in welcher Form?``) takes the first part's words along.

    Args:
        question: as the user put it.
        language: of the question.

    Returns:
        1-5 facets in the order of the question; none for a question without content words.
    """
    clauses = _clauses(question, language)
    texts = [text for clause in clauses for text in _parts(clause, language)]
    found: dict[frozenset[str], Facet] = {}
    for text in texts:
        stems = frozenset(stem_sequence(topic(text), language))
        if stems and stems not in found:
            found[stems] = Facet(text=text, stems=stems)
    return list(found.values())[:_MOST]


def _clauses(question: str, language: Language) -> Iterator[str]:
    """Coordinated questions, each made to stand alone."""
    parts = [part.strip(" ,.;?!") for part in _CLAUSE.split(question.strip())]
    parts = [part for part in parts if part]
    for index, part in enumerate(parts):
        leans = index and (_LEANING.search(part) or len(stem_sequence(topic(part), language)) < 2)
        yield f"{part} ({_core(parts[0])})" if leans else part


def _core(clause: str) -> str:
    """A question without its question words, as a reminder of the topic."""
    return _OPENING.sub("", clause)


def _parts(clause: str, language: Language) -> Iterator[str]:
    for pattern in _COMPARISONS:
        match = pattern.search(clause)
        if match:
            yield from (match["a"].strip(), match["b"].strip(), clause)
            return
    yield from _listed(clause, language) or [clause]


def _listed(clause: str, language: Language) -> list[str]:
    """A facet for each of several things that the clause lists."""
    for pattern in (_LISTED, _NAMES):
        match = pattern.match(clause)
        if match is None:
            continue
        items = [item for item in _ITEM_BORDER.split(match["items"]) if item]
        around = match["head"] + match.groupdict().get("tail", "")
        named = all(_is_name(item) and stem_sequence(item, language) for item in items)
        if named and stem_sequence(topic(around), language):
            return [f"{match['head']}{item}{match.groupdict().get('tail', '')}" for item in items]
    return []


def _is_name(item: str) -> bool:
    """Whether a listed item is a thing of its own: it ends in a noun, identifier or label.

    One that begins with a preposition says where or how, as in ``für Personal, am Auge``.
    """
    last = item.split()[-1]
    named = last[0].isupper() or "_" in last or "`" in last or item[0] == "§"
    return named and not _PREPOSITION.match(item)
