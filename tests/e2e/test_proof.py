"""The proof of a sentence in a real browser: the mark on the page covers the quote's words."""

import io
import urllib.request
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from PIL import Image
from selenium.webdriver.common.by import By

from agent.engine.engine import Engine, connect
from services.domain import PageImage
from services.library.pages.marks import AROUND, letters, locate
from services.settings import Settings
from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, outside, requested_hosts, resize
from tests.support.read_home import ReadHome

pytestmark = [pytest.mark.browser, needs_browser]
PHONE = (390, 560)
"""A small one, so that the answer is longer than the window."""
Report = dict[str, Any]


@pytest.fixture
def home(read_home: ReadHome) -> tuple[Path, Report]:
    """A home with a law as PDF and one finished report on it."""
    return read_home.home, read_home.report


@pytest.fixture
def server(read_home: ReadHome) -> AppServer:
    return read_home.server


@pytest.mark.smoke
def test_the_coloured_part_of_the_page_is_the_quote(
    server: AppServer, home: tuple[Path, Report]
) -> None:
    report = home[1]
    with browser() as driver:
        window = Window(driver)
        window.open(f"{server.url}/?thread={report['thread_id']}&cite=2")
        window.wait("2 von ")
        second = cited(report, 2)
        assert_marked(server, home[0], second, shown_image(window))

        window.settle()  # what is drawn again is no longer the button that was found
        click_as_it_looks(window, "step-left")
        window.wait("1 von ")
        driver.back()
        window.wait("2 von ")
        driver.forward()
        window.wait("1 von ")
        assert "cite=1" in driver.current_url
        first = cited(report, 1)
        assert_marked(server, home[0], first, shown_image(window))
        proof = window.find(".st-key-proof")
        answer = window.find("[class*='st-key-card-']")
        assert proof.location["x"] > answer.location["x"] + answer.size["width"]

        link = window.find(".st-key-proof-steps a")
        driver.execute_script("arguments[0].click()", link)
        window.wait("Zum Abschnitt springen")
        assert f"doc={first['document_id']}" in driver.current_url
        driver.back()
        window.wait("1 von ")
        assert outside(requested_hosts(driver)) == set()


def test_on_a_phone_a_proof_opens_in_sight_and_closes_to_the_same_line(
    server: AppServer, home: tuple[Path, Report]
) -> None:
    thread = home[1]["thread_id"]
    with browser() as driver:
        resize(driver, *PHONE)
        window = Window(driver)
        window.open(f"{server.url}/?thread={thread}")
        window.wait("Exportieren")
        window.settle_pictures()
        mark = window.find("[class*='st-key-mark-'] button", last=True)
        opened = f"{mark.text.split()[0]} von "
        middle = "{block: 'center', behavior: 'instant'}"
        driver.execute_script(f"arguments[0].scrollIntoView({middle})", mark)
        window.settle()
        before = scrolled(window)
        assert before > 0

        driver.execute_script("arguments[0].click()", mark)
        window.wait(opened)
        assert_in_sight(window)
        assert window.overflow() <= 0
        window.press("proof-close")
        window.settle_pictures()
        assert not driver.find_elements(By.CSS_SELECTOR, ".st-key-proof")
        assert scrolled(window) == before

        driver.back()
        window.wait(opened)
        driver.back()
        window.settle()
        assert not driver.find_elements(By.CSS_SELECTOR, ".st-key-proof")

        document = cited(home[1], 1)["document_id"]
        for path in (
            "",
            "library",
            "library?view=search",
            "library?view=health",
            "library?view=manage",
            "ask",
            "runs",
            f"runs?replay={thread}",
            "settings",
            "settings?section=parameters",
            f"document?doc={document}&page=1",
        ):
            window.open(f"{server.url}/{path}")
            window.wait("DE\nEN")
            window.settle()
            assert window.overflow() <= 0, path


