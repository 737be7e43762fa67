"""A grid in a real browser: made, read, a cell clicked for its proof, accepted and exported."""

from pathlib import Path

import pytest
from openpyxl import load_workbook
from selenium.webdriver.common.action_chains import ActionChains

from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, outside, requested_hosts, resize
from tests.support.downloads import downloaded, keep_downloads
from tests.support.grid_model import BEGIN, NOTICE

pytestmark = [pytest.mark.browser, needs_browser]
CONTRACTS = Path(__file__).parents[2] / "kb" / "samples" / "contracts"
NAME_WIDTH, LINE = 180, 36
PHONE = (390, 844)


def click_cell(window: Window, row: int) -> None:
    """Clicks the first value of a row of the table, row 0 being the heading."""
    table = window.find("[data-testid=stDataFrame]")
    script = "arguments[0].scrollIntoView({block: 'center'})"
    window.driver.execute_script(script, table)
    window.settle()
    size = table.size
    x, y = NAME_WIDTH + 40 - size["width"] / 2, LINE * (row + 0.5) - size["height"] / 2
    ActionChains(window.driver).move_to_element_with_offset(table, int(x), int(y)).click().perform()
    window.settle()


def test_a_grid_is_made_read_and_proven(fake_app: AppServer) -> None:
    with browser() as driver:
        window = Window(driver)
        window.open(f"{fake_app.url}/grids?fake=grids&view=new")
        window.write("Mietverträge", into=".st-key-new-grid-name input")
        window.write(NOTICE, into=".st-key-new-grid-question-1 input")
        window.click("Anlegen")
        window.wait("zu lesende Zellen: 3")
        window.click("Starten")
        window.wait("3 von 3 Zeilen")
        window.wait("weicht von den meisten ab (1)")

        click_cell(window, 3)
        window.wait("30 Tage")
        assert "Die Kündigungsfrist beträgt 30 Tage." in window.text
        window.press("of-cell-accept")
        window.wait("Angenommen von local")
        assert "row=" in driver.current_url, "a refresh shows the same cell"
        driver.refresh()
        window.wait("Angenommen von local")

        resize(driver, *PHONE)
        window.settle()
        assert window.overflow() <= 0
        window.press("of-cell-close")
        assert "Angenommen von" not in window.text

        click_cell(window, 0)
        window.wait("Absteigend")
        sorts_by = window.find(".st-key-grid-order [role=combobox]")
        assert sorts_by.get_attribute("value") == NOTICE
        window.click("Exportieren")
        window.wait("Excel (XLSX) mit Belegen")
        assert outside(requested_hosts(driver)) == set()


def test_the_keyboard_alone_leads_from_the_first_page_to_an_exported_grid(
    fake_app: AppServer, tmp_path: Path
) -> None:
    downloads = tmp_path / "downloads"
    with browser() as driver:
        window = Window(driver)
        keep_downloads(driver, downloads)
        window.open(f"{fake_app.url}/?fake=grids-by-keyboard")
        window.wait("Tabellen")
        window.key("Tabellen")
        window.wait("Neue Tabelle")
        window.key("Name", "Fristen")
        window.key("Frage 1", NOTICE)
        window.key("Anlegen")
        window.wait("zu lesende Zellen: 3")
        window.key("Starten")
        window.wait("3 von 3 Zeilen")
        window.key("Exportieren")
        window.wait("Excel (XLSX) mit Belegen")
        window.key("Excel (XLSX) mit Belegen")
        sheet = load_workbook(downloaded(downloads, ".xlsx"))["Werte"]
        assert NOTICE in [cell.value for cell in sheet[1]] and sheet.max_row == 4


def test_twelve_contracts_go_from_the_drop_to_a_spreadsheet(
    fake_app: AppServer, tmp_path: Path
) -> None:
    files = sorted(CONTRACTS.iterdir())
    assert len(files) == 12
    with browser() as driver:
        keep_downloads(driver, tmp_path)
        window = Window(driver)
        window.open(f"{fake_app.url}/library?fake=contracts")
        window.wait("Name der neuen Sammlung")
        window.drop(*files)
        window.wait_for_files(len(files))
        window.write("Verträge", into="[class*=st-key-into] input")
        window.click("Dokumente hinzufügen")
        window.wait("12 neu · Textstellen")

        window.open(f"{fake_app.url}/grids?fake=contracts")
        window.write("Beginn", into=".st-key-new-grid-name input")
        window.write(BEGIN, into=".st-key-new-grid-question-1 input")
        window.click("Anlegen")
        window.wait("zu lesende Zellen: 12")
        window.click("Starten")
        window.wait("· fertig")
        window.click("Exportieren")
        window.click("Excel (XLSX) mit Belegen")
        sheets = load_workbook(downloaded(tmp_path, ".xlsx"))
    rows = {row[0]: row[1] for row in sheets.worksheets[0].iter_rows(values_only=True)}
    assert rows.keys() >= {file.name for file in files}
    assert rows["wartung-aufzuege.md"] == "1. März 2025"
