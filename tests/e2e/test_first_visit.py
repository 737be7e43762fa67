"""A first visit in a real browser: an empty home, one click to an answer, a file, a report."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image, ImageStat
from selenium.webdriver.common.keys import Keys

from app.components.start import EXAMPLES
from tests.support.app_server import AppServer
from tests.support.app_window import BOX, Window
from tests.support.browser import browser, needs_browser, outside, requested_hosts, resize
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


def test_the_example_can_be_read_on_a_phone_and_is_dark_in_the_dark(tmp_path: Path) -> None:
    with first_page(tmp_path) as window:
        dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        window.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
        resize(window.driver, 390, 844)
        window.settle()
        pictures = window.driver.find_elements("css selector", ".st-key-example img")
        assert len(pictures) == 2
        for picture in pictures:
            assert picture.size["width"] > 0.9 * int(picture.get_property("naturalWidth"))
            shown = Image.open(BytesIO(picture.screenshot_as_png)).convert("L")
            assert ImageStat.Stat(shown).mean[0] < 64


def test_an_empty_home_has_a_proven_answer_after_one_click(tmp_path: Path) -> None:
    with first_page(tmp_path) as window:
        began = time.monotonic()
        window.click(EXAMPLES[1])
        window.wait("Wörtliches Zitat")
        seconds = time.monotonic() - began
        print(f"one click to a proven answer: {seconds:.1f} s")
        assert "§ 78" in window.text and "20 Millisievert" in window.text
        assert seconds < PATIENCE_S
        assert EXAMPLES[1] in window.driver.title
        assert outside(requested_hosts(window.driver)) == set()


def test_a_dropped_pdf_is_asked_and_a_draft_stays(samples: Path, tmp_path: Path) -> None:
    with first_page(tmp_path) as window:
        field = window.find("input[type=file]", hidden=True)
        began = time.monotonic()
        field.send_keys(str(samples / "strahlenschutz" / "StrlSchG.pdf"))
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
    samples: Path, tmp_path: Path
) -> None:
    downloads = tmp_path / "downloads"
    with first_page(tmp_path, samples=samples) as window:
        keep_downloads(window.driver, downloads)
        window.key(EXAMPLES[2])
        window.wait("Gründlich untersuchen")
        window.key("Gründlich untersuchen")
        if window.wait("Überspringen", "Freigeben und suchen") == "Überspringen":
            window.key("Überspringen")
        window.wait("Freigeben und suchen")
        window.key("Freigeben und suchen")
        window.wait("Exportieren")
        window.key("Exportieren")
        window.wait("Word (DOCX)")
        window.key("PDF")
        found = text_of(downloaded(downloads, ".pdf"))
        assert EXAMPLES[2] in found
        assert "schriftlich" in found and "Belegstellen" in found
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
