"""A first visit in a real browser: an empty home, one click to an answer, a file, a report."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from app.samples import QUESTIONS
from tests.support.app_server import AppServer
from tests.support.app_window import BOX, Window
from tests.support.browser import browser, needs_browser, outside, requested_hosts
from tests.support.downloads import downloaded, keep_downloads, text_of

pytestmark = [pytest.mark.browser, needs_browser]
LAW = (
    "Gesetz zum Schutz vor der schädlichen Wirkung ionisierender Strahlung",
    "§ 70 Strahlenschutzbeauftragter",
    "(1) Der Strahlenschutzverantwortliche bestellt die erforderliche Anzahl von "
    "Strahlenschutzbeauftragten schriftlich.",
    "(6) Der Strahlenschutzbeauftragte darf bei der Erfüllung seiner Pflichten nicht behindert "
    "und wegen deren Erfüllung nicht benachteiligt werden.",
    "§ 78 Grenzwerte für beruflich exponierte Personen",
    "(3) Für beruflich exponierte Personen unter 18 Jahren beträgt der Grenzwert der effektiven "
    "Dosis 1 Millisievert im Kalenderjahr.",
)
FIRST, *_, LAST = QUESTIONS["de"]
PATIENCE_S = 60.0


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """The samples with a law of one page, of which a research is soon done."""
    from reportlab.lib.styles import getSampleStyleSheet
    from reportlab.platypus import Paragraph, SimpleDocTemplate

    law = tmp_path / "samples" / "strahlenschutz" / "StrlSchG.pdf"
    law.parent.mkdir(parents=True)
    styles = getSampleStyleSheet()
    flow = [
        Paragraph(line, styles["Heading2" if line.startswith("§") else "Normal"]) for line in LAW
    ]
    SimpleDocTemplate(str(law)).build(flow)
    return law.parents[1]


def test_an_empty_home_has_a_proven_answer_after_one_click(tmp_path: Path) -> None:
    with first_page(tmp_path) as window:
        began = time.monotonic()
        window.click(FIRST)
        window.wait("Wörtliches Zitat")
        seconds = time.monotonic() - began
        print(f"one click to a proven answer: {seconds:.1f} s")
        assert "§ 5" in window.text and "28.035 Euro" in window.text
        assert seconds < PATIENCE_S
        assert FIRST in window.driver.title
        assert outside(requested_hosts(window.driver)) == set()


def test_a_dropped_pdf_is_asked_and_a_draft_stays(samples: Path, tmp_path: Path) -> None:
    with first_page(tmp_path) as window:
        law = samples / "strahlenschutz" / "StrlSchG.pdf"
        began = time.monotonic()
        window.drop(law)
        window.wait("Gründlich")
        print(f"a dropped page can be asked after {time.monotonic() - began:.1f} s")
        window.find(BOX).send_keys("Wie wird ein Strahlenschutz")
        window.find("a[href$=library]").click()
        window.wait("Verwalten")
        window.driver.refresh()
        window.wait("Verwalten")
        window.find("[data-testid=stTopNavLink]").click()
        window.wait("Gründlich")
        window.settle()
        box = window.find(BOX)
        assert box.get_attribute("value") == "Wie wird ein Strahlenschutz", "it was not sent yet"
        box.send_keys("beauftragter bestellt?", Keys.CONTROL, Keys.ENTER)
        window.wait("Wörtliches Zitat")
        assert "schriftlich" in window.text


def test_the_keyboard_alone_leads_from_the_first_page_to_a_report_and_its_pdf(
    tmp_path: Path,
) -> None:
    downloads = tmp_path / "downloads"
    with first_page(tmp_path) as window:
        keep_downloads(window.driver, downloads)
        window.key(LAST)
        window.wait("Einzelheiten")
        window.key("Gründlicher suchen")
        window.wait("Recherche")
        window.key("Recherche")
        if window.wait("Überspringen", "Freigeben und suchen") == "Überspringen":
            window.key("Überspringen")
        window.wait("Freigeben und suchen")
        window.key("Freigeben und suchen")
        window.wait("Exportieren")
        window.key("Exportieren")
        window.wait("Word (DOCX)")
        window.key("PDF")
        found = text_of(downloaded(downloads, ".pdf"))
        assert LAST in found
        assert "50.000 Euro" in found and "Belegstellen" in found
        assert outside(requested_hosts(window.driver)) == set()


@contextmanager
def first_page(folder: Path, **settings: object) -> Iterator[Window]:
    """The first page of an empty home."""
    home = folder / "home"
    home.mkdir()
    app = AppServer(home, **settings)
    app.start()
    try:
        with browser() as driver:
            window = Window(driver, patience_s=PATIENCE_S)
            window.open(app.url)
            window.wait("Eigene Dokumente befragen")
            window.settle()
            yield window
    finally:
        app.stop()
