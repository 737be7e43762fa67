"""A research in a real browser: at work two columns, on a phone one, and nothing pans."""

import pytest
from selenium.webdriver.common.by import By

from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, resize
from tests.support.house import QUESTION as UNCLEAR

pytestmark = [pytest.mark.browser, needs_browser]
PHONE = (390, 844)
CUT_OFF = """return [...document.querySelectorAll('[data-testid=stButtonGroup] > div')]
    .filter(found => found.scrollWidth > found.clientWidth).length"""
Box = dict[str, float]


def test_the_state_stands_beside_the_conversation_and_on_a_phone_before_it(
    fake_app: AppServer,
) -> None:
    with browser() as driver:
        window = Window(driver)
        window.open(f"{fake_app.url}/?fake=still&thread=t1")
        window.wait("läuft seit")
        window.settle()
        talk, state = columns(window)
        assert state["x"] >= talk["x"] + talk["width"]
        assert state["y"] == talk["y"]

        resize(driver, *PHONE)
        window.settle()
        talk, state = columns(window)
        assert state["y"] + state["height"] <= talk["y"]
        assert state["x"] == talk["x"]
        assert window.overflow() <= 0


def columns(window: Window) -> tuple[Box, Box]:
    """Where the columns of the conversation and of the state are."""
    found = window.driver.find_elements(By.CSS_SELECTOR, ".st-key-working [data-testid=stColumn]")
    talk, state = found
    assert "Freigegebener Plan" in talk.text and "läuft seit" in state.text
    return talk.rect, state.rect


def test_on_a_phone_a_chip_answers_and_nothing_is_cut_off(fake_app: AppServer) -> None:
    with browser() as driver:
        resize(driver, *PHONE)
        window = Window(driver)
        window.open(f"{fake_app.url}/ask")
        window.click("Mehr")
        window.wait("Verfahren")
        assert not driver.execute_script(CUT_OFF)
        window.open(fake_app.url)
        window.wait("Gründlich")
        assert window.overflow() <= 0
        window.deep(UNCLEAR)
        window.click("Schwingungen der Hand")
        window.wait("Freigeben und suchen")
        assert window.overflow() <= 0
        window.click("Freigeben und suchen")
        window.wait("Exportieren")
        assert window.overflow() <= 0
