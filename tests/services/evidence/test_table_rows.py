"""A question on a cell leads to its row and marks it, whatever file the table is in."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from services.evidence.highlighting import mark_query_words, named_share
from services.evidence.units import quotable_units
from services.ingestion.worker import parse
from tests.benchmarks.table_documents import WRITERS

PUMPS = [
    ["Pump", "Site", "Flow", "Checked"],
    ["Heron", "North quay", "340", "2031-04-02"],
    ["Otter", "Mill pond", "85", "2031-05-17"],
    ["Stork", "Old lock", "120", ""],
]
INVOICES = [
    ["1", "Invoice 4711", "Mallow & Sons", "120.50", "paid"],
    ["2", "Invoice 4712", "", "98.00", "open"],
    ["3", "Invoice 4713", "Tern Ltd", "7.25", ""],
    ["4", "Reminder 88", "Tern Ltd", "7.25", "open"],
]
YIELDS = [
    ["Yields of the orchard in 2031", "", ""],
    ["Sort", "Yield", "Weight"],
    ["", "tonnes", "grams"],
    ["Boskoop", "14", "212"],
    ["Elstar", "9", "163"],
]
WARDS = [
    ["Ward", "Nurses", "", "Beds"],
    ["", "Day", "Night", ""],
    ["Cardiology", "6", "3", "24"],
    ["Surgery", "8", "4", "31"],
]
ROOMS = [
    ["Bookings in May", "", ""],
    ["Room", "Booked by", "Key"],
    ["Aula", "Choir", "K-17"],
    ["Attic", "Chess club", "K-4"],
]
HOURS = [
    ["Monday", "8 to 12", "Mrs Finch"],
    ["Tuesday", "", "closed"],
    ["Friday", "9 to 15", "Mr Wren"],
]
DOSES = [
    ["Drug", "Adults", "Children"],
    ["", "mg", "mg"],
    ["Ralivon", "500", "125"],
    ["Zentrol", "40", "10"],
]
ROUTES = [["Ferry A", "Island", "35"], ["Ferry B", "Harbour", "50"], ["Ferry C", "Castle", "20"]]
TITLE = {"title": "Figures", "heads": 1, "delimiter": ";"}
TABLES: dict[str, dict[str, Any]] = {
    "pumps.csv": {"rows": PUMPS},
    "invoices.csv": {"rows": INVOICES},
    "yields.csv": {"rows": YIELDS},
    "pumps.xlsx": {"rows": PUMPS},
    "invoices.xlsx": {"rows": INVOICES},
    "wards.html": {
        "rows": WARDS,
        "heads": 2,
        "spans": [((0, 0), (1, 0)), ((0, 1), (0, 2)), ((0, 3), (1, 3))],
    },
    "rooms.docx": {"rows": ROOMS, "heads": 0, "spans": [((0, 0), (0, 2))]},
    "hours.docx": {"rows": HOURS, "heads": 0},
    "doses.pdf": {"rows": DOSES, "style": ["grid", "bold"]},
    "routes.pdf": {"rows": ROUTES, "style": []},
}  # fmt: skip
QUESTIONS = [
    ("pumps.csv", "What is the flow of the Otter?", "Otter", "Flow: 85"),
    ("pumps.csv", "At which site is the Stork?", "Stork", "Site: Old lock"),
    ("invoices.csv", "How much is invoice 4712?", "Invoice 4712", "98.00"),
    ("invoices.csv", "Whom is invoice 4713 for?", "Invoice 4713", "Tern Ltd"),
    ("yields.csv", "What is the yield of Elstar?", "Elstar", "Yield, tonnes: 9"),
    ("yields.csv", "Which weight has Boskoop?", "Boskoop", "Weight, grams: 212"),
    ("pumps.xlsx", "When was the Heron checked?", "Heron", "Checked: 2031-04-02"),
    ("pumps.xlsx", "How large is the flow of the Stork?", "Stork", "Flow: 120"),
    ("invoices.xlsx", "What about reminder 88?", "Reminder 88", "7.25"),
    ("invoices.xlsx", "Is invoice 4711 paid?", "Invoice 4711", "paid"),
    ("wards.html", "How many nurses work by night in surgery?", "Surgery", "Nurses, Night: 4"),
    ("wards.html", "How many beds has cardiology?", "Cardiology", "Beds: 24"),
    ("rooms.docx", "Which key has the attic?", "Attic", "Key: K-4"),
    ("rooms.docx", "Who booked the aula?", "Aula", "Booked by: Choir"),
    ("hours.docx", "Who is there on Friday?", "Friday", "Mr Wren"),
    ("hours.docx", "What about Tuesday?", "Tuesday", "closed"),
    ("doses.pdf", "How many mg of Zentrol for children?", "Zentrol", "Children, mg: 10"),
    ("doses.pdf", "What dose of Ralivon for adults?", "Ralivon", "Adults, mg: 500"),
    ("routes.pdf", "How long takes ferry C?", "Ferry C", "20"),
    ("routes.pdf", "Where does ferry B go?", "Ferry B", "Harbour"),
]


@cache
def text_of(path: Path) -> str:
    WRITERS[path.suffix](path, {**TITLE, **TABLES[path.name]})
    return parse(path).text


@pytest.mark.parametrize(("name", "question", "row", "cell"), QUESTIONS)
def test_the_row_is_quoted_and_its_cell_marked(
    name: str, question: str, row: str, cell: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = text_of(tmp_path_factory.getbasetemp() / name)
    units = quotable_units(text, 0, len(text), (0, len(text)))
    unit = max(units, key=lambda unit: named_share(text[unit.start : unit.end], question))
    quote = text[unit.start : unit.end]
    assert "\n" not in quote and row in quote and cell in quote
    assert unit.case is None
    if ": " in cell:
        assert cell in [run.text for run in mark_query_words(quote, question) if run.marked]
