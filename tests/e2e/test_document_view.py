"""A document in a real browser: enlarged, selected, searched, beside another, and the way back."""

import time

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.support.app_window import Window
from tests.support.browser import Browser, browser, needs_browser, resize
from tests.support.read_home import ReadHome

pytestmark = [pytest.mark.browser, needs_browser]
SHEET = "const sheet = document.querySelector('[class*=st-key-sheet-]');"
WIDTHS = f"{SHEET} return [sheet.querySelector('img').width, sheet.clientWidth]"
PIXELS = f"{SHEET} return sheet.querySelector('img').naturalWidth"
SELECTED = f"""{SHEET}
const lines = [...sheet.querySelectorAll('.sheet-text p')], range = document.createRange();
range.setStart(lines[1].firstChild, 0);
range.setEnd(lines[2].firstChild, 5);
getSelection().removeAllRanges();
getSelection().addRange(range);
return [lines[1].textContent + '\\n' + lines[2].textContent.slice(0, 5), String(getSelection())]
"""
OFF_PAGE = f"""{SHEET}
const image = sheet.querySelector('img').getBoundingClientRect();
return [...sheet.querySelectorAll('.sheet-text p, .sheet-text mark')].filter(shape => {{
    const box = shape.getBoundingClientRect();
    return box.left < image.left || box.right > image.right + 1
        || box.top < image.top || box.bottom > image.bottom + 1; }}).length
"""
IN_FRAME = f"""{SHEET}
const frame = sheet.getBoundingClientRect();
const box = sheet.querySelector('mark.current').getBoundingClientRect();
return box.top >= frame.top && box.bottom <= frame.bottom
    && box.left >= frame.left && box.right <= frame.right
"""
SCROLLED = "return document.querySelector('[data-testid=stMain]').scrollTop"
PHONE = (390, 844)
SWIPE_STEPS = 8


def page_of_report(home: ReadHome, more: str = "") -> str:
    cited = home.report["sentences"][0]["citations"][0]
    address = f"doc={cited['document_id']}&page={cited['page']}"
    return f"{home.url}/document?{address}&span={cited['start']}-{cited['end']}{more}"


def test_a_page_is_enlarged_and_its_text_selected(read_home: ReadHome) -> None:
    with browser() as driver:
        window = Window(driver)
        window.open(page_of_report(read_home))
        window.find(".sheet-text p", hidden=True)
        window.settle_pictures()
        full, frame = driver.execute_script(WIDTHS)
        assert 0 <= frame - full < 20 and driver.execute_script(OFF_PAGE) == 0
        meant, selected = driver.execute_script(SELECTED)
        assert selected == meant and len(meant.split()) > 3

        for _ in range(2):
            driver.find_element(By.CSS_SELECTOR, "button[data-zoom='1']").click()
        assert "200" in driver.execute_script(
            "return getComputedStyle(document.querySelector('.zoom output'), '::before').content"
        )
        enlarged, frame = driver.execute_script(WIDTHS)
        assert enlarged == pytest.approx(2 * full, abs=4) and enlarged > frame
        assert driver.execute_script(PIXELS) >= enlarged  # sharp on a usual screen
        assert driver.execute_script(OFF_PAGE) == 0
        driver.refresh()
        window.find(".sheet-text p", hidden=True)
        window.settle_pictures()
        assert driver.execute_script(WIDTHS)[0] == enlarged


def test_a_search_shows_each_match_and_leads_back_to_the_answer(read_home: ReadHome) -> None:
    thread = read_home.report["thread_id"]
    with browser() as driver:
        window = Window(driver)
        window.open(f"{read_home.url}/?thread={thread}&cite=1")
        window.wait("1 von ")
        window.settle_pictures()
        link = window.find(".st-key-proof-steps a")
        driver.execute_script("arguments[0].click()", link)
        window.wait("Zurück zur Antwort")
        window.find(".st-key-find input").send_keys("der", Keys.ENTER)
        window.find(".sheet-text mark.current")
        window.settle_pictures()
        first = driver.current_url
        assert driver.execute_script(IN_FRAME)
        window.press("match-on")
        assert driver.current_url != first and driver.execute_script(IN_FRAME)
        window.press("match-back")
        assert driver.current_url == first
        window.press("page-on")
        window.find("[data-testid=stPageLink] a").click()
        window.wait("1 von ")
        assert f"thread={thread}" in driver.current_url and "cite=1" in driver.current_url


def test_two_places_are_read_side_by_side(read_home: ReadHome) -> None:
    newer, older = read_home.versions
    with browser() as driver:
        window = Window(driver)
        window.open(f"{read_home.url}/document?doc={newer}&against={older}")
        window.click("Seiten nebeneinander")
        window.wait("frühere Version")
        window.press("section-on")
        window.press("beside-section-on")
        left, right = driver.find_elements(By.CSS_SELECTOR, ".document-text")
        assert "80 Dezibel" in left.text and "85 Dezibel" in right.text
        assert left.location["y"] == pytest.approx(right.location["y"], abs=8)
        assert left.location["x"] < right.location["x"] and window.overflow() <= 0


def test_on_a_phone_a_page_scrolls_in_its_frame(read_home: ReadHome) -> None:
    with browser() as driver:
        resize(driver, *PHONE)
        window = Window(driver)
        window.open(f"{read_home.url}/?thread={read_home.report['thread_id']}&cite=1")
        window.find(".st-key-proof .sheet-text", hidden=True)
        window.settle_pictures()
        for _ in range(3):
            button = driver.find_element(By.CSS_SELECTOR, ".st-key-proof button[data-zoom='1']")
            driver.execute_script("arguments[0].click()", button)
        driver.execute_script(f"{SHEET} sheet.scrollTo(0, 0)")
        before = driver.execute_script(SCROLLED)
        left, top = driver.execute_script(
            f"{SHEET} const box = sheet.getBoundingClientRect(); return [box.left, box.top]"
        )
        swipe(driver, (left + 250, top + 140), (-90, 0))
        swipe(driver, (left + 250, top + 140), (0, -90))
        moved = driver.execute_script(f"{SHEET} return [sheet.scrollLeft, sheet.scrollTop]")
        assert all(distance > 40 for distance in moved), moved
        assert driver.execute_script(SCROLLED) == before


def swipe(driver: Browser, start: tuple[float, float], way: tuple[float, float]) -> None:
    """Moves a finger from a point of the window."""
    for step in range(SWIPE_STEPS + 1):
        x, y = (a + b * step / SWIPE_STEPS for a, b in zip(start, way, strict=True))
        touch = {"type": "touchMove" if step else "touchStart", "touchPoints": [{"x": x, "y": y}]}
        driver.execute_cdp_cmd("Input.dispatchTouchEvent", touch)
        time.sleep(0.03)
    driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    time.sleep(0.3)