def click_as_it_looks(window: Window, key: str) -> None:
    """Clicks a button in the moment in which the window looks what was done in others."""
    script = "arguments[0].click(); document.dispatchEvent(new Event('visibilitychange'))"
    window.driver.execute_script(script, window.find(f".st-key-{key} button"))


def scrolled(window: Window) -> int:
    main = "document.querySelector('[data-testid=stMain]')"
    return int(window.driver.execute_script(f"return {main}.scrollTop"))


def assert_in_sight(window: Window) -> None:
    """The proof's page and its way out lie within the window, and nothing in it pans."""
    script = """return [...document.querySelectorAll(
        '.st-key-proof, .st-key-proof-close button, .st-key-proof img')].map(found => {
            const box = found.getBoundingClientRect();
            return box.left >= 0 && box.right <= innerWidth && box.top >= 0
                && box.top < innerHeight && found.scrollWidth <= found.clientWidth + 2; })"""
    seen = window.driver.execute_script(script)
    assert len(seen) >= 3 and all(seen), seen


def cited(report: Report, number: int) -> dict[str, Any]:
    """The citation with this number: places count in the order of their first appearance."""
    places: dict[tuple[int, int], dict[str, Any]] = {}
    for sentence in report["sentences"]:
        for citation in sentence["citations"]:
            places.setdefault((citation["start"], citation["end"]), citation)
    return list(places.values())[number - 1]


def shown_image(window: Window) -> Image.Image:
    """The page as the browser got it from the app."""
    window.settle()
    address = window.source("[class*='st-key-sheet-'] img")
    with urllib.request.urlopen(address, timeout=10) as answer:
        return Image.open(io.BytesIO(answer.read())).convert("RGB")


def assert_marked(
    server: AppServer, home: Path, citation: dict[str, Any], picture: Image.Image
) -> None:
    """Every letter of the quote lies on the accent colour, hardly any other letter does."""
    region = part_shown(home, citation)
    scale = picture.width / (region.region.x1 - region.region.x0)
    letters_of_quote, others = letter_boxes(home, citation)

    def coloured(box: tuple[float, float, float, float]) -> bool:
        x = (box[0] + box[2]) / 2 - region.region.x0
        top = box[1] - region.region.y0
        spots = [(x * scale, (top + part * (box[3] - box[1])) * scale) for part in (0.2, 0.5, 0.8)]
        inside = [(x, y) for x, y in spots if 0 <= x < picture.width and 0 <= y < picture.height]
        return any(is_accent(picture, round(x - 0.5), round(y - 0.5)) for x, y in inside)

    assert all(map(coloured, letters_of_quote))
    assert sum(map(coloured, others)) <= 0.02 * len(others)


def is_accent(picture: Image.Image, x: int, y: int) -> bool:
    red, _, blue = picture.getpixel((x, y))  # type: ignore[misc]
    return blue - red > 9


def part_shown(home: Path, citation: dict[str, Any]) -> PageImage:
    with connect(Settings(home=home, llm="none")) as reader:
        return reader_image(reader, citation)


def reader_image(reader: Engine, citation: dict[str, Any]) -> PageImage:
    span = (citation["start"], citation["end"])
    return reader.library.page_image(
        citation["document_id"], citation["page"], span=span, around=AROUND
    )


def letter_boxes(
    home: Path, citation: dict[str, Any]
) -> tuple[list[tuple[float, float, float, float]], list[tuple[float, float, float, float]]]:
    """Boxes of the quote's letters and of all others, as PDFium tells them, from the top left."""
    with pypdfium2.PdfDocument(home / "originals" / citation["document_id"]) as document:
        page = document[citation["page"] - 1]
        text_page = page.get_textpage()
        found = letters(text_page.get_text_range())
        ((start, end),) = locate(found.text, letters(citation["quote"]).text)
        height = page.get_height()
        boxes = []
        for offset in found.offsets:
            left, bottom, right, top = text_page.get_charbox(offset)
            boxes.append((left, height - top, right, height - bottom))
        text_page.close()
    return boxes[start:end], boxes[:start] + boxes[end:]
