"""What a grid or a sweep says as a file: in every format nothing looks proven that is not."""

import csv
import json
from contextlib import closing
from datetime import date
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pytest

from agent.engine.grids import columns_of
from services.domain.errors import InvalidInput
from tests.support.grid_house import House
from tests.support.grid_model import DEPOSIT, NOTICE, filled_in


def workbook(house: House, thread: str) -> Any:
    return openpyxl.load_workbook(BytesIO(house.engine.grids.export(thread, "xlsx")))


def table_of(house: House, thread: str) -> list[dict[str, str]]:
    text = house.engine.grids.export(thread, "csv").decode("utf-8-sig")
    return list(csv.DictReader(StringIO(text), delimiter=";"))


def words_of(house: House, thread: str) -> str:
    file = docx.Document(BytesIO(house.engine.grids.export(thread, "docx")))
    cells = (cell.text for table in file.tables for row in table.rows for cell in row.cells)
    return "\n".join([*(paragraph.text for paragraph in file.paragraphs), *cells])


def doubted(house: House) -> str:
    """A grid whose only deposit is not what its claim says."""
    house.play(
        fill_in=lambda request: filled_in(request).replace(
            '"value": "2.400 Euro"', '"value": "4.200 Euro"'
        )
    )
    return house.read(house.grid()).thread_id


def test_values_are_numbers_that_lead_to_their_quotes(house: House) -> None:
    book = workbook(house, house.read(house.grid()).thread_id)
    values, proofs = book["Werte"], book["Belege"]
    header = [cell.value for cell in values[1]]
    assert header[:3] == ["Dokument", NOTICE, f"Stand: {NOTICE}"]
    deposit = values.cell(3, header.index(DEPOSIT) + 1)
    assert (deposit.value, deposit.number_format) == (2400, '"2.400 Euro"')
    sheet, _, target = deposit.hyperlink.location.partition("!")
    row = {a.value: b.value for a, b in zip(proofs[1], proofs[proofs[target].row], strict=True)}
    assert sheet == "'Belege'"
    assert row["Zitat"] == "Die Kaution beträgt 2.400 Euro."
    assert (row["Dokument"], row["Stand"]) == ("sued.md", "belegt")


def test_every_format_says_what_is_not_in_a_document(house: House) -> None:
    thread = house.read(house.grid()).thread_id
    (_, state) = [row[f"Stand: {DEPOSIT}"] for row in table_of(house, thread)][::2]
    assert state.startswith("nicht im Dokument") and "Abschnitten gelesen" in state
    assert state in words_of(house, thread)
    assert state in {cell.value for row in workbook(house, thread)["Werte"] for cell in row}


def test_every_format_says_what_is_to_be_checked(house: House) -> None:
    thread = doubted(house)
    says = "zu prüfen (nicht belegt: 4.200)"
    assert table_of(house, thread)[1][f"Stand: {DEPOSIT}"] == says
    assert words_of(house, thread).count(says) == 2
    assert [row[9].value for row in workbook(house, thread)["Belege"]].count(says) == 1


def test_every_format_says_what_a_person_decided(house: House) -> None:
    thread = doubted(house)
    rows = house.engine.grids.table(thread).rows
    house.engine.grids.review(thread, rows[0].id, 1)
    house.engine.grids.review(thread, rows[1].id, 2, "2.450 Euro")
    table = table_of(house, thread)
    assert "belegt; angenommen von local am" in table[0][f"Stand: {NOTICE}"]
    corrected = table[1][f"Stand: {DEPOSIT}"]
    assert table[1][DEPOSIT] == "2.450 Euro"
    assert corrected.startswith("korrigiert von local am")
    assert corrected.endswith("vorher: 4.200 Euro, zu prüfen (nicht belegt: 4.200)")
    assert corrected in words_of(house, thread)
    assert workbook(house, thread)["Werte"].cell(3, 4).value == "2.450 Euro", "or is it 2.45?"
    house.engine.grids.review(thread, rows[1].id, 2, "950 Euro")
    assert workbook(house, thread)["Werte"].cell(3, 4).value == 950


def test_nothing_is_proven_before_it_is_read(house: House) -> None:
    thread = house.grid()
    house.engine.grids.estimate(thread)
    assert {row[f"Stand: {NOTICE}"] for row in table_of(house, thread)} == {"noch nicht gelesen"}
    assert "0 von 6 Zellen wurden gelesen." in words_of(house, thread)


