"""Quotes are found by their letters, whatever stands between them."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain.passages import page_at
from services.library.pages.marks import (
    AROUND,
    RenderRequest,
    letters,
    locate,
    locate_lines,
    render_request,
)

PAGES = (0, 10, 20)
TEXT = "erste Seitezweite Sei.dritte und letzte"


@pytest.mark.parametrize(
    ("page", "quote"),
    [
        ("Strahlen-\r\nschutz gilt", "Strahlenschutz gilt"),
        ("Strahlen\ufffeschutz gilt", "Strahlenschutz gilt"),
        ("eine De\ufb01nition im Gesetz", "eine Definition im Gesetz"),
        ("Gefa\u0308hrdung nach § 5", "Gefährdung  nach\n§ 5"),
        ("6 m² und ½ Liter", "6 m2 und 1/2 Liter"),
        ("„Anlage“: eine-Quelle", '"Anlage": eine – Quelle'),
    ],
)
def test_two_spellings_of_a_text_have_the_same_letters(page: str, quote: str) -> None:
    found = letters(page)
    spans = locate(found.text, letters(quote).text)
    assert spans == [(0, len(found.text))]


def test_of_equal_places_the_one_with_these_neighbours_is_meant() -> None:
    page = "einsgleichzwei dreigleichvier fuenfgleichsechs".replace(" ", "")
    for before, after in (("eins", "zwei"), ("drei", "vier"), ("fuenf", "sechs")):
        ((start, end),) = locate(page, "gleich", before, after)
        assert page[:start].endswith(before) and page[end:].startswith(after)


def test_a_running_header_amid_the_quote_is_left_out() -> None:
    assert locate("derBetreiberprueft", "dieBehoerdeentscheidetdarueber") == []
    assert locate("abc", "") == []
    quote = "derBetreiberhatdieAnlagezupruefenunddasErgebnisaufzubewahren"
    page = quote[:30] + "Seite12Pruefgesetz" + quote[30:]
    assert [page[start:end] for start, end in locate(page, quote)] == [quote[:30], quote[30:]]


@given(st.text(max_size=60), st.text(min_size=1, max_size=30), st.text(max_size=60))
def test_any_quote_is_found_in_its_own_page(before: str, quote: str, after: str) -> None:
    """Composed or decomposed, as one text may be in a PDF and the other in the catalog."""
    page = letters(unicodedata.normalize("NFD", before + " " + quote + " " + after)).text
    wanted = letters(unicodedata.normalize("NFC", quote)).text
    spans = locate(page, wanted, letters(before).text, letters(after).text)
    assert "".join(page[start:end] for start, end in spans) == wanted


def test_a_span_beyond_its_page_is_cut_to_each() -> None:
    requests = [render_request(TEXT, PAGES, page, (8, 24), around=AROUND) for page in (1, 2, 3)]
    assert [request.quote for request in requests] == [TEXT[8:10], TEXT[10:20], TEXT[20:24]]
    assert requests[2].after == TEXT[24:]
    assert [page_at(PAGES, end - 1) for end in (1, 10, 11, 24)] == [1, 1, 2, 3]
    assert render_request(TEXT, PAGES, 1, (20, 24), around=AROUND) == RenderRequest(1)


def test_a_row_is_found_by_its_cells_without_the_heads() -> None:
    page = "Nuklid Grenze Form H-3 1 E+90 x H-3 1 E+9 A C-14 7"
    found = letters(page)

    def located(quote: str) -> list[str]:
        spans = locate_lines(page, found, quote)
        return [page[slice(*found.span(*span))] for span in spans]

    assert located("Nuklid: H-3 | Grenze: 1 E+9 | Form: A") == ["H-3 1 E+9 A"]
    assert located("Gruppe: alle | Nuklid: C-14 | Grenze: 7") == ["C-14 7"], "a cell of rows above"
    assert located("Nuklid: H-3 | Grenze: 1 E+9\nNuklid: C-14 | Grenze: 7") == [
        "H-3 1 E+9",
        "C-14 7",
    ]
    assert located("Nuklid: H-3 | Grenze: 1 E+9 | Form: A\nC-14") == ["H-3 1 E+9 A", "C-14"]
    assert located("Nuklid: H-3 | Grenze: 8") == [] == located("Nuklid: H-3 | Form: x\nneither")
