"""What a file says besides the report, in the language of the answer: ``templates/words.toml``."""

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from services.domain import Standing
from services.domain.value import Value


class NeighbourhoodWords(Value):
    """How references among sections are said."""

    title: str
    link: str
    links: str
    left_out: str


class Words(Value):
    """Labels of an exported report; ``{}`` is filled in, a pair is a singular and a plural."""

    language: str
    standings: Mapping[Standing, tuple[str, str]]
    marks: Mapping[Standing, str]
    follows: str
    closest: str
    closest_count: tuple[str, str]
    unverified: str
    in_text: str
    nothing_found: str
    page: str
    pages: str
    sections: str
    document: str
    section: str
    relevance: str
    found_by: str
    how_found: Mapping[str, str]
    depth: str
    reason: str
    passages: str
    sources: str
    author: str
    checksum: str
    tiers: Mapping[int, str]
    dropped: str
    gaps: str
    warnings: str
    degraded: str
    quality: str
    dimensions: Mapping[str, str]
    total: str
    revised: str
    cost: str
    no_model: str
    model: str
    calls: str
    tokens: str
    duration: str
    made_by: str
    made_by_ask: str
    question: str
    understood: str
    answer: str
    coverage: str
    required: str
    status: str
    statuses: Mapping[str, str]
    others: str
    beside: str
    tier: str
    quotes: tuple[str, str]
    decimal: str
    neighbourhood: NeighbourhoodWords

    def number(self, value: float, digits: int = 0) -> str:
        """``0,91`` in German, ``0.91`` in English."""
        text = f"{value:,.{digits}f}"
        return text.translate(str.maketrans(",.", ".,")) if self.decimal == "," else text

    def model_name(self, name: str) -> str:
        """``Modell qwen3:14b``, or that there was none."""
        return self.no_model if name == "none" else self.model.format(name)


@cache
def words_for(language: str) -> Words:
    """German for German answers, else English."""
    file = Path(__file__).with_name("templates") / "words.toml"
    texts = tomllib.loads(file.read_text(encoding="utf-8"))
    return Words.model_validate(texts["de" if language == "de" else "en"])


def numbered(forms: tuple[str, str], count: int) -> str:
    """``1 Zitat``, ``2 Zitate``."""
    return forms[count != 1].format(count)


def counted(standings: Mapping[Standing, int], certainty: str, language: str) -> str:
    """``4 Zitate, 2 folgen aus Zitaten, 1 nicht belegt``; of ``perhaps``, how many passages."""
    words = words_for(language)
    if certainty == "perhaps":
        return numbered(words.closest_count, sum(standings.values()))
    return ", ".join(
        numbered(forms, count)
        for standing, forms in words.standings.items()
        if (count := standings.get(standing, 0))
    )
