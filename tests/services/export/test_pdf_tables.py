"""Tables of a PDF over several pages."""

from io import BytesIO

import pypdfium2
import pytest

from services.export.document import Document
from services.export.pdf import to_pdf
from services.export.texts import Run, Table, labels_for


def pages_of(cells: list[str]) -> list[str]:
    """The text of each page of a table with these cells below each other."""
    rows = tuple(((Run(f"Zeile {n}"),), (Run(cell),)) for n, cell in enumerate(cells))
    table = Table(("Name", "Wert"), rows)
    document = Document("Titel", labels_for("de"), (table,))
    pdf = pypdfium2.PdfDocument(BytesIO(to_pdf(document)))
    return [page.get_textpage().get_text_range() for page in pdf]


@pytest.mark.parametrize("words", [30, 400])
def test_a_row_is_whole_on_its_page_under_the_heads(words: int) -> None:
    pages = pages_of([f"Anfang{n} {'Wort ' * words}Ende{n}" for n in range(30)])
    assert len(pages) > 1 and all(page.count("Name") == 1 for page in pages)
    whole = [
        n for n in range(30) if any({f"Anfang{n}", f"Ende{n}"} <= {*page.split()} for page in pages)
    ]
    assert whole == [*range(30)]


def test_a_row_that_is_higher_than_a_page_goes_on_over_it() -> None:
    pages = pages_of(["kurz", "Wort " * 3_000 + "Ende", "kurz"])
    assert len(pages) > 2 and sum(page.count("Wort") for page in pages) == 3_000
