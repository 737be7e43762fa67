"""Faults that people met in the app once, each looked for again in a real browser.

Others stand with what they belong to: drafts and Ctrl+Enter in `test_first_visit`, addresses that
are not there in `test_revival`, replays and forks in `test_runs`, contrast in `test_accessibility`.
"""

from pathlib import Path

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, resize
from tests.support.downloads import downloaded, keep_downloads
from tests.support.read_home import ReadHome

pytestmark = [pytest.mark.browser, needs_browser]
QUESTION = 'Welcher "Grenzwert" des Lärms gilt für Beschäftigte?'
DEPTH = ".st-key-box-depth button[aria-checked=true]"
MARK = "[class*=st-key-mark-] button"
NEWEST = "[class*=st-key-newest-]"
PHONE = (390, 844)


def test_an_answer_is_read_from_its_beginning_in_every_window_and_its_depth_stays(
    read_home: ReadHome, tmp_path: Path
) -> None:
    with browser(height=600) as driver:
        window = Window(driver, patience_s=60)
        window.open(read_home.url)
        window.click("Mehr")
        window.click("erweitert")
        window.settle()
        window.say(QUESTION)
        window.wait("Einzelheiten")
        window.click("Mehr")
        assert window.find(DEPTH).text == "erweitert"
        assert QUESTION in driver.title

        mark = window.find(MARK)
        assert "LaermG" in mark.accessible_name
        ActionChains(driver).move_to_element(mark).click().perform()
        window.wait("1 von")
        window.settle()
        assert not seen(window, "[data-testid=stTooltipContent]"), "it would cover the sentence"

        first, address = driver.current_window_handle, driver.current_url.split("&")[0]
        driver.switch_to.new_window("tab")
        window.open(address)
        window.wait("Einzelheiten")
        driver.switch_to.window(first)
        window.say("Wie backe ich einen Apfelkuchen?")
        window.wait("Ähnlichste Abschnitte")
        window.settle()
        assert 0 <= top(window, NEWEST) < 300, "the question leads, not the end of its answer"
        assert window.find(f"{NEWEST} a[href*='doc=']").text, "what comes nearest"
        driver.close()
        driver.switch_to.window(driver.window_handles[0])
        window.wait("Ähnlichste Abschnitte")

        keep_downloads(driver, tmp_path)
        window.click("Exportieren")
        window.click("Markdown")
        name = downloaded(tmp_path, ".md").name
        assert "%" not in name and name.startswith("Welcher")


def test_on_a_phone_the_menu_closes_when_a_page_was_chosen(read_home: ReadHome) -> None:
    with browser() as driver:
        resize(driver, *PHONE)
        window = Window(driver, patience_s=60)
        window.open(read_home.url)
        window.wait("Gründlich")
        window.find("[data-testid=stExpandSidebarButton]").click()
        window.find("[data-testid=stSidebarNavLink][href$=library]").click()
        window.wait("Verwalten")
        window.settle()
        assert not seen(window, "[data-testid=stSidebarNavLink]")


def seen(window: Window, selector: str) -> bool:
    found = window.driver.find_elements(By.CSS_SELECTOR, selector)
    return any(each.is_displayed() for each in found)


def top(window: Window, selector: str) -> float:
    """How far below the upper edge of the window something begins."""
    found = window.find(selector)
    script = "return arguments[0].getBoundingClientRect().top"
    return float(window.driver.execute_script(script, found))
