"""The library in a real browser: twenty files at once, three of them bad, through a refresh."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.bad_files import BAD_FILES, good_docx, good_pdf
from tests.support.browser import browser, needs_browser, outside, requested_hosts, resize
from tests.support.read_home import ReadHome
from tests.support.waiting import until

pytestmark = [pytest.mark.browser, needs_browser]
BAD = ("encrypted.pdf", "cut-off.docx", "binary.txt")
PHONE = (390, 844)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[AppServer]:
    home = tmp_path / "home"
    home.mkdir()
    app = AppServer(home)
    app.start()
    yield app
    app.stop()


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Seventeen files that can be read and three that cannot."""
    folder = tmp_path / "files"
    folder.mkdir()
    good = {f"Satzung {n}.txt": f"§ {n} Zweck\n\nHier geht es um Lärm {n}.\n" for n in range(15)}
    for name, text in good.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "Bericht.docx").write_bytes(good_docx("Ein Bericht über Lärm."))
    (folder / "Bescheid.pdf").write_bytes(good_pdf())
    for bad in BAD_FILES:
        if bad.name in BAD:
            bad.write(folder)
    return sorted(folder.iterdir())


def upload(window: Window, files: list[Path]) -> None:
    field = window.find("[data-testid=stFileUploader] input[type=file]", hidden=True)
    field.send_keys("\n".join(map(str, files)))


def test_of_twenty_files_three_stay_with_their_reasons(
    server: AppServer, files: list[Path]
) -> None:
    assert len(files) == 20
    with browser() as driver:
        window = Window(driver)
        window.open(f"{server.url}/library")
        window.wait("Name der neuen Sammlung")
        window.settle()
        window.click("Dokumente hinzufügen")
        window.wait("Wählen Sie mindestens eine Datei")
        upload(window, files)
        for each in files:
            window.wait(each.name)
        window.settle()
        window.click("Dokumente hinzufügen")
        window.wait("Geben Sie der Sammlung einen Namen")
        window.write("Satzungen", into="[class*=st-key-into] input")
        window.click("Dokumente hinzufügen")
        window.wait("Einlesen von Dokumenten in „Satzungen“")
        driver.refresh()
        window.wait("17 neu · 3 nicht gelesen")
        told = window.text
        for name in BAD:
            assert name in told
        assert "ohne Kennwort" in told
        window.wait("Dokumente: 17 ·")
        driver.refresh()
        window.wait("3 nicht gelesen")
        window.click("Ausblenden")
        window.settle()
        assert "ohne Kennwort" not in window.text
        resize(driver, *PHONE)
        window.settle()
        assert window.overflow() <= 0
        assert outside(requested_hosts(driver)) == set()


def test_a_drop_anywhere_opens_the_form_and_leads_to_it(
    read_home: ReadHome, files: list[Path]
) -> None:
    with browser() as driver:
        window = Window(driver)
        window.open(f"{read_home.server.url}/library")
        window.wait("irgendwo auf dieser Seite")
        window.drop(*files[:2])
        window.wait_for_files(2)
        button = window.find(".st-key-add-files .st-key-ingest button")
        within = "const at = arguments[0].getBoundingClientRect(); return at.bottom <= innerHeight"
        until(lambda: driver.execute_script(within, button))
