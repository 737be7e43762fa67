"""What a file says besides the report, in the language of the answer: ``templates/words.toml``."""

import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final


class Words(dict[str, Any]):
    """The labels of a language: an attribute is what the file has under its name.

    ``{}`` is filled in, a pair is a singular and a plural, and a table has ``Words`` of its own.
    """

    def __init__(self, texts: Mapping[str, Any]) -> None:
        super().__init__(
            {name: Words(text) if isinstance(text, dict) else text for name, text in texts.items()}
        )

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def number(self, value: float, digits: int = 0) -> str:
        """``0,91`` in German, ``0.91`` in English."""
        text = f"{value:,.{digits}f}"
        return text.translate(str.maketrans(",.", ".,")) if self.decimal == "," else text

    def model_name(self, name: str) -> str:
        """``Modell qwen3:14b``, or that there was none."""
        return str(self.no_model if name == "none" else self.model.format(name))


@cache
def words_for(language: str) -> Words:
    """German for German answers, else English."""
    file = Path(__file__).with_name("templates") / "words.toml"
    texts = tomllib.loads(file.read_text(encoding="utf-8"))
    return Words(texts["de" if language == "de" else "en"])


def numbered(forms: Sequence[str], count: int) -> str:
    """``1 Zitat``, ``2 Zitate``."""
    return forms[count != 1].format(count)


GROUPS: Final = {
    "quote": "verified",
    "follows": "verified",
    "reviewed": "reviewed",
    "loose": "check",
    "none": "check",
    "contradicts": "contradiction",
}
"""What a reader is told of each standing."""


def counted(standings: Mapping[str, int], certainty: str, language: str) -> str:
    """``5 belegt, 2 zu prüfen, 1 Widerspruch``; of ``perhaps``, how many passages."""
    words = words_for(language)
    if certainty == "perhaps":
        return numbered(words.closest_count, sum(standings.values()))
    counts, closest = Counter[str](), standings.get("closest", 0)
    for standing, count in standings.items():
        counts[GROUPS.get(standing, "")] += count
    told = [
        numbered(words.standings[group], counts[group])
        for group in dict.fromkeys(GROUPS.values())
        if counts[group]
    ]
    return ", ".join([*told, *([numbered(words.closest_count, closest)] if closest else [])])