def test_without_a_model_the_closest_words_are_called_so(tmp_path: Path) -> None:
    house = House(tmp_path / "home", reads="no")
    with closing(house.engine):
        thread = house.read(house.grid()).thread_id
        states = {row[f"Stand: {NOTICE}"] for row in table_of(house, thread)}
        assert states == {"ähnlichste Zitate; kein Modell hat sie gelesen"}
        sweep = house.swept(NOTICE).thread_id
        assert {row["Stand: Aussage"] for row in table_of(house, sweep)} == states


def test_no_document_puts_a_formula_into_a_spreadsheet(house: House) -> None:
    house.write("=1+1.md", "# =HYPERLINK()\n\nDie Kündigungsfrist beträgt =2+2 Tage.\n")
    house.ingest()
    thread = house.read(house.grid()).thread_id
    (row,) = (row for row in table_of(house, thread) if "1+1" in row["Dokument"])
    assert (row["Dokument"], row[NOTICE]) == ("'=1+1.md", "'=2+2 Tage")
    cells = [cell for sheet in workbook(house, thread) for row in sheet for cell in row]
    assert "=1+1.md" in {cell.value for cell in cells}
    assert {cell.data_type for cell in cells} <= {"s", "n", "d"}


def test_no_separator_begins_a_cell_within_another(house: House) -> None:
    house.write("a,=1+1;=2.md", "# ＝HYPERLINK()\n\nDie Kündigungsfrist beträgt ＝1,=3 Tage.\n")
    house.ingest()
    thread = house.read(house.grid()).thread_id
    text = house.engine.grids.export(thread, "csv").decode("utf-8-sig")
    for separator in ",;":
        cells = [cell for row in csv.reader(StringIO(text), delimiter=separator) for cell in row]
        assert any("1+1" in cell for cell in cells)
        assert not any(cell.startswith(("=", "＝")) for cell in cells)


def test_a_day_is_a_date(house: House) -> None:
    begin = "Wann beginnt der Vertrag?"
    house.write("ost.md", "# Ost\n\nDer Vertrag beginnt am 2026-03-01.\n")
    house.ingest()

    def dated(request: Any) -> str:
        source = {"passage": 1, "quote": "Der Vertrag beginnt am 2026-03-01."}
        value = {"value": "2026-03-01", "claim": source["quote"], "sources": [source]}
        return json.dumps({"cells": [{"question": 1, "values": [value]}]})

    house.play(fill_in=dated)
    thread = house.engine.grids.create(
        "Beginn", columns_of([(begin, "date")]), collections=["miete"], documents=["ost.md"]
    )
    house.read(thread)
    cell = workbook(house, thread)["Werte"].cell(2, 2)
    assert (cell.is_date, cell.value.date()) == (True, date(2026, 3, 1))


def test_a_sweep_is_a_list_with_its_places(house: House) -> None:
    pair = {"first": 1, "second": 2, "relation": "contradiction", "why": "Zwei Fristen."}
    house.play(contradict={"pairs": [pair]})
    thread = house.swept().thread_id
    places = {row["Eintrag"]: row["Stellen"] for row in table_of(house, thread)}
    assert places.keys() == {"drei Monate", "30 Tage"}
    assert "nord.md" in places["drei Monate"] and "sued.md" in places["drei Monate"]
    assert "Zwei Fristen." in words_of(house, thread)
    book = workbook(house, thread)
    assert book["Widersprüche"]["G2"].value == "Zwei Fristen."
    assert "8 von 8 Abschnitten wurden gelesen." in {cell.value for cell in book["Gelesen"]["A"]}


def test_nowhere_is_said_with_what_was_read(house: House) -> None:
    house.play(
        look_through=lambda request: json.dumps({"items": [], "nothing_in": list(range(1, 99))})
    )
    thread = house.engine.grids.sweep("Gibt es Haustiere?", collections=["miete"])
    assert "Nichts in den Dokumenten" not in words_of(house, thread)
    house.read(thread)
    assert "Keiner der 8 Abschnitte" in words_of(house, thread)


def test_json_has_everything(house: House) -> None:
    table = house.read(house.grid())
    exported = json.loads(house.engine.grids.export(table.thread_id, "json"))
    reading = house.reading(table, 1, 2).model_dump(mode="json")
    assert exported["cells"][3]["reading"] == reading
    assert exported["language"] == "de"


def test_an_unknown_format_is_named(house: House) -> None:
    with pytest.raises(InvalidInput, match="xlsx, csv, docx, json"):
        house.engine.grids.export(house.grid(), "pdf")
