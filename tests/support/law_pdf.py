"""A made-up law as a PDF: hyphenated lines under running headers."""

import random
import textwrap
from collections.abc import Sequence

from tests.support.pdf_files import Entry, Text, lines, make_pdf

VOCABULARY = (
    "Der Betreiber hat die Anlage nach Maßgabe dieser Vorschrift regelmäßig prüfen lassen und "
    "das Prüfergebnis fünf Jahre lang aufzubewahren sowie der zuständigen Behörde auf Verlangen "
    "unverzüglich vorzulegen wenn Gefährdungsbeurteilung Überwachungsbereich Messeinrichtung "
    "Strahlenschutzverantwortlicher Höchstwert Grenzüberschreitung Ausnahmegenehmigung"
)
WORDS = VOCABULARY.split()
WIDTH, LINES_A_PAGE = 78, 38
HEADER, FOOTER = "Prüfgesetz (PrüfG)", "Stand: 1. Januar 2026"


def law_sentences(count: int, seed: int = 1) -> list[str]:
    """Sentences as laws have them: subsections, numbers, references, quotation marks."""
    dice = random.Random(seed)
    found = []
    for number in range(count):
        words = dice.choices(WORDS, k=dice.randint(7, 24))
        words.insert(3, dice.choice(["§ 12 Absatz 3", "„Anlage“", "6,5 m²", "(Stufe B)"]))
        found.append(f"({number % 9 + 1}) Nummer {number}: {' '.join(words)}.")
    return found


def law_pdf(sentences: Sequence[str]) -> bytes:
    """These sentences, a section for every six, divided at the ends of lines."""
    rows: list[Text] = []
    outline: list[Entry] = []
    for start in range(0, len(sentences), 6):
        title = f"§ {start // 6 + 1} Pflichten des Betreibers"
        page, row = divmod(len(rows), LINES_A_PAGE)
        outline.append(Entry(title, page, _height(row) + 10))
        rows.append(Text(65, 0, title, bold=True))
        rows += [Text(65, 0, row) for row in _wrapped(" ".join(sentences[start : start + 6]))]
    pages = [rows[start : start + LINES_A_PAGE] for start in range(0, len(rows), LINES_A_PAGE)]
    return make_pdf([_page(number, page) for number, page in enumerate(pages, 1)], outline)


def _page(number: int, rows: Sequence[Text]) -> list[Text]:
    body = [Text(row.x, _height(place), row.text, bold=row.bold) for place, row in enumerate(rows)]
    head = lines(810, HEADER, size=8)
    return [*head, *body, *lines(40, f"{FOOTER} · Seite {number}", size=8)]


def _height(row: int) -> float:
    return 770 - 17 * row


def _wrapped(text: str) -> list[str]:
    """Long words are divided where a line is full."""
    rows: list[str] = []
    for row in textwrap.wrap(text, WIDTH):
        rows.append(row)
        first, _, rest = row.partition(" ")
        if len(rows) > 1 and len(first) > 14 and first.isalpha() and len(rows[-2]) < WIDTH - 8:
            rows[-2] += f" {first[:7]}-"
            rows[-1] = f"{first[7:]} {rest}".rstrip()
    return rows
