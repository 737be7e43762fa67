"""What all formats write down: texts cleaned for any format, labels, and blocks."""

import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from textwrap import shorten
from typing import Any, Final, Literal

from services.language.text.normal import one_line

RIGHT_TO_LEFT: Final = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001eeff]"
)
"""Hebrew, Arabic and other letters that are written from right to left."""
_NOT_IN_NAMES = re.compile(r"[^\w .,()§-]+")
LONGEST_NAME: Final = 80
"""Characters of a file name without its ending."""
GROUPS: Final = {
    "quote": "verified",
    "follows": "verified",
    "reviewed": "reviewed",
    "loose": "check",
    "none": "check",
    "contradicts": "contradiction",
}
"""The group under which a reader sees each standing."""


def starts_right_to_left(text: str) -> bool:
    strong = (char for char in text if unicodedata.bidirectional(char) in ("L", "R", "AL"))
    return RIGHT_TO_LEFT.match(next(strong, "")) is not None


def file_stem(title: str) -> str:
    """Return a file name made of the words of a title, safe on any file system and in addresses."""
    words = _NOT_IN_NAMES.sub(" ", unicodedata.normalize("NFC", one_line(title))).strip()
    stem = shorten(
        words, LONGEST_NAME, placeholder="", break_long_words=False, break_on_hyphens=False
    )
    return (stem or words[:LONGEST_NAME]).strip(" .,-") or "Rabbithole"


class Labels(dict[str, Any]):
    """The labels of one language; each is an attribute under its name in ``labels.toml``.

    ``{}`` is filled in, a pair is a singular and a plural, and a table has ``Labels`` of its own.
    """

    def __init__(self, texts: Mapping[str, Any]) -> None:
        super().__init__(
            {name: Labels(text) if isinstance(text, dict) else text for name, text in texts.items()}
        )

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def number(self, value: float, digits: int = 0) -> str:
        """Return ``0,91`` in German, ``0.91`` in English."""
        text = f"{value:,.{digits}f}"
        return text.translate(str.maketrans(",.", ".,")) if self.decimal == "," else text


@cache
def labels_for(language: str) -> Labels:
    """Return German labels for German answers, else English ones."""
    texts = tomllib.loads(Path(__file__).with_name("labels.toml").read_text(encoding="utf-8"))
    return Labels(texts["de" if language == "de" else "en"])


def with_count(forms: Sequence[str], count: int) -> str:
    """Return ``1 Zitat``, ``2 Zitate``."""
    return forms[count != 1].format(count)


def standings_text(standings: Mapping[str, int], certainty: str, language: str) -> str:
    """Return ``5 belegt, 2 zu prüfen, 1 Widerspruch``; if ``perhaps``, the number of quotes."""
    labels = labels_for(language)
    if certainty == "perhaps":
        return with_count(labels.closest_count, sum(standings.values()))
    counts, closest = Counter[str](), standings.get("closest", 0)
    for standing, count in standings.items():
        counts[GROUPS.get(standing, "")] += count
    texts = [
        with_count(labels.standings[group], counts[group])
        for group in dict.fromkeys(GROUPS.values())
        if counts[group]
    ]
    return ", ".join([*texts, *([with_count(labels.further_count, closest)] if closest else [])])


Style = Literal["plain", "soft", "bold", "place", "quoted", "unproven", "raised"]
Kind = Literal["title", "heading", "soft", "text", "quote", "item", "bullet", "entry", "footer"]


@dataclass(frozen=True)
class Run:
    """Words in one style; ``target`` is the anchor that they link to."""

    text: str
    style: Style = "plain"
    target: str = ""


@dataclass(frozen=True)
class Paragraph:
    """Runs with a space between them, or one item of a list.

    An entry of a numbered list has a ``number`` and an ``anchor`` that links lead to. ``images``
    are the PNGs that PDF and DOCX show below it.
    """

    kind: Kind
    runs: tuple[Run, ...]
    number: int = 0
    anchor: str = ""
    images: tuple[bytes, ...] = ()

    @property
    def text(self) -> str:
        return " ".join(run.text for run in self.runs)


@dataclass(frozen=True)
class Table:
    """A table; every row has as many cells as the header."""

    header: tuple[str, ...]
    rows: tuple[tuple[tuple[Run, ...], ...], ...]
    kind: Literal["table"] = "table"


Block = Paragraph | Table


def heading(text: str, kind: Kind = "heading") -> Paragraph:
    return Paragraph(kind, (Run(text),))


def titled(title: str, blocks: Iterable[Block]) -> list[Block]:
    """Return blocks under a heading; nothing without blocks."""
    content = list(blocks)
    return [heading(title), *content] if content else []


def bullet_list(title: str, texts: Iterable[str]) -> list[Block]:
    """Return a heading and a bullet for each text that is not empty; nothing if all are."""
    lines = filter(None, map(one_line, texts))
    return titled(title, (Paragraph("bullet", (Run(line),)) for line in lines))


def titled_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[Block]:
    """Return a heading and a table of plain cells; nothing without rows."""
    cells = tuple(tuple((Run(cell),) for cell in row) for row in rows)
    return titled(title, [Table(tuple(header), cells)] if cells else [])


def spaced(runs: Iterable[Run]) -> Iterator[Run]:
    """Put a space before each run but the first; no line begins with the number of a passage."""
    for index, run in enumerate(runs):
        if index and not run.text.startswith("\n"):
            yield Run("\u00a0" if run.style == "raised" else " ")
        yield run
